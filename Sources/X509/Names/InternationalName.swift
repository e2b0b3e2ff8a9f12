internal import Base
internal import CLibraries
internal import Pinning

/// International domain names.
package enum InternationalName {
    /// The length in bytes above which no name outside ASCII has an A-label form of 253 characters.
    private static let longestName = 1_024

    /// The A-label form of a name with characters outside ASCII (IDNA 2008 with the mapping of UTS 46); others as they are.
    ///
    /// Returns `nil` when the name is no valid international domain name. Addresses and ASCII names pass unchanged.
    package static func ascii(_ name: String) -> String? {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        guard name.utf8.count <= longestName else { return nil }
        var output: UnsafeMutablePointer<CChar>?
        let flags = Int32(CIDN2_NFC_INPUT | CIDN2_NONTRANSITIONAL)
        guard !name.utf8.contains(0) else { return nil }
        let library = NameLibraries.internationalNames
        guard library.to_ascii_8z(name, &output, flags) == Int32(CIDN2_OK), let output else { return nil }
        defer { library.free(output) }
        return String(cString: output)
    }
}

/// The libraries that know names, loaded when a name needs them and kept for the rest of the run (`dlopen`).
///
/// An ordinary check has an ASCII name and no wildcard above a registry: loading them would take a tenth of its time.
enum NameLibraries {
    static let publicSuffixes: CPSL = {
        var functions = CPSL()
        if let reason = CPSL_load(&functions) {
            MissingLibrary.end(
                "libpsl", packages: "Debian: libpsl5, Fedora: libpsl, Homebrew: libpsl", reason: String(cString: reason)
            )
        }
        return functions
    }()

    /// libidn2's functions.
    static let internationalNames: CIDN2 = {
        var functions = CIDN2()
        if let reason = CIDN2_load(&functions) {
            MissingLibrary.end(
                "libidn2", packages: "Debian: libidn2-0, Fedora: libidn2, Homebrew: libidn2",
                reason: String(cString: reason))
        }
        return functions
    }()
}

/// The public suffix list of libpsl.
///
/// The system's library rather than a list of our own: distributions keep it up to date.
package enum SystemPublicSuffixList {
    /// Unsafe only to the compiler: libpsl's built-in list never changes, and NULL is an answer it takes.
    nonisolated(unsafe) private static let list = library.builtin()

    private static var library: CPSL { NameLibraries.publicSuffixes }

    /// The rules of both sections, without the one for all that no other covers.
    private static let anyRule = Int32(CPSL_ANY | CPSL_NO_STAR_RULE)

    /// The public suffix of `name`, `nil` when no rule of the list covers it.
    package static func publicSuffix(of name: String) -> String? {
        guard library.is_public_suffix2(list, name, anyRule) == 0 else { return name }
        // libpsl answers with a pointer into the text it was given, so that text has to outlive the answer.
        let suffix = name.withCString { name in library.unregistrable_domain(list, name).map { String(cString: $0) } }
        guard let suffix, library.is_public_suffix2(list, suffix, anyRule) != 0 else { return nil }
        return suffix
    }

    /// Whether registries give out names directly below `name`: the list's ICANN section.
    ///
    /// The private section does not count here: the owner of `github.io` may well hold a certificate for `*.github.io`.
    static func isRegistry(_ name: String) -> Bool { library.is_public_suffix2(list, name, Int32(CPSL_ICANN)) != 0 }
}

internal import CLibraries
internal import Pinning

/// The public suffix list of libpsl.
///
/// The system's library rather than a list of our own: distributions keep it up to date.
package struct SystemPublicSuffixList: PublicSuffixList {
    /// Unsafe only to the compiler: libpsl's built-in list never changes, and NULL is an answer it takes.
    nonisolated(unsafe) private static let list = library.builtin()

    private static var library: CPSL { NameLibraries.publicSuffixes }

    /// The rules of both sections, without the one for all that no other covers.
    private static let anyRule = Int32(CPSL_ANY | CPSL_NO_STAR_RULE)

    package init() {}

    /// The public suffix of `name`, `nil` when no rule of the list covers it.
    package func publicSuffix(of name: String) -> String? {
        guard Self.library.is_public_suffix2(Self.list, name, Self.anyRule) == 0 else { return name }
        // libpsl answers with a pointer into the text it was given, so that text has to outlive the answer.
        let suffix = name.withCString { name in
            Self.library.unregistrable_domain(Self.list, name).map { String(cString: $0) }
        }
        guard let suffix, Self.library.is_public_suffix2(Self.list, suffix, Self.anyRule) != 0 else { return nil }
        return suffix
    }

    /// Whether registries give out names directly below `name`: the list's ICANN section.
    ///
    /// The private section does not count here: the owner of `github.io` may well hold a certificate for `*.github.io`.
    static func isRegistry(_ name: String) -> Bool { library.is_public_suffix2(list, name, Int32(CPSL_ICANN)) != 0 }
}

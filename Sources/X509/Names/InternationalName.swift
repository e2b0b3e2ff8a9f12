import Base
import CLibraries
package import Pinning

/// The functions of a library; without it the process ends with 70 (EX_SOFTWARE), as the system's loader ends with 127.
private func loaded<Functions>(
    _ functions: Functions, by load: (UnsafeMutablePointer<Functions>) -> UnsafePointer<CChar>?
) -> Functions {
    var functions = functions
    if let reason = load(&functions) {
        let line = "pincheck: \(String(cString: reason)); install this library\n"
        try? Descriptor.write(line.bytes, to: STDERR_FILENO)
        _exit(70)
    }
    return functions
}

package enum InternationalName {
    private static let library = loaded(CIDN2(), by: CIDN2_load)

    /// The length in bytes above which no name outside ASCII has an A-label form of 253 characters.
    private static let longestName = 1_024

    /// The A-label form of `name` (IDNA 2008 with the mapping of UTS 46), unchanged in ASCII; `nil` if it is invalid.
    package static func ascii(_ name: String) -> String? {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        guard name.utf8.count <= longestName, !name.utf8.contains(0) else { return nil }
        var output: UnsafeMutablePointer<CChar>?
        guard library.idn2_to_ascii_8z(name, &output, Int32(CIDN2_FLAGS)) == 0, let output else { return nil }
        defer { library.idn2_free(output) }
        return String(cString: output)
    }
}

// International names become A-labels here; the reader of names refuses those without such a form.

private func asciiForm(of text: some StringProtocol) -> String { InternationalName.ascii(String(text)) ?? String(text) }

extension ServerName {
    package init(written text: some StringProtocol) throws(ServerNameError) { try self.init(asciiForm(of: text)) }

    package func written(as text: some StringProtocol) -> String { isAddress ? description : asciiForm(of: text) }
    package var isAddress: Bool { if case .ip = self { true } else { false } }
}

extension ReferenceName { package init(written text: String) { self.init(asciiForm(of: text)) } }

/// The public suffix list of libpsl, which distributions keep up to date.
package enum SystemPublicSuffixList {
    private static let library = loaded(CPSL(), by: CPSL_load)

    /// The built-in list, which never changes; libpsl accepts NULL for a list.
    nonisolated(unsafe) private static let list = library.psl_builtin()

    private static func isSuffix(_ name: String, _ types: Int) -> Bool {
        library.psl_is_public_suffix2(list, name, Int32(types)) != 0
    }

    /// The public suffix of `name`; `nil` if no rule of the list covers it.
    package static func publicSuffix(of name: String) -> String? {
        if isSuffix(name, CPSL_ANY_RULE) { return name }
        // The result points into the text given to libpsl, which has to outlive it.
        let suffix = name.withCString { library.psl_unregistrable_domain(list, $0).map { String(cString: $0) } }
        return suffix.flatMap { isSuffix($0, CPSL_ANY_RULE) ? $0 : nil }
    }

    /// `true` if registries register names below `name`; in the list's private section they do not: the owner of
    /// `github.io` may have a certificate for `*.github.io`.
    package static func isRegistry(_ name: String) -> Bool { isSuffix(name, CPSL_ICANN) }
}

internal import Base
internal import CLibraries
internal import Pinning

package enum InternationalName {
    /// The length in bytes above which no name outside ASCII has an A-label form of 253 characters.
    private static let longestName = 1_024

    /// The A-label form of `name` (IDNA 2008 with the mapping of UTS 46), unchanged in ASCII; `nil` if it is invalid.
    package static func ascii(_ name: String) -> String? {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        guard name.utf8.count <= longestName else { return nil }
        var output: UnsafeMutablePointer<CChar>?
        let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
        guard !name.utf8.contains(0), idn2_to_ascii_8z(name, &output, flags) == IDN2_OK.rawValue, let output else {
            return nil
        }
        defer { idn2_free(output) }
        return String(cString: output)
    }
}

/// The public suffix list of libpsl, which distributions keep up to date.
package enum SystemPublicSuffixList {
    /// The built-in list, which never changes; libpsl accepts NULL for a list.
    nonisolated(unsafe) private static let list = psl_builtin()

    /// The rules of both sections, without the default rule for names that no other rule covers.
    private static let anyRule = PSL_TYPE_ANY | PSL_TYPE_NO_STAR_RULE

    /// The public suffix of `name`; `nil` if no rule of the list covers it.
    package static func publicSuffix(of name: String) -> String? {
        guard psl_is_public_suffix2(list, name, anyRule) == 0 else { return name }
        // The result points into the text given to libpsl, which has to outlive it.
        let suffix = name.withCString { name in psl_unregistrable_domain(list, name).map { String(cString: $0) } }
        guard let suffix, psl_is_public_suffix2(list, suffix, anyRule) != 0 else { return nil }
        return suffix
    }

    /// `true` if registries register names below `name`.
    ///
    /// The list's private section does not count: the owner of `github.io` may have a certificate for `*.github.io`.
    package static func isRegistry(_ name: String) -> Bool { psl_is_public_suffix2(list, name, PSL_TYPE_ICANN) != 0 }
}

internal import CPSL
internal import Pinning

/// The public suffix list of libpsl.
///
/// The system's library rather than a list of our own: distributions keep it up to date.
package struct SystemPublicSuffixList: PublicSuffixList {
    /// Unsafe only to the compiler: libpsl's built-in list never changes, and NULL is an answer it takes.
    nonisolated(unsafe) private static let list = psl_builtin()

    /// The list that came with the library.
    package init() {}

    /// The public suffix of `name`, `nil` when no rule of the list covers it.
    package func publicSuffix(of name: String) -> String? {
        guard psl_is_public_suffix2(Self.list, name, PSL_TYPE_ANY | PSL_TYPE_NO_STAR_RULE) == 0 else { return name }
        // libpsl answers with a pointer into the text it was given, so that text has to outlive the answer.
        let suffix = name.withCString { name in
            psl_unregistrable_domain(Self.list, name).map { String(cString: $0) }
        }
        guard let suffix,
            psl_is_public_suffix2(Self.list, suffix, PSL_TYPE_ANY | PSL_TYPE_NO_STAR_RULE) != 0
        else { return nil }
        return suffix
    }

    /// Whether registries give out names directly below `name`: the list's ICANN section.
    ///
    /// The private section does not count here: the owner of `github.io` may well hold a certificate for `*.github.io`.
    static func isRegistry(_ name: String) -> Bool {
        psl_is_public_suffix2(list, name, PSL_TYPE_ICANN) != 0
    }
}

/// Takes out of a text what stands before the host of a URL or of a name: it may be a password or a token.
package enum UserInfo {
    private static let mark = "…"
    /// What stands before a `:` and an address of mail in certificates and URLs, where nothing is secret.
    private static let kindsOfMail: Set = ["email", "mailto"]

    /// A text of anybody's without user names and passwords, as in `https://…@dl.example.com/`.
    ///
    /// Nothing up to the last `@` is shown where the URL has any: a password with a slash ends the authority too early.
    package static func hidden(in text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
        return hiddenInWords(of: hiddenInURL(of: text[...]))
    }

    /// A text that is to name a host, without anything before it.
    package static func hiddenBeforeHost(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return text }
        let start = text.firstRange(of: "://").flatMap { $0.upperBound <= at ? $0.upperBound : nil } ?? text.startIndex
        return text[..<start] + mark + text[at...]
    }

    private static func hiddenInURL(of text: Substring) -> String {
        guard let scheme = text.firstRange(of: "://") else { return String(text) }
        let rest = text[scheme.upperBound...]
        let end = rest.firstRange(of: "://")?.lowerBound ?? rest.endIndex
        let url = rest[..<end]
        let authority = url.prefix { !"/?#".contains($0) }
        guard let at = url.lastIndex(of: "@"), authority.contains("@") || !hasPort(authority) else {
            return text[..<end] + hiddenInURL(of: text[end...])
        }
        return text[..<scheme.upperBound] + mark + url[at...] + hiddenInURL(of: text[end...])
    }

    /// Whether what stands behind the last `:` of an authority, if anything does, is a number.
    private static func hasPort(_ authority: Substring) -> Bool {
        guard !authority.hasSuffix("]"), let colon = authority.lastIndex(of: ":") else { return true }
        return authority[authority.index(after: colon)...].utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Hides `user:password@` where no scheme stands before it.
    private static func hiddenInWords(of text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            guard !word.contains("://"), let colon = word.firstIndex(of: ":"), let at = word.lastIndex(of: "@"),
                word.index(after: colon) < at
            else { return String(word) }
            let name = word[..<colon]
            let start = name.lastIndex { "='\"(,".contains($0) }.map { name.index(after: $0) } ?? name.startIndex
            let user = name[start...]
            guard !user.isEmpty, !user.contains("/"), !kindsOfMail.contains(user.lowercased()) else {
                return String(word)
            }
            return word[..<start] + mark + word[at...]
        }.joined(separator: " ")
    }
}

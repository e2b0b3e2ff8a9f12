/// Shortens what may be a private key in the text of a message.
package enum KeyMaterial {
    /// `true` if the text has the boundary of a private key in PEM, even with joined lines or another case.
    package static func isArmoured(_ text: String) -> Bool {
        // No private key is that short, and nearly every argument is.
        guard text.utf8.count > 40 else { return false }
        let letters = text.utf8.filter { $0 > 0x20 }.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
        return letters.indices.contains { letters[$0...].starts(with: boundary) }
    }

    /// The end of the boundary `-----BEGIN PRIVATE KEY-----` (RFC 7468, 10), without white space.
    private static let boundary = "PRIVATEKEY--".bytes

    /// The length of the shortest run that is cut: the last line of an RSA key of 2048 bits has 24 characters.
    private static let shortest = 20
    private static let shown = 8

    /// The text with every long run of base64 or hexadecimal digits cut to its first eight characters.
    package static func cut(_ text: String) -> String {
        let bytes = text.bytes
        guard bytes.count >= shortest else { return text }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let end = bytes[index...].firstIndex { !($0.isAlphanumeric || "+/=:".utf8.contains($0)) } ?? bytes.count
            let run = bytes[index..<end]
            let isCut = run.count >= shortest && isEncoded(run)
            result += isCut ? run.prefix(shown) + "…".bytes : run
            if end < bytes.count { result.append(bytes[end]) }
            index = end + 1
        }
        return String(utf8: result)
    }

    private static let colon = UInt8(ascii: ":")

    /// `true` if a run has decimal digits, and letters of both cases or from A to F only: words and names do not.
    private static func isEncoded(_ run: ArraySlice<UInt8>) -> Bool {
        let parts = run.split(separator: colon)
        let longest = parts.map(\.count).max() ?? 0
        // One part may be a line of a key, or all are pairs of digits, more than the eight groups of an IPv6 address.
        guard longest >= shortest || longest == 2 && parts.count > 8 else { return false }
        let hasDigit = run.contains { $0.isDigit }
        let hasUpper = run.contains { (0x41...0x5A).contains($0) }
        let hasLower = run.contains { (0x61...0x7A).contains($0) }
        let isHexadecimal = run.allSatisfy { $0.isDigit || (0x41...0x46).contains($0 & 0xDF) || $0 == colon }
        return hasDigit && (hasUpper && hasLower || isHexadecimal && (hasUpper || hasLower))
    }
}

/// Hides the userinfo of URLs (RFC 3986, 3.2.1), which may be a password or a token.
package enum UserInfo {
    private static let mark = "…"
    /// The words before a mail address in certificates and URLs, as in `mailto:a@example.com`, which is not secret.
    private static let mailPrefixes: Set = ["email", "mailto"]

    /// A text without user names and passwords, as in `https://…@dl.example.com/`, which hides a URL up to its last
    /// `@`: a password with a slash looks like the beginning of the path.
    package static func hidden(in text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
        return hiddenInWords(of: hiddenInURL(of: text[...]))
    }

    /// A text that should be a host or its URL, without userinfo, even if the text is malformed.
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
        // Without an `@` before the path, text after a `:` that is not a port may be a password with a slash.
        let authority = url.prefix { !"/?#".contains($0) }
        guard let at = url.lastIndex(of: "@"), authority.contains("@") || !hasPort(authority) else {
            return text[..<end] + hiddenInURL(of: text[end...])
        }
        return text[..<scheme.upperBound] + mark + url[at...] + hiddenInURL(of: text[end...])
    }

    private static func hasPort(_ authority: Substring) -> Bool {
        guard !authority.hasSuffix("]"), let colon = authority.lastIndex(of: ":") else { return true }
        return authority[authority.index(after: colon)...].utf8.allSatisfy { $0.isDigit }
    }

    /// Hides `user:password@` in words without a scheme.
    private static func hiddenInWords(of text: String) -> String {
        text.parts(at: " ").map { word in
            guard !word.contains("://"), let colon = word.firstIndex(of: ":"), let at = word.lastIndex(of: "@"),
                word.index(after: colon) < at
            else { return String(word) }
            let name = word[..<colon]
            let start = name.lastIndex { "='\"(,".contains($0) }.map { name.index(after: $0) } ?? name.startIndex
            let user = name[start...]
            guard !user.isEmpty, !user.contains("/"), !mailPrefixes.contains(user.lowercased()) else {
                return String(word)
            }
            return word[..<start] + mark + word[at...]
        }.joined(separator: " ")
    }
}

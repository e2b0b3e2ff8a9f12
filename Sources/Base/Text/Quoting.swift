/// Text from outside in quotes for a message: shortened at its end, escaped, and without what may be a piece of a private key
/// or a password before a host.
///
/// - Parameters:
///   - text: what a user, a file or a server said.
///   - limit: the most characters that are shown.
/// - Returns: one line.
package func quoted(_ text: some StringProtocol, to limit: Int = 80) -> String {
    "'" + TerminalText.shown(withoutSecrets(String(text)), to: limit) + "'"
}

/// Text from outside for a message: escaped, shortened in its middle, and without what may be a piece of a private key or a
/// password before a host.
///
/// - Parameters:
///   - text: what a user, a file or a server said.
///   - limit: the number of bytes up to which it is shown whole.
///   - isPublic: whether it is a path that was opened or a pin, in which encoded bytes are no secret.
/// - Returns: one line.
package func shortened(_ text: some StringProtocol, to limit: Int = 120, isPublic: Bool = false) -> String {
    let text = isPublic ? UserInfo.hidden(in: String(text)) : withoutSecrets(String(text))
    // By scalars: a character can be as long as the text.
    let scalars = text.unicodeScalars
    guard text.utf8.count > limit else { return TerminalText.escaped(text) }
    let start = String.UnicodeScalarView(scalars.prefix(limit / 2))
    let end = String.UnicodeScalarView(scalars.suffix(limit / 3))
    return TerminalText.escaped("\(start)…\(end)")
}

/// Text from outside without what may be a piece of a private key, a password or a token; it is not escaped.
package func withoutSecrets(_ text: String) -> String { KeyMaterial.cut(UserInfo.hidden(in: text)) }

/// The rule by which values are escaped in the program's own text.
package protocol EscapingRule { static func escaped(_ text: String) -> String }

extension TerminalText: EscapingRule {}

/// A message for a terminal: no certificate, server, file or argument can begin a line of it.
package typealias SafeText = EscapedText<TerminalText>

/// The author's literals, which may have line breaks, with every interpolated value escaped by a rule.
package struct EscapedText<Rule: EscapingRule>: Hashable, CustomStringConvertible, ExpressibleByStringInterpolation {
    package private(set) var description: String

    package init(stringLiteral value: String) { description = value }

    package init(stringInterpolation: Interpolation) { description = stringInterpolation.text }

    package init(escaping text: String) { description = Rule.escaped(text) }

    package static func + (left: Self, right: Self) -> Self { "\(left)\(right)" }
    package static func += (left: inout Self, right: Self) { left.description += right.description }

    package static func lines(_ messages: [EscapedText]) -> EscapedText {
        EscapedText(stringLiteral: messages.map(\.description).joined(separator: "\n"))
    }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ message: EscapedText) { text += message.description }

        package mutating func appendInterpolation(_ parts: [EscapedText]) {
            for part in parts { text += part.description }
        }

        package mutating func appendInterpolation(_ value: some Any) {
            text += Rule.escaped(String(describing: value))
        }
    }
}

/// Text from outside in quotes, on one line: at most `limit` characters, escaped and ``withoutSecrets(_:)``.
package func quoted(_ text: some StringProtocol, to limit: Int = 80) -> String {
    "'" + TerminalText.excerpt(withoutSecrets(String(text)), to: limit) + "'"
}

/// Text from outside on one line: escaped, ``withoutSecrets(_:)``, and shortened in its middle beyond `limit` bytes.
///
/// `isPublic` is for a pin or the path of an opened file, in which encoded bytes are not secret.
package func shortened(_ text: some StringProtocol, to limit: Int = 120, isPublic: Bool = false) -> String {
    let text = isPublic ? UserInfo.hidden(in: String(text)) : withoutSecrets(String(text))
    // Cut by scalars: a character can be as long as the text.
    let scalars = text.unicodeScalars
    guard text.utf8.count > limit else { return TerminalText.escaped(text) }
    let start = String.UnicodeScalarView(scalars.prefix(limit / 2))
    let end = String.UnicodeScalarView(scalars.suffix(limit / 3))
    return TerminalText.escaped("\(start)…\(end)")
}

/// Text from outside without possible pieces of a private key, passwords and tokens; it is not escaped.
package func withoutSecrets(_ text: String) -> String { KeyMaterial.cut(UserInfo.hidden(in: text)) }

/// The first words with commas between, and the number of the others, as in `a, b and 3 more`; empty if there are none.
package func listed(_ words: some Collection<String>, first count: Int = 5) -> String {
    listed(words.prefix(count), of: words.count)
}

/// The given words with commas between, and the number of the others, up to `total`.
package func listed(_ named: some Collection<String>, of total: Int) -> String {
    let more = total - named.count
    return named.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
}

/// A time in seconds to the millisecond, as `--timeout` takes it: `3 s`, `0.5 s`.
package func secondsText(_ time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    let rest = attoseconds / 1_000_000_000_000_000
    guard rest > 0 else { return "\(seconds) s" }
    var fraction = String(1_000 + rest).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return "\(seconds).\(fraction) s"
}

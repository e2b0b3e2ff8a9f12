/// A message: the program's own words, in which whatever was put between them is escaped.
///
/// What stands in the literal is the author's and may have line breaks; every interpolated value is taken for somebody
/// else's and gets them, control characters and all that is hidden written out (``TerminalText/escaped(_:)``). So no certificate,
/// server, file or argument can begin a line of its own, and no caller has to prevent it.
package struct SafeText: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringInterpolation {
    package let description: String

    package init(stringLiteral value: String) { description = value }

    package init(stringInterpolation: Interpolation) { description = stringInterpolation.text }

    /// Text of anybody's, escaped.
    package init(escaping text: String) { description = TerminalText.escaped(text) }

    private init(safe text: String) { description = text }

    package static func + (left: SafeText, right: SafeText) -> SafeText {
        SafeText(safe: left.description + right.description)
    }

    package static func lines(_ messages: [SafeText]) -> SafeText {
        SafeText(safe: messages.map(\.description).joined(separator: "\n"))
    }

    /// What builds a message.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ message: SafeText) { text += message.description }

        /// Adds a value, escaped.
        package mutating func appendInterpolation(_ value: some Any) {
            text += TerminalText.escaped(String(describing: value))
        }
    }
}

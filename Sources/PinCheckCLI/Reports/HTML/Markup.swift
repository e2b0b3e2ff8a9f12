/// Markup in which the literals are the program's own, and every value between them is text.
struct Markup: ExpressibleByStringInterpolation {
    private(set) var text: String

    init(stringLiteral value: String) { text = value }

    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    init(_ parts: [Markup]) { text = parts.map(\.text).joined() }

    static func += (left: inout Markup, right: Markup) { left.text += right.text }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ markup: Markup) { text += markup.text }

        mutating func appendInterpolation(_ parts: [Markup]) { for part in parts { text += part.text } }

        /// Adds a value, escaped.
        mutating func appendInterpolation(_ value: some Any) {
            text += XMLText.escaped(String(describing: value), length: 1_000)
        }
    }
}

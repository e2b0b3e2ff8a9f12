/// What a text looks like, for the schema.
struct TextPattern: Sendable, ExpressibleByArrayLiteral {
    enum Part: Sendable {
        /// These characters as they are; none of them has a meaning in a regular expression.
        case text(String)
        /// So many of these ASCII characters, written as in the brackets of a regular expression: `0-9a-f`.
        case characters(String, ClosedRange<Int>)

        /// So many of these characters, neither more nor fewer.
        static func characters(_ set: String, _ count: Int) -> Part { .characters(set, count...count) }
    }

    private let parts: [Part]
    private let hasEnd: Bool

    init(arrayLiteral parts: Part...) { self.init(parts, hasEnd: true) }

    private init(_ parts: [Part], hasEnd: Bool) { (self.parts, self.hasEnd) = (parts, hasEnd) }

    static func beginning(with text: String) -> TextPattern { TextPattern([.text(text)], hasEnd: false) }

    var expression: String {
        let parts = parts.map { part in
            switch part {
            case .text(let text): text
            case .characters(let set, let counts):
                (set.utf8.count == 1 ? set : "[\(set)]") + Self.expression(of: counts)
            }
        }
        return "^\(parts.joined())\(hasEnd ? "$" : "")"
    }

    private static func expression(of counts: ClosedRange<Int>) -> String {
        switch (counts.lowerBound, counts.upperBound) {
        case (1, 1): ""
        case (0, 1): "?"
        case (1, .max): "+"
        case (let least, .max): "{\(least),}"
        case (let least, let most): least == most ? "{\(least)}" : "{\(least),\(most)}"
        }
    }
}

extension TextPattern {
    /// A time in UTC, RFC 3339; years before 0 and after 9999 too.
    static let time: TextPattern = [
        .characters("-", 0...1), .characters("0-9", 4...Int.max), .text("-"), .characters("0-9", 2), .text("-"),
        .characters("0-9", 2), .text("T"), .characters("0-9", 2), .text(":"), .characters("0-9", 2), .text(":"),
        .characters("0-9", 2), .text("Z"),
    ]
    static let day: TextPattern = [
        .characters("0-9", 4), .text("-"), .characters("0-9", 2), .text("-"), .characters("0-9", 2),
    ]
    /// 32 bytes in hexadecimal digits.
    static let sha256: TextPattern = [.characters("0-9a-f", 64)]
    /// A SHA-256 of a public key in the notation of OkHttp.
    static let pin = base64SHA256(behind: "sha256/")

    static let label: TextPattern = [.characters(" -~", 0...200)]

    /// 32 bytes in base64 (RFC 4648) behind a name of the hash.
    static func base64SHA256(behind name: String) -> TextPattern {
        [.text(name), .characters("A-Za-z0-9+/", 43), .text("=")]
    }
}

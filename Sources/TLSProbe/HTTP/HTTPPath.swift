/// The path and the query of a request (origin-form, RFC 9112, 3.2.1).
package struct HTTPPath: Sendable, Hashable, CustomStringConvertible {
    /// The path and the query, beginning with `/`.
    package let description: String

    /// The most bytes a path can have: what every server should take (RFC 9110, 4.1).
    package static let lengthLimit = 8_000

    /// Reads a path, perhaps with a query, as it is sent: nothing is encoded.
    package init(_ text: String) throws(HTTPPathError) {
        guard text.hasPrefix("/") else { throw .noSlash }
        guard HTTPLocation.isEncoded(text) else { throw .character }
        guard !text.contains("#") else { throw .fragment }
        guard text.utf8.count <= Self.lengthLimit else { throw .tooLong }
        description = text
    }
}

/// Why a text is no path that can be asked for.
package enum HTTPPathError: Error, Hashable {
    /// It does not begin with `/`.
    case noSlash
    /// It has a space, a control character, or another one that has to be percent-encoded.
    case character
    /// It has a fragment, which is never sent (RFC 9110, 4.2.5).
    case fragment
    /// It is longer than ``HTTPPath/lengthLimit``.
    case tooLong
}

extension HTTPPathError: CustomStringConvertible {
    /// What is wrong and what to write, for the end of a line that quotes the text.
    package var description: String {
        switch self {
        case .noSlash: "is not a path: begin it with '/', as in /health"
        case .character: "has a character that a URL writes percent-encoded, as in %20 for a space"
        case .fragment: "has a fragment, which no client sends: leave out everything from the '#' on"
        case .tooLong: "is longer than \(HTTPPath.lengthLimit) bytes: ask for something shorter"
        }
    }
}

/// The place of pin data for messages: an option, a file, or a line or value of a file.
package enum PinPlace: Hashable, CustomStringConvertible {
    case file(String)
    /// A line of a file, counted from 1.
    case line(Int, of: String)
    /// A value of a property list or of JSON, with the path of keys to it.
    case key(String, of: String)
    /// A source that is not a file, as in `command line`, or an option.
    case named(String)

    package static let option = PinPlace.named("--pins")
    package static let pinnedPublicKey = PinPlace.named("--pinnedpubkey")

    package var path: String? {
        switch self {
        case .named: nil
        case .file(let path), .line(_, let path), .key(_, let path): path
        }
    }

    package var line: Int? { if case .line(let line, _) = self { line } else { nil } }
    package var key: String? { if case .key(let key, _) = self { key } else { nil } }

    /// Puts the place before a message, unless the message already begins with this file.
    package func before(_ message: SafeText) -> SafeText {
        let isPlaced = path.map { message.description.hasPrefix(TerminalText.escaped($0) + ":") } ?? false
        return isPlaced ? message : "\(self): \(message)"
    }

    /// The place in a file; a path of more than 1,024 bytes is shortened in its middle.
    package static func at(_ path: String, line: Int? = nil) -> PinPlace {
        let path = path.utf8.count > 1024 ? shortened(path, to: 1024, isPublic: true) : path
        return line.map { .line($0, of: path) } ?? .file(path)
    }

    /// The place as people write it: `--pins`, `pins.txt`, `pins.txt:3`; names are escaped.
    package var description: String {
        switch self {
        case .file(let path), .named(let path): TerminalText.escaped(path)
        case .line(let line, let path): TerminalText.escaped("\(path):\(line)")
        case .key(let key, let path): TerminalText.escaped("\(path): \(key)")
        }
    }
}

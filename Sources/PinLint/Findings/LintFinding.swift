internal import Base
package import PinFormats

/// Something about pins that their owner should know before they ship.
package struct LintFinding: Sendable, Hashable {
    /// What kind of finding it is: a stable word, listed with its meaning in ``LintCatalogue``.
    package let id: String
    /// How bad it is.
    package let severity: LintSeverity
    /// Where it is.
    package let place: LintPlace
    /// What is found, in one line; text from outside in it is shortened and escaped.
    package let message: String
    /// What to do about it, in one line.
    package let remedy: String?
    /// The host or pattern it concerns, `nil` for all or none.
    package let host: String?
    /// Why the source cannot be used as it is; `nil` for a finding about pins that can be read.
    package let obstacle: PinFormatError.Kind?

    init(
        _ id: LintRuleID, _ severity: LintSeverity? = nil, at place: LintPlace, host: String? = nil, _ message: String,
        remedy: String? = nil
    ) {
        self.id = id.rawValue
        self.severity = severity ?? id.severity
        self.place = place
        self.message = TerminalText.escaped(message)
        self.remedy = remedy.map(TerminalText.escaped)
        self.host = host
        obstacle = nil
    }

    /// A finding about data that cannot be used.
    init(_ error: PinFormatError, at place: LintPlace) {
        id = error.problem.rawValue
        severity = .error
        self.place = place
        message = error.reason
        remedy = error.remedy
        host = nil
        obstacle = error.kind
    }
}

/// How bad a finding is.
package enum LintSeverity: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Good to know; nothing has to change.
    case note
    /// It works today and will break, or protects less than it seems to.
    case warning
    /// It is broken, or the client refuses it.
    case error

    /// Whether `left` is less bad.
    package static func < (left: LintSeverity, right: LintSeverity) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .note: 0
        case .warning: 1
        case .error: 2
        }
    }
}

/// Where a finding is.
package struct LintPlace: Sendable, Hashable, CustomStringConvertible {
    /// The file or directory, `nil` for a pin that was given as an argument.
    package let file: String?
    /// The line, from 1, where the file has lines.
    package let line: Int?
    /// The keys that lead to the value in a file without lines.
    package let key: String?
    /// The source, as it is called in messages.
    package let source: String

    /// A place in the source called `source`.
    init(_ place: PinPlace, in source: String) {
        self.source = source
        switch place {
        case .option, .pinnedPublicKey: (file, line, key) = (nil, nil, nil)
        case .file(let path): (file, line, key) = (path, nil, nil)
        case .line(let number, let path): (file, line, key) = (path, number, nil)
        case .key(let keys, let path): (file, line, key) = (path, nil, keys)
        }
    }

    /// As people write it: `pins.txt:3`, `Info.plist: NSPinnedDomains.example.com`, or the name of the source; escaped.
    package var description: String {
        guard let file else { return TerminalText.escaped(source) }
        if let line { return TerminalText.escaped("\(file):\(line)") }
        return TerminalText.escaped(key.map { "\(file): \($0)" } ?? file)
    }
}

internal import Base
package import PinFormats

/// Something about pins that their owner should know before they ship.
package struct LintFinding: Sendable, Hashable {
    /// What kind of finding it is: a stable word, listed with its meaning in ``LintKind``.
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
        _ kind: LintKind, _ severity: LintSeverity? = nil, at place: LintPlace, host: String? = nil, _ message: String,
        remedy: String? = nil
    ) {
        id = kind.id
        self.severity = severity ?? kind.severity
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
    package static func < (left: LintSeverity, right: LintSeverity) -> Bool {
        left != right && (left == .note || right == .error)
    }
}

/// Where a finding is.
package struct LintPlace: Sendable, Hashable, CustomStringConvertible {
    private let place: PinPlace
    /// The source, as it is called in messages.
    package let source: String

    /// A place in the source called `source`.
    init(_ place: PinPlace, in source: String) { (self.place, self.source) = (place, source) }

    /// The file or directory, `nil` for a pin that was given as an argument.
    package var file: String? { place.path }
    /// The line, from 1, where the file has lines.
    package var line: Int? { if case .line(let line, _) = place { line } else { nil } }
    /// The keys that lead to the value in a file without lines.
    package var key: String? { if case .key(let key, _) = place { key } else { nil } }

    /// As people write it: `pins.txt:3`, `Info.plist: NSPinnedDomains.example.com`, or the name of the source; escaped.
    package var description: String { file == nil ? TerminalText.escaped(source) : place.description }
}

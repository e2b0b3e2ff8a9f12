internal import Base
package import PinFormats

/// Something about pins that their owner should know before they ship.
package struct LintFinding: Sendable {
    package let id: String
    package let severity: LintSeverity
    package let place: LintPlace
    /// What is found, in one line; text from outside in it is shortened and escaped.
    package let message: String
    package let remedy: String?
    package let host: String?
    /// Why the source cannot be used as it is; `nil` for a finding about pins that can be read.
    package let obstacle: PinFormatError.Kind?
    /// What is pinned elsewhere and not here, in few words that are escaped; `nil` for a finding about one source.
    package let drift: (what: String, place: LintPlace)?

    init(
        _ kind: LintKind, _ severity: LintSeverity? = nil, at place: LintPlace, host: String? = nil, _ message: String,
        remedy: String? = nil, drift: (what: String, place: LintPlace)? = nil
    ) {
        (id, self.severity, self.place, self.host, obstacle) = (kind.id, severity ?? kind.severity, place, host, nil)
        self.drift = drift
        (self.message, self.remedy) = (TerminalText.escaped(message), remedy.map(TerminalText.escaped))
    }

    init(_ error: PinFormatError, at place: LintPlace) {
        (id, severity, self.place, host, obstacle) = (error.problem.rawValue, .error, place, nil, error.kind)
        drift = nil
        (message, remedy) = (error.reason, error.remedy)
    }
}

package enum LintSeverity: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Good to know; nothing has to change.
    case note
    /// It works today and will break, or protects less than it seems to.
    case warning
    /// It is broken, or the client refuses it.
    case error

    package static func < (left: LintSeverity, right: LintSeverity) -> Bool {
        left != right && (left == .note || right == .error)
    }
}

package struct LintPlace: Sendable, Hashable, CustomStringConvertible {
    private let place: PinPlace
    package let source: String

    init(_ place: PinPlace, in source: String) { (self.place, self.source) = (place, source) }

    package var file: String? { place.path }
    /// Whether the file is the source, and not one of many.
    package var isWholeSource: Bool { file == source }
    package var line: Int? { if case .line(let line, _) = place { line } else { nil } }
    /// The keys that lead to the value in a file without lines.
    package var key: String? { if case .key(let key, _) = place { key } else { nil } }

    /// As people write it: `pins.txt:3`, `Info.plist: NSPinnedDomains.example.com`, or the name of the source; escaped.
    package var description: String { file == nil ? TerminalText.escaped(source) : place.description }
}

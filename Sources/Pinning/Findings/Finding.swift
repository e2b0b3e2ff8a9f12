package import Base

/// A note, a warning or an error about a server, about pins, or about the time ahead.
public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The severity of a finding.
    public enum Level: String, Hashable, Sendable, CaseIterable, Comparable {
        /// Useful to know; nothing has to change.
        case note
        /// Something is wrong, or will break.
        case warning
        /// A missed limit that the user set for the time ahead.
        case fail
        /// Something is broken, or a client refuses it.
        case error

        /// Orders levels by severity.
        public static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    package let kind: FindingID
    /// The severity.
    public package(set) var level: Level
    /// One line without the place and the remedy; outside text is escaped.
    public package(set) var message: String
    package private(set) var place: PinPlace?
    /// The subject, such as a host; of several clients' findings on one subject, only the worst is reported.
    package private(set) var subject: String?
    package private(set) var date: Timestamp?
    package var remedy: Remedy?
    /// `true` if the finding makes data unusable.
    package private(set) var isObstacle = false
    package var pin: SHA256Digest?

    package init(
        _ kind: FindingID, _ level: Level, _ message: String, at place: PinPlace? = nil, of subject: String? = nil,
        on date: Timestamp? = nil, remedy: Remedy? = nil, isObstacle: Bool = false
    ) {
        assert((kind.levels + kind.lintLevels).contains(level), "\(kind) has no level \(level)")
        (self.kind, self.level, self.message) = (kind, level, TerminalText.escaped(message))
        (self.place, self.subject, self.date) = (place, subject, date)
        (self.remedy, self.isObstacle) = (remedy, isObstacle)
    }

    /// The stable word for machines, as in `private-root`.
    public var id: String { kind.word }

    package var placedMessage: String { (place.map { "\($0): " } ?? "") + message }

    /// One line: the place, the message and the remedy.
    public var description: String { placedMessage + (remedy?.words ?? "") }
}

import Base
import PinFormats

/// Why a result is what it is: a stable word for machines, and a sentence in which text from outside is escaped.
public struct Reason: Hashable, Sendable, CustomStringConvertible {
    /// A stable word, as in `pin-mismatch`.
    public let id: String
    /// One line without what would mend it.
    public var message: String { ([sentence] + hints).separated(by: "; ") }
    /// The reason alone.
    package let sentence: String
    /// What else is to be known of it, each in a sentence of its own.
    package let hints: [String]
    /// What would mend it, `nil` where the sentence says it or nothing would.
    package private(set) var remedy: Remedy?

    /// The sentence, with what would mend it.
    public var description: String { message + (remedy?.words ?? "") }

    /// A reason; the sentences are escaped here.
    package init(id: String, message: String, hints: [String] = [], remedy: Remedy? = nil) {
        self.id = id
        (sentence, self.hints) = (TerminalText.escaped(message), hints.map(TerminalText.escaped))
        self.remedy = remedy
    }

    /// The same, without what would mend it where `isAdvising` is false.
    func advising(_ isAdvising: Bool) -> Reason {
        var reason = self
        if !isAdvising { reason.remedy = nil }
        return reason
    }
}

/// Something worth telling of a result beside the verdict.
public struct Finding: Hashable, Sendable {
    /// How much it matters.
    public enum Level: String, Hashable, Sendable {
        /// To be expected, and good to know.
        case info
        /// Something is not as it should be.
        case warning
    }

    /// How much it matters.
    public let level: Level
    /// What there is to tell.
    public let reason: Reason
    /// Whether it tells how what connections are served differs, which a baseline can have as well.
    package let isDifference: Bool

    /// A stable word for machines.
    public var id: String { reason.id }

    /// A finding; the sentence is escaped.
    package init(_ level: Level, id: String, message: String, remedy: Remedy? = nil) {
        self.init(level, Reason(id: id, message: message, remedy: remedy))
    }

    package init(_ level: Level, _ reason: Reason, isDifference: Bool = false) {
        (self.level, self.reason, self.isDifference) = (level, reason, isDifference)
    }

    package static func warning(id: String, message: String, remedy: Remedy? = nil) -> Finding {
        Finding(.warning, id: id, message: message, remedy: remedy)
    }
}

/// Findings that are not to be told, by their ids; what rejects or ends too soon stays.
extension Finding {
    /// Every id of a warning or note of a check.
    package static let knownIDs: [String] = Set(
        PinNote.ID.allCases.map(\.rawValue)
            + """
            addresses-differ addresses-incomplete ats-exception-needed authority-pin bare-key-pin breaks-at-renewal certificate-revoked
            client-certificate-required client-not-set-up configured-anchors everything-accepted expiration-time-zone
            expires-soon hash-pins-ignored host-not-configured host-not-evaluated interceptor intermediate-not-presented
            issuer-would-be-fetched key-types-differ leaf-only name-not-checked needs-allow-invalid next-assumed next-root-missing
            no-forward-secrecy no-sni-differs no-system-roots not-enforced nothing-pinned old-device-data only-backup-left path-dependent
            pin-expired pin-only-presented pins-end pins-expire pins-expired pins-not-compared pins-overridden platform-rule private-root
            root-not-everywhere system-pins error-answer unusable-staple validity-not-checked weak-key-exchange
            """.split(whereSeparator: \.isWhitespace).map(String.init)
    ).sorted()

    package static func ids(in lists: [String]) throws(CheckError) -> Set<String> {
        let ids = lists.words
        for id in ids where !knownIDs.contains(id) {
            throw .request(
                "\(quoted(id)) is the id of no warning: "
                    + (Suggestion.nearest(to: id, in: knownIDs).map { "did you mean '\($0)'?" }
                        ?? "the ids stand in the JSON of a check, under warnings and notes"))
        }
        return Set(ids)
    }
}

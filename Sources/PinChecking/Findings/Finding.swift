import Base
import PinFormats
package import Pinning
package import TLSProbe

/// Why a result is what it is: a stable word for machines, and a sentence in which text from outside is escaped.
public struct Reason: Hashable, Sendable, CustomStringConvertible {
    /// A stable word, as in `pin-mismatch`.
    public let id: String
    /// One line without what would mend it.
    public var message: String { ([sentence] + hints).joined(separator: "; ") }
    package let sentence: String
    /// What else is to be known of it, each in a sentence of its own.
    package let hints: [String]
    /// What would mend it, `nil` where the sentence says it or nothing would.
    package private(set) var remedy: Remedy?
    /// The failure of a connection that says what would mend it.
    package private(set) var failure: ProbeError? = nil

    /// The sentence, with what would mend it.
    public var description: String { message + (remedy?.words ?? failure?.advice(naming: \.rawValue) ?? "") }

    /// A reason; the sentences are escaped here.
    package init(_ id: String, _ message: String, hints: [String] = [], remedy: Remedy? = nil) {
        self.id = id
        (sentence, self.hints) = (TerminalText.escaped(message), hints.map(TerminalText.escaped))
        self.remedy = remedy
    }

    /// Why there is no connection.
    init(_ failure: ProbeError, id: String? = nil) {
        self.init(id ?? failure.id, "\(failure.phase.rawValue): \(failure.escapedFact)")
        self.failure = failure
    }

    /// The same, with one more thing to be known of it.
    func adding(_ hint: String) -> Reason { Reason(id, sentence, hints: hints + [hint], remedy: remedy) }

    /// The same, without what would mend it where `isAdvising` is false.
    func advising(_ isAdvising: Bool) -> Reason {
        var reason = self
        if !isAdvising { reason.remedy = nil }
        return reason
    }
}

extension Finding {
    /// The reason of an ending that tells it.
    package var reason: Reason { Reason(id, placedMessage, remedy: remedy) }

    package static func warning(_ kind: FindingID, _ message: String, remedy: Remedy? = nil) -> Finding {
        Finding(kind, .warning, message, remedy: remedy)
    }

    /// The same, without what would mend it where `isAdvising` is false.
    func advising(_ isAdvising: Bool) -> Finding {
        var finding = self
        if !isAdvising { finding.remedy = nil }
        return finding
    }
}

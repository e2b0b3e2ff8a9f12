import Base
package import Pinning
package import TLSProbe

/// The reason for a result: a stable word for machines, and a sentence with outside text escaped.
public struct Reason: Hashable, Sendable, CustomStringConvertible {
    /// A stable word, as in `pin-mismatch`.
    public let id: String
    /// The reason in one line, without its remedy.
    public var message: String { ([sentence] + hints).joined(separator: "; ") }
    package let sentence: String
    /// Further facts, each a sentence of its own.
    package internal(set) var hints: [String]
    /// The remedy; `nil` if the sentence contains it or there is none.
    package internal(set) var remedy: Remedy?
    /// The failure of a connection, which has a remedy of its own.
    package var failure: ProbeError? { failures.first }
    // In an array of at most one, because results hold dozens of reasons, and nearly all would have room for nothing.
    private var failures: [ProbeError] = []

    /// The reason in one line, with its remedy.
    public var description: String { message + (remedy?.words ?? failure?.advice(naming: \.rawValue) ?? "") }

    package init(_ id: String, _ message: String, hints: [String] = [], remedy: Remedy? = nil) {
        self.id = id
        (sentence, self.hints) = (TerminalText.escaped(message), hints.map(TerminalText.escaped))
        self.remedy = remedy
    }

    init(_ failure: ProbeError, id: String? = nil, remedy: Remedy? = nil) {
        self.init(id ?? failure.id, "\(failure.phase.rawValue): \(failure.escapedFact)", remedy: remedy)
        failures = [failure]
    }
}

extension Finding {
    package var reason: Reason { Reason(id, placedMessage, remedy: remedy) }

    package static func warning(_ kind: FindingID, _ message: String, remedy: Remedy? = nil) -> Finding {
        Finding(kind, .warning, message, remedy: remedy)
    }
}

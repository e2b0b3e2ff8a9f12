package import Base
package import PinFormats
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
    init(_ failure: ProbeError) {
        self.init(failure.id, "\(failure.phase.rawValue): \(failure.escapedFact)")
        self.failure = failure
    }

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

/// Why nothing can be checked: what is asked for contradicts itself, or cannot be read.
///
/// Never a verdict.
public struct CheckError: Error, Hashable, Sendable {
    /// Whose fault it is, by which a program chooses how to end.
    public enum Kind: Hashable, Sendable {
        /// What is asked for makes no sense.
        case request
        /// A file is malformed, or a client cannot be set up with what it holds.
        case data
        /// A file is missing or unreadable.
        case missing
        /// The fault is pincheck's own, or of the system it runs on.
        case software
    }

    /// Whose fault it is.
    public let kind: Kind
    package let message: SafeText
    /// What to do about it, `nil` where the message says it.
    package let remedy: Remedy?
    /// Where it stands in a list or a policy, `nil` for what the caller says itself.
    package private(set) var place: PinPlace?

    package static func said(_ kind: Kind, _ message: SafeText, _ remedy: Remedy? = nil) -> CheckError {
        CheckError(kind: kind, message: message, remedy: remedy)
    }

    static func request(_ message: SafeText, _ remedy: Remedy? = nil) -> CheckError { said(.request, message, remedy) }
    static func data(_ message: SafeText, _ remedy: Remedy? = nil) -> CheckError { said(.data, message, remedy) }

    /// The error with a place in a list or a policy, where it has none yet.
    func at(_ place: PinPlace) -> CheckError {
        var error = self
        error.place = self.place ?? place
        return error
    }
}

extension CheckError: CustomStringConvertible {
    package init(_ error: PinFormatError) {
        self.init(kind: error.kind == .missing ? .missing : .data, message: error.message, remedy: nil)
    }

    /// One line that says what is wrong and what to do, in words of no program's.
    public var description: String { placed.description + (remedy?.words ?? "") }
    package var placed: SafeText { place?.before(message) ?? message }
}

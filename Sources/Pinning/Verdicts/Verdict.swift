/// The decision of one client about a server, with its reason.
public struct Verdict: Sendable, Hashable {
    /// The reason to accept or to reject.
    public internal(set) var reason: Reason
    /// The response of an NSURLSession client to the server-trust challenge.
    public internal(set) var disposition: ChallengeDisposition
    /// The numbered steps of the client's procedure, in their order.
    public internal(set) var trace: [TraceStep]
    /// The chain that the decision rests on; if there are pins, the one that they were compared with.
    public let builtChain: BuiltChain
    /// The valid paths that the client needed, one for each evaluation; if it is empty, dates do not matter.
    public let restsOn: [VerifiedPath]
    /// The chain up to the last pinned certificate, even if ``builtChain`` ends at the first because pins are anchors.
    public internal(set) var reach: BuiltChain
    /// The pins that are on ``reach``, even if the client does not compare them.
    public internal(set) var matches: [PinMatch]
    /// The warnings and notes, which do not change the verdict.
    public internal(set) var findings: [Finding]

    package init(
        reason: Reason, disposition: ChallengeDisposition, trace: [TraceStep], builtChain: BuiltChain,
        restsOn: [VerifiedPath], reach: BuiltChain? = nil, matches: [PinMatch], findings: [Finding] = []
    ) {
        (self.reason, self.disposition, self.trace) = (reason, disposition, trace)
        (self.builtChain, self.restsOn, self.reach) = (builtChain, restsOn, reach ?? builtChain)
        (self.matches, self.findings) = (matches, findings)
    }

    /// `true` if the client goes on with the connection.
    public var isAccepted: Bool { reason.isAcceptance }

    /// The findings that are warnings.
    public var warnings: [Finding] { findings.filter { $0.level == .warning } }

    /// The reason why a client accepts or rejects.
    public enum Reason: Sendable, Hashable {
        /// Accepts: a pinned certificate or key is on the chain that the client looked at.
        case pinMatched(PinMatch)
        /// Accepts: the chain is trusted, and the client has no pins to compare.
        case trustedWithoutPins
        /// Accepts: the client's settings accept any certificate.
        case everythingAccepted
        /// Accepts: the system trusts the chain, and the client's pins do not apply to the server for this reason.
        case pinsNotApplied(String)
        /// Accepts: no pin matches, but the client only reports that.
        case mismatchNotEnforced
        /// Rejects: a valid path is missing, for these reasons, the most useful first.
        case untrusted([TrustFailure])
        /// Rejects: no pinned certificate or key is on the chain.
        case pinMismatch
        /// Rejects: the client needs more than one pin on the chain; the text names what is missing.
        case pinsFallShort(String)
        /// Rejects: pins are required and there are none.
        case noPins
        /// Rejects: an error of the client itself, with its name and a message.
        case clientError(name: String, message: String)
        /// Rejects: the client would accept, but the app's App Transport Security refuses.
        case refusedByTransportSecurity(TransportSecurityFailure)
        /// Rejects: the settings contradict each other, so that the client refuses every server, in its own words.
        case refusedSettings(String)

        /// `true` if this is a reason to accept.
        public var isAcceptance: Bool {
            switch self {
            case .pinMatched, .trustedWithoutPins, .everythingAccepted, .pinsNotApplied, .mismatchNotEnforced: true
            default: false
            }
        }

        package var isPinMismatch: Bool { id == "pin-mismatch" }
        package var failures: [TrustFailure] { if case .untrusted(let failures) = self { failures } else { [] } }

        /// A stable word for machines, as in `pin-mismatch`.
        public var id: String {
            switch self {
            case .pinMatched: "pin-matched"
            case .trustedWithoutPins: "trusted-without-pins"
            case .everythingAccepted: "everything-accepted"
            case .pinsNotApplied: "pins-not-applied"
            case .mismatchNotEnforced: "mismatch-not-enforced"
            case .clientError: "client-error"
            case .untrusted(let failures): failures.first?.id ?? "untrusted"
            case .pinMismatch, .pinsFallShort: "pin-mismatch"
            case .noPins: "no-pins"
            case .refusedSettings: "refused-settings"
            case .refusedByTransportSecurity(let failure): failure.id
            }
        }
    }
}

/// A rule of App Transport Security that a connection breaks.
public struct TransportSecurityFailure: Sendable, Hashable, CustomStringConvertible {
    let kind: FindingID
    /// A stable word for machines, as in `ats-tls-version`.
    public var id: String { kind.word }
    /// One sentence, with the key of the app's Info.plist that would change the rule, if such a key exists.
    public let description: String
}

/// The response of an NSURLSession delegate to a server-trust challenge.
public enum ChallengeDisposition: String, Sendable, Hashable {
    /// The client trusts the server by its own decision.
    case useCredential
    /// The client leaves the decision to the system, as without a delegate.
    case performDefaultHandling
    /// The client ends the connection; the app sees NSURLErrorCancelled (-999).
    case cancelAuthenticationChallenge
    /// The client refuses this protection space and the system tries the next one.
    case rejectProtectionSpace
}

/// One step of a client's procedure.
public struct TraceStep: Sendable, Hashable {
    /// The outcome of a step.
    public enum Status: String, Sendable, Hashable {
        case pass, fail
        /// The check was not made; a skipped check never counts as a ``pass``.
        case skip
    }

    /// The number of the step, from 1.
    public let number: Int
    /// A stable word for machines, as in `trust` or `pins`.
    public let id: String
    /// The outcome of the step.
    public let status: Status
    /// The result in one line.
    public let detail: String

    package init(number: Int, id: String, status: Status, detail: String) {
        (self.number, self.id, self.status, self.detail) = (number, id, status, detail)
    }
}

extension [TraceStep] {
    mutating func add(_ status: TraceStep.Status, _ id: String, _ detail: String) {
        append(TraceStep(number: count + 1, id: id, status: status, detail: detail))
    }
}

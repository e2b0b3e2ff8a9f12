/// What a client decides about a server, and why.
public struct Verdict: Sendable, Hashable {
    /// Why the client accepts or rejects, and with that which of the two it does.
    public internal(set) var reason: Reason
    /// How an NSURLSession client answers the server-trust challenge.
    public internal(set) var disposition: ChallengeDisposition
    /// The numbered steps of the client's procedure in the order they were taken.
    public internal(set) var trace: [TraceStep]
    /// The chain on which the decision rests: the one the pins were matched on where there are pins.
    public let builtChain: BuiltChain
    /// The valid paths the client needed to accept, each evaluation's own: when one of them ends, so may the verdict.
    ///
    /// Empty for a client that accepts without a valid path, and so does not mind dates.
    public let restsOn: [VerifiedPath]
    /// The chain with all pins that hold: where pinned certificates are the anchors, ``builtChain`` ends at the first of them and this
    /// one goes on to the last, whose pin holds when the leaf is another.
    public internal(set) var reach: BuiltChain
    /// Which pins ``reach`` satisfies, whether or not the client cares.
    public internal(set) var matches: [PinMatch]
    /// What the user should know although it does not change the verdict: warnings and notes.
    public internal(set) var findings: [Finding]

    package init(
        reason: Reason, disposition: ChallengeDisposition, trace: [TraceStep], builtChain: BuiltChain,
        restsOn: [VerifiedPath], reach: BuiltChain? = nil, matches: [PinMatch],
        findings: [Finding] = []
    ) {
        (self.reason, self.disposition, self.trace) = (reason, disposition, trace)
        (self.builtChain, self.restsOn, self.reach) = (builtChain, restsOn, reach ?? builtChain)
        (self.matches, self.findings) = (matches, findings)
    }

    /// Whether the client goes on with the connection.
    public var isAccepted: Bool { reason.isAcceptance }

    /// The findings that deserve attention.
    public var warnings: [Finding] { findings.filter { $0.level == .warning } }

    /// Why a client accepts or rejects.
    public enum Reason: Sendable, Hashable {
        /// Accepts: a pinned certificate or key is on the chain the client looked at.
        case pinMatched(PinMatch)
        /// Accepts: the chain is trusted and the client was given no pins to compare.
        case trustedWithoutPins
        /// Accepts: the client was told to take any certificate at all.
        case everythingAccepted
        /// Accepts: the client's pins do not apply to this server, for the reason given, and the system trusts the chain.
        case pinsNotApplied(String)
        /// Accepts: no pin matches, but the client only reports that.
        case mismatchNotEnforced
        /// Rejects: there is no valid path; the reasons, most useful first.
        case untrusted([TrustFailure])
        /// Rejects: no pinned certificate or key is on the chain.
        case pinMismatch
        /// Rejects: the client asks for more than one pin anywhere on the chain, and these words say what is missing.
        case pinsFallShort(String)
        /// Rejects: pins are required and there are none.
        case noPins
        /// Rejects: an error of the client's own, by its name and in words.
        case clientError(name: String, message: String)
        /// Rejects: the client would accept, and the app's App Transport Security does not let it.
        case refusedByTransportSecurity(TransportSecurityFailure)
        /// Rejects: the settings contradict each other, so the client refuses every server; the client's own words.
        case refusedSettings(String)

        /// Whether this is a reason to accept.
        public var isAcceptance: Bool {
            switch self {
            case .pinMatched, .trustedWithoutPins, .everythingAccepted, .pinsNotApplied, .mismatchNotEnforced: true
            default: false
            }
        }

        package var isPinMismatch: Bool { id == "pin-mismatch" }

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
    /// One sentence, with what in the app's Info.plist would change it.
    public let description: String
}

/// How an NSURLSession delegate answers a server-trust challenge.
public enum ChallengeDisposition: String, Sendable, Hashable {
    /// The client trusts the server by its own decision.
    case useCredential
    /// The client has no opinion: the system decides as if there were no delegate.
    case performDefaultHandling
    /// The client ends the connection; the app sees NSURLErrorCancelled (-999).
    case cancelAuthenticationChallenge
    /// The client refuses this protection space and the system tries the next one.
    case rejectProtectionSpace
}

/// One step of a client's procedure.
public struct TraceStep: Sendable, Hashable {
    /// How a step ended.
    public enum Status: String, Sendable, Hashable {
        /// The check was made and holds.
        case pass
        /// The check was made and does not hold.
        case fail
        /// The check was not made. Never the same as ``pass``.
        case skip
    }

    /// The number of the step, from 1.
    public let number: Int
    /// A stable word for machines, as in `trust` or `pins`.
    public let id: String
    /// How the step ended.
    public let status: Status
    /// What was found, in one line.
    public let detail: String

    package init(number: Int, id: String, status: Status, detail: String) {
        (self.number, self.id, self.status, self.detail) = (number, id, status, detail)
    }
}

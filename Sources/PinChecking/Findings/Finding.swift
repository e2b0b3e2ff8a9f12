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

    /// The sentence, with what would mend it.
    public var description: String { message + (remedy?.words ?? "") }

    /// A reason; the sentences are escaped here.
    package init(_ id: String, _ message: String, hints: [String] = [], remedy: Remedy? = nil) {
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

    package init(_ level: Level, _ id: String, _ message: String) { self.init(level, Reason(id, message)) }

    package init(_ level: Level, _ reason: Reason, isDifference: Bool = false) {
        (self.level, self.reason, self.isDifference) = (level, reason, isDifference)
    }

    package static func warning(_ id: String, _ message: String, remedy: Remedy? = nil) -> Finding {
        Finding(.warning, Reason(id, message, remedy: remedy))
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
                        ?? "the ids stand in the JSON of a check, under warnings, notes and outlook"))
        }
        return Set(ids)
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

/// What would mend something, as a case: ``words`` says it, and the command line has its flags for it.
package enum Remedy: Hashable, Sendable {
    case givePins
    case nameHost
    case readList
    case comparePublicKeys
    case addAnchors
    case chooseClient
    case nameKnownDevice
    case chooseClientOfDevice([String])
    case nameDeviceOfClient
    case nameDevice
    case giveSomethingToJudgeBy
    case giveServerName
    case sendServerName(ServerName)
    case giveRoots
    /// With the failure, which says what mends it.
    case mendConnection(ProbeError)
    case raiseTimeout
    /// With the timeout that was too short.
    case raiseTimeoutOrNameFewerAddresses(Duration)
    case giveIntermediate
    /// With what is known of the one that a chain lacks: whether it is one of a file, which no server sent, and whether the issuer could
    /// be a root of the user's own, since none was given.
    case sendIntermediate(MissingIntermediate, isOfFile: Bool, mayBeOwnRoot: Bool)
    case giveClientCertificate
    case giveExpectedStatus
    case offerECDHE
    case giveNewerDeviceData
    case allowInvalidCertificates
    case nameRoot
    case nameAuthority
    case nameRootOrDistrust
    case distrust
    /// Ask a client of this platform.
    case judgeOn(PlatformFamily)
    case chooseAnotherPlatform(than: PlatformFamily)

    /// What to do, as it goes behind a sentence, in words of no program's.
    package var words: String {
        switch self {
        case .givePins: ": give pins"
        case .nameHost: ": name the host"
        case .readList: ": name one, as in 'api.example.com'"
        case .comparePublicKeys: ": pin a certificate file, or compare public keys"
        case .addAnchors: ": give anchors"
        case .chooseClient: ": choose the client as well"
        case .nameKnownDevice: ": name one that is listed"
        case .chooseClientOfDevice(let clients): ": choose from \(clients.joined(separator: ", "))"
        case .nameDeviceOfClient: ": leave it or its configuration out, or name a device of its system"
        case .nameDevice: ": name one, or leave the data out"
        case .giveSomethingToJudgeBy: ": give pins, anchors or a client"
        case .giveServerName: ": give the host's name, or the one to send"
        case .sendServerName(let name): ": send \(name) to judge a client that does"
        case .giveRoots: ": install the system's roots, or give anchors"
        case .mendConnection(let error): error.advice(naming: \.rawValue)
        case .raiseTimeout: "; raise the timeout"
        case .raiseTimeoutOrNameFewerAddresses: ": raise the timeout, or name fewer addresses"
        case .giveIntermediate: "; give its certificate to judge the chain"
        case .sendIntermediate(_, let isOfFile, let mayBeOwnRoot):
            "; \(isOfFile ? "the chain must hold" : "the server must send") its intermediate"
                + (mayBeOwnRoot ? ", unless the issuer is a root of yours" : "")
        case .giveClientCertificate: "; give a client certificate"
        case .giveExpectedStatus: ": say which statuses are right"
        case .offerECDHE: "; offer ECDHE alone to settle it"
        case .giveNewerDeviceData: ": give newer ones, or use a newer version"
        case .allowInvalidCertificates: "; its pin is enough with allowInvalidCertificates = YES"
        case .nameRoot: "; give it as an anchor if it is yours"
        case .nameAuthority: "; give the root of that CA as an anchor if it is yours"
        case .nameRootOrDistrust: "; give it as an anchor if it is yours, and pin nothing that is served here if not"
        case .distrust: "; pin nothing that is served here, and ask again without it"
        case .judgeOn: "; a client or device of its judges so"
        case .chooseAnotherPlatform: ": choose a client of another platform to judge by its rules"
        }
    }
}

/// What comes of giving an intermediate that a chain lacks, as a certificate that stands for what a device would fetch.
package enum MissingIntermediate: Hashable, Sendable {
    case helps
    case doesNotHelp
    /// It was given, and is not used: the certificate below names no place where it is to be had, so no device would fetch it.
    case isUnusedWithoutPlace
    /// It was given, and is not used: devices of this platform fetch none.
    case isUnusedOn(PlatformFamily)
    /// It was given, and is not used: clients such as this one fetch none.
    case isUnusedHere
    case isOfAnother
}

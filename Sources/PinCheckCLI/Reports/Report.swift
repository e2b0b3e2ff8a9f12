import Base
import PinChecking
import Pinning

/// The result for one endpoint or chain: the JSON document, and what every other form is made from.
///
/// It is made once, and apart from the types that decide, so that keys stay what they are when those change. Text in it is as it
/// came from outside; renderers escape it. What each key means is in `schemas/report.json`.
struct Report: Encodable, Sendable {
    /// The name and version of the document's form.
    static let schema = "pincheck/1"

    let schema = Report.schema
    /// The target or chain file as the user named it.
    var target: String
    var verdict: VerdictWord
    var reason: Message
    /// The exit status the report alone would lead to.
    var exit: ExitStatus
    /// What was connected to, `nil` for a chain from a file.
    var endpoint: Endpoint?
    /// The proxy on the way, `nil` for none.
    var proxy: Proxy? = nil
    var tls: TLS?
    /// The name the certificate had to be valid for, `nil` when none was checked.
    var verifyName: String?
    /// Which of the target's variants this is, `nil` when only the target itself was checked.
    var variant: Variant?
    /// What the variants of the target have in common, in the last of their reports; `nil` in all others.
    var consistency: Consistency?
    /// The moment of the evaluation, RFC 3339.
    var evaluatedAt: String
    var isOfAnotherTime = false
    /// The certificates the server sent, in wire order.
    var presented: [Certificate]
    /// The chain the client looked at, leaf first.
    var built: [ChainLink]
    /// Whether ``built`` is a valid path.
    var builtIsValid: Bool
    /// Why it is none, as far as the client looked.
    var whyUnverified: String?
    /// The other valid paths without which a client would not accept.
    var otherPaths: [Path] = []
    var pins: Pins
    /// The signed certificate timestamps of the leaf, `nil` where nobody looked.
    var transparency: JSONObject?
    /// What the server's OCSP response says, `nil` where nobody looked.
    var revocation: JSONObject?
    /// The devices that were judged for, `nil` where none was named.
    var devices: Devices?
    /// The phases of the connection, the steps of each client, then the request.
    var checks: [Check]
    var clients: [Client]
    var warnings: [Message]
    /// What is good to know: of the result first, then what is never checked here although a client may check it.
    var notes: [Message]
    /// What is not judged here and can matter, in one line; `nil` for nothing.
    var unjudged: Message?
    /// How long the verdict will last, `nil` without a chain.
    var outlook: Outlook?
    /// What is about to be deployed; `nil` in a report on a server or chain of today.
    var next: Next?
    /// What changed since a baseline, `nil` without one.
    var change: Change?
    /// The request that follows an acceptance, `nil` where none was asked for.
    var http: HTTP?
    /// What monitoring systems are told, to whom every warning matters; `nil` for the same.
    var monitoring: Monitoring?

    enum VerdictWord: String, Encodable { case accept, reject, none }

    /// What is said of a result: a stable word, and a sentence in which text from outside is escaped.
    struct Message: Encodable, Hashable {
        let id: String
        let message: String

        /// A sentence, escaped here so that nobody has to.
        init(id: String, message: String) {
            self.id = id
            self.message = TerminalText.escaped(message)
        }
    }

    struct Monitoring: Encodable {
        let exit: ExitStatus
        let reason: Message
        /// What the report adds to the run.
        let runExit: ExitStatus
    }
}

// The connection.

extension Report {
    struct Endpoint: Encodable {
        /// The address connected to, `nil` when none could be.
        var address: String?
        var port: Int
        /// `ipv4`, `ipv6`, or `nil` without an address.
        var family: String?
        /// The name that was looked up, `nil` when an address was given.
        var resolvedName: String?
        /// The name sent in the server name indication, `nil` when none was.
        var sni: String?
        var verifyName: String?
        var host: String
    }

    struct Proxy: Encodable {
        let url: String
        /// What named it, as in `HTTPS_PROXY`.
        let origin: String
        /// Its address, `nil` where it let nobody through.
        let address: String?
        /// The TLS connection to the proxy itself, `nil` without one.
        let tls: ProxyTLS?
    }

    struct ProxyTLS: Encodable { let version, cipher, subject, certSha256: String }

    struct TLS: Encodable {
        var version: String
        var cipher: String
        var group: String?
        var alpn: String?
        var clientCertificateRequested: Bool
        var clientCertificateSent = false
        var timingsMs: Timings
    }

    /// In milliseconds; `nil` for what there was not.
    struct Timings: Encodable { var resolve, connect, proxy, handshake: Double? }

    /// The request for an accepted server, and what came of it.
    struct HTTP: Encodable {
        let method: String
        let path: String
        let host: String
        let expected: [String]
        /// Whether the server was asked, as only one is that is accepted.
        let asked: Bool
        let status: Int?
        let statusLine: String?
        /// From the request to the end of the answer's head, in milliseconds.
        let timeMs: Double?
        /// Whether the answer is as it should be, `nil` where the server was not asked.
        let asExpected: Bool?
        /// Why there is no answer, `nil` where there is one and where the server was not asked.
        let problem: String?

        /// What came of the request, in few words.
        var outcome: String { statusLine ?? problem ?? "not asked, since the server is not accepted" }
    }
}

// The chain.

extension Report {
    struct Certificate: Encodable {
        var index: Int
        /// `leaf`, `intermediate` or `root`.
        var role: String
        var subject: String
        var issuer: String
        var serial: String
        var notBefore: String
        var notAfter: String
        /// Whole days from the evaluation to the end of validity, negative after it.
        var daysLeft: Int
        /// Whole days, rounded up, until the start of validity; 0 once it began.
        var daysUntilValid: Int
        var key: String
        var spkiSha256: String
        var certSha256: String
        var names: [String]
    }

    /// A certificate of a chain, whose keys are the link's too.
    struct ChainLink: Encodable {
        var certificate: Certificate
        /// `presented`, `pin`, `system`, `anchors`.
        var source: String
        /// The positions of the configured pins that match here, from 0.
        var pins: [Int]
        /// Below how many days left the user wants a warning, for monitoring systems.
        var warnDays: Double?
        /// Below how many days left the user wants a failure.
        var failDays: Double?
        /// Where it is from in words for people, `nil` for what the server sent.
        var origin: String?

        private enum CodingKeys: CodingKey { case source, pins, warnDays, failDays, origin }

        func encode(to encoder: any Encoder) throws {
            try certificate.encode(to: encoder)
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(source, forKey: .source)
            try members.encode(pins, forKey: .pins)
            try members.encodeIfPresent(warnDays, forKey: .warnDays)
            try members.encodeIfPresent(failDays, forKey: .failDays)
            try members.encodeIfPresent(origin, forKey: .origin)
        }
    }

    /// A valid path, and the clients that need it.
    struct Path: Encodable {
        let clients: [String]
        let chain: [ChainLink]
    }

    struct Pins: Encodable {
        /// `none`, `public-key` or `certificate`.
        var mode: String
        var configured: [Pin]
        var matched: [Match]
        var entries: [ConfigurationEntry] = []
        /// What an app's configuration has the device decide by, beside the pins.
        var applied: [AppliedConfiguration] = []
    }

    struct Pin: Encodable {
        /// The hash in the notation of OkHttp, `sha256/…`.
        var pin: String
        /// `certificate` or `public-key`.
        var kind: String
        var origin: String
        var subject: String?
        /// Of a certificate what tells it from another with the same key, for people: its fingerprint and its end.
        var certificate: String?

        private enum CodingKeys: CodingKey { case pin, kind, origin, subject }
    }

    struct Match: Encodable {
        /// The position of the pin in `configured`, from 0.
        var pin: Int
        /// The position of the certificate in `built`, 0 for the leaf.
        var depth: Int
    }

    struct ConfigurationEntry: Encodable {
        /// Whose configuration it is, as in `okhttp` and `android`.
        let kind: String
        /// The hosts it is for, `nil` for whatever host.
        let hosts: String?
        let origin: String
        /// Whether a mismatch blocks the connection, `nil` where nothing is said of it.
        let enforcesPinning: Bool?
        /// The date from which on its pins no longer apply.
        let expires: String?
    }

    struct AppliedConfiguration: Encodable {
        /// Which part of which configuration, as in `network-security-config`.
        let kind: String
        /// The clients it binds, as `--client` names them.
        let clients: [String]
        /// The hosts it is for, `nil` for all without an entry of their own.
        let hosts: String?
        let origin: String
        let settings: [String]
    }
}

// The verdicts.

extension Report {
    struct Check: Encodable {
        static let request = "request"

        /// The client whose procedure the step belongs to, `nil` for the connection.
        var client: String?
        /// The device it decides on, `nil` where none was named.
        var device: String?
        var id: String
        /// `pass`, `fail` or `skip`.
        var status: String
        var detail: String
    }

    struct Client: Encodable {
        var name: String
        /// The device it decides on, `nil` where none was named.
        var device: String?
        var verdict: VerdictWord
        var reason: Message
        /// How an NSURLSession client answers the challenge, `nil` for a client that is none or could not be set up.
        var disposition: String?
        var settings: Settings
        /// How long its verdict will last, `nil` without one.
        var outlook: Outlook?

        /// Settings, written as one object.
        struct Settings: Encodable, ExpressibleByArrayLiteral {
            let all: [ShownSetting]

            init(_ all: [ShownSetting]) { self.all = all }
            init(arrayLiteral all: ShownSetting...) { self.all = all }

            func encode(to encoder: any Encoder) throws {
                let members = all.map { setting -> (key: String, value: JSONObject.Value) in
                    switch setting.value {
                    case .flag(let value): (snakeCase(setting.name), value)
                    case .text(let value): (snakeCase(setting.name), value)
                    }
                }
                try JSONObject(members.sorted { $0.key < $1.key }).encode(to: encoder)
            }
        }
    }

    struct Devices: Encodable {
        /// The file with the lists, `nil` for what is part of the program.
        let file: String?
        let source: String
        /// The day on which the newest list was read.
        let date: String
        let ageDays: Int
        let isStale: Bool
        /// The devices in the order of the data.
        let judged: [Device]

        /// Whether the devices' own roots play no part, so that nobody has to know of when they are.
        var useGivenAnchorsAlone: Bool { judged.allSatisfy { $0.trust == .anchors } }
    }

    struct Device: Encodable {
        let name: String
        /// Whose list of roots it has: `ios`, `android` or `mozilla`; `nil` for this machine.
        let platform: String?
        let release: String?
        let read: String?
        /// Where paths may end: at its own roots, at anchors that were given, or at both.
        let trust: HostPolicy.Trust
        /// `reject` where one of its clients does, `accept` where one does and none rejects, else `none`.
        let verdict: VerdictWord
    }

    /// What is about to be deployed.
    struct Next: Encodable {
        let kind: NextDeployment.Kind
        let pin: String
        /// Whether the verdict assumes that its certificate will be trusted and valid for the name.
        let assumed: Bool
        /// The subjects of the CAs that are assumed to issue it, nearest first: those of today.
        let issuers: [String]
    }
}

// What is ahead, what changed, and what connections differ in.

extension Report {
    /// How long the verdict will last, as far as can be told.
    struct Outlook: Encodable {
        /// The gravest level of the findings: `info`, `warn` or `fail`.
        let level: PinChecking.Outlook.Finding.Level
        /// When the first certificate expires that a client needs, `nil` where none minds.
        var validUntil: String?
        /// When servers with a certificate of this lifetime have usually renewed it.
        var renewalPoint: String?
        /// Until when the pins that match now are sure to; a key that is kept in use may go on.
        var pinsMatchUntil: String?
        /// What ends them: `leaf-renewal`, `intermediate-expiry` or `root-expiry`.
        var pinsEnd: String?
        /// After when no configured pin is sure to match; `nil` also where a backup has no end.
        var noPinAfter: String?
        var pinsExpire: String?
        /// Whether everything that has to match has a pin in reserve, for a key that is not in use.
        let hasBackup: Bool
        let pins: [Standing]
        let findings: [Finding]

        struct Standing: Encodable {
            /// The position of the pin in `configured`, from 0.
            let pin: Int
            /// The position in `built` of the certificate it matches.
            var depth: Int?
            var until: String?
            let compared: Bool
            /// Whether it is for a key that is not in use and can match one day.
            let backup: Bool
        }

        struct Finding: Encodable {
            let id: String
            let level: PinChecking.Outlook.Finding.Level
            let message: String
            /// Whether the reason of the result says it.
            let isTold: Bool
        }
    }

    /// What changed since a baseline.
    struct Change: Encodable {
        let baseline: String
        let status: BaselineChanges.Status
        /// The address whose recorded state it was compared with, where the baseline has the target at other addresses only.
        let comparedWith: String?
        /// None where nothing changed.
        let classes: [Class]

        struct Class: Encodable {
            /// The kind of change, as `--allow` takes it.
            let id: String
            let old: String?
            let new: String?
            /// The certificate that was, `nil` where the change is about none.
            let oldCertificate: JSONObject?
            let newCertificate: JSONObject?
            let allowed: Bool
        }
    }

    /// Which of a target's variants a report is about.
    struct Variant: Encodable {
        /// As in `ordinary`, `RSA` and `no SNI`.
        let label: String
        /// The only type of key asked for, `nil` for any.
        var keyType: String?
        /// Whether the verdict counts for the target; that of clients without SNI does not.
        let counts: Bool
        /// Where it stands among others, whatever the order they came in.
        var rank = 0
    }

    /// What the variants of a target have in common and where they differ.
    struct Consistency: Encodable {
        /// Whether all variants serve what they should: no finding is a warning, and the verdicts are the same.
        ///
        /// `nil` when there were not two chains to compare.
        var consistent: Bool?
        let addresses: Int
        /// How many variants were judged and count, and what became of them.
        let accepted: Int
        let rejected: Int
        let unreachable: Int
        let findings: [Finding]
        /// Whether some differ as a baseline has recorded them.
        let hasKnownDifferences: Bool
        /// How many of the accepted gave another answer than expected.
        var answeringOtherwise = 0
        let exit: ExitStatus

        /// Whether any variant was judged rather than only recorded.
        var hasVerdicts: Bool { accepted + rejected > 0 }

        func says(_ warning: Message) -> Bool {
            findings.contains { $0.id == warning.id && $0.message == warning.message }
        }

        struct Finding: Encodable {
            /// `addresses-differ`, `addresses-incomplete`, `key-types-differ`, `no-sni-differs`, `no-time`.
            let id: String
            let level: Level
            let message: String
        }

        enum Level: String, Encodable {
            /// To be expected, and good to know.
            case info
            /// Something is not as it should be.
            case warning
        }
    }
}

// Words of the engine that are written as they are.
extension PinChecking.Outlook.Finding.Level: Encodable {}
extension BaselineChanges.Status: Encodable {}
extension HostPolicy.Trust: Encodable {}
extension NextDeployment.Kind: Encodable {}

extension ExitStatus: Encodable {
    package func encode(to encoder: any Encoder) throws {
        try (["code": rawValue, "name": name] as JSONObject).encode(to: encoder)
    }
}

/// The name of a setting as a key: `validatesDomainName` as `validates_domain_name`.
private func snakeCase(_ name: String) -> String {
    name.map { $0 == "-" ? "_" : $0.isUppercase ? "_" + $0.lowercased() : String($0) }.joined()
}

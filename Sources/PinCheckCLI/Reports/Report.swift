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
    var target: String
    var verdict: VerdictWord
    var reason: Message
    var exit: ExitStatus
    var endpoint: Endpoint?
    var proxy: Proxy? = nil
    var tls: TLS?
    var verifyName: String?
    var variant: Variant?
    var consistency: Consistency?
    var evaluatedAt: Timestamp
    var isOfAnotherTime = false
    var presented: [Certificate]
    var built: [ChainLink]
    /// Whether ``built`` is a valid path.
    var builtIsValid: Bool
    /// Why it is none, as far as the client looked.
    var whyUnverified: String?
    /// The other valid paths without which a client would not accept.
    var otherPaths: [Path] = []
    var pins: Pins
    var transparency: JSONObject?
    var revocation: JSONObject?
    var devices: Devices?
    var checks: [Check]
    var clients: [Client]
    var warnings: [Message]
    var notes: [Message]
    /// What is not judged here and can matter, in one line; `nil` for nothing.
    var unjudged: Message?
    var outlook: Outlook?
    var next: Next?
    var change: Change?
    var http: HTTP?
    /// What monitoring systems are told, to whom every warning matters; `nil` for the same.
    var monitoring: Monitoring?

    enum VerdictWord: String, Encodable { case accept, reject, none }

    /// What is said of a result: a stable word, and a sentence in which text from outside is escaped.
    struct Message: Encodable, Hashable {
        let id: String
        let message: String
        /// Which parts of ``message`` people are shown on lines of their own: the sentence first, then hints.
        let lines: [String]

        private enum CodingKeys: CodingKey { case id, message }

        /// A sentence, which is escaped here and nowhere else.
        init(id: String, message: String) {
            let message = TerminalText.escaped(message)
            self.init(id: id, message: message, lines: [message])
        }

        /// A sentence that is escaped, and the lines it is made of.
        init(id: String, message: String, lines: [String]) {
            (self.id, self.message, self.lines) = (id, message, lines)
        }
    }

    struct Monitoring: Encodable {
        let exit: ExitStatus
        let reason: Message
        /// What the report adds to the run.
        let runExit: ExitStatus
    }
}

extension Report {
    struct Certificate: Encodable {
        var index: Int
        var role: String
        var subject: String
        var issuer: String
        var serial: String
        var notBefore: Timestamp
        var notAfter: Timestamp
        var daysLeft: Int
        var daysUntilValid: Int
        var key: String
        var spkiSha256: String
        var certSha256: String
        var names: [String]
    }

    /// A certificate of a chain, whose keys are the link's too.
    struct ChainLink: Encodable {
        var certificate: Certificate
        var source: String
        var pins: [Int]
        /// Below how many days left the user wants a warning, for monitoring systems.
        var warnDays: Double?
        /// Below how many days left the user wants a failure.
        var failDays: Double?
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
        var mode: String
        var configured: [Pin]
        var matched: [Match]
        var entries: [ConfigurationEntry] = []
        var applied: [AppliedConfiguration] = []
    }

    struct Pin: Encodable {
        var pin: String
        var kind: String
        var origin: String
        var subject: String?
        var certificate: String?

        private enum CodingKeys: CodingKey { case pin, kind, origin, subject }
    }

    struct Match: Encodable {
        var pin: Int
        var depth: Int
    }

    struct ConfigurationEntry: Encodable {
        let kind: String
        let hosts: String?
        let origin: String
        let enforcesPinning: Bool?
        let expires: String?
    }

    struct AppliedConfiguration: Encodable {
        let kind: String
        let clients: [String]
        let hosts: String?
        let origin: String
        let settings: [String]
    }
}

extension Report {
    struct Check: Encodable {
        var client: String?
        var device: String?
        var id: String
        var status: String
        var detail: String
    }

    struct Client: Encodable {
        var name: String
        var device: String?
        var verdict: VerdictWord
        var reason: Message
        var disposition: String?
        var settings: Settings
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
}

extension ExitStatus: Encodable {
    package func encode(to encoder: any Encoder) throws {
        try (["code": rawValue, "name": name] as JSONObject).encode(to: encoder)
    }
}

extension Timestamp: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var text = encoder.singleValueContainer()
        try text.encode(description)
    }
}

/// The name of a setting as a key: `validatesDomainName` as `validates_domain_name`.
private func snakeCase(_ name: String) -> String {
    name.map { $0 == "-" ? "_" : $0.isUppercase ? "_" + $0.lowercased() : String($0) }.joined()
}

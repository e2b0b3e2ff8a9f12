import Base
import PinChecking
import TLSProbe

/// The result for one endpoint or chain: what every renderer takes, and the JSON document, whose keys are in `Report+Keys.swift`.
///
/// It is apart from the types that decide, so that keys stay what they are when those change. Text in it is as it came from
/// outside; renderers escape it.
struct Report: DocumentObject {
    /// The name and version of the document's form.
    static let schema = "pincheck/1"

    /// The target or chain file as the user named it.
    var target: String
    /// What was connected to, `nil` for a chain from a file.
    var endpoint: Endpoint?
    /// The proxy on the way, `nil` for none.
    var proxy: Proxy? = nil
    /// The TLS connection, `nil` when there was none.
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
    /// The other valid paths without which a client would not accept, each with the clients that need it.
    var otherPaths: [Path] = []
    var pins: Pins
    /// The signed certificate timestamps of the leaf, `nil` where nobody looked.
    var transparency: Transparency?
    /// What the server's OCSP response says, `nil` where nobody looked.
    var revocation: Revocation?
    /// The devices that were judged for, `nil` where none was named.
    var devices: Devices?
    var checks: [Check]
    var clients: [Client]
    var warnings: [Message]
    /// What is good to know: of the result first, then what is never checked here although a client may check it.
    var notes: [Message]
    /// Those of the notes that are of this result; no part of the document by themselves.
    var ownNotes: [Message] = []
    /// What is not judged here and can matter, in one line; `nil` for nothing.
    var unjudged: Message?
    /// How long the verdict will last, `nil` without a chain.
    var outlook: Outlook?
    /// What is about to be deployed, in a report on that; `nil` in one on a server or chain of today.
    var next: Next?
    /// What changed since a baseline, `nil` without one.
    var change: Change?
    /// The request that follows an acceptance, `nil` where none was asked for.
    var http: HTTP?
    /// `accept`, `reject` or `none`.
    var verdict: VerdictWord
    var reason: Message
    var exit: Exit
    var monitoring: Monitoring

    enum VerdictWord: String, DocumentWord { case accept, reject, none }

    struct Endpoint: DocumentObject {
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

    struct TLS: DocumentObject {
        var version: String
        var cipher: String
        var group: String?
        var alpn: String?
        var clientCertificateRequested: Bool
        var clientCertificateSent = false
        var timingsMs: Timings
    }

    struct Timings: DocumentObject {
        var resolve: Double?
        var connect: Double?
        var proxy: Double? = nil
        var handshake: Double?
    }

    struct Pins: DocumentObject {
        /// `none`, `public-key` or `certificate`.
        var mode: String
        var configured: [Pin]
        var matched: [Match]
        var entries: [ConfigurationEntry] = []
        /// What an app's configuration has the device decide by, beside the pins.
        var applied: [AppliedConfiguration] = []
    }

    struct AppliedConfiguration: DocumentObject {
        /// Which part of which configuration, as in `network-security-config`.
        var kind: String
        /// The clients it binds, as `--client` names them.
        var clients: [String]
        /// The hosts it is for, `nil` for all without an entry of their own.
        var hosts: String?
        var origin: String
        var settings: [String]
    }

    struct ConfigurationEntry: DocumentObject {
        /// Whose configuration it is, as in `okhttp` and `android`.
        var kind: String
        /// The hosts it is for, `nil` for whatever host.
        var hosts: String?
        var origin: String
        /// Whether a mismatch blocks the connection, `nil` where nothing is said of it.
        var enforcesPinning: Bool?
        /// The date from which on its pins no longer apply.
        var expires: String?
    }

    struct Pin: DocumentObject {
        /// The hash in the notation of OkHttp, `sha256/…`.
        var pin: String
        /// `certificate` or `public-key`.
        var kind: String
        var origin: String
        var subject: String?
        /// Of a certificate what tells it from another with the same key, for people: its fingerprint and its end.
        var certificate: String?
    }

    struct Match: DocumentObject {
        /// The position of the pin in `configured`, from 0.
        var pin: Int
        /// The position of the certificate in `built`, 0 for the leaf.
        var depth: Int
    }

    struct Check: DocumentObject {
        /// The client whose procedure the step belongs to, `nil` for the connection.
        var client: String?
        /// The device it decides on, `nil` where none was named.
        var device: String?
        var id: String
        /// `pass`, `fail` or `skip`.
        var status: String
        var detail: String
    }

    struct Client: DocumentObject {
        var name: String
        /// The device it decides on, `nil` where none was named.
        var device: String?
        var verdict: VerdictWord
        var reason: Message
        /// How an NSURLSession client answers the challenge, `nil` for a client that is none or could not be set up.
        var disposition: String?
        var settings: [ShownSetting]
        /// How long its verdict will last, `nil` without one.
        var outlook: Outlook?
    }

    /// What is said of a result: a stable word, and a sentence in which text from outside is escaped.
    struct Message: DocumentObject, Hashable {
        var id: String
        var message: String

        /// A sentence, escaped here so that nobody has to.
        init(id: String, message: String) {
            self.id = id
            self.message = TerminalText.escaped(message)
        }
    }

    struct Exit: DocumentObject {
        var code: Int
        var name: String
        var status: ExitStatus

        init(_ status: ExitStatus) {
            self.status = status
            code = Int(status.rawValue)
            name = status.name
        }

    }

    /// What the clients' platforms check and pincheck does not.
    static let notEmulated = [
        Message(
            id: "no-revocation",
            message:
                "of revocation only the OCSP response that the server staples is looked at: nothing but the target is "
                + "contacted"),
        Message(
            id: "no-aia",
            message:
                "missing intermediates are not fetched (AIA), as some platforms do: pins and --intermediate stand for them"
        ),
        Message(
            id: "no-ct-logs",
            message: "the SCTs of Certificate Transparency are counted; which logs they are from is not judged"),
        Message(
            id: "no-managed-roots",
            message: "roots that management puts on devices, and updates of root lists over the air, are not known: "
                + "--extra-root stands for them"),
    ]

    /// The exit status the report alone would lead to.
    var status: ExitStatus { exit.status }
}

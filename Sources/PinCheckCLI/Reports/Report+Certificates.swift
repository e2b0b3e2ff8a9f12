import PinChecking

extension Report {
    struct Certificate: DocumentObject {
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

    struct ChainLink: DocumentObject {
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
    }

    /// A valid path and who needs it.
    struct Path: DocumentObject {
        /// The clients, as `--client` names them.
        var clients: [String]
        var chain: [ChainLink]
    }
}

// The keys of the document.

extension Report.Certificate {
    static let definition: String? = "certificate"

    static let fields: DocumentFields<Report.Certificate> = [
        DocumentField("index", \.index, as: .atLeast(0)),
        DocumentField("role", \.role, as: .words(["leaf", "intermediate", "root"])),
        DocumentField("subject", \.subject), DocumentField("issuer", \.issuer), DocumentField("serial", \.serial),
        DocumentField("not_before", \.notBefore, as: .time), DocumentField("not_after", \.notAfter, as: .time),
        DocumentField(
            "days_left", \.daysLeft, "Whole days from the evaluation to the end of validity, negative after it."),
        DocumentField("days_until_valid", \.daysUntilValid, as: .atLeast(0)),
        DocumentField("key", \.key, "The algorithm and its size, as in EC P-256."),
        DocumentField("spki_sha256", \.spkiSha256, as: .pin), DocumentField("cert_sha256", \.certSha256),
        DocumentField("names", \.names),
    ]
}

extension Report.ChainLink {
    static let definition: String? = "link"
    static let meaning: String? = "A certificate of the chain, where it came from, and the pins that match it."

    static let fields = DocumentFields<Report.ChainLink>(
        Report.Certificate.fields.rows.map { DocumentField($0, of: \.certificate) } + [
            DocumentField(
                "source", \.source,
                as: .words([
                    "presented", "pin", "intermediate", "configuration", "system", "anchors", "anchors and system",
                    "device", "anchors and device",
                ])), DocumentField("pins", \.pins, "Positions in pins.configured, from 0.", as: .atLeast(0)),
            DocumentField("warn_days", \.warnDays, "Below how many days left there is a warning; null for no limit."),
            DocumentField("fail_days", \.failDays, "Below how many days left there is a failure; null for no limit."),
            DocumentField(
                "origin", \.origin, "The source in words; null for what the server sent.",
                as: .words(CertificateOrigin.allCases.map(\.rawValue))),
        ])
}

extension Report.Path {
    static let fields: DocumentFields<Report.Path> = [
        DocumentField("clients", \.clients, "Those that need it."),
        DocumentField("chain", \.chain, "The path, leaf first."),
    ]
}

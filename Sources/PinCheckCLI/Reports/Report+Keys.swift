import PinChecking

// The keys of the documents of `check` and `verify`: what is written, and what the schema says of it.

extension Report {
    static let definition: String? = "report"

    static let fields: DocumentFields<Report> = [
        DocumentField("schema", { _ in Report.schema }, as: .constant(Report.schema)),
        DocumentField("target", \.target, "The target with its port, or the chain file."),
        DocumentField("endpoint", \.endpoint), DocumentField("proxy", \.proxy, "The proxy on the way; null for none."),
        DocumentField("tls", \.tls),
        DocumentField(
            "verify_name", \.verifyName, "The name the certificate had to be valid for; null when none was checked."),
        DocumentField(
            "variant", \.variant, "Which variant of the target this is; null when it was checked in one way only."),
        DocumentField(
            "consistency", \.consistency,
            "What the variants have in common, in the last report of a target; null in others."),
        DocumentField("evaluated_at", \.evaluatedAt, as: .time),
        DocumentField(
            "is_of_another_time", \.isOfAnotherTime, "Whether that is another moment than the present (--at)."),
        DocumentField("presented", \.presented, "The certificates the server sent, in wire order."),
        DocumentField("built", \.built, "The chain the verdict rests on, leaf first."),
        DocumentField("built_is_valid", \.builtIsValid, "Whether built is a valid path."),
        DocumentField("why_unverified", \.whyUnverified, "Why built is no valid path, as far as the client looked."),
        DocumentField(
            "other_paths", \.otherPaths,
            "The other valid paths without which a client would not accept; empty for most."),
        DocumentField("pins", \.pins),
        DocumentField("transparency", \.transparency, "The SCTs of the leaf; null where nobody looked."),
        DocumentField("revocation", \.revocation, "What the server's OCSP staple says; null where nobody looked."),
        DocumentField("devices", \.devices, "The devices that were judged for (--device); null where none was named."),
        DocumentField(
            "checks", \.checks, "The phases of the connection, the steps of each client, then the request, in order."),
        DocumentField("clients", \.clients), DocumentField("warnings", \.warnings),
        DocumentField(
            "notes", \.notes,
            "What is good to know of the result, then what is never checked here although a client may check it."),
        DocumentField("unjudged", \.unjudged, "What is not judged here and can matter; null for nothing."),
        DocumentField("outlook", \.outlook), DocumentField("next", \.next), DocumentField("change", \.change),
        DocumentField("http", \.http, "The request that follows an acceptance (--request); null without one."),
        DocumentField("verdict", \.verdict), DocumentField("reason", \.reason),
        DocumentField("exit", \.exit, as: .exits([.pass, .fail, .unreachable, .warn, .changed, .data])),
        DocumentField(
            "monitoring", { $0.monitoring.says($0.exit.status, $0.reason) ? nil : $0.monitoring },
            "What monitoring systems are told, to whom every warning matters; null for the same."),
    ]

    /// Several reports, as they are written when there is not one alone.
    struct List: DocumentObject {
        let results: [Report]
        let exit: Exit

        static let definition: String? = "reports"
        static let meaning: String? = "Several reports, in the order of their targets."
        static let fields: DocumentFields<List> = [
            DocumentField("schema", { _ in Report.schema }, as: .constant(Report.schema)),
            DocumentField("results", \.results),
            DocumentField("exit", \.exit, as: .exits([.pass, .fail, .unreachable, .warn, .changed, .data])),
        ]
    }
}

extension Report.Endpoint {
    static let definition: String? = "endpoint"

    static let fields: DocumentFields<Report.Endpoint> = [
        DocumentField("address", \.address, "The address connected to; null when none could be."),
        DocumentField("port", \.port, as: .within(0...65_535)),
        DocumentField("family", \.family, as: .words(["ipv4", "ipv6"])),
        DocumentField("resolved_name", \.resolvedName, "The name that was looked up; null when an address was given."),
        DocumentField("sni", \.sni), DocumentField("verify_name", \.verifyName),
        DocumentField("host", \.host, "The name of the HTTP Host header."),
    ]
}

extension Report.TLS {
    static let definition: String? = "tls"

    static let fields: DocumentFields<Report.TLS> = [
        DocumentField("version", \.version), DocumentField("cipher", \.cipher), DocumentField("group", \.group),
        DocumentField("alpn", \.alpn), DocumentField("client_certificate_requested", \.clientCertificateRequested),
        DocumentField("client_certificate_sent", \.clientCertificateSent), DocumentField("timings_ms", \.timingsMs),
    ]
}

extension Report.Timings {
    static let fields: DocumentFields<Report.Timings> = [
        DocumentField("resolve", \.resolve, as: .atLeast(0)), DocumentField("connect", \.connect, as: .atLeast(0)),
        DocumentField("proxy", \.proxy, "From there until the proxy let it through; null for none.", as: .atLeast(0)),
        DocumentField("handshake", \.handshake, as: .atLeast(0)),
    ]
}

extension Report.Pins {
    static let definition: String? = "pins"

    static let fields: DocumentFields<Report.Pins> = [
        DocumentField("mode", \.mode, as: .words(["none", "public-key", "certificate"])),
        DocumentField("configured", \.configured), DocumentField("matched", \.matched),
        DocumentField("entries", \.entries, "The entries of client configurations that are for the host."),
        DocumentField("applied", \.applied, "What an app's configuration has the device decide by, beside the pins."),
    ]
}

extension Report.AppliedConfiguration {
    static let fields: DocumentFields<Report.AppliedConfiguration> = [
        DocumentField("kind", \.kind, as: .words(AppliedConfiguration.Kind.allCases.map(\.rawValue))),
        DocumentField("clients", \.clients),
        DocumentField("hosts", \.hosts, "The hosts it is for; null for all without an entry of their own."),
        DocumentField("origin", \.origin), DocumentField("settings", \.settings),
    ]
}

extension Report.ConfigurationEntry {
    static let fields: DocumentFields<Report.ConfigurationEntry> = [
        DocumentField("kind", \.kind), DocumentField("hosts", \.hosts), DocumentField("origin", \.origin),
        DocumentField("enforces_pinning", \.enforcesPinning), DocumentField("expires", \.expires),
    ]
}

extension Report.Pin {
    static let fields: DocumentFields<Report.Pin> = [
        DocumentField("pin", \.pin, as: .pin),
        DocumentField("kind", \.kind, as: .words(["certificate", "public-key"])),
        DocumentField("origin", \.origin, "Where the pin was read."), DocumentField("subject", \.subject),
    ]
}

extension Report.Match {
    static let fields: DocumentFields<Report.Match> = [
        DocumentField("pin", \.pin, "A position in configured.", as: .atLeast(0)),
        DocumentField("depth", \.depth, "A position in built.", as: .atLeast(0)),
    ]
}

extension Report.Check {
    static let definition: String? = "check"

    static let fields: DocumentFields<Report.Check> = [
        DocumentField("client", \.client, "Whose step it is; null for the connection."),
        DocumentField("device", \.device, "The device it decides on; null where none was named."),
        DocumentField("id", \.id), DocumentField("status", \.status, as: .words(["pass", "fail", "skip"])),
        DocumentField("detail", \.detail),
    ]
}

extension Report.Client {
    static let definition: String? = "client"

    static let fields: DocumentFields<Report.Client> = [
        DocumentField("name", \.name),
        DocumentField("device", \.device, "The device it decides on; null where none was named."),
        DocumentField("verdict", \.verdict), DocumentField("reason", \.reason),
        DocumentField(
            "disposition", \.disposition, "How an NSURLSession client answers; null for clients that are none."),
        DocumentField(
            "settings", { SettingsObject(settings: $0.settings) },
            "What the client was set to, by the client's own names."),
        DocumentField("outlook", \.outlook, "How long its own verdict will last; null without one."),
    ]
}

extension Report.Message {
    static let definition: String? = "message"

    static let fields: DocumentFields<Report.Message> = [
        DocumentField("id", \.id, "Stable; compare this, not the message."), DocumentField("message", \.message),
    ]
}

extension Report.Exit {
    static let definition: String? = "exit"

    static let fields: DocumentFields<Report.Exit> = [DocumentField("code", \.code), DocumentField("name", \.name)]

    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> JSONNode {
        guard case .exits(let statuses, let name) = form else { return schemaOfObject(in: &definitions) }
        return definitions.reference(to: name) { _ in
            [
                "type": "object", "required": ["code", "name"],
                "properties": [
                    "code": ["enum": .array(statuses.map { .integer(Int($0.rawValue)) })],
                    "name": ["enum": .array(statuses.map { .text($0.name) })],
                ],
            ]
        }
    }
}

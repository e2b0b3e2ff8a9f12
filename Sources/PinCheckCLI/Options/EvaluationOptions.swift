import ArgumentParser

/// What the chain is judged by: pins, the client's policy, trust and time.
struct EvaluationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            A certificate or public-key file (DER or PEM), a directory of them, sha256/…, sha256//…;sha256//…, \
            pin-sha256="…" or bare base64. Repeatable.
            """,
            valueName: "source"
        )
    )
    var pins: [String] = []

    @Flag(help: "Leave out pins that cannot be read, with a warning, instead of ending with exit status 65.")
    var skipBadPins = false

    @Option(
        help: ArgumentHelp(
            "The client whose decision is made: \(ClientRegistry.names) (the default).",
            valueName: "name"
        )
    )
    var client: String?

    @Option(
        help: ArgumentHelp(
            "What is compared: none, public-key or certificate (default: certificate for certificate files alone).",
            valueName: "mode"
        )
    )
    var mode: String?

    @Flag(help: "AFNetworking's allowInvalidCertificates: its pins may make up for a chain the system does not trust.")
    var allowInvalidCertificates = false

    @Flag(help: "AFNetworking's validatesDomainName = NO: neither the name nor the purpose of the certificate counts.")
    var noValidateDomainName = false

    @Option(
        help: ArgumentHelp(
            "Trust these certificates and not the system's roots. A file or a directory. Repeatable.",
            valueName: "file|dir"
        )
    )
    var anchors: [String] = []

    @Flag(help: "Trust the system's roots in addition to --anchors.")
    var andSystem = false

    @Option(
        help: ArgumentHelp(
            "Judge as of another time: 2026-11-21, 2026-11-21T08:00:00Z or seconds since 1970.",
            valueName: "time"
        )
    )
    var at: String?
}

import ArgumentParser

/// Which variants of a target are checked beside what an ordinary client sees.
struct VariantOptions: ParsableArguments {
    @Flag(help: "Check every address of a target, IPv4 and IPv6, each with a verdict of its own.")
    var allAddresses = false

    @Option(
        help: ArgumentHelp(
            "Check the addresses of an HTTPDNS or DNS over HTTPS answer, or of a list; - is standard input. Repeatable.",
            valueName: "file"
        ),
        completion: .file()
    )
    var addresses: [String] = []

    @Option(
        name: .customLong("httpdns"),
        help: ArgumentHelp(
            """
            Ask this service for the addresses, over plain HTTP as it is documented, and check them all: tencent, \
            aliyun:ACCOUNT, or a URL with {name} in it.
            """,
            valueName: "service"
        )
    )
    var httpDNS: String?

    @Option(
        name: .customLong("doh"),
        help: ArgumentHelp(
            "Ask this DNS over HTTPS service (JSON interface, trusted by the system's roots) for the addresses.",
            valueName: "url"
        )
    )
    var dnsOverHTTPS: String?

    @Option(
        help: ArgumentHelp(
            "Check the certificate for each type of key: rsa, ecdsa, ed25519, a comma list of them, or all.",
            valueName: "types"
        )
    )
    var keyTypes: String?

    @Flag(help: "Check TLS 1.2 and TLS 1.3 apart, or each version from --min-tls to --max-tls.")
    var eachTLSVersion = false

    @Flag(
        name: .customLong("compare-sni"),
        help: "Show what clients get that send no SNI; a rejection there is a warning, with --no-sni it is one."
    )
    var comparesSNI = false

    @Flag(help: "All of this: --all-addresses --key-types rsa,ecdsa --each-tls-version --compare-sni.")
    var thorough = false
}

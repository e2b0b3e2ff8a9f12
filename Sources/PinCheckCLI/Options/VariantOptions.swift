import ArgumentParser
import HTTPDNS
import PinChecking
import TLSProbe
import Text

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
        help: """
            Show also what clients get that send no SNI, or for https://ADDR/ those that send the name; a rejection there \
            is a warning, with --no-sni or --sni it is one.
            """
    )
    var comparesSNI = false

    @Flag(help: "All of this: --all-addresses --key-types rsa,ecdsa --each-tls-version --compare-sni.")
    var thorough = false
}

extension VariantOptions {
    /// What the options say, all but `--addresses`.
    func read() throws(CommandError) -> CheckRequest.Variants {
        CheckRequest.Variants(
            allAddresses: allAddresses || thorough,
            service: try service(),
            keyTypes: try readKeyTypes(),
            eachVersion: eachTLSVersion || thorough,
            comparesSNI: comparesSNI || thorough
        )
    }

    private func service() throws(CommandError) -> AddressService? {
        do {
            switch (httpDNS, dnsOverHTTPS) {
            case (nil, nil): return nil
            case (let text?, nil): return try AddressService(httpdns: text)
            case (nil, let text?): return try AddressService(dnsOverHTTPS: text)
            default: break
            }
        } catch {
            let option = httpDNS.map { "--httpdns " + quoted($0) } ?? "--doh " + quoted(dnsOverHTTPS ?? "")
            throw .usage("\(option) \(error)")
        }
        throw .usage("--httpdns and --doh contradict each other: give one of them")
    }

    private func readKeyTypes() throws(CommandError) -> [CertificateKeyType] {
        // What public authorities issue; Ed25519 has to be asked for.
        guard let keyTypes else { return thorough ? [.rsa, .ecdsa] : [] }
        guard keyTypes != "all" else { return CertificateKeyType.allCases }
        var result: [CertificateKeyType] = []
        for name in keyTypes.split(separator: ",", omittingEmptySubsequences: false) {
            guard let keyType = CertificateKeyType(rawValue: name.lowercased()) else {
                let names = CertificateKeyType.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage(
                    "--key-types \(quoted(keyTypes)) names no type of key in \(quoted(name)): choose from \(names), all"
                )
            }
            if !result.contains(keyType) { result.append(keyType) }
        }
        return result
    }
}

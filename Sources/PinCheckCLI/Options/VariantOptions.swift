import ArgumentParser
import Base
import PinChecking
import TLSProbe

/// Which variants of a target are checked beside what an ordinary client sees.
struct VariantOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Check every address of a target.", discussion: "IPv4 and IPv6, each with a verdict of its own."))
    var allAddresses = false

    @Option(
        help: ArgumentHelp(
            "Check the addresses in this file.",
            discussion: """
                An answer of HTTPDNS or DNS over HTTPS, or addresses one a line. '-' is standard input. Repeatable.
                """, valueName: "file"), completion: .file()) var addresses: [String] = []

    @Option(
        name: .customLong("httpdns"),
        help: ArgumentHelp(
            "Ask this HTTPDNS service, and check its addresses.",
            discussion: """
                It is tencent, aliyun:ACCOUNT, or a URL with {name} in it. It is asked over plain HTTP, as it is \
                documented.
                """, valueName: "service")) var httpDNS: String?

    @Option(
        name: .customLong("doh"),
        help: ArgumentHelp(
            "Ask this DNS over HTTPS service for the addresses.",
            discussion: "It needs the JSON interface, and a certificate that the system trusts.", valueName: "url"))
    var dnsOverHTTPS: String?

    @Option(
        help: ArgumentHelp(
            "Check the certificate for each type of key.",
            discussion: "Any of rsa, ecdsa and ed25519 with commas, or all.", valueName: "types")) var keyTypes: String?

    @Flag(
        help: ArgumentHelp(
            "Check every address and key type, and without SNI.",
            discussion: """
                As --all-addresses --key-types rsa,ecdsa, and what clients get that send no name, or that do for \
                https://ADDR/. A rejection of those is only a warning; --no-sni and --sni make it a verdict.
                """)) var thorough = false
}

extension VariantOptions {
    /// What the options say, all but `--addresses`.
    func read() throws(CommandError) -> CheckRequest.Variants {
        CheckRequest.Variants(
            allAddresses: allAddresses || thorough, service: try service(),
            // What public authorities issue; Ed25519 has to be asked for.
            keyTypes: try keyTypes.map { (text) throws(CommandError) in try Self.keyTypes(text) }
                ?? (thorough ? [.rsa, .ecdsa] : []), comparesSNI: thorough)
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

    /// The types that a value of `--key-types` names.
    static func keyTypes(_ text: String) throws(CommandError) -> [CertificateKeyType] {
        guard text != "all" else { return CertificateKeyType.allCases }
        var result: [CertificateKeyType] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard !name.isEmpty else {
                throw .usage("a type in --key-types is empty: write types with one comma between, as in 'rsa,ecdsa'")
            }
            guard let keyType = CertificateKeyType(rawValue: name.lowercased()) else {
                throw .unknown(
                    "the type of key \(quoted(name)) in --key-types", name,
                    among: CertificateKeyType.allCases.map(\.rawValue) + ["all"])
            }
            if !result.contains(keyType) { result.append(keyType) }
        }
        return result
    }
}

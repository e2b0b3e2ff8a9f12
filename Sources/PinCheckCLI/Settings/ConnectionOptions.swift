import Base
import PinChecking
import TLSProbe

extension OptionGroup {
    static let names = OptionGroup("Names") {
        Option(
            "--verify-name", of: "name", help: "The name that the certificate must be valid for.", key: "verifyName",
            isInLists: true
        ) {
            // A malformed name must fail the check, not skip it.
            guard !$1.text.isEmpty else { throw Problem.usage("'' is empty: give a name, or leave it out") }
            guard !$1.text.contains("@") else {
                throw Problem.usage("the name holds a user's name: leave out everything up to the '@'")
            }
            $0.request.names.setReference($1.text)
        }
        Option(
            "--host", of: "name", help: "The HTTP Host header, and the name to verify.",
            "--verify-name names another one to verify. Neither is sent as SNI.", key: "host", isInLists: true
        ) { try $0.setHost($1.text) }
        Option("--header", of: "header", help: "The same as --host, in curl's words: 'Host: NAME'.", isRepeatable: true)
        {
            guard let host = Settings.host(inHeader: $1.text) else {
                throw Problem.usage(
                    "the header \(Settings.name(ofHeader: $1.text)) plays no part in a check: only 'Host: NAME' does")
            }
            try $0.setHost(host)
        }
    }

    static let connection = OptionGroup("Connection") {
        Option(
            "--connect", of: "addr[:port]", help: "Connect there; do not look the target up.",
            """
            Repeat it to check several addresses, each with a verdict of its own. HOST:PORT:ADDR and \
            HOST1:PORT1:HOST2:PORT2 work too.
            """, isRepeatable: true, key: "connect", isInLists: true
        ) { $0.request.connection.addresses.given += try ConnectAddress.readAny($1.text) }
        Option(
            "--connect-to", of: "host1:port1:host2:port2", help: "The same, as curl's --connect-to has it.",
            isRepeatable: true
        ) { $0.request.connection.addresses.added.append(try ConnectAddress.readConnectTo($1.text)) }
        Option("--resolve", of: "host:port:addr", help: "The same, as curl's --resolve has it.", isRepeatable: true) {
            $0.request.connection.addresses.added += try ConnectAddress.readResolve($1.text)
        }
        Option(
            "--sni", of: "name", help: "Send this server name.",
            "The default is the target's host, and none for an address.", rival: "--no-sni", key: "sni", isInLists: true
        ) { $0.request.connection.serverName = try .named($1.text) }
        Option("--no-sni", help: "Send no server name.", rival: "--sni", key: "sni", isNegation: true, isInLists: true)
        { $0.request.connection.serverName = $1.isOn ? ServerNameChoice.none : .targetHost }
        Option(
            "--port", of: "port", .whole(1...65_535),
            help: "The port of targets without one (default: \(RequestDefaults.port))."
        ) { $0.request.connection.port = $1.number }
        Option("-4", help: "Use IPv4 addresses only.") { $0.request.connection.family = $1.isOn ? .ipv4 : .any }
        Option("-6", help: "Use IPv6 addresses only.", rival: "-4") {
            $0.request.connection.family = $1.isOn ? .ipv6 : .any
        }
        Option(
            "--timeout", of: "seconds", .seconds,
            help: "How long a target may take (default: \(RequestDefaults.timeoutSeconds)).",
            "In seconds. Name lookup and retries are included.", key: "timeout"
        ) { $0.request.connection.timeout = try CheckRequest.Connection.timeout($1.text) }
        Option(
            "--retries", of: "n", .whole(0...100),
            help: "Try again without a verdict, n times (default: \(RequestDefaults.retries)).",
            "An attempt has half of what is left of --timeout, the last one all of it.", key: "retries"
        ) { $0.request.connection.retries = $1.number }
        Option("--min-tls", of: "1.0…1.3", .one(versions), help: "The lowest TLS version to offer.", key: "minTLS") {
            $0.request.connection.minimumTLS = try version($1.text)
        }
        Option("--max-tls", of: "1.0…1.3", .one(versions), help: "The highest TLS version to offer.", key: "maxTLS") {
            $0.request.connection.maximumTLS = try version($1.text)
        }
        Option(
            "--proxy", of: "url", help: "Connect through this proxy.",
            """
            [http|https|socks5|socks5h://][user:password@]host[:port]. Without it HTTPS_PROXY, ALL_PROXY and NO_PROXY \
            count, as for curl.
            """, rival: "--no-proxy", key: "proxy", isInLists: true
        ) { $0.request.connection.proxy = try .named($1.text, by: $1.place.map { "\($0)" } ?? "--proxy") }
        Option(
            "--no-proxy", help: "Connect directly, whatever the environment says.", rival: "--proxy", key: "proxy",
            isNegation: true, isInLists: true
        ) { settings, _ in settings.request.connection.proxy = .direct }
        Option(
            "--alpn", of: "protocols", .list { Option.words(["h2", "http/1.1"]) },
            help: "Offer these protocols, as in h2,http/1.1.", key: "alpn"
        ) { $0.request.connection.applicationProtocols = try CheckRequest.Connection.applicationProtocols($1.text) }
        Option("--groups", of: "groups", help: "Offer these groups, as in X25519:P-256.") {
            try $0.offer(\.groups, $1.text)
        }
        Option(
            "--ciphers", of: "suites", help: "Offer these cipher suites.",
            """
            In OpenSSL's words, as in ECDHE-RSA-AES128-GCM-SHA256 or TLS_AES_128_GCM_SHA256. Those of TLS 1.3 alone leave \
            older versions out, and the other way round.
            """
        ) { try $0.offer(\.ciphers, $1.text) }
        Option("--sigalgs", of: "algorithms", help: "Accept these signatures, as in rsa_pss_rsae_sha256.") {
            try $0.offer(\.signatureAlgorithms, $1.text)
        }
        Option(
            "--jobs", of: "n", .whole(1...100_000),
            help: "How many targets to check at once (default: \(RequestDefaults.jobs))."
        ) { $0.request.connection.jobs = $1.number }
    }

    private static let versions: Option.Values.Words = { Option.words(ProtocolVersion.allCases.map(\.number)) }

    private static func version(_ text: String) throws -> ProtocolVersion {
        guard let version = ProtocolVersion.allCases.first(where: { $0.number == text }) else {
            throw Problem.usage("\(quoted(text)) is not a TLS version: write 1.0, 1.1, 1.2 or 1.3")
        }
        return version
    }

    static let clientCertificate = OptionGroup("Client certificate") {
        Option(
            "--cert", of: "file", .file, help: "A certificate for servers that ask for one (PEM).",
            "Its intermediates and its key may stand in the same file.", key: "cert", isRevocable: true
        ) { $0.clientCertificate = $1.text }
        Option(
            "--key", of: "file", .file, help: "The private key of --cert (PEM, no passphrase).", key: "key",
            isRevocable: true
        ) { $0.clientKey = $1.text }
    }

    static let variants = OptionGroup("Variants") {
        Option(
            "--all-addresses", help: "Check every address of a target.",
            "IPv4 and IPv6, each with a verdict of its own.", key: "allAddresses"
        ) { $0.request.variants.allAddresses = $1.isOn }
        Option(
            "--addresses", of: "file", .file, help: "Check the addresses in this file.",
            "An answer of HTTPDNS or DNS over HTTPS, or addresses one a line. '-' is standard input. Repeatable.",
            isRepeatable: true
        ) { $0.addressFiles.append($1.text) }
        Option(
            "--httpdns", of: "service", .one { Option.words(["tencent", "aliyun:"]) },
            help: "Ask this HTTPDNS service, and check its addresses.",
            "It is tencent, aliyun:ACCOUNT, or a URL with {name} in it. It is asked over plain HTTP, as it is documented.",
            rival: "--doh", key: "httpdns", isRevocable: true
        ) { try $0.ask($1.text, AddressService.init(httpdns:)) }
        Option(
            "--doh", of: "url", help: "Ask this DNS over HTTPS service for the addresses.",
            "It needs the JSON interface, and a certificate that the system trusts.", rival: "--httpdns", key: "doh",
            isRevocable: true
        ) { try $0.ask($1.text, AddressService.init(dnsOverHTTPS:)) }
        keyTypes
        Option(
            "--thorough", help: "Check every address and key type, and without SNI.",
            """
            As --all-addresses --key-types rsa,ecdsa, and what clients get that send no name, or that do for \
            https://ADDR/. A rejection of those is only a warning; --no-sni and --sni make it a verdict.
            """, key: "thorough"
        ) {
            guard $1.isOn else { return }
            $0.request.variants.allAddresses = true
            $0.request.variants.comparesSNI = true
            // The types that public CAs issue; Ed25519 is only tried on request.
            if $0.request.variants.keyTypes.isEmpty { $0.request.variants.keyTypes = [.rsa, .ecdsa] }
        }
    }

    static let keyTypes = Option(
        "--key-types", of: "types", .list { Option.words(CertificateKeyType.allCases.map(\.rawValue) + ["all"]) },
        help: "Ask for the certificate for each type of key.", "Any of rsa, ecdsa and ed25519 with commas, or all.",
        key: "keyTypes", isRevocable: true
    ) {
        let words = CertificateKeyType.allCases.map(\.rawValue) + ["all"]
        let names = try [$1.text].words.map { name in
            guard words.contains(name.lowercased()) else { throw Problem.unknown(name, among: words) }
            return name.lowercased()
        }
        let types = names.contains("all") ? CertificateKeyType.allCases : names.compactMap(CertificateKeyType.init)
        $0.request.variants.keyTypes = types.distinct
    }

    static let request = OptionGroup("Request") {
        Option(
            "--request", of: "path", help: "Ask the server for this path, once it is accepted.",
            "On the same connection, with the Host header of --host. No HTTP answer is exit status 1.", key: "request",
            isInLists: true
        ) { $0.request.http.path = try CheckRequest.HTTP.path($1.text) }
        Option(
            "--expect-status", of: "status", .statuses, help: "Fail when the HTTP status is another.",
            "It is 204, 2xx, 200-299, or several with commas. Another is exit status 1.", key: "expectStatus",
            isInLists: true
        ) { $0.request.http.expected = try ExpectedStatus($1.text) }
    }
}

extension Settings {
    static func host(inHeader line: String) -> String? {
        HTTPField(line: line).flatMap { $0.isNamed("Host") ? $0.value : nil }
    }

    static func name(ofHeader line: String) -> SafeText {
        guard let colon = line.firstIndex(of: ":"), HTTPField(line: line[..<colon] + ":") != nil else {
            return "(\(line.unicodeScalars.count) characters)"
        }
        return "\(quoted(line[..<colon]))"
    }

    mutating func ask(_ text: String, _ service: (String) throws(Problem) -> AddressService) throws {
        do { request.variants.service = try service(text) } catch { throw Problem.usage("\(quoted(text)) \(error)") }
    }

    mutating func offer(_ part: WritableKeyPath<HandshakeOffer, String?>, _ list: String) throws {
        do { try request.connection.offer.set(part, to: list) } catch {
            throw Problem.usage("\(quoted(list)): \(error)")
        }
    }

    mutating func setHost(_ text: String) throws {
        let host = try Target(host: text)
        if let other = request.names.host, (other.writtenHost, other.port) != (host.writtenHost, host.port) {
            throw Problem.usage("the hosts \(quoted(other.text)) and \(quoted(text)) contradict each other: give one")
        }
        request.names.host = host
    }
}

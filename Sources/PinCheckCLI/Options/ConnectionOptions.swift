import ArgumentParser
import Base
import PinChecking
import Pinning
import TLSProbe

struct ConnectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Connect there; do not look the target up.",
            discussion: """
                Repeat it to check several addresses, each with a verdict of its own. HOST:PORT:ADDR and \
                HOST1:PORT1:HOST2:PORT2 work too.
                """, valueName: "addr[:port]")) var connect: [String] = []

    @Option(help: ArgumentHelp("The same, as curl's --connect-to has it.", valueName: "host1:port1:host2:port2"))
    var connectTo: [String] = []

    @Option(help: ArgumentHelp("The same, as curl's --resolve has it.", valueName: "host:port:addr")) var resolve:
        [String] = []

    @Option(
        help: ArgumentHelp(
            "Send this server name.", discussion: "The default is the target's host, and none for an address.",
            valueName: "name")) var sni: String?

    @Flag(name: .customLong("no-sni"), help: "Send no server name.") var noSNI = false

    @Option(
        help: ArgumentHelp("The port of targets without one (default: \(RequestDefaults.port)).", valueName: "port"))
    var port: String?

    @Flag(name: .customShort("4"), help: "Use IPv4 addresses only.") var ipv4Only = false

    @Flag(name: .customShort("6"), help: "Use IPv6 addresses only.") var ipv6Only = false

    @Option(
        help: ArgumentHelp(
            "How long a target may take (default: \(RequestDefaults.timeoutSeconds)).",
            discussion: "In seconds. Name lookup and retries are included.", valueName: "seconds")) var timeout: String?

    @Option(
        help: ArgumentHelp(
            "Try again without a verdict, n times (default: \(RequestDefaults.retries)).", valueName: "n")) var retries:
        String?

    @Option(name: .customLong("min-tls"), help: ArgumentHelp("The lowest TLS version to offer.", valueName: "1.0…1.3"))
    var minimumTLS: String?

    @Option(name: .customLong("max-tls"), help: ArgumentHelp("The highest TLS version to offer.", valueName: "1.0…1.3"))
    var maximumTLS: String?

    @Option(
        help: ArgumentHelp(
            "Connect through this proxy.",
            discussion: """
                [http|https|socks5|socks5h://][user:password@]host[:port]. Without it HTTPS_PROXY, ALL_PROXY and NO_PROXY \
                count, as for curl.
                """, valueName: "url")) var proxy: String?

    @Flag(name: .customLong("no-proxy"), help: "Connect directly, whatever the environment says.") var noProxy = false

    @Option(help: ArgumentHelp("Offer these protocols, as in h2,http/1.1.", valueName: "protocols")) var alpn: String?

    @Option(help: ArgumentHelp("Offer these groups, as in X25519:P-256.", valueName: "groups")) var groups: String?

    @Option(
        help: ArgumentHelp(
            "Offer these cipher suites.",
            discussion: """
                In OpenSSL's words, as in ECDHE-RSA-AES128-GCM-SHA256 or TLS_AES_128_GCM_SHA256. Those of TLS 1.3 alone leave \
                older versions out, and the other way round.
                """, valueName: "suites")) var ciphers: String?

    @Option(help: ArgumentHelp("Accept these signatures, as in rsa_pss_rsae_sha256.", valueName: "algorithms"))
    var sigalgs: String?

    @Option(help: ArgumentHelp("How many targets to check at once (default: \(RequestDefaults.jobs)).", valueName: "n"))
    var jobs: String?
}

extension ConnectionOptions {
    func read() throws(CommandError) -> CheckRequest.Connection {
        var connection = CheckRequest.Connection()
        connection.addresses = try CommandError.reading(addresses)
        connection.serverName = try serverNameChoice()
        connection.port = try readPort()
        connection.family = try addressFamily()
        connection.timeout = try readTimeout()
        connection.retries = try count(retries, option: "--retries", range: 0...100)
        connection.minimumTLS = try version(minimumTLS, option: "--min-tls")
        connection.maximumTLS = try version(maximumTLS, option: "--max-tls")
        connection.applicationProtocols = try applicationProtocols()
        try set(\.groups, groups, option: "--groups", in: &connection.offer)
        try set(\.ciphers, ciphers, option: "--ciphers", in: &connection.offer)
        try set(\.signatureAlgorithms, sigalgs, option: "--sigalgs", in: &connection.offer)
        connection.proxy = try proxyChoice()
        connection.jobs = try count(jobs, option: "--jobs", range: 1...100_000)
        return connection
    }

    private func addresses() throws(RequestError) -> CheckRequest.Addresses {
        var addresses = CheckRequest.Addresses()
        for text in connect { addresses.given += try ConnectAddress.readAny(text) }
        for text in resolve { addresses.added += try ConnectAddress.readResolve(text) }
        for text in connectTo { addresses.added.append(try ConnectAddress.readConnectTo(text)) }
        return addresses
    }

    private func serverNameChoice() throws(CommandError) -> ServerNameChoice? {
        guard let sni else { return noSNI ? ServerNameChoice.none : nil }
        guard !noSNI else { throw .usage("--sni and --no-sni contradict each other: give one of them") }
        return try CommandError.reading { () throws(RequestError) in try ServerNameChoice.named(sni) }
    }

    private func proxyChoice() throws(CommandError) -> ProxyChoice? {
        guard let proxy else { return noProxy ? .direct : nil }
        guard !noProxy else { throw .usage("--proxy and --no-proxy contradict each other: give one of them") }
        return try CommandError.reading { () throws(RequestError) in try ProxyChoice.named(proxy, by: "--proxy") }
    }

    private func readPort() throws(CommandError) -> Int? {
        guard let port else { return nil }
        return try CommandError.reading { () throws(RequestError) in try Port.read(port, of: .port, in: port) }
    }

    private func addressFamily() throws(CommandError) -> ProbeRequest.AddressFamily? {
        guard !(ipv4Only && ipv6Only) else { throw .usage("-4 and -6 contradict each other: give one of them") }
        return ipv4Only ? .ipv4 : ipv6Only ? .ipv6 : nil
    }

    private func readTimeout() throws(CommandError) -> Duration? {
        guard let timeout else { return nil }
        let isPlain = timeout.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        guard isPlain, let seconds = Double(timeout), let time = try? CheckRequest.Connection.timeout(seconds: seconds)
        else { throw CommandError(.timeout(timeout)) }
        return time
    }

    private func applicationProtocols() throws(CommandError) -> [ApplicationProtocol] {
        guard let alpn else { return [] }
        return try CommandError.reading { () throws(RequestError) in
            try CheckRequest.Connection.applicationProtocols(alpn)
        }
    }

    private func set(
        _ part: WritableKeyPath<HandshakeOffer, String?>, _ list: String?, option: String,
        in offer: inout HandshakeOffer
    ) throws(CommandError) {
        guard let list else { return }
        do throws(OfferRefusal) { try offer.set(part, to: list) } catch {
            throw .usage("\(option) \(quoted(list)): \(error.words)")
        }
    }

    private func count(_ text: String?, option: String, range: ClosedRange<Int>) throws(CommandError) -> Int? {
        guard let text else { return nil }
        guard let number = Int(text), range.contains(number), !text.hasPrefix("+") else {
            throw .usage("\(option) \(quoted(text)) is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func version(_ text: String?, option: String) throws(CommandError) -> TLSVersion? {
        guard let text else { return nil }
        guard let version = TLSVersion(number: text) else {
            throw .usage("\(option) \(quoted(text)) is not a TLS version: write 1.0, 1.1, 1.2 or 1.3")
        }
        return version
    }
}

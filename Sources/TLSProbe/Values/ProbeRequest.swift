package import Base
package import Pinning

/// One connection to make: where to, and what the ClientHello says.
package struct ProbeRequest: Sendable, Hashable {
    /// How the address to connect to is found.
    package enum Destination: Sendable, Hashable {
        /// The system's resolver is asked for `host`; its addresses of the given family are tried by happy eyeballs (RFC 8305).
        case resolve(host: String, family: AddressFamily = .any)
        /// This address and no other; nothing is resolved.
        case address(IPAddress)
    }

    /// Which addresses of a host may be used, in the word for one.
    package enum AddressFamily: String, Sendable, Hashable, CaseIterable {
        case any = "usable"
        case ipv4 = "IPv4"
        case ipv6 = "IPv6"
    }

    package var destination: Destination
    /// The TCP port, 1…65535.
    package var port: UInt16
    /// The name sent in the server_name extension; without one the extension is not sent.
    package var serverNameIndication: ServerNameIndication?
    package var minimumTLS: ProtocolVersion
    package var maximumTLS: ProtocolVersion
    /// The only type of key that the server's certificate may have; `nil` offers whatever OpenSSL can do.
    package var keyType: CertificateKeyType?
    /// What a server gets that asks for a client certificate; without one it gets an empty list.
    package var clientIdentity: ClientIdentity?
    /// The application protocols offered (RFC 7301), preferred first; without any the extension is not sent.
    package var alpn: [ApplicationProtocol]
    /// The groups, cipher suites and signature algorithms that are offered, where that is not everything.
    package var offer: HandshakeOffer
    /// Whether ``offer`` is all that a client's TLS offers: an alert says nothing but that the server refuses that.
    package internal(set) var isExact = false
    /// The proxy that the connection goes through, `nil` for none.
    package var proxy: Proxy?
    /// The one deadline over resolving, connecting, a proxy and the handshake, counted from the start of the probe.
    package var timeout: Duration

    /// A request; the values that are left out are what a careful client of today uses.
    package init(
        to destination: Destination, port: UInt16 = 443, serverNameIndication: ServerNameIndication? = nil,
        minimumTLS: ProtocolVersion = .tls12, maximumTLS: ProtocolVersion = .tls13, keyType: CertificateKeyType? = nil,
        clientIdentity: ClientIdentity? = nil, alpn: [ApplicationProtocol] = [],
        offer: HandshakeOffer = HandshakeOffer(), proxy: Proxy? = nil, timeout: Duration = .seconds(10)
    ) {
        (self.destination, self.port, self.serverNameIndication) = (destination, port, serverNameIndication)
        (self.minimumTLS, self.maximumTLS, self.keyType) = (minimumTLS, maximumTLS, keyType)
        (self.clientIdentity, self.alpn, self.offer, self.proxy) = (clientIdentity, alpn, offer, proxy)
        self.timeout = timeout
    }

    /// A request to a host under its own name.
    init(to host: ServerName, port: UInt16, timeout: Duration) {
        let destination: Destination =
            switch host {
            case .dns(let name): .resolve(host: name)
            case .ip(let address): .address(address)
            }
        self.init(to: destination, port: port, serverNameIndication: ServerNameIndication(host), timeout: timeout)
    }

    /// The connection that is really made: to the proxy where there is one.
    var firstHop: ProbeRequest { proxy.map { ProbeRequest(to: $0.host, port: $0.port, timeout: timeout) } ?? self }

    /// The destination as text, with the port: `example.com:443`, `[2001:db8::1]:443`.
    package var target: String {
        switch destination {
        case .resolve(let host, _): host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .address(let address): PeerAddress(ip: address, port: port).description
        }
    }
}

/// A host name fit for the server_name extension (RFC 6066, 3).
///
/// The extension has no room for addresses, and OpenSSL would send one all the same: there is no value of this type for an
/// address, an empty name or a name with a NUL.
package struct ServerNameIndication: Sendable, Hashable, CustomStringConvertible {
    /// The name in lower case, without a trailing dot.
    package let name: String

    /// Takes a host name, `nil` for an address.
    package init?(_ serverName: ServerName) {
        guard case .dns(let name) = serverName else { return nil }
        self.name = name
    }

    /// Reads a host name, `nil` for an address or a text that is no name.
    package init?(_ text: some StringProtocol) {
        guard let serverName = try? ServerName(text) else { return nil }
        self.init(serverName)
    }

    package var description: String { name }
}

/// The name of an application protocol (RFC 7301), as in `h2` or `http/1.1`.
package struct ApplicationProtocol: Sendable, Hashable, CustomStringConvertible {
    /// The name, 1 to 255 bytes of UTF-8.
    package let name: String

    /// Takes a name, `nil` when it is empty or longer than 255 bytes.
    package init?(_ name: String) {
        guard (1...255).contains(name.utf8.count) else { return nil }
        self.name = name
    }

    package var description: String { name }
}

/// Is told what probes do while they do it, in sentences for people.
package struct ProbeWatch: Sendable {
    /// Who is told of the probes of a task and its children, `nil` where nobody asks.
    @TaskLocal package static var current: ProbeWatch?

    private let tell: @Sendable (SafeText) -> Void

    /// A watch that hands sentences to `tell`, on whatever thread they come from.
    package init(_ tell: @escaping @Sendable (SafeText) -> Void) { self.tell = tell }

    package func callAsFunction(_ sentence: SafeText) { tell(sentence) }
}

extension ProbeRequest {
    /// What is particular about the connection, in brackets behind a blank.
    var wayInWords: SafeText {
        var parts: [SafeText] = [serverNameIndication.map { "SNI \($0.name)" } ?? "no SNI"]
        parts.append(
            minimumTLS == maximumTLS ? "TLS \(minimumTLS.number)" : "TLS \(minimumTLS.number) to \(maximumTLS.number)")
        if let keyType { parts.append("\(keyType.rawValue) certificates alone") }
        if let proxy { parts.append("through \(proxy.url)") }
        return " (" + parts.dropFirst().reduce(parts[0]) { $0 + ", " + $1 } + ")"
    }
}

extension ProbeWatch {
    func callAsFunction(_ result: Result<Handshake, ProbeError>, of target: String) {
        switch result {
        case .success(let result):
            let count = result.presented.certificates.count
            let milliseconds = Int(result.timings.handshake / .milliseconds(1))
            self(
                """
                \(target): handshake done in \(milliseconds) ms: \(result.facts), \
                \(count) certificate\(count == 1 ? "" : "s")
                """)
        case .failure(let error): self("\(target): \(error)")
        }
    }
}

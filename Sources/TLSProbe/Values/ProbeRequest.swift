package import Base
package import Pinning
import X509

package struct ProbeRequest: Hashable {
    package enum Destination: Hashable {
        /// A host for the system's resolver; its addresses of the family are tried by happy eyeballs (RFC 8305).
        case resolve(host: String, family: AddressFamily = .any)
        case address(IPAddress)
    }

    package var destination: Destination
    /// The TCP port, 1…65535.
    package var port: UInt16
    /// The name in the server_name extension (RFC 6066, 3), a ``ServerName/hostName``; `nil` omits the extension.
    package var serverNameIndication: String?
    package var minimumTLS = ProtocolVersion.tls12
    package var maximumTLS = ProtocolVersion.tls13
    /// The only type of key that the server's certificate may have; `nil` offers all.
    package var keyType: CertificateKeyType?
    /// The client certificate for servers that request one; `nil` sends them an empty list.
    package var clientIdentity: ClientIdentity?
    /// The offered application protocols (RFC 7301), each 1 to 255 bytes, preferred first; none omits the extension.
    package var alpn: [String] = []
    package var offer = HandshakeOffer()
    /// `true` if ``offer`` is a client's whole offer, so that an alert means that the server refuses the client.
    package internal(set) var isExact = false
    package var proxy: Proxy?
    /// The time for look-up, connection, proxy and handshake together, from the start of the probe.
    package var timeout: Duration

    package init(
        to destination: Destination, port: UInt16 = 443, serverNameIndication: String? = nil,
        proxy: Proxy? = nil, timeout: Duration = .seconds(10)
    ) {
        (self.destination, self.port, self.serverNameIndication) = (destination, port, serverNameIndication)
        (self.proxy, self.timeout) = (proxy, timeout)
    }

    init(to host: ServerName, port: UInt16, timeout: Duration) {
        let destination: Destination =
            switch host {
            case .dns(let name): .resolve(host: name)
            case .ip(let address): .address(address)
            }
        self.init(to: destination, port: port, serverNameIndication: host.hostName, timeout: timeout)
    }

    var firstHop: ProbeRequest { proxy.map { ProbeRequest(to: $0.host, port: $0.port, timeout: timeout) } ?? self }

    /// The destination with its port: `example.com:443`, `[2001:db8::1]:443`.
    package var target: String {
        switch destination {
        case .resolve(let host, _): host.withPort(port)
        case .address(let address): "\(address)".withPort(port)
        }
    }
}

/// The family of usable addresses, by its word in messages.
package enum AddressFamily: String, CaseIterable {
    case any = "usable"
    case ipv4 = "IPv4"
    case ipv6 = "IPv6"
}

/// Receives the lines of `--verbose` about the probes.
package struct ProbeWatch {
    /// The watch of a task and its children; `nil` without `--verbose`.
    @TaskLocal package static var current: ProbeWatch?

    private let tell: @Sendable (SafeText) -> Void

    /// Calls `tell` on any thread.
    package init(_ tell: @escaping @Sendable (SafeText) -> Void) { self.tell = tell }

    package func callAsFunction(_ sentence: SafeText) { tell(sentence) }
}

extension ProbeRequest {
    /// The parameters of the connection for `--verbose`, in brackets after a blank.
    var wayInWords: SafeText {
        var parts: [SafeText] = [serverNameIndication.map { "SNI \($0)" } ?? "no SNI"]
        parts.append(
            minimumTLS == maximumTLS ? "TLS \(minimumTLS.number)" : "TLS \(minimumTLS.number) to \(maximumTLS.number)")
        if let keyType { parts.append("\(keyType.rawValue) certificates alone") }
        if let proxy { parts.append("through \(proxy.url)") }
        return " (" + parts.dropFirst().reduce(parts[0]) { $0 + ", " + $1 } + ")"
    }
}

extension ProbeWatch {
    func callAsFunction(_ result: ProbeResult, of target: String) {
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

/// A setting that the advice on a failed probe mentions, in a library's words; a program uses its options' names.
package enum ProbeSetting: String, CaseIterable {
    case timeout = "the timeout"
    case address = "to connect to"
    case family = "the other address family"
    case serverName = "the SNI"
    case minimumVersion = "the lowest TLS version"
    case maximumVersion = "the highest TLS version"
    case ciphers = "the ciphers"
    case groups = "the groups"
    case keyTypes = "the key types"
    case protocols = "the application protocols"
    case jobs = "the number of connections at once"

    package typealias Naming = (ProbeSetting) -> String
}

/// The server name to send (server_name extension, RFC 6066, 3).
package enum ServerNameChoice: Hashable {
    /// The target's host, if it is a name: clients take it from the URL, even if they judge another name.
    case targetHost
    case name(String)
    case none

    package static func named(_ text: String) throws(Problem) -> ServerNameChoice {
        let name: ServerName
        do { name = try ServerName(written: text) } catch { throw .usage("\(error)") }
        guard let hostName = name.hostName else {
            throw .usage(
                "the server name \(quoted(text)) is an address: TLS carries host names only (RFC 6066), send none")
        }
        return .name(hostName)
    }

    /// The name to send to a target; never an address (RFC 6066, 3).
    package func indication(forTarget host: ServerName) -> String? {
        switch self {
        case .none: nil
        case .name(let name): name
        case .targetHost: host.hostName
        }
    }
}

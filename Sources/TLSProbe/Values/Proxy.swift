import Base
package import Pinning

package struct Proxy: Hashable {
    package enum Kind: String, CaseIterable {
        /// HTTP's CONNECT (RFC 9110, 9.3.6).
        case http
        /// CONNECT over TLS.
        case https
        /// SOCKS 5 (RFC 1928), given the address of the target.
        case socks5
        /// SOCKS 5, given the name of the target.
        case socks5h

        /// The default port, as in curl.
        package var defaultPort: Int { self == .https ? 443 : 1_080 }

        var isSOCKS: Bool { self == .socks5 || self == .socks5h }
    }

    package var kind: Kind
    package var host: ServerName
    var port: UInt16
    package var credentials: ProxyCredentials?
    /// The setting that named the proxy, as in `HTTPS_PROXY`.
    package var origin: String

    package init(_ kind: Kind, host: ServerName, port: UInt16, credentials: ProxyCredentials? = nil, origin: String) {
        (self.kind, self.host, self.port, self.credentials) = (kind, host, port, credentials)
        self.origin = origin
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.kind == right.kind && left.host == right.host && left.port == right.port
            && left.credentials == right.credentials
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(host)
        hasher.combine(port)
        hasher.combine(credentials)
    }

    /// The proxy as it is shown, without the credentials: `http://proxy.example:3128`.
    package var url: String { "\(kind.rawValue)://" + "\(host)".withPort(port) }
}

/// The name and password of a proxy's user, which are never printed.
package struct ProxyCredentials: Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let user: [UInt8]
    let password: [UInt8]

    /// Credentials for a kind of proxy; `nil` if its protocol cannot carry them.
    ///
    /// HTTP allows no control characters, and no colon in the name (RFC 7617, 2). SOCKS allows a name of 1 to 255
    /// bytes, and a password of up to 255 (RFC 1929, 2).
    package init?(user: [UInt8], password: [UInt8], for kind: Proxy.Kind) {
        (self.user, self.password) = (user, password)
        let isFit =
            kind.isSOCKS
            ? (1...255).contains(user.count) && password.count <= 255
            : !user.contains { $0 == ":" } && (user + password).allSatisfy { $0 >= 0x20 && $0 != 0x7f }
        guard isFit else { return nil }
    }

    /// The proxy's bytes with `…` in place of the password, and of the base64 that contains it.
    func hidden(in bytes: [UInt8]) -> [UInt8] {
        guard !password.isEmpty else { return bytes }
        let encodings = [user + ":".bytes + password, password].map { Base64.text(of: $0).bytes }
        return (encodings + [password]).reduce(bytes) { $0.replacing($1, with: "…".bytes) }
    }

    package var description: String { "(hidden)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

package struct ProxyPassage {
    package let address: PeerAddress
    /// The handshake with an `https` proxy, whose chain is judged apart from the server's.
    package internal(set) var tls: Handshake?
}

/// The reason why a proxy did not connect: its own failure, not the server's.
package enum ProxyFailure: Error, Hashable {
    indirect case unreachable(ProbeError.Reason)
    indirect case handshake(ProbeError.Reason)
    /// The chain of an `https` proxy is not trusted, with the reason; without `remedy` the advice is to add a root.
    case untrusted(String, remedy: String? = nil)
    /// The proxy answered CONNECT with a status other than 2xx.
    case status(Int, line: String)
    case credentialsMissing
    case credentialsRefused
    /// The reply code of SOCKS that the proxy answered (RFC 1928, 6).
    case reply(UInt8)
    case foreign
    /// The proxy's reply is longer than so many bytes.
    case tooLong(limit: Int)
    /// The proxy closed the connection after so many bytes of its answer.
    case closedEarly(received: Int)
    case reset
    case broken(String)

    package var id: String {
        switch self {
        case .unreachable: "proxy-unreachable"
        case .handshake: "proxy-tls-failure"
        case .untrusted: "proxy-untrusted"
        case .status, .reply: "proxy-refused"
        case .credentialsMissing, .credentialsRefused: "proxy-authentication"
        case .foreign, .tooLong: "proxy-protocol"
        case .closedEarly, .reset, .broken: "proxy-closed"
        }
    }

    /// `true` if another attempt could succeed.
    package var mayPass: Bool {
        switch self {
        case .untrusted, .credentialsMissing, .credentialsRefused, .foreign: false
        default: true
        }
    }

    /// The fact about the proxy with the URL `proxy` on the way to `target`, and the advice.
    func sentence(on proxy: String, to target: String, _ name: ProbeSetting.Naming) -> (fact: String, advice: String) {
        let proxy = "the proxy '\(proxy)'"
        let target = "'\(target)'"
        return switch self {
        case .unreachable(.notConnected(let failures)):
            ("cannot connect to \(proxy): \(failures.fact)", "; " + failures.advice(naming: name))
        case .unreachable(.nameNotFound): ("cannot resolve \(proxy): there is no such name", "; check the spelling")
        case .unreachable(.noAddress):
            ("cannot resolve \(proxy): the name has no usable address", "; name another proxy")
        case .unreachable(.resolverFailed(let detail)):
            ("cannot resolve \(proxy): \(detail)", "; check the DNS settings, or name the proxy by its address")
        case .unreachable(let reason), .handshake(let reason):
            (
                "TLS with \(proxy) failed: \(ProbeError(.handshake, reason, target: "the proxy").fact)",
                "; if it speaks HTTP without TLS, write http://"
            )
        case .untrusted(let why, let remedy):
            (
                "the certificate of \(proxy) is not trusted: \(why)",
                "; " + (remedy ?? "install its root, or name it in SSL_CERT_FILE")
            )
        case .status(let status, let line):
            (
                "\(proxy) did not connect to \(target): it answered \"\(TerminalText.shortened(line, to: 200))\"",
                status >= 500 ? "; check the target, and what the proxy can reach" : "; check what the proxy allows"
            )
        case .credentialsMissing:
            ("\(proxy) requires a user name and a password", "; give them in its URL, as in http://user:password@host")
        case .credentialsRefused: ("\(proxy) does not take the name and the password it was given", "; check them")
        case .reply(let code):
            (
                "\(proxy) did not connect to \(target): it answered with the SOCKS reply \(code) (RFC 1928, 6)",
                "; \(Self.remedy(for: code))"
            )
        case .foreign:
            ("\(proxy) does not speak the protocol of its URL", "; check whether it is http://, https:// or socks5h://")
        case .tooLong(let limit):
            ("the answer of \(proxy) has no end within \(limit) bytes", "; check that it is a proxy")
        case .closedEarly(0):
            ("\(proxy) closed the connection without an answer", "; check its protocol and whom it admits")
        case .closedEarly(let received):
            ("\(proxy) closed the connection after \(received) bytes of its answer", "; see its log")
        case .reset: ("\(proxy) reset the connection", "; check its protocol and whom it admits")
        case .broken(let detail): ("the connection to \(proxy) broke: \(detail)", "; try again")
        }
    }

    private static func remedy(for code: UInt8) -> String {
        let own = [2: "check what it allows", 8: "write socks5h:// to give it the name, or socks5:// for the address"]
        return own[Int(code)] ?? "check the target, and what the proxy can reach"
    }
}

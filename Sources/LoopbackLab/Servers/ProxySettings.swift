/// A proxy with one server behind it, whatever it is asked for.
public struct ProxySettings: Sendable {
    /// What the proxy speaks.
    public enum Speech: Sendable, Hashable {
        /// HTTP's CONNECT.
        case http
        /// SOCKS 5.
        case socks5
    }

    /// What a client gets that has said what it wants.
    public enum Answer: Sendable, Hashable {
        /// The way to the server.
        case passage
        /// The same, with these bytes in the place of the proxy's own last word.
        case passageSaying([UInt8])
        /// These bytes, after which the proxy closes its side.
        case refusal([UInt8])
        /// These bytes, after which it stays silent; none for a proxy that never answers.
        case silence(after: [UInt8])
    }

    /// What the proxy speaks.
    public var speech: Speech
    /// What is behind it.
    public var server: TLSServerSettings
    /// What clients get.
    public var answer = Answer.passage
    /// The name and password of the only user, `nil` where anybody may come.
    public var user: (name: String, password: String)?
    /// What the proxy itself presents where it is spoken to over TLS, `nil` where it is not.
    public var tls: TLSServerSettings?

    /// A proxy that lets everybody through to `server`.
    public init(_ speech: Speech, to server: TLSServerSettings) {
        self.speech = speech
        self.server = server
    }

    /// A copy changed by `change`.
    public func with(_ change: (inout ProxySettings) -> Void) -> ProxySettings {
        var copy = self
        change(&copy)
        return copy
    }
}

import TLSProbe
import Text

/// How connections are made: what the flags of one call say, or what a list or policy says of one target.
struct ConnectionSettings: Sendable {
    /// Where to connect to instead of looking targets up.
    var addresses: [ConnectAddress]
    /// Which server name to send.
    var serverName: ServerNameChoice
    /// The port of targets that name none.
    var defaultPort: Int
    /// The address families to use.
    var family: ProbeRequest.AddressFamily
    /// The time a target may take, in seconds.
    var timeout: Double
    /// How often to try again when there was no verdict.
    var retries: Int
    /// The TLS versions to offer.
    var versions: ClosedRange<TLSVersion>
    /// The application protocols to offer.
    var applicationProtocols: [ApplicationProtocol]
    /// What servers get that ask for a client certificate.
    var clientIdentity: ClientIdentity?
}

extension ConnectionSettings {
    /// What the flags say.
    init(_ options: ConnectionOptions) throws(CommandError) {
        self.init(
            addresses: try options.addresses(),
            serverName: try options.serverNameChoice(),
            defaultPort: try options.defaultPort(),
            family: try options.addressFamily(),
            timeout: try options.timeoutSeconds(),
            retries: try options.retryCount(),
            versions: try options.tlsVersions(),
            applicationProtocols: try options.applicationProtocols()
        )
    }
}

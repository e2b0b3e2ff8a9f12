import TLSProbe

extension CheckRequest {
    /// How connections are made.
    struct Connection: Hashable, Sendable {
        /// Where to connect to instead of looking the target up.
        var addresses = Addresses()
        /// Which server name to send.
        var serverName: ServerNameChoice?
        /// The port of a target that names none, 1 to 65535.
        var port: Int?
        /// The address families to use.
        var family: ProbeRequest.AddressFamily?
        /// How long a target may take, name lookup and retries included: see ``timeout(seconds:)``.
        var timeout: Duration?
        /// How often to try again when there was no verdict, 0 to 100.
        var retries: Int?
        /// The lowest TLS version to offer.
        var minimumTLS: TLSVersion?
        /// The highest TLS version to offer.
        var maximumTLS: TLSVersion?
        /// The application protocols to offer, preferred first.
        var applicationProtocols: [ApplicationProtocol] = []
        /// What servers get that ask for a client certificate.
        var clientIdentity: ClientIdentity?
        /// How many targets are checked at the same time, 1 to 100000.
        var jobs: Int?

        /// A timeout of so many seconds, from 0.001 to 86400.
        static func timeout(seconds: Double) throws(RequestError) -> Duration {
            guard (0.001...86_400).contains(seconds) else { throw .timeout("\(seconds)") }
            return .milliseconds(Int64(seconds * 1_000))
        }

        /// Reads application protocols with commas between them.
        static func applicationProtocols(_ list: String) throws(RequestError) -> [ApplicationProtocol] {
            var protocols: [ApplicationProtocol] = []
            for name in list.split(separator: ",", omittingEmptySubsequences: false) {
                guard let applicationProtocol = ApplicationProtocol(String(name)) else {
                    throw .applicationProtocols(list)
                }
                protocols.append(applicationProtocol)
            }
            return protocols
        }

        /// The TLS versions to offer, from the lowest to the highest.
        ///
        /// One limit alone moves the other one's default out of its way.
        func versions() throws(RequestError) -> ClosedRange<TLSVersion> {
            let highest = maximumTLS ?? RequestDefaults.maximumTLS
            let lowest = minimumTLS ?? min(RequestDefaults.minimumTLS, highest)
            guard lowest <= highest else { throw .noVersionLeft(lowest: lowest, highest: highest) }
            return lowest...highest
        }

        func merged(over other: Connection) -> Connection {
            Connection(
                addresses: addresses.merged(over: other.addresses),
                serverName: serverName ?? other.serverName,
                port: port ?? other.port,
                family: family ?? other.family,
                timeout: timeout ?? other.timeout,
                retries: retries ?? other.retries,
                minimumTLS: minimumTLS ?? other.minimumTLS,
                maximumTLS: maximumTLS ?? other.maximumTLS,
                applicationProtocols: applicationProtocols.isEmpty
                    ? other.applicationProtocols : applicationProtocols,
                clientIdentity: clientIdentity ?? other.clientIdentity,
                jobs: jobs ?? other.jobs
            )
        }
    }

    /// Where to connect to instead of looking targets up.
    struct Addresses: Hashable, Sendable {
        /// The addresses to connect to.
        var given: [ConnectAddress] = []
        /// Whether ``given`` is said of one target alone, and not of all targets of a call.
        var isOfOneTarget = false
        /// Addresses that add to the given ones for the hosts they are for: curl's `--resolve` and `--connect-to`.
        var added: [ConnectAddress] = []
        /// The addresses that services answered with: of a target that has none of its own.
        var answered: [ConnectAddress] = []

        /// All addresses to connect to.
        var all: [ConnectAddress] { given + added + (isOfOneTarget ? [] : answered) }

        /// Addresses that are given make up for everything `other` says; those that are added do not.
        fileprivate func merged(over other: Addresses) -> Addresses {
            guard given.isEmpty else { return self }
            return Addresses(
                given: other.given,
                isOfOneTarget: other.isOfOneTarget,
                added: added + other.added,
                answered: answered + other.answered
            )
        }
    }
}

import Base
import Pinning
package import TLSProbe

extension CheckRequest {
    package struct Connection: Hashable {
        package var addresses = Addresses()
        package var serverName: ServerNameChoice?
        /// The port of targets without one, 1 to 65535.
        package var port: Int?
        package var family: AddressFamily?
        /// The time for a target, with its look-up and retries; see ``timeout(_:)``.
        package var timeout: Duration?
        /// The number of retries if a check ends without a verdict, 0 to 100.
        package var retries: Int?
        package var minimumTLS: ProtocolVersion?
        package var maximumTLS: ProtocolVersion?
        package var applicationProtocols: [String] = []
        package var offer = HandshakeOffer()
        package var proxy: ProxyChoice?
        package var environmentProxies: ProxyEnvironment?
        package var clientIdentity: ClientIdentity?
        /// The number of targets that are checked at the same time, 1 to 100000.
        package var jobs: Int?

        /// Reads a timeout in seconds, from 0.001 to 86400.
        package static func timeout(_ text: String) throws(Problem) -> Duration {
            let isPlain = text.utf8.allSatisfy { $0.isDigit || $0 == "." }
            guard isPlain, let seconds = Double(text), (0.001...86_400).contains(seconds) else {
                throw .usage("\(quoted(text)) is not a time in seconds from 0.001 to 86400, as in 2.5")
            }
            return .milliseconds(Int64(seconds * 1_000))
        }

        package static func applicationProtocols(_ list: String) throws(Problem) -> [String] {
            let names = list.parts(at: ",").map(String.init)
            guard names.allSatisfy({ (1...255).contains($0.utf8.count) }) else {
                throw .usage(
                    "\(quoted(list)) holds a name of no or of more than 255 bytes (RFC 7301): write h2,http/1.1")
            }
            return names
        }

        /// The TLS versions to offer; a limit moves the default of the other, and cipher suites only for TLS 1.3 or only
        /// for older versions leave the others out: OpenSSL would offer its own.
        func versions() throws(Problem) -> ClosedRange<ProtocolVersion> {
            let suites = offer.suites
            let isOnlyOld = offer.ciphers != nil && suites.new.isEmpty
            let isOnlyNew = offer.ciphers != nil && suites.old.isEmpty
            let highest = min(maximumTLS ?? RequestDefaults.maximumTLS, isOnlyOld ? .tls12 : .tls13)
            let lowest = isOnlyNew ? .tls13 : minimumTLS ?? min(RequestDefaults.minimumTLS, highest)
            guard !(isOnlyOld && lowest == .tls13), !(isOnlyNew && highest < .tls13) else {
                throw .usage(
                    "no TLS version that is to be offered has \(quoted(offer.ciphers ?? "", to: 200)): "
                        + "TLS 1.3 has cipher suites of its own, whose names begin with TLS_")
            }
            guard lowest <= highest else {
                throw .usage(
                    "the lowest TLS version, \(lowest.number), is above the highest, \(highest.number): no version is left to offer"
                )
            }
            return lowest...highest
        }

        /// The application protocols to offer; a request needs its own (RFC 7301, 6), so servers may choose no other.
        func protocols(forRequest isForRequest: Bool) throws(Problem) -> [String] {
            guard isForRequest else { return applicationProtocols }
            if let other = applicationProtocols.first(where: { $0 != "http/1.1" }) {
                throw .usage(
                    "\(quoted(other)) is to be offered (alpn), and a request is sent in HTTP/1.1 alone: offer http/1.1 or nothing"
                )
            }
            return ["http/1.1"]
        }

        func merged(over other: Connection) -> Connection {
            var merged = self
            merged.addresses = addresses.merged(over: other.addresses)
            merged.serverName = serverName ?? other.serverName
            merged.port = port ?? other.port
            merged.family = family ?? other.family
            merged.timeout = timeout ?? other.timeout
            merged.retries = retries ?? other.retries
            merged.minimumTLS = minimumTLS ?? other.minimumTLS
            merged.maximumTLS = maximumTLS ?? other.maximumTLS
            if applicationProtocols.isEmpty { merged.applicationProtocols = other.applicationProtocols }
            merged.offer = offer.merged(over: other.offer)
            merged.proxy = proxy ?? other.proxy
            merged.environmentProxies = environmentProxies ?? other.environmentProxies
            merged.clientIdentity = clientIdentity ?? other.clientIdentity
            merged.jobs = jobs ?? other.jobs
            return merged
        }
    }

    package struct Addresses: Hashable {
        package var given: [ConnectAddress] = []
        /// `true` if ``given`` is for one target, not for all targets of a call.
        package var isOfOneTarget = false
        /// The addresses of curl's `--resolve` and `--connect-to`, in addition to the given ones of their hosts.
        package var added: [ConnectAddress] = []
        /// The addresses that a service for names answered, for a target without given ones.
        package var answered: [ConnectAddress] = []

        package var all: [ConnectAddress] { given + added + (isOfOneTarget ? [] : answered) }

        /// Given addresses replace all of `other`; added ones do not.
        fileprivate func merged(over other: Addresses) -> Addresses {
            guard given.isEmpty else { return self }
            return Addresses(
                given: other.given, isOfOneTarget: other.isOfOneTarget, added: added + other.added,
                answered: answered + other.answered)
        }
    }
}

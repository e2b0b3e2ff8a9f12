/// App Transport Security of an app on Apple's platforms: `NSAppTransportSecurity` of its Info.plist.
///
/// It binds what is loaded with NSURLSession. **From documentation only**: CFNetwork, which decides, is closed. Source: Apple's
/// "NSAppTransportSecurity", "NSExceptionDomains" and "Preventing Insecure Network Connections".
public struct TransportSecurity: Sendable, Hashable {
    /// The hosts that an exception is for.
    public enum Hosts: Sendable, Hashable {
        /// A name, with `NSIncludesSubdomains` also names one label below it.
        case names(HostPattern)
        /// Addresses that begin with so many bits of this one; all bits for the address alone (iOS 17).
        case addresses(IPAddress, bits: Int)
        /// Text that no URL's host is equal to.
        case none(String)

        /// Whether the exception is for `host`.
        func cover(_ host: ServerName) -> Bool {
            switch (self, host) {
            case (.names(let pattern), .dns(let name)): pattern.covers(name)
            case (.addresses(let prefix, let bits), .ip(let address)): address.begins(with: bits, of: prefix)
            default: false
            }
        }

        /// How closely the hosts are named: of several exceptions for a host the closest counts.
        fileprivate var closeness: Int {
            switch self {
            case .names(let pattern): pattern.name.utf8.count
            case .addresses(_, let bits): bits
            case .none: 0
            }
        }
    }

    /// An entry of `NSExceptionDomains`.
    public struct Exception: Sendable, Hashable {
        /// The hosts.
        public let hosts: Hosts
        /// Where it stands.
        public let origin: String
        /// `NSExceptionMinimumTLSVersion`.
        public var minimumTLS: ProtocolVersion?
        /// `NSExceptionRequiresForwardSecrecy`.
        public var requiresForwardSecrecy: Bool?
        /// `NSExceptionAllowsInsecureHTTPLoads`.
        public var allowsInsecureLoads = false
        /// `NSRequiresCertificateTransparency`.
        public var requiresTransparency = false

        /// An exception that excepts nothing: it puts its hosts under the rules again.
        public init(hosts: Hosts, origin: String) {
            self.hosts = hosts
            self.origin = origin
        }
    }

    /// The keys beside which `NSAllowsArbitraryLoads` counts as NO, with whatever value.
    public static let narrowingKeys = [
        "NSAllowsArbitraryLoadsInWebContent", "NSAllowsArbitraryLoadsForMedia", "NSAllowsLocalNetworking",
    ]

    /// `NSAllowsArbitraryLoads`.
    public var allowsArbitraryLoads = false
    /// Those of ``narrowingKeys`` that are there.
    public var narrowing: [String] = []
    /// `NSAllowsLocalNetworking`.
    public var allowsLocalNetworking = false
    /// `NSExceptionDomains`.
    public var exceptions: [Exception] = []
    /// Where the dictionary stands, or the file without one.
    public let origin: String
    /// Whether there is a dictionary.
    public let isStated: Bool

    /// The rules as they are for an app that says nothing, or nothing yet.
    public init(origin: String, isStated: Bool = false) {
        self.origin = origin
        self.isStated = isStated
    }

    /// What is asked of a connection.
    public struct Requirement: Sendable, Hashable {
        /// The oldest version of TLS.
        public var minimumTLS = ProtocolVersion.tls12
        /// Whether keys have to be agreed on by ECDHE, and certified keys have RSA 2048 or EC 256 bits.
        public var requiresForwardSecrecy = true
        /// Whether SCTs are asked for below whatever root.
        public var requiresTransparency = false
        /// Whether the app may accept what the system refuses.
        public var allowsInsecureLoads = false
        /// The entry of `NSExceptionDomains` that says it, `nil` for the rules without one.
        public var exception: Exception?
    }

    /// What becomes of a connection to a host.
    public enum Ruling: Sendable, Hashable {
        /// Nothing is asked, for this reason.
        case off(String)
        case on(Requirement)
    }

    /// What is asked of a connection to the host of a URL.
    ///
    /// - Parameters:
    ///   - host: the URL's host.
    ///   - release: the version of the device's system; before iOS 17 addresses are left alone.
    /// - Returns: the entry's word where the host has one, which decides alone, else that of the global keys.
    public func ruling(for host: ServerName, on release: AppleRelease = .newest) -> Ruling {
        let exact = exceptions.first { exception in
            if case .names(let pattern) = exception.hosts, host == .dns(pattern.name) { true } else { false }
        }
        let covering = exceptions.filter { $0.hosts.cover(host) }
        if let exception = exact ?? covering.max(by: { $0.hosts.closeness < $1.hosts.closeness }) {
            return .on(
                Requirement(
                    minimumTLS: exception.minimumTLS ?? .tls12,
                    requiresForwardSecrecy: exception.requiresForwardSecrecy ?? true,
                    requiresTransparency: exception.requiresTransparency,
                    allowsInsecureLoads: exception.allowsInsecureLoads, exception: exception))
        }
        switch host {
        case .dns(let name) where !name.contains(".") || name.hasSuffix(".local"):
            return .off("names without a dot and .local are left alone")
        case .ip where !release.judgesAddressesByTransportSecurity:
            return .off("addresses are left alone before iOS 17")
        case .ip where allowsLocalNetworking: return .off("NSAllowsLocalNetworking frees addresses")
        default: break
        }
        return allowsArbitraryLoads && narrowing.isEmpty ? .off("NSAllowsArbitraryLoads is YES") : .on(Requirement())
    }

    /// Whether a handshake that offers ECDHE alone may be needed to tell what a connection to `host` comes to.
    public func requiresForwardSecrecy(for host: ServerName) -> Bool {
        if case .on(let requirement) = ruling(for: host) { requirement.requiresForwardSecrecy } else { false }
    }
}

extension TransportSecurity.Hosts: CustomStringConvertible {
    /// As a configuration names them.
    public var description: String {
        switch self {
        case .names(let pattern): pattern.description
        case .addresses(let address, let bits): bits == address.bytes.count * 8 ? "\(address)" : "\(address)/\(bits)"
        case .none(let text): text
        }
    }
}

extension IPAddress {
    /// Whether the address has the first `bits` bits of another of its family.
    package func begins(with bits: Int, of prefix: IPAddress) -> Bool {
        guard isIPv6 == prefix.isIPv6 else { return false }
        return bytes.indices.allSatisfy { index in
            let own = min(8, max(0, bits - index * 8))
            let mask = own == 0 ? 0 : ~UInt8(0) << UInt8(8 - own)
            return bytes[index] & mask == prefix.bytes[index] & mask
        }
    }
}

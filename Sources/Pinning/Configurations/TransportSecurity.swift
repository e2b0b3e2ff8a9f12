/// App Transport Security of an app on Apple's platforms: `NSAppTransportSecurity` of its Info.plist.
///
/// It binds what is loaded with NSURLSession. **From documentation only**: CFNetwork, which decides, is closed. Source: Apple's
/// "NSAppTransportSecurity", "NSExceptionDomains" and "Preventing Insecure Network Connections".
package struct TransportSecurity: Sendable, Hashable {
    package enum Hosts: Sendable, Hashable, CustomStringConvertible {
        /// A name, with `NSIncludesSubdomains` also names one label below it.
        case names(HostPattern)
        /// Addresses that begin with so many bits of this one; all bits for the address alone (iOS 17).
        case addresses(IPAddress, bits: Int)
        /// Text that no URL's host is equal to.
        case none(String)

        /// How closely `host` is named, `nil` where it is not: of several exceptions for a host the closest counts.
        fileprivate func closeness(to host: ServerName) -> Int? {
            switch (self, host) {
            case (.names(let pattern), .dns(let name)) where pattern.covers(name):
                name == pattern.name ? .max : pattern.name.utf8.count
            case (.addresses(let prefix, let bits), .ip(let address)) where address.begins(with: bits, of: prefix): bits
            default: nil
            }
        }

        package var description: String {
            switch self {
            case .names(let pattern): pattern.description
            case .addresses(let address, let bits):
                bits == address.bytes.count * 8 ? "\(address)" : "\(address)/\(bits)"
            case .none(let text): text
            }
        }
    }

    /// What is asked of a connection: by an entry of `NSExceptionDomains`, of which one that excepts nothing puts its hosts under the
    /// rules again, or without one.
    package struct Rules: Sendable, Hashable {
        /// The hosts of the entry and where it stands, `nil` without one.
        package var hosts: Hosts?
        package var origin: String?
        package var minimumTLS = ProtocolVersion.tls12
        /// Whether keys have to be agreed on by ECDHE, and certified keys have RSA 2048 or EC 256 bits.
        package var requiresForwardSecrecy = true
        /// Whether SCTs are asked for below whatever root.
        package var requiresTransparency = false
        /// Whether the app may accept what the system refuses.
        package var allowsInsecureLoads = false

        package init(hosts: Hosts? = nil, origin: String? = nil) { (self.hosts, self.origin) = (hosts, origin) }
    }

    /// The keys beside which `NSAllowsArbitraryLoads` counts as NO, with whatever value.
    package static let narrowingKeys = [
        "NSAllowsArbitraryLoadsInWebContent", "NSAllowsArbitraryLoadsForMedia", "NSAllowsLocalNetworking",
    ]

    package var allowsArbitraryLoads = false
    /// Those of ``narrowingKeys`` that are there.
    package var narrowing: [String] = []
    package var allowsLocalNetworking = false
    /// The entries of `NSExceptionDomains`.
    package var exceptions: [Rules] = []
    /// Where the dictionary stands, or the file without one.
    package let origin: String
    package let isStated: Bool

    /// The rules as they are for an app that says nothing, or nothing yet.
    package init(origin: String, isStated: Bool = false) { (self.origin, self.isStated) = (origin, isStated) }

    package enum Ruling: Sendable, Hashable {
        case off(String)
        case on(Rules)
    }

    /// What is asked of a connection to the host of a URL: the entry's word where the host has one, which decides alone, else that of
    /// the global keys; before iOS 17 addresses are left alone.
    package func ruling(for host: ServerName, on release: AppleRelease = .newest) -> Ruling {
        let covering = exceptions.compactMap { one in (one.hosts?.closeness(to: host)).map { (one, $0) } }
        if let (exception, _) = covering.max(by: { $0.1 < $1.1 }) { return .on(exception) }
        switch host {
        case .dns(let name) where !name.contains(".") || name.hasSuffix(".local"):
            return .off("names without a dot and .local are left alone")
        case .ip where !release.judgesAddressesByTransportSecurity:
            return .off("addresses are left alone before iOS 17")
        case .ip where allowsLocalNetworking: return .off("NSAllowsLocalNetworking frees addresses")
        default: break
        }
        return allowsArbitraryLoads && narrowing.isEmpty ? .off("NSAllowsArbitraryLoads is YES") : .on(Rules())
    }
}

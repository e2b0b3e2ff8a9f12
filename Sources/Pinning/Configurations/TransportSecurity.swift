package import Base

/// App Transport Security of an app on Apple's platforms: `NSAppTransportSecurity` of its Info.plist.
///
/// The rules bind NSURLSession. **From documentation only**, because CFNetwork is closed: Apple's
/// "NSAppTransportSecurity", "NSExceptionDomains" and "Preventing Insecure Network Connections".
package struct TransportSecurity: Hashable {
    package enum Hosts: Hashable, CustomStringConvertible {
        /// A name; with `NSIncludesSubdomains` also the names one label below it.
        case names(HostPattern)
        /// Addresses that share their first `bits` bits with this one; all bits mean this address alone (iOS 17).
        case addresses(IPAddress, bits: Int)
        /// Text that never equals the host of a URL.
        case none(String)

        /// The closeness to `host`, `nil` if it does not match; the closest of several exceptions counts.
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

    /// The rules of a connection, by an entry of `NSExceptionDomains` or without one; an entry without exceptions puts
    /// its hosts under all rules again.
    package struct Rules: Hashable {
        /// The hosts and the place of the entry; `nil` without one.
        package var hosts: Hosts?
        package var origin: PinPlace?
        package var minimumTLS = ProtocolVersion.tls12
        /// `true` if the key exchange must be ECDHE, and the leaf's key at least RSA 2048 or EC 256.
        package var requiresForwardSecrecy = true
        /// `true` if SCTs are required below every root.
        package var requiresTransparency = false
        /// `true` if the app may accept a chain that the system refuses.
        package var allowsInsecureLoads = false

        package init(hosts: Hosts? = nil, origin: PinPlace? = nil) { (self.hosts, self.origin) = (hosts, origin) }
    }

    /// The keys that make `NSAllowsArbitraryLoads` count as NO, with any value.
    package static let narrowingKeys = [
        "NSAllowsArbitraryLoadsInWebContent", "NSAllowsArbitraryLoadsForMedia", "NSAllowsLocalNetworking",
    ]

    package var allowsArbitraryLoads = false
    package var narrowing: [String] = []
    package var allowsLocalNetworking = false
    package var exceptions: [Rules] = []
    /// The place of the dictionary, or the file if there is none.
    package let origin: PinPlace
    package let isStated: Bool

    package init(origin: PinPlace, isStated: Bool = false) { (self.origin, self.isStated) = (origin, isStated) }

    package enum Ruling: Hashable {
        case off(String)
        case on(Rules)
    }

    /// The rules for the host of a URL: those of its closest entry, else the global keys; without an entry, addresses
    /// are exempt before iOS 17.
    package func ruling(for host: ServerName, on version: DeviceVersion = .newest) -> Ruling {
        let covering = exceptions.compactMap { one in (one.hosts?.closeness(to: host)).map { (one, $0) } }
        if let (exception, _) = covering.max(by: { $0.1 < $1.1 }) { return .on(exception) }
        switch host {
        case .dns(let name) where !name.contains(".") || name.hasSuffix(".local"):
            return .off("names without a dot and .local are left alone")
        case .ip where !version.judgesAddressesByTransportSecurity:
            return .off("addresses are left alone before iOS 17")
        case .ip where allowsLocalNetworking: return .off("NSAllowsLocalNetworking frees addresses")
        default: break
        }
        return allowsArbitraryLoads && narrowing.isEmpty ? .off("NSAllowsArbitraryLoads is YES") : .on(Rules())
    }
}

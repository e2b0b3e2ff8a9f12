package import Base
package import Pinning
package import TLSProbe
import X509

package struct CheckTarget {
    package let target: Target
    @Boxed package internal(set) var request: CheckRequest
    /// The place of the target in a list or policy; `nil` if the target is from the command line.
    package var place: PinPlace?
    /// `true` if a policy contains the target, but no source has pins for it.
    package var lacksPins = false

    package init(_ target: Target, _ request: CheckRequest, place: PinPlace? = nil) {
        (self.target, self.request, self.place) = (target, request, place)
    }

    package var title: String { target.host.description.withPort(port) }

    /// The port to connect to, unless an address has its own port.
    package var port: Int { target.port ?? request.connection.port ?? RequestDefaults.port }

    /// The endpoints: one for each address of the target, or the target itself; if none is given, the reference name is
    /// the given host, else the target's, and the SNI is the target's host unless that is an address.
    func endpoints() throws(Problem) -> [CheckEndpoint] {
        let (names, connection) = (request.names, request.connection)
        let given = connection.addresses
        let own = given.all.filter { $0.applies(to: target, port: port) }
        if given.isOfOneTarget, own.isEmpty, let address = given.all.first(where: \.isConditional) {
            throw address.unused(defaultPort: connection.port)
        }
        let referenceName = names.referenceName(of: target.host)
        let serverName = connection.serverName ?? RequestDefaults.serverName
        let versions = try connection.versions()
        let exchange = try request.http.exchange(
            host: names.host?.host ?? target.host, port: names.host.map { $0.port ?? RequestDefaults.port } ?? port)
        if !request.variants.keyTypes.isEmpty, !connection.offer.leavesKeyTypesOpen {
            throw .usage(
                "to ask for keys of each type (key-types, thorough) is to choose ciphers and sigalgs: leave out either")
        }
        let proxy = connection.proxy(for: target.host)
        let protocols = try connection.protocols(forRequest: exchange != nil)
        return try (own.isEmpty ? [ConnectAddress()] : own).map { (address) throws(Problem) in
            var request = ProbeRequest(
                to: try destination(address.host ?? target.host), port: UInt16(address.port ?? port),
                serverNameIndication: serverName.indication(forTarget: target.host), proxy: proxy,
                timeout: connection.timeout ?? .seconds(RequestDefaults.timeoutSeconds))
            (request.minimumTLS, request.maximumTLS) = (versions.lowerBound, versions.upperBound)
            (request.clientIdentity, request.alpn) = (connection.clientIdentity, protocols)
            request.offer = connection.offer
            return CheckEndpoint(
                target: title, targetPort: port, urlHost: target.host,
                host: (names.host?.host ?? target.host).description, referenceName: referenceName, request: request,
                exchange: exchange, omitsServerName: serverName == .none)
        }
    }

    private func destination(_ host: ServerName) throws(Problem) -> ProbeRequest.Destination {
        let family = request.connection.family ?? RequestDefaults.family
        switch host {
        case .dns(let name): return .resolve(host: name, family: family)
        case .ip(let address):
            guard family == .any || (family == .ipv6) == address.isIPv6 else {
                throw .usage(
                    "\(quoted(address.description)) is not an address of the family asked for: "
                        + "ask for \(family == .ipv6 ? "IPv4" : "IPv6") or for any")
            }
            return .address(address)
        }
    }

    /// Refuses an address for a host that is not a target: after a typing error the real server would be checked.
    package static func refuseUnusedAddresses(of targets: [CheckTarget]) throws(Problem) {
        var unused = UnusedAddresses()
        for target in targets { unused.add(target.request.connection.addresses) }
        for target in targets { unused.take(target) }
        try unused.refuse(defaultPort: targets.first?.request.connection.port)
    }
}

/// An entry of a policy or a line of a list that cannot be used; it gets a result without a verdict.
package struct BadEntry: Error {
    /// The target, or the place if the entry has none.
    package let name: String
    package let problem: Problem

    package init(_ name: String, _ problem: Problem) { (self.name, self.problem) = (name, problem) }
}

package struct CheckEndpoint {
    package let target: String
    package let targetPort: Int
    package let urlHost: ServerName
    package let host: String
    package let referenceName: ReferenceName
    package var request: ProbeRequest
    package var exchange: CheckExchange?
    var omitsServerName = false
    var lookedUpName: String?

    var nameToSend: ServerName? { referenceName.serverName.flatMap { $0.isAddress ? nil : $0 } }

    /// The judged name if the target is an address and no SNI is sent, as NSURLSession does with a Host header.
    var nameBesideAddress: ServerName? { urlHost.isAddress && request.serverNameIndication == nil ? nameToSend : nil }

    var resolvedName: String? { if case .resolve(let host, _) = request.destination { host } else { lookedUpName } }
}

/// The given addresses whose hosts were not a target so far.
package struct UnusedAddresses {
    private var addresses: Set<ConnectAddress> = []

    package init() {}

    package mutating func add(_ given: CheckRequest.Addresses) {
        guard !given.isOfOneTarget else { return }
        for address in given.all where address.isConditional { addresses.insert(address) }
    }

    package mutating func take(_ target: CheckTarget) {
        addresses = addresses.filter { !$0.applies(to: target.target, port: target.port) }
    }

    package func refuse(defaultPort: Int?) throws(Problem) {
        if let address = addresses.first { throw address.unused(defaultPort: defaultPort) }
    }
}

extension ConnectAddress {
    fileprivate func unused(defaultPort: Int?) -> Problem {
        let host = onlyForHost?.description ?? "*"
        let place = host.withPort(onlyForPort ?? defaultPort ?? RequestDefaults.port)
        return .usage(
            "an address is given for \(quoted(place)), which is not a target of this call: check its name and port")
    }
}

/// A way to connect to an address: as an ordinary client, or with a changed offer.
package enum Variant: Hashable {
    case ordinary
    case keyType(CertificateKeyType)
    case withoutSNI
    /// A connection that sends the judged name, unlike an ordinary client.
    case withSNI
    /// The addresses of a family that could not be looked up.
    case family(isIPv6: Bool)

    /// The name in reports; `nil` if the variant is the ordinary one.
    package var label: String? {
        switch self {
        case .ordinary: nil
        case .keyType(let keyType): keyType.description
        case .withoutSNI: "no SNI"
        case .withSNI: "with SNI"
        case .family(let isIPv6): isIPv6 ? "IPv6 addresses" : "IPv4 addresses"
        }
    }

    var keyType: CertificateKeyType? { if case .keyType(let type) = self { type } else { nil } }

    /// All ways to connect in the order of tables, independent of the requested order.
    package static let all = [.ordinary] + CertificateKeyType.allCases.map(Variant.keyType) + [.withoutSNI, .withSNI]

    package var rank: Int { Self.all.firstIndex(of: self) ?? Self.all.count }

    /// `true` if a rejection counts for the target; variants of the SNI are only shown for comparison.
    package var counts: Bool { self != .withoutSNI && self != .withSNI }

    func request(of endpoint: CheckEndpoint) -> ProbeRequest {
        var request = endpoint.request
        switch self {
        case .ordinary, .family: break
        case .keyType(let keyType): request.keyType = keyType
        case .withoutSNI: request.serverNameIndication = nil
        case .withSNI:
            // A recorded endpoint has the name that was sent.
            request.serverNameIndication = request.serverNameIndication ?? endpoint.nameBesideAddress?.hostName
        }
        return request
    }
}

typealias Attempt = (endpoint: CheckEndpoint, variant: Variant)

extension CheckRequest {
    package struct Variants: Hashable {
        package var allAddresses = false
        /// The service that resolves names; `nil` means the system's resolver.
        package var service: AddressService?
        package var keyTypes: [CertificateKeyType] = []
        package var comparesSNI = false

        package var isEmpty: Bool { !(asksForAddresses || comparesSNI) && keyTypes.isEmpty }
        var asksForAddresses: Bool { allAddresses || service != nil }

        func merged(over other: Variants) -> Variants {
            Variants(
                allAddresses: allAddresses || other.allAddresses, service: service ?? other.service,
                keyTypes: keyTypes.isEmpty ? other.keyTypes : keyTypes, comparesSNI: comparesSNI || other.comparesSNI)
        }

        func variants(of endpoint: CheckEndpoint) -> [Variant] {
            var result: [Variant] = [.ordinary] + keyTypes.map(Variant.keyType)
            if comparesSNI {
                if endpoint.request.serverNameIndication != nil { result.append(.withoutSNI) }
                if endpoint.nameBesideAddress != nil { result.append(.withSNI) }
            }
            return result
        }
    }
}

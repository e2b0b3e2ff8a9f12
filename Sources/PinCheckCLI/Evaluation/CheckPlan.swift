import Pinning
import TLSProbe

/// One endpoint to check: where to connect, and the names that go with it.
struct CheckJob: Sendable {
    /// The target with its port, as reports name it.
    let target: String
    /// The port of the target, which `--connect` leaves as it is.
    let targetPort: Int
    /// The name of the HTTP Host header.
    let host: String
    /// The name the certificate must be valid for.
    let referenceName: ReferenceName
    /// The connection to make.
    let request: ProbeRequest

    /// The name that is looked up, `nil` for an address.
    var resolvedName: String? {
        if case .resolve(let host, _) = request.destination { host } else { nil }
    }

    /// The endpoint as far as it is known without a connection, or with one to `peer`.
    func endpoint(peer: PeerAddress?) -> Report.Endpoint {
        var address = peer?.ip
        if case .address(let given) = request.destination { address = given }
        return Report.Endpoint(
            address: address?.description,
            port: Int(request.port),
            family: address.map { $0.isIPv6 ? "ipv6" : "ipv4" },
            resolvedName: resolvedName,
            sni: request.serverNameIndication?.name,
            verifyName: referenceName == .unchecked ? nil : referenceName.description,
            host: host
        )
    }
}

/// The endpoints of one call, in the order of their targets and addresses.
enum CheckPlan {
    /// Turns targets and flags into endpoints.
    ///
    /// The names follow each other: the reference name is `--verify-name`, else `--host`, else the target's host; the SNI is
    /// `--sni`, else the reference name unless that is an address.
    static func jobs(
        targets: [String],
        names: NameOptions,
        connection: ConnectionOptions
    ) throws(CommandError) -> [CheckJob] {
        let defaultPort = try connection.defaultPort()
        let addresses = try connection.addresses()
        let family = try connection.addressFamily()
        let serverName = try connection.serverNameChoice()
        let versions = try connection.tlsVersions()
        let protocols = try connection.applicationProtocols()
        let timeout = try connection.timeoutSeconds()
        let host = try names.givenHost()
        let givenReferenceName = try names.givenReferenceName()

        var jobs: [CheckJob] = []
        var unused = Set(addresses)
        for text in targets {
            let target = try Target(text)
            let port = target.port ?? defaultPort
            let ownAddresses = addresses.filter { $0.applies(to: target, port: port) }
            unused.subtract(ownAddresses)
            let referenceName = givenReferenceName ?? .name(host ?? target.host)
            for address in ownAddresses.isEmpty ? [.ofTarget] : ownAddresses {
                let destination = try destination(address.host ?? target.host, family: family)
                let request = ProbeRequest(
                    to: destination,
                    port: UInt16(address.port ?? port),
                    serverNameIndication: serverName.indication(for: referenceName),
                    minimumTLS: versions.lowerBound,
                    maximumTLS: versions.upperBound,
                    alpn: protocols,
                    timeout: .milliseconds(Int64(timeout * 1_000))
                )
                jobs.append(
                    CheckJob(
                        target: TextRenderer.authority(target.host.description, port),
                        targetPort: port,
                        host: (host ?? target.host).description,
                        referenceName: referenceName,
                        request: request
                    )
                )
            }
        }
        if let address = addresses.first(where: unused.contains), let host = address.onlyForHost {
            let place = TextRenderer.authority(host.description, address.onlyForPort ?? defaultPort)
            throw .usage(
                "an address is given for \(quoted(place)), which is no target of this call: check its name and port"
            )
        }
        return jobs
    }

    private static func destination(
        _ host: ServerName,
        family: ProbeRequest.AddressFamily
    ) throws(CommandError) -> ProbeRequest.Destination {
        switch host {
        case .dns(let name): return .resolve(host: name, family: family)
        case .ip(let address):
            guard family == .any || (family == .ipv6) == address.isIPv6 else {
                throw .usage(
                    "\(quoted(address.description)) is no address of the family that "
                        + "\(family == .ipv6 ? "-6" : "-4") asks for: leave that flag out"
                )
            }
            return .address(address)
        }
    }
}

extension ConnectAddress {
    /// The target's own host and port.
    static let ofTarget = ConnectAddress(onlyForHost: nil, onlyForPort: nil, host: nil, port: nil)
}

import PinFormats
import Pinning
import TLSProbe
import Text

/// One endpoint: where to connect, and the names that go with it.
struct CheckEndpoint: Sendable {
    /// The target with its port, as reports name it.
    let target: String
    /// The port of the target, which `--connect` leaves as it is.
    let targetPort: Int
    /// The name of the HTTP Host header.
    let host: String
    /// The name the certificate must be valid for.
    let referenceName: ReferenceName
    /// The same as the user wrote it, `nil` where it is not known.
    var writtenName: String? = nil
    /// The connection to make.
    var request: ProbeRequest
    /// The name whose address the request is to, when it was looked up apart.
    var lookedUpName: String? = nil

    /// The name that is looked up, `nil` for an address.
    var resolvedName: String? {
        if case .resolve(let host, _) = request.destination { host } else { lookedUpName }
    }

    /// The endpoint as far as it is known without a connection, or with one to `peer`.
    func report(peer: PeerAddress?) -> Report.Endpoint {
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

/// One endpoint to check, and by what.
struct CheckJob: Sendable {
    /// Where to connect.
    let endpoint: CheckEndpoint
    /// What the chain is judged by, `nil` where it is only to be seen.
    let evaluation: Evaluation?
    /// How often to try again when there was no answer.
    let retries: Int
    /// All that is checked of the target, `nil` when that is the endpoint alone.
    var variants: TargetVariants? = nil
}

/// One target and everything that was said of it.
struct CheckTarget: Sendable {
    /// The target.
    let target: Target
    /// The names to use.
    var names: NameSettings
    /// How to connect.
    var connection: ConnectionSettings
    /// What its chain is judged by.
    var evaluation: EvaluationSettings
    /// Where the target stands in a list or policy, `nil` for one of the command line.
    var place: PinPlace?
    /// Whether the addresses were given for this target alone.
    var hasOwnAddresses = false
    /// Which variants of it are checked.
    var variants = VariantSettings()
}

/// The endpoints of one call, in the order of their targets and addresses.
enum CheckPlan {
    /// Turns targets into endpoints, and reads what they are judged by.
    ///
    /// - Throws: ``CommandError`` for an address that is for none of the targets, and for settings that cannot be used; those of
    ///   a list with the place in it.
    static func jobs(_ targets: [CheckTarget], _ loader: inout EvaluationLoader) throws(CommandError) -> [CheckJob] {
        var jobs: [CheckJob] = []
        jobs.reserveCapacity(targets.count)
        for target in targets {
            do throws(CommandError) {
                let endpoints = try endpoints(of: target)
                let evaluation = try loader.evaluation(
                    target.evaluation,
                    for: endpoints[0].referenceName,
                    writtenAs: endpoints[0].writtenName,
                    port: endpoints[0].targetPort
                )
                jobs.append(job(target, endpoints, evaluation))
            } catch {
                throw target.place.map(error.at) ?? error
            }
        }
        try refuseUnused(targets)
        return jobs
    }

    /// Turns targets into endpoints whose chains are only to be seen.
    static func unjudgedJobs(_ targets: [CheckTarget]) throws(CommandError) -> [CheckJob] {
        var jobs: [CheckJob] = []
        for target in targets {
            do throws(CommandError) {
                jobs.append(job(target, try endpoints(of: target), nil))
            } catch {
                throw target.place.map(error.at) ?? error
            }
        }
        try refuseUnused(targets)
        return jobs
    }

    private static func job(
        _ target: CheckTarget,
        _ endpoints: [CheckEndpoint],
        _ evaluation: Evaluation?
    ) -> CheckJob {
        var job = CheckJob(endpoint: endpoints[0], evaluation: evaluation, retries: target.connection.retries)
        if endpoints.count > 1 || !target.variants.isEmpty {
            job.variants = TargetVariants(endpoints, target.variants)
        }
        return job
    }

    /// The endpoints of a target, at least one.
    ///
    /// The names follow each other: the reference name is `--verify-name`, else `--host`, else the target's host; the SNI is
    /// `--sni`, else the reference name unless that is an address.
    static func endpoints(of checkTarget: CheckTarget) throws(CommandError) -> [CheckEndpoint] {
        let (target, names, connection) = (checkTarget.target, checkTarget.names, checkTarget.connection)
        let port = target.port ?? connection.defaultPort
        let own = connection.addresses.filter { $0.applies(to: target, port: port) }
        if checkTarget.hasOwnAddresses, own.isEmpty,
            let address = connection.addresses.first(where: { $0.onlyForHost != nil })
        {
            throw unused(address, connection.defaultPort)
        }
        let host = names.host ?? target.host
        let referenceName = names.referenceName ?? .name(host)
        var endpoints: [CheckEndpoint] = []
        for address in own.isEmpty ? [.ofTarget] : own {
            let request = ProbeRequest(
                to: try destination(address.host ?? target.host, family: connection.family),
                port: UInt16(address.port ?? port),
                serverNameIndication: connection.serverName.indication(for: referenceName),
                minimumTLS: connection.versions.lowerBound,
                maximumTLS: connection.versions.upperBound,
                clientIdentity: connection.clientIdentity,
                alpn: connection.applicationProtocols,
                timeout: .milliseconds(Int64(connection.timeout * 1_000))
            )
            endpoints.append(
                CheckEndpoint(
                    target: TextRenderer.authority(target.host.description, port),
                    targetPort: port,
                    host: host.description,
                    referenceName: referenceName,
                    writtenName: names.writtenName ?? target.writtenHost,
                    request: request
                )
            )
        }
        return endpoints
    }

    /// Refuses an address for a host that is no target: a name mistyped there would let the real server be checked instead.
    static func refuseUnused(_ targets: [CheckTarget]) throws(CommandError) {
        var unused: Set<ConnectAddress> = []
        for target in targets where !target.hasOwnAddresses { unused.formUnion(target.connection.addresses) }
        for target in targets where !unused.isEmpty {
            let port = target.target.port ?? target.connection.defaultPort
            unused = unused.filter { !$0.applies(to: target.target, port: port) }
        }
        guard let address = unused.first(where: { $0.onlyForHost != nil }) else { return }
        throw self.unused(address, targets.first?.connection.defaultPort ?? Port.https)
    }

    private static func unused(_ address: ConnectAddress, _ defaultPort: Int) -> CommandError {
        let host = address.onlyForHost?.description ?? ""
        let place = TextRenderer.authority(host, address.onlyForPort ?? defaultPort)
        return .usage(
            "an address is given for \(quoted(place)), which is no target of this call: check its name and port"
        )
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

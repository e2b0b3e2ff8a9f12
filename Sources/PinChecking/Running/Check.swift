import Base
package import Pinning
package import TLSProbe

package struct Check {
    /// The most simultaneous connections to one target, so that servers are not flooded and descriptors suffice.
    static let connectionLimit = 64
    /// The given endpoints, or the target's own; empty only for a bad entry.
    fileprivate(set) var endpoints: [CheckEndpoint]
    package private(set) var bad: BadEntry?
    /// The rules for the chain; `nil` if it is not judged.
    package let policy: HostPolicy?
    let retries: Int
    var variants = CheckRequest.Variants()
    /// The variants that a baseline has of the target: one that the server no longer has is reported.
    var expected: Set<Variant> = []
    var recorded: [Variant]?

    package var endpoint: CheckEndpoint { endpoints[0] }
    package var timeout: Duration { endpoint.request.timeout }
    var isOne: Bool { endpoints.count == 1 && variants.isEmpty && recorded ?? [.ordinary] == [.ordinary] }

    var mostConnections: Int {
        if variants.asksForAddresses { return Self.connectionLimit }
        // A connection waits with its request while the server is contacted again for other clients.
        let waiting = endpoints.count { $0.exchange != nil }
        return min(
            Self.connectionLimit,
            waiting + (recorded?.count ?? endpoints.reduce(0) { $0 + variants.variants(of: $1).count }))
    }

    /// The problems of a policy's entry, in which a client cannot be set up.
    package func problems(in path: String) -> [Problem] {
        let clients = (policy?.clients ?? []).compactMap { $0.procedure.failure }
        return [bad?.problem].compactMap(\.self) + clients.map { Problem(.wrongValue, at: .at(path), "\($0)") }
    }

    package func limited(to limit: Duration) -> Check {
        var check = self
        check.endpoints[0].request.timeout = min(timeout, max(.milliseconds(1), limit))
        return check
    }

    /// Plans the checks of targets, in their order, and reads their pins; an error contains its place in a list.
    package static func plan(_ targets: [CheckTarget], _ policies: inout Policies) throws(Problem) -> [Check] {
        try checks(of: targets) { (target, endpoint) throws(Problem) in
            try policies.policy(
                target.request.judging, for: endpoint.referenceName,
                writtenAs: target.request.names.writtenName(of: target.target.writtenHost), url: target.target.host,
                lacksPins: target.lacksPins)
        }
    }

    /// Plans the checks of entries of policies and lists; a bad or unreadable entry is a check without a verdict.
    package static func plan(
        _ entries: [Result<CheckTarget, BadEntry>], _ policies: inout Policies
    ) throws(Problem) -> [Check] {
        try entries.map { (entry) throws(Problem) in
            switch entry {
            case .failure(let bad): return Check(endpoints: [], bad: bad, policy: nil, retries: 0)
            case .success(let target):
                do throws(Problem) { return try plan([target], &policies)[0] } catch {
                    // Flags that contradict an entry are not a mistake of the entry.
                    guard target.place != nil, error.kind != .usage else { throw error }
                    return Check(endpoints: [], bad: BadEntry(target.title, error), policy: nil, retries: 0)
                }
            }
        }
    }

    /// Plans checks of servers to find pins for: the default client judges without pins, no request is sent, and this
    /// machine's roots replace unreadable ones if roots are not needed.
    package static func unpinned(
        _ targets: [CheckTarget], _ policies: inout Policies, needsRoots: Bool = true
    ) throws(Problem) -> [Check] {
        var targets = targets
        for index in targets.indices {
            let judging = targets[index].request.judging.unpinned
            let isReadable = needsRoots || (try? policies.read(judging)) != nil
            targets[index].request.http = CheckRequest.HTTP()
            targets[index].request.judging = isReadable ? judging : CheckRequest.Judging().unpinned
        }
        try CheckTarget.refuseUnusedAddresses(of: targets)
        return try plan(targets, &policies)
    }

    package static func unjudged(_ targets: [CheckTarget]) throws(Problem) -> [Check] {
        var targets = targets
        // No request is sent without a verdict.
        for index in targets.indices { targets[index].request.http = CheckRequest.HTTP() }
        try CheckTarget.refuseUnusedAddresses(of: targets)
        return try checks(of: targets) { _, _ in nil }
    }

    private static func checks(
        of targets: [CheckTarget], judgedBy policy: (CheckTarget, CheckEndpoint) throws(Problem) -> HostPolicy?
    ) throws(Problem) -> [Check] {
        try targets.map { (target) throws(Problem) in
            do throws(Problem) {
                let endpoints = try target.endpoints()
                return Check(
                    endpoints: endpoints, policy: try policy(target, endpoints[0]),
                    retries: target.request.connection.retries ?? RequestDefaults.retries,
                    variants: target.request.variants)
            } catch { throw target.place.map(error.at) ?? error }
        }
    }
}

extension Baseline {
    package func checks(
        _ connection: CheckRequest.Connection, judgedBy policy: (CheckEndpoint) throws(Problem) -> HostPolicy?
    ) throws(Problem) -> [Check] {
        try snapshot.endpoints.map(\.key).grouped(by: \.target).map { (group) throws(Problem) in
            let attempts = try group.elements.map { (key) throws(Problem) in try key.attempt(connection) }
            return Check(
                endpoints: attempts.map(\.endpoint), policy: try policy(attempts[0].endpoint),
                retries: connection.retries ?? RequestDefaults.retries, expected: Set(attempts.map(\.variant)),
                recorded: attempts.map(\.variant))
        }
    }

    /// A baseline in which each endpoint of the checks should serve the same `chain`.
    package init(
        _ path: String, standing chain: PresentedChain, for checks: [Check], allowing allowed: Set<Change.Kind>
    ) {
        let certificates = chain.certificates.map { Snapshot.Certificate($0) }
        let endpoints = checks.flatMap(\.endpoints).compactMap { endpoint in
            Snapshot.Endpoint(Snapshot.Key(endpoint, .ordinary), chain: certificates)
        }
        self.init(path, Snapshot(endpoints), allowing: allowed)
    }

    package func extending(_ check: Check) -> Check {
        guard check.recorded == nil else { return check }
        var check = check
        let keys = Set(check.endpoints.map { Snapshot.Key($0, .ordinary).atAnyAddress })
        for recorded in snapshot.endpoints.map(\.key) {
            guard let variant = Variant.all.first(where: { $0.label == recorded.variant && $0 != .ordinary }) else {
                continue
            }
            var ordinary = recorded.atAnyAddress
            ordinary.variant = nil
            if case .keyType(let type) = variant {
                guard keys.contains(ordinary) else { continue }
                if !check.variants.keyTypes.contains(type) { check.variants.keyTypes.append(type) }
            } else {
                guard keys.contains(where: { $0.target == ordinary.target && $0.verifyName == ordinary.verifyName })
                else { continue }
                check.variants.comparesSNI = true
            }
            check.expected.insert(variant)
        }
        return check
    }
}

extension Snapshot.Key {
    fileprivate func attempt(_ connection: CheckRequest.Connection) throws(Problem) -> Attempt {
        var request = CheckRequest()
        if let verifyName { request.names.setReference(verifyName) } else { request.names.reference = .unchecked }
        request.connection = connection
        request.connection.serverName = try sni.map(ServerNameChoice.named) ?? ServerNameChoice.none
        if let connect { request.connection.addresses.given = try ConnectAddress.readAny(connect) }
        let target = CheckTarget(try Target(target), request)
        return (try target.endpoints()[0], Variant.all.first { $0.label == variant } ?? .ordinary)
    }
}

package struct Environment {
    /// The environment variables that name the system's roots.
    let variables: [String: String]
    let now: @Sendable () -> Timestamp
    /// The thread for connections; `nil` if it has to be made.
    let thread: ProbeThread?
    let network: StagedNetwork?
    let connectionLimit: Int

    package init(
        variables: [String: String], now: @escaping @Sendable () -> Timestamp, thread: ProbeThread? = nil,
        network: StagedNetwork? = nil, connectionLimit: Int
    ) {
        (self.variables, self.now, self.thread, self.network) = (variables, now, thread, network)
        self.connectionLimit = connectionLimit
    }

    /// The objection of an ordinary client to a service, by its name, the system's roots and the current time; the
    /// anchors and time of the targets do not count, but SSL_CERT_FILE makes a private service trusted.
    var serviceObjection: ServiceObjection {
        var policies = Policies(environment: variables)
        let policy = Result { () throws(Problem) in
            try policies.policy(CheckRequest.Judging().unpinned, for: .unchecked)
        }
        return { [now] handshake, host in
            do throws(Problem) {
                let policy = try policy.get()
                let chain = handshake.presented
                let judged = policy.judge(chain, for: .name(host), at: now(), on: handshake)
                let reason = judged.ending.reason
                guard judged.ending.outcome != .accepted else { return nil }
                // If its root is the problem, another certificate does not help.
                let remedy: String? =
                    switch reason.id {
                    case "name-mismatch": chain.leaf.names.first.map { "name it by \($0)" }
                    case "expired", "not-yet-valid": "renew it"
                    default: nil
                    }
                return (reason.sentence, remedy)
            } catch { return (error.description, nil) }
        }
    }
}

extension CheckRequest.Judging {
    package var unpinned: CheckRequest.Judging {
        var settings = CheckRequest.Judging()
        settings.trust = trust
        settings.clients = .named([.generic])
        return settings
    }
}

extension Result { package var failure: Failure? { if case .failure(let error) = self { error } else { nil } } }

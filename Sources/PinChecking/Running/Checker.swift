import Base
import Pinning
import TLSProbe

/// Checks endpoints: connects and judges.
package struct Checker: Sendable {
    let now: @Sendable () -> Timestamp

    let probers: Probers
    /// How many descriptors its threads take beside what every process has.
    var descriptors: Int { probers.descriptors }
    /// The number of the job that is under way, by which the probers are spread.
    private var number = 0
    var prober: RetryingProber { RetryingProber(prober: probers.prober(for: number)) }
    /// How many connections to one target are made at the same time, at least one.
    var connectionsToTarget = TargetVariants.connectionLimit
    /// How much of a processor's time the chains of one target may cost to judge, by what is left of its timeout: on a busy machine a
    /// second is little.
    var judgingLimit: @Sendable (_ left: Duration) -> Duration = { max($0, .seconds(1)) }
    /// Judges the chain of a service that is asked for addresses over TLS.
    var objection: AddressResolver.Objection = { _, _ in "nobody judges it" }

    /// A checker of about `count` targets that connects on threads, `thread` first, in the system's network or one of a test.
    init(
        thread: ProbeThread?, network: StagedNetwork? = nil, expecting count: Int = 1, within descriptors: Int = .max,
        judgingProxiesBy objection: ProxyObjection? = nil, loops: Int? = 1, now: @escaping @Sendable () -> Timestamp
    ) {
        self.now = now
        probers = Probers(
            on: thread, in: network, expecting: count, within: descriptors, judgingProxiesBy: objection, onAtMost: loops
        )
    }

    /// Checks jobs at the same time, as many as the limits allow, and hands each target over as it comes, with the position of the
    /// job.
    ///
    /// A checker does this once: afterwards it has let go of its threads.
    func check<Failure>(
        _ supply: JobSupply<Failure>, within limits: Limits, each: (Int, CheckedTarget) throws(Failure) -> Void
    ) async throws(Failure) {
        let result: Result<Void, Failure>
        if supply.more == nil, supply.first.count == 1, supply.first[0].variants == nil {
            let target = await checked(supply.first[0])
            result = Result { () throws(Failure) in try each(0, target) }
        } else {
            // Judging one chain or writing to a slow reader must not keep the others' answers waiting.
            result = await withTaskExecutorPreference(globalConcurrentExecutor) {
                await checkAll(supply, within: limits, each: each)
            }
        }
        await probers.shutdown()
        try result.get()
    }

    /// What a task of a run comes back with.
    private enum Event<Failure: Error> {
        case checked(Int, CheckedTarget, connections: Int)
        case supplied(Result<[CheckJob], Failure>)
    }

    private func checkAll<Failure>(
        _ supply: JobSupply<Failure>, within limits: Limits, each: (Int, CheckedTarget) throws(Failure) -> Void
    ) async -> Result<Void, Failure> {
        await withTaskGroup(of: Event<Failure>.self) { group in
            var queue = JobQueue(supply.first, within: limits)
            var isSupplied = supply.more == nil
            var isFetching = false
            func goOn() {
                while let (index, job) = queue.next() {
                    let connections = queue.connections(of: job)
                    group.addTask { .checked(index, await self.job(index).target(job), connections: connections) }
                }
                guard !isSupplied, !isFetching, queue.isLow else { return }
                isFetching = true
                group.addTask { .supplied(await supply.next()) }
            }
            goOn()
            for await event in group {
                do throws(Failure) {
                    switch event {
                    case .checked(let index, let target, let connections):
                        queue.end(index, connections: connections)
                        goOn()
                        try each(index, target)
                    case .supplied(let jobs):
                        isFetching = false
                        let jobs = try jobs.get()
                        isSupplied = jobs.isEmpty
                        queue.add(jobs)
                        goOn()
                    }
                } catch {
                    group.cancelAll()
                    return .failure(error)
                }
            }
            return .success(())
        }
    }

    func job(_ number: Int) -> Checker {
        var checker = self
        checker.number = number
        return checker
    }

    func target(_ job: CheckJob) async -> CheckedTarget {
        guard let variants = job.variants else { return await checked(job) }
        return await TargetWork.$current.withValue(TargetWork()) {
            await TargetCheck(checker: self, job: job, variants: variants).checked()
        }
    }

    private func checked(_ job: CheckJob) async -> CheckedTarget {
        let judge = { @Sendable (result: Result<Handshake, ProbeError>) in
            checked(job.endpoint, result, by: job.evaluation)
        }
        let connection: CheckedConnection
        if let exchange = job.endpoint.exchange {
            connection = await asked(exchange, job.endpoint.request, retries: job.retries, judge: judge)
        } else {
            connection = await judge(result(of: job.endpoint.request, retries: job.retries))
        }
        return CheckedTarget(connection, by: job.evaluation)
    }

    /// Connects, judges, and on the same connection asks a server that is accepted.
    func asked(
        _ exchange: CheckExchange, _ request: ProbeRequest, retries: Int,
        judge: @Sendable (Result<Handshake, ProbeError>) async -> CheckedConnection
    ) async -> CheckedConnection {
        do {
            let (connection, answer) = try await prober.probe(request, retries: retries) { result in
                let connection = await judge(.success(result))
                return (connection, question: connection.standing.isAccepted ? exchange.question : nil)
            }
            return connection.answered(CheckedAnswer(exchange, answer))
        } catch { return await judge(.failure(error)).answered(CheckedAnswer(exchange, nil)) }
    }

    func result(of request: ProbeRequest, retries: Int) async -> Result<Handshake, ProbeError> {
        do { return .success(try await prober.probe(request, retries: retries)) } catch { return .failure(error) }
    }

    /// What runs the steps between the connections of one target, while the chains of others are judged elsewhere.
    var connectingExecutor: any TaskExecutor { prober.prober.executor }

    /// Asks `service`, or the system's resolver, for all addresses of a name.
    func addresses(
        of name: String, family: ProbeRequest.AddressFamily, timeout: Duration, from service: AddressService?
    ) async throws(ProbeError) -> HostAddresses {
        guard let service else { return try await prober.prober.addresses(of: name, family: family, timeout: timeout) }
        return try await AddressResolver(service, prober: prober.prober, objection: objection).addresses(
            of: name, family: family, timeout: timeout)
    }

    /// Judges what a connection came to, or takes it as it is where there is nothing to judge it by.
    func checked(
        _ endpoint: CheckEndpoint, _ result: Result<Handshake, ProbeError>, by evaluation: HostPolicy?,
        as variant: Variant = .ordinary, isOutOfTime: Bool = false
    ) -> CheckedConnection {
        let time = evaluation?.time ?? now()
        let judged: CheckedConnection.Judged
        switch (result, evaluation) {
        case (.failure, _): judged = .noChain
        case (.success, _) where isOutOfTime: judged = .outOfTime
        case (.success, nil): judged = .byNobody
        case (.success(let result), let evaluation?):
            ProbeWatch.current?("\(endpoint.target): judging the chain")
            let observation = ServerView(
                presented: result.presented, referenceName: endpoint.referenceName, time: time,
                fetchable: evaluation.fetchable,
                evidence: evaluation.evidence(of: result.presented, staple: result.staple, at: time),
                connection: ConnectionFacts(result))
            judged = .byClients(
                ChainJudgement(
                    observation, by: evaluation,
                    serverName: SentServerName(endpoint, leftOut: variant == .withoutSNI || endpoint.omitsServerName)))
        }
        return CheckedConnection(endpoint: endpoint, variant: variant, result: result, judged: judged, time: time)
    }
}

extension ConnectionFacts {
    fileprivate init(_ result: Handshake) {
        self.init(
            // Both are the numbers of the protocol.
            version: ProtocolVersion(rawValue: result.tlsVersion.rawValue) ?? .tls10, cipher: result.cipher,
            hasECDHE: result.keyExchange == .ephemeral)
    }
}

extension SentServerName {
    /// The name that the request of an endpoint sends; `leftOut` says that it sends none for comparison.
    fileprivate init(_ endpoint: CheckEndpoint, leftOut: Bool) {
        if let sent = endpoint.request.serverNameIndication {
            self = .name(sent.name)
        } else if leftOut {
            self = .leftOut
        } else {
            self = .none(name: endpoint.nameToSend)
        }
    }
}

import Base
import PinChecking
import Pinning

/// What an exporter answers.
final class ProbeService: Sendable {
    /// What an answer is given again for.
    private struct CacheKey: Hashable, Sendable {
        let reading: Int
        let module: String
        let target: String
        /// The host as it was asked for, by which some clients find its pins.
        let writtenName: String?
    }

    /// An answer that is given again, and what the log says of it.
    private struct KeptAnswer: Sendable {
        let text: String
        let level: ServeLog.Level
        let told: ServeLog.Fields
    }

    private let modules: ProbeModules
    private let checker: Checker
    private let metrics: ExporterMetrics
    private let log: ServeLog
    private let slots: Slots
    private let cache: AnswerCache<CacheKey, KeptAnswer>
    private let underWay = SharedWork<CacheKey>()
    private let now: @Sendable () -> Timestamp

    init(
        _ modules: ProbeModules, checker: Checker, metrics: ExporterMetrics, log: ServeLog, jobs: Int,
        cacheTime: Duration, now: @escaping @Sendable () -> Timestamp
    ) {
        self.modules = modules
        self.checker = checker
        self.metrics = metrics
        self.log = log
        slots = Slots(jobs: jobs, size: checker.connectionLimit)
        cache = AnswerCache(keeping: cacheTime)
        self.now = now
    }

    func answer(to request: ServedRequest) async -> ServedAnswer {
        let (path, answer) = await route(request)
        metrics.countRequest(path, answer.status)
        if path != "/probe", log.writes(.debug) {
            log.write(
                .debug, "request",
                [("path", .text(path)), ("code", .integer(answer.status)), ("client", .text(request.client))])
        }
        return answer
    }

    private func route(_ request: ServedRequest) async -> (path: String, answer: ServedAnswer) {
        let place: RequestPlace
        do throws(RequestProblem) { place = try RequestPlace(request.place) } catch {
            if case .tooLong = error { return ("other", .problem(414, error.message)) }
            return ("other", .problem(400, error.message))
        }
        let known = ["/probe", "/metrics", "/-/healthy", "/"].contains(place.path)
        guard ["GET", "HEAD"].contains(request.method) else {
            let answer = ServedAnswer.problem(405, "ask by GET", allow: "GET, HEAD")
            return (known ? place.path : "other", answer)
        }
        switch place.path {
        case "/probe": return ("/probe", await probe(place, for: request))
        case "/metrics":
            let text = metrics.text(slots: slots.counts, entries: cache.count)
            return ("/metrics", ServedAnswer(status: 200, type: ServedAnswer.metrics, body: text))
        case "/-/healthy": return ("/-/healthy", ServedAnswer(status: 200, body: "healthy\n"))
        case "/": return ("/", ServedAnswer(status: 200, body: overview))
        default: return ("other", .problem(404, "there is /probe?target=HOST, /metrics and /-/healthy"))
        }
    }

    private var overview: String {
        """
        pincheck \(ProgramVersion.number)

        /probe?target=HOST[:PORT][&module=NAME]   what a client makes of a server
        /metrics                                  what the exporter counts of itself
        /-/healthy                                whether it is there

        modules: \(modules.reading.names.joined(separator: ", "))

        """
    }

    // MARK: Probes

    private func probe(_ place: RequestPlace, for request: ServedRequest) async -> ServedAnswer {
        guard !request.isInReserve else {
            // Whoever looks whether the exporter is there comes before one probe more.
            return refused(503, "all connections wait for probes: raise --jobs, or scrape less at a time", request)
        }
        let question: ProbeQuestion
        let limit: Duration?
        do throws(RequestProblem) {
            question = try ProbeQuestion(place)
            limit = try ScrapeTimeout.read(request.timeouts)
        } catch { return refused(400, error.message, request) }
        let reading = modules.reading
        let name = question.module ?? ProbeModule.defaultName
        guard let module = reading.modules[name] else {
            let names = reading.names.joined(separator: ", ")
            return refused(
                400,
                question.module == nil
                    ? "no module is named, and there is no --policy: add module=NAME, one of \(names)"
                    : "there is no module \(quoted(name)): name one of \(names)", request)
        }
        do throws(ProbeModule.Refusal) {
            let job = try module.job(for: question.target)
            return await answer(job, of: module, reading.number, within: limit, request)
        } catch {
            if error.status >= 500 { metrics.countError(of: name, "module") }
            return refused(error.status, error.message, request, module: name)
        }
    }

    private func answer(
        _ job: Check, of module: ProbeModule, _ reading: Int, within limit: Duration?, _ request: ServedRequest
    ) async -> ServedAnswer {
        let target = job.endpoint.target
        let key = CacheKey(reading: reading, module: module.name, target: target, writtenName: job.endpoint.writtenName)
        let time = limit ?? job.timeout
        let isFirst = cache.isOn && underWay.begin(key)
        defer { if isFirst { underWay.end(key) } }
        // Whoever comes meanwhile has the same answer, if there is one soon enough to make another probe where there is none.
        if cache.isOn, !isFirst { await underWay.wait(for: key, until: request.arrival + time / 4) }
        if let kept = cache.answer(for: key) {
            metrics.countCached()
            log.write(kept.level, "probe", fields(target, module, request) + kept.told + [("cached", .flag(true))])
            return ServedAnswer(status: 200, type: ServedAnswer.metrics, body: kept.text)
        }
        // What waited longer had too little time left, and would make the target look unreachable.
        guard await slots.enter(size: job.mostConnections, until: request.arrival + time / 2) else {
            return failed(
                "busy", "too much is under way: raise --jobs, or scrape less at a time", target, module, request)
        }
        defer { slots.leave(size: job.mostConnections) }
        let left = time - request.arrival.duration(to: .now)
        let checked = await checker.check(job.limited(to: left))
        guard !Task.isCancelled else {
            return failed("cancelled", "nobody waits for the answer any more", target, module, request)
        }
        let answer = ProbeAnswer(checked, in: request.arrival.duration(to: .now), now: now)
        guard !answer.isOutOfResources else {
            return failed(
                "local-limit", "out of file descriptors or local ports: raise the limit", target, module, request)
        }
        let kept = KeptAnswer(text: answer.text, level: answer.status == .pass ? .info : .warn, told: told(answer))
        metrics.countProbe(of: module.name, answer.status, in: request.arrival.duration(to: .now))
        log.write(kept.level, "probe", fields(target, module, request) + kept.told)
        if answer.status != .unreachable { cache.keep(kept, for: key) }
        return ServedAnswer(status: 200, type: ServedAnswer.metrics, body: answer.text)
    }

    // MARK: What is told of them

    private func fields(_ target: String, _ module: ProbeModule, _ request: ServedRequest) -> ServeLog.Fields {
        [
            ("target", .text(target)), ("module", .text(module.name)),
            ("seconds", .seconds(request.arrival.duration(to: .now))), ("client", .text(request.client)),
        ]
    }

    private func told(_ answer: ProbeAnswer) -> ServeLog.Fields {
        var fields: ServeLog.Fields = [("status", .text(answer.status.name))]
        if let worst = answer.worst {
            fields.append(("reason", .text(worst.reason.id)))
            if answer.status != .pass { fields.append(("message", .text(worst.reason.message))) }
        }
        return fields
    }

    /// An answer to a request that asks for what is not to be had; of what it asks for nothing is logged, which could be a secret.
    private func refused(
        _ status: Int, _ message: SafeText, _ request: ServedRequest, module: String? = nil
    ) -> ServedAnswer {
        var fields: ServeLog.Fields = [("code", .integer(status)), ("client", .text(request.client))]
        if let module { fields.append(("module", .text(module))) }
        if status != 400 { fields.append(("message", .text(message.description))) }
        log.write(status >= 500 ? .error : .warn, "refused", fields)
        return .problem(status, message)
    }

    /// An answer where the probe came to nothing, for a reason that is not the target's.
    private func failed(
        _ reason: String, _ message: SafeText, _ target: String, _ module: ProbeModule, _ request: ServedRequest
    ) -> ServedAnswer {
        metrics.countError(of: module.name, reason)
        log.write(
            .error, "probe",
            fields(target, module, request) + [("error", .text(reason)), ("message", .text(message.description))])
        return .problem(503, message)
    }
}

extension ServedAnswer {
    fileprivate static let metrics = "text/plain; version=0.0.4; charset=utf-8"

    fileprivate static func problem(_ status: Int, _ message: SafeText, allow: String? = nil) -> ServedAnswer {
        ServedAnswer(status: status, body: message.description + "\n", allow: allow)
    }
}

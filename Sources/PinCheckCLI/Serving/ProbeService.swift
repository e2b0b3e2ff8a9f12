import Base
import NIOHTTP1
import PinChecking
import Synchronization

final class ProbeService: Sendable {
    private let modules: Mutex<[String: ProbeModule]>
    private let checker: Checker
    private let metrics: ServeMetrics
    private let log: ServeLog
    private let most: Int
    /// The names in the Host header (RFC 9110, 7.2), with any port: others may come from web pages with DNS rebinding.
    private let hosts: Set<ServerName>
    private let now: @Sendable () -> Timestamp

    init(
        _ modules: [String: ProbeModule], checker: Checker, metrics: ServeMetrics, log: ServeLog, jobs: Int,
        hosts: [ServerName], now: @escaping @Sendable () -> Timestamp
    ) {
        self.modules = Mutex(modules)
        self.checker = checker
        self.metrics = metrics
        self.log = log
        most = max(1, min(jobs, checker.connectionLimit))
        self.hosts = Set(hosts + [.dns("localhost")])
        self.now = now
    }

    func replace(_ modules: [String: ProbeModule]) { self.modules.withLock { $0 = modules } }

    func answer(to request: ScrapeServer.Request) async -> ScrapeServer.Answer {
        do { return try await route(request) } catch {
            // A request that cannot be read is not logged: it could be a secret.
            log.write(
                error.status >= 500 ? .error : .warn, "refused",
                [("code", "\(error.status)"), ("client", request.client)]
                    + ([400, 421].contains(error.status) ? [] : [("message", error.message.description)]))
            return .init(status: error.status, body: error.message.description + "\n")
        }
    }

    private func route(_ request: ScrapeServer.Request) async throws(ScrapeProblem) -> ScrapeServer.Answer {
        guard isForThisMachine(request.head) else {
            throw ScrapeProblem(
                421, "the Host header names another machine: ask by an address, or start with --allow-host")
        }
        let query = try ScrapeQuery(request.place)
        guard [.GET, .HEAD].contains(request.head.method) else { throw ScrapeProblem(405, "ask by GET") }
        let paths = "/probe?target=HOST[:PORT][&module=NAME], /metrics and /-/healthy"
        switch query.path {
        case "/probe": return try await probe(query, request)
        case "/metrics": return .metrics(metrics.text)
        case "/-/healthy": return .init(status: 200, body: "healthy\n")
        case "/":
            let names = modules.withLock { $0.keys.sorted() }.listed
            return .init(status: 200, body: "pincheck \(ProgramVersion.number): \(paths)\nmodules: \(names)\n")
        default: throw ScrapeProblem(404, "there is \(paths)")
        }
    }

    private func isForThisMachine(_ head: HTTPRequestHead) -> Bool {
        let values = head.headers["Host"]
        guard let value = values.first else { return head.version.major == 1 && head.version.minor == 0 }
        guard values.count == 1, let host = try? Target(host: value).host else { return false }
        if case .ip = host { return true }
        return hosts.contains(host)
    }

    private func probe(
        _ query: ScrapeQuery, _ request: ScrapeServer.Request
    ) async throws(ScrapeProblem) -> ScrapeServer.Answer {
        let (target, name) = try query.probe()
        let limit = try ScrapeQuery.timeout(request.head.headers[ScrapeQuery.timeoutHeader])
        let modules = modules.withLock { $0 }
        guard let module = modules[name ?? ProbeModule.defaultName] else {
            let names = modules.keys.sorted().listed
            throw ScrapeProblem(
                400,
                name.map { "there is no module \(quoted($0)): name one of \(names)" }
                    ?? "no module is named, and there is no --policy: add module=NAME, one of \(names)")
        }
        func failed(_ reason: String, _ problem: ScrapeProblem) -> ScrapeProblem {
            metrics.count("probe_errors_total", [("module", module.name), ("reason", reason)])
            return problem
        }
        let check: Check
        do { check = try module.check(of: target) } catch { throw error.status < 500 ? error : failed("module", error) }
        guard metrics.count("probes_in_flight", most: most) else {
            throw failed("busy", ScrapeProblem(503, "too much is under way: raise --jobs, or scrape less at a time"))
        }
        let time = (limit ?? check.timeout) - request.arrival.duration(to: .now)
        let checked = await checker.check(check.limited(to: time))
        metrics.count("probes_in_flight", by: -1)
        guard !Task.isCancelled else {
            throw failed("cancelled", ScrapeProblem(503, "the client has closed the connection"))
        }
        let reports = Report.all(of: checked.results())
        guard !reports.contains(where: { $0.verdict == .none && $0.reason.id == "local-limit" }) else {
            // The failure is not the target's.
            throw failed("local-limit", ScrapeProblem(503, "out of file descriptors or local ports: raise the limit"))
        }
        let seconds = decimalSeconds(request.arrival.duration(to: .now))
        let status = ExitStatus.worst(reports.filter(\.counts).map(\.status))
        metrics.count("probes_total", [("module", module.name), ("status", status.name)])
        var fields: ServeLog.Fields = [
            ("target", check.endpoint.target), ("module", module.name), ("seconds", seconds),
            ("client", request.client), ("status", status.name),
        ]
        if let worst = reports.first(where: { $0.counts && $0.status == status }) ?? reports.first {
            fields.append(("reason", worst.reason.id))
            if status != .pass { fields.append(("message", worst.reason.told)) }
        }
        log.write(status == .pass ? .info : .warn, "probe", fields)
        return .metrics(text(of: reports, status, seconds))
    }

    private func text(of reports: [Report], _ status: ExitStatus, _ seconds: String) -> String {
        var renderer = PrometheusRenderer(now: now)
        var page = MetricPage(
            """
            pincheck_probe_success \
            Whether the target passes (1): every client accepts it, and nothing is wrong that was asked about.
            pincheck_probe_duration_seconds How long the probe took, from its request on.
            """)
        page.add("pincheck_probe_success", status == .pass ? 1 : 0)
        page.add("pincheck_probe_duration_seconds", seconds)
        return renderer.text(for: reports) + renderer.ending(exit: status) + page.text
    }
}

extension ScrapeServer.Answer {
    fileprivate static func metrics(_ text: String) -> Self {
        .init(status: 200, body: text, type: "text/plain; version=0.0.4; charset=utf-8")
    }
}

/// The pins and clients that judge targets; all files are read when it is made, none by a probe.
final class ProbeModule: Sendable {
    static let defaultName = "default"
    let name: String
    let notes: [Finding]
    private let checks: [ServerName: [Int: Check]]
    private let allowed: AllowedTargets
    private let request: CheckRequest
    private let policies: Mutex<Policies>

    init(
        _ name: String, policies files: [String], allowing allowed: AllowedTargets, _ request: CheckRequest,
        in context: Context
    ) throws(Problem) {
        var policies = context.policies
        // The files of the options must be readable even before there is a target.
        if !allowed.isEmpty { try policies.read(request.judging) }
        let (targets, planned) =
            files.isEmpty ? ([], []) : try TargetStream([], policies: files, request, in: context).plan(&policies)
        var checks: [ServerName: [Int: Check]] = [:]
        for (target, check) in zip(targets, planned) {
            guard checks[target.target.host, default: [:]].updateValue(check, forKey: target.port) == nil else {
                throw .data(
                    "\(check.endpoint.target) is named twice in the module \(quoted(name)), which answers with one result: "
                        + "leave one of the two out")
            }
        }
        self.name = name
        self.checks = checks
        self.allowed = allowed
        self.request = request
        notes = policies.notes
        self.policies = Mutex(policies)
    }

    func check(of text: String) throws(ScrapeProblem) -> Check {
        let target: Target
        do { target = try Target(text) } catch { throw ScrapeProblem(400, "\(error)") }
        let port = target.port ?? RequestDefaults.port
        let ports = checks[target.host] ?? [:]
        if let check = ports[port] { return check }
        if target.port == nil, let (_, check) = ports.first {
            guard ports.count > 1 else { return check }
            let list = ports.keys.sorted().map(String.init).listed
            throw ScrapeProblem(400, "\(quoted(text)) is named on the ports \(list): name one of them")
        }
        guard allowed.includes(target, port: port) else {
            throw ScrapeProblem(
                403,
                "\(quoted(text)) is no target of the module \(quoted(name)): name it in its policy, or by --allow-target"
            )
        }
        do {
            return try policies.withLock { (policies) throws(Problem) in
                try Check.plan([CheckTarget(target, request)], &policies)[0]
            }
        } catch { throw ScrapeProblem(500, error.told) }
    }
}

/// The targets of `--allow-target`, which requests may name in addition to those of policies.
struct AllowedTargets {
    private var entries: [(target: Target, isPattern: Bool)] = []
    var includesAll = false

    mutating func add(_ text: String) throws(Problem) {
        let isPattern = text.hasPrefix("*.")
        let target = try Target(isPattern ? String(text.dropFirst(2)) : text)
        if isPattern, case .ip = target.host {
            throw .usage("\(quoted(text)) is of no name: write '*.example.com', or an address alone")
        }
        entries.append((target, isPattern))
    }

    var isEmpty: Bool { entries.isEmpty && !includesAll }

    func includes(_ target: Target, port: Int) -> Bool {
        includesAll
            || entries.contains { entry in
                guard entry.target.port ?? RequestDefaults.port == port else { return false }
                guard entry.isPattern else { return entry.target.host == target.host }
                guard case .dns(let end) = entry.target.host, case .dns(let name) = target.host else { return false }
                return name.hasSuffix("." + end)
            }
    }
}

import Base
import PinChecking
import Synchronization

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
            let list = ports.keys.sorted().map(String.init).joined(separator: ", ")
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
                try Check.plan([CheckTarget(target: target, request: request)], &policies)[0]
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

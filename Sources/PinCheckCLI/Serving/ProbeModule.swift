import Base
import PinChecking
import Pinning
import Synchronization

/// What targets are judged by that a request asks for: a policy, with the hosts it names.
///
/// Everything is read when it is made; a probe reads no file.
final class ProbeModule: Sendable {
    static let defaultName = "default"

    /// Why a target is not probed.
    struct Refusal: Error {
        let status: Int
        let message: SafeText
    }

    /// What tells targets apart.
    private struct Key: Hashable {
        let host: ServerName
        let port: Int
    }

    let name: String
    /// What is to be said once about its pins.
    let notes: [Finding]
    private let jobs: [Key: Check]
    private let ports: [ServerName: [Int]]
    private let hosts: PolicyHosts?
    /// Whether a policy or a list says what its targets are judged by.
    private let isNamed: Bool
    private let request: CheckRequest
    private let allowed: AllowedTargets
    private let policies: Mutex<Policies>

    init(
        _ name: String, policies files: [String], lists: [String], _ request: CheckRequest,
        allowing allowed: AllowedTargets, in context: Context
    ) throws(CommandError) {
        var policies = context.policies
        let isNamed = !(files.isEmpty && lists.isEmpty)
        let targets = isNamed ? try TargetStream([], lists: lists, policies: files, request, in: context).all() : []
        let found = try CommandError.reading { () throws(CheckError) in
            // An address may be for a target that nobody has asked for yet.
            try Check.plan(targets, &policies, areAll: allowed.isEmpty)
        }
        if !allowed.isEmpty {
            // What the flags name has to be readable before there is a target.
            try CommandError.reading { () throws(CheckError) in try policies.read(request.judging) }
        }
        var jobs: [Key: Check] = [:]
        var ports: [ServerName: [Int]] = [:]
        for (target, job) in zip(targets, found) {
            let key = Key(host: target.target.host, port: target.port)
            guard jobs.updateValue(job, forKey: key) == nil else {
                throw .data(
                    "\(job.endpoint.target) is named twice in the module \(quoted(name)), which answers with one result: "
                        + "leave one of the two out")
            }
            ports[key.host, default: []].append(key.port)
        }
        self.name = name
        self.isNamed = isNamed
        self.jobs = jobs
        self.ports = ports
        self.request = request
        self.allowed = allowed
        hosts = files.isEmpty ? nil : try PolicyHosts(files, in: context)
        notes = policies.notes
        self.policies = Mutex(policies)
    }

    /// What is asked of a target.
    ///
    /// - Returns: where to connect, and what the chain is judged by.
    /// - Throws: ``Refusal`` for a target that is not to be probed.
    func job(for text: String) throws(Refusal) -> Check {
        let target: Target
        do throws(RequestError) { target = try Target(text) } catch { throw Refusal(status: 400, message: "\(error)") }
        let defaultPort = request.connection.port ?? RequestDefaults.port
        let port = target.port ?? defaultPort
        if let job = jobs[Key(host: target.host, port: port)] { return job }
        if target.port == nil, let ports = ports[target.host] {
            guard ports.count == 1 else {
                let list = ports.map(String.init).joined(separator: ", ")
                throw Refusal(status: 400, message: "\(quoted(text)) is named on the ports \(list): name one of them")
            }
            if let job = jobs[Key(host: target.host, port: ports[0])] { return job }
        }
        guard allowed.includes(target, port: port, defaultPort: defaultPort) else {
            throw Refusal(
                status: 403,
                message:
                    "\(quoted(text)) is no target of the module \(quoted(name)): name it in its policy, or by --allow-target"
            )
        }
        return try otherJob(for: target)
    }

    /// Throws for a target that would pass because nobody said what it has to hold: `check` refuses one that is in no policy, too.
    private func requireSomethingToJudgeBy(_ target: Target) throws(Refusal) {
        guard isNamed, request.judging.pins.isEmpty else { return }
        do throws(CommandError) { guard try hosts?.names(target, request) != true else { return } } catch {
            throw Refusal(status: 500, message: error.message)
        }
        throw Refusal(
            status: 403,
            message:
                "\(quoted(target.text)) is in no policy and no list of the module \(quoted(name)), and there are no pins to judge it by: name it there, or give --pins"
        )
    }

    /// What is asked of a target that no entry names.
    private func otherJob(for target: Target) throws(Refusal) -> Check {
        try requireSomethingToJudgeBy(target)
        do throws(CommandError) {
            let asked = try hosts?.checkTarget(for: target, request) ?? CheckTarget(target: target, request: request)
            return try policies.withLock { (policies) throws(CommandError) in
                try CommandError.reading { () throws(CheckError) in
                    try Check.plan([asked.withOwnAddresses], &policies, areAll: false)[0]
                }
            }
        } catch { throw Refusal(status: 500, message: error.message) }
    }
}

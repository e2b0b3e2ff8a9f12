import Base
import PinChecking
import PinFormats
import Pinning
import X509

extension PinsCommand {
    /// Recommends pins for servers, chains in files and the hosts of policies.
    func recommended(_ settings: PinsOutputSettings, in context: Context) async throws(CommandError) -> ExitStatus {
        guard from.isEmpty else { throw .usage("--from is what is converted: give the pins of today as --pins") }
        guard settings.positions == nil else {
            throw .usage("--recommend chooses the positions itself: leave out --position")
        }
        guard !sources.isEmpty || !recommending.policy.isEmpty else {
            throw .usage("--recommend is about a server: name a host, a chain in a file, or a --policy")
        }
        let flags = try request()
        var roles = FileRoles(in: context)
        roles.reads(sources, as: "what is pinned")
        roles.reads(key, as: "--key")
        roles.reads(recommending.policy, as: "--policy")
        roles.add(flags.judging)
        try roles.refuseClashes()
        try CommandError.reading(OpenSSLHealth.require)
        let host = flags.names.host?.name.description
        var (targets, files) = try given(host, in: context)
        for path in key { files.append(try PinArguments.keyFile(path)) }
        let chains = files.filter { $0.presented != nil }
        guard chains.isEmpty || recommending.policy.isEmpty else {
            throw .usage("--policy is about servers: give the pins of today for a chain in a file as --pins")
        }
        let recommender = PinRecommender(
            by: context.authorities(), files: files, comparesServerKeyOnly: settings.comparesServerKeyOnly,
            at: context.now())
        var run = RecommendingRun(recommender: recommender, context: context)
        var all = try await servers(targets, flags, &run)
        for chain in chains {
            let name = flags.names.host.map { ReferenceName.name($0.name) } ?? .unchecked
            let evaluation = try CommandError.reading { () throws(CheckError) in
                try run.loader.evaluation(flags.judging.onThisMachine, for: name)
            }
            all.append(recommender.recommending(chain, by: evaluation, for: try run.devices(of: flags.judging)))
        }
        guard !all.isEmpty else {
            throw .noInput("there is no server's certificate in what is given: name a host, or a file with its chain")
        }
        let status = ExitStatus.worst(all.map(ExitStatus.init))
        var writer = try PinsWriter(settings, host: host, in: context)
        try writer.write(all, exit: status)
        return status
    }

    /// What the arguments name: targets, and what stands in files.
    private func given(
        _ host: String?, in context: Context
    ) throws(CommandError) -> (targets: [String], files: [KeySource]) {
        var targets: [String] = []
        var files: [KeySource] = []
        for argument in sources {
            if let found = try PinArguments.file(argument, host: host, in: context) {
                files += found
            } else {
                targets.append(argument)
            }
        }
        return (targets, files)
    }

    /// Connects to the servers, and recommends pins for each.
    private func servers(
        _ names: [String], _ flags: CheckRequest, _ run: inout RecommendingRun
    ) async throws(CommandError) -> [KeySource] {
        guard !names.isEmpty || !recommending.policy.isEmpty else { return [] }
        let context = run.context
        let given = GivenTargets(
            targets: names, policies: recommending.policy, request: flags,
            example: "pincheck pins api.example.com --recommend")
        let targets = try given.read(in: context)
        var inquiries: [KeyCollector.Inquiry] = []
        var judges: [(evaluation: Evaluation, devices: PathsOnDevices)] = []
        for target in targets {
            let endpoints = try CommandError.reading { () throws(RequestError) in try target.endpoints() }
            guard let first = endpoints.first else { continue }
            let judging = target.request.judging
            let devices = try run.devices(of: judging)
            let evaluation = try CommandError.reading { () throws(CheckError) in
                try run.loader.evaluation(judging.onThisMachine, for: first)
            }
            inquiries.append(
                KeyCollector.Inquiry(endpoints, by: evaluation, keyTypes: target.request.variants.keyTypes))
            judges += endpoints.map { _ in (evaluation, devices) }
        }
        try CommandError.reading { () throws(RequestError) in try CheckTarget.refuseUnusedAddresses(of: targets) }
        for note in run.loader.notes { context.console.report("Note: \(note.reason.message)") }
        let collector = KeyCollector(time: context.now(), retries: flags.connection.retries ?? RequestDefaults.retries)
        let sources = await collector.sources(
            inquiries, inFlight: flags.connection.jobs ?? RequestDefaults.jobs, in: context.surroundings)
        // The sources of one endpoint come one behind the other, those of its other keys last.
        let starts = sources.indices.filter { sources[$0].keyType == nil }
        let ends = starts.dropFirst() + [sources.count]
        return zip(zip(starts, ends), judges).flatMap { place, judge -> [KeySource] in
            let others = sources[(place.0 + 1)..<place.1]
            let source = run.recommender.recommending(
                sources[place.0], beside: Array(others), by: judge.evaluation, for: judge.devices)
            // What is not verified is told; what is has its part in the recommendation.
            return [source] + others.filter { !$0.isVerified }
        }
    }
}

/// What the servers of a run have in common, each thing read once.
private struct RecommendingRun {
    let recommender: PinRecommender
    let context: Context
    var loader: EvaluationLoader
    private var known: [DeviceQuestion: PathsOnDevices] = [:]
    private var told: Set<String> = []

    private struct DeviceQuestion: Hashable {
        let file: String?
        let devices: DeviceSelection?
    }

    init(recommender: PinRecommender, context: Context) {
        self.recommender = recommender
        self.context = context
        loader = EvaluationLoader(environment: context.environment)
    }

    /// The devices that have to get in, as flags or a policy say; whoever reads old lists is told so.
    mutating func devices(of judging: CheckRequest.Judging) throws(CommandError) -> PathsOnDevices {
        let question = DeviceQuestion(file: judging.deviceData, devices: judging.devices)
        if let known = known[question] { return known }
        let devices = try CommandError.reading { () throws(CheckError) in
            try PathsOnDevices(dataAt: question.file, question.devices)
        }
        known[question] = devices
        if let warning = DeviceLists.warning(of: devices.data, at: context.now()) {
            let message = Report.Message(warning.reason).message
            if told.insert(message).inserted { context.console.report("Warning: \(message)") }
        }
        return devices
    }
}

extension CheckRequest.Judging {
    /// The same without devices: where those come to a server is asked apart.
    fileprivate var onThisMachine: CheckRequest.Judging {
        var judging = self
        judging.devices = nil
        judging.deviceData = nil
        return judging
    }
}

extension PinsOutputSettings {
    /// Whether the client that the block is for compares the server's own key and no other.
    fileprivate var comparesServerKeyOnly: Bool { if case .block(.curl) = form { true } else { false } }
}

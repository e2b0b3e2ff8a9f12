import Base
import PinChecking
import Pinning
import TLSProbe

/// What `pincheck check` does, apart from how its command line is parsed.
struct CheckRun {
    let targets: [String]
    let lists: [String]
    let policies: [String]
    let resumed: String?
    /// The part of the targets that is checked, `nil` for all.
    let shard: ShardChoice?
    let baseline: String?
    let rotation: RotationOptions
    let next: [String]
    /// What the flags ask of all targets, without what is in ``files``.
    let request: CheckRequest
    /// The files that are part of the request.
    let files: RequestFiles
    let changes: ChangeOptions
    let output: OutputOptions

    /// Checks and reports.
    ///
    /// - Returns: the worst status of all results.
    /// - Throws: ``CommandError`` when there is nothing to check, or no way to say what came of it.
    func run(in context: Context) async throws(CommandError) -> ExitStatus {
        var settings = try OutputSettings(output, resuming: resumed, in: context)
        settings.showsProgress = !changes.verbose
        var roles = FileRoles(in: context, writesStandardOutput: settings.usesStandardOutput)
        addRoles(to: &roles, settings, in: context)
        try roles.refuseClashes()
        let request = try request.reading(files, in: context)
        let baseline = try givenBaseline(in: context)
        let earlier = try earlierRun(settings, at: context.now())
        defer { earlier?.end() }
        let items = try CommandError.reading { () throws(CheckError) in try NextItem.read(next) }
        var loader = context.loader
        loader.tellsQuestions = earlier != nil
        let part = try shardRun(request)
        let supply = try supply(request, &loader, &roles, without: earlier, of: part, in: context)
        let jobs = supply.jobs.first
        let questions = items.isEmpty ? [] : try nextQuestions(about: jobs, &loader)
        var watch = try changes.watch(in: context)
        var comparison = baseline.map { BaselineComparison(with: $0) }
        let total = supply.total.map { $0 + questions.count * items.count }
        var writer = try ResultWriter(settings, notes: loader.notes, total: total, addingTo: earlier?.file, in: context)
        var served: [Int: PresentedChain] = [:]
        try await Checker.run(
            supply.jobs, request, in: context.surroundings, within: writer.needsOrder ? context.targetWindow : nil
        ) { position, target throws(CommandError) in
            let states = comparison?.states(of: target)
            if let earlier { writer.skip(earlier.takeRecorded()) }
            let question = earlier?.takeQuestion(at: position)
            let reports = try writer.add(
                target.results(since: states), at: position, answering: question, of: part?.takePlace(at: position))
            for report in reports { watch?.add(report, at: position) }
            earlier?.add(ExitStatus.worst(reports.filter(\.counts).map(\.status)))
            if !items.isEmpty { served[position] = target.connections.lazy.compactMap(\.served?.presented).first }
        }
        var position = jobs.count
        for question in questions {
            let results = question.results(on: items, served: question.job.flatMap { served[$0] }, at: context.now())
            for result in results {
                for report in try writer.add([result], at: position) { watch?.add(report, at: position) }
                position += 1
            }
        }
        try watch?.finish()
        if let status = earlier?.status { writer.count(status) }
        // Where all targets are of other shards, nothing was to be evaluated here.
        if part != nil, supply.total == 0 { writer.count(.pass) }
        let status = try writer.finish()
        if let earlier, !output.quiet { context.console.report(earlier.summary) }
        if let baseline, let comparison {
            if part == nil { baseline.reportUnasked(comparison.unasked, in: context) }
            if rotation.update { try baseline.update(to: comparison.updated, after: status, in: context) }
        }
        return status
    }

    /// What an earlier run has written that this one goes on with, `nil` for nothing.
    private func earlierRun(_ settings: OutputSettings, at now: Timestamp) throws(CommandError) -> ResumedRun? {
        guard let resumed else { return nil }
        guard next.isEmpty, baseline == nil, changes.state == nil else {
            throw .usage("--resume goes on with checks alone: leave out --next, --baseline and --state")
        }
        if let form = settings.outputs.first(where: { $0.form.sumsUp })?.form {
            throw .usage(
                "--resume checks what is missing, and \(form.rawValue) is about all targets of a run: leave out --format "
                    + "\(form.rawValue), or --resume")
        }
        return try ResumedRun(resumed, at: now)
    }

    /// The endpoints to connect to; none when only files are to be judged.
    private func supply(
        _ request: CheckRequest, _ loader: inout EvaluationLoader, _ roles: inout FileRoles,
        without earlier: ResumedRun?, of part: ShardRun?, in context: Context
    ) throws(CommandError) -> (jobs: JobSupply<CommandError>, total: Int?) {
        guard next.isEmpty || !(targets.isEmpty && lists.isEmpty && policies.isEmpty) else {
            guard request.http == CheckRequest.HTTP() else {
                throw .usage("a file answers no request: name a target beside --next, or leave out --request")
            }
            return (JobSupply([]), 0)
        }
        let given = GivenTargets(targets: targets, lists: lists, policies: policies, shard: shard, request: request)
        var others: Set<CheckRequest.Judging> = []
        var unused = UnusedAddresses()
        unused.add(request.connection.addresses)
        // What is compared with all targets of a run needs all of them.
        let needsAll = !next.isEmpty || baseline != nil || changes.state != nil
        let supply = try given.supply(in: context, window: needsAll ? .max : context.targetWindow) { first in
            for target in first { unused.take(target) }
        } visit: { target in
            others.insert(target.request.judging)
            unused.take(target)
        }
        // Lists and policies name files of their own.
        roles.add(supply.first)
        for judging in others { roles.add(judging) }
        try roles.refuseClashes()
        let isPart = supply.passed != 0
        if isPart, supply.rest == nil { for target in supply.first { unused.take(target) } }
        if supply.rest != nil || isPart, supply.total != nil {
            try CommandError.reading { () throws(RequestError) in
                try unused.refuse(defaultPort: request.connection.port)
            }
        }
        let jobs = try CommandError.reading { () throws(CheckError) in
            try CheckPlan.jobs(supply.first, &loader, areAll: supply.rest == nil && !isPart)
        }
        if let part, let total = supply.total, let passed = supply.passed, !output.quiet {
            context.console.report(part.note(on: total, passing: passed))
        }
        let isWanted: @Sendable (CheckJob) -> Bool = { job in
            guard earlier?.lacks(job) ?? true else { return false }
            part?.take(job)
            return true
        }
        guard let rest = supply.rest else { return (JobSupply(jobs.filter(isWanted)), supply.total) }
        let stream = JobStream(rest, loader, where: isWanted)
        let more: @Sendable () throws(CommandError) -> [CheckJob] = { () throws(CommandError) in try stream.next() }
        return (JobSupply(jobs.filter(isWanted), more: more), supply.total)
    }

    /// The shard that is checked, `nil` where all targets are.
    private func shardRun(_ request: CheckRequest) throws(CommandError) -> ShardRun? {
        guard let shard else { return nil }
        guard next.isEmpty, !rotation.update, changes.state == nil else {
            throw .usage(
                "--shard checks a part of the targets: leave out --next, --update and --state, which are about all")
        }
        return ShardRun(shard, asking: request, by: policies)
    }

    /// What the files that the flags name are for.
    private func addRoles(to roles: inout FileRoles, _ settings: OutputSettings, in context: Context) {
        roles.add(settings, in: context)
        roles.writes(changes.state, as: "--state")
        if rotation.update { roles.writes(baseline, as: "--baseline") } else { roles.reads(baseline, as: "--baseline") }
        roles.reads(next, as: "--next")
        roles.reads(lists, as: "--targets")
        roles.reads(policies, as: "--policy")
        roles.add(request.judging)
        roles.add(files)
    }

    /// For whom the files of `--next` are judged: every server that is checked, or the name that is given.
    private func nextQuestions(
        about jobs: [CheckJob], _ loader: inout EvaluationLoader
    ) throws(CommandError) -> [NextQuestion] {
        try CommandError.reading(OpenSSLHealth.require)
        return try CommandError.reading { () throws(CheckError) in
            guard jobs.isEmpty else { return try NextQuestion.questions(about: jobs) }
            let name = request.names.referenceName(of: nil)
            let evaluation = try loader.evaluation(
                request.judging, for: name, writtenAs: request.names.writtenName(of: nil), port: nil)
            return [try NextQuestion(name: name, evaluation: evaluation, job: nil)]
        }
    }

    private func givenBaseline(in context: Context) throws(CommandError) -> Baseline? {
        guard let baseline else {
            guard rotation.allow.isEmpty, !rotation.update else {
                throw .usage("--allow and --update are about a baseline: give --baseline FILE")
            }
            return nil
        }
        return try Baseline(reading: baseline, rotation, in: context)
    }
}

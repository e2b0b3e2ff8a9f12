import Base
import PinChecking
import Pinning
import TLSProbe

/// What `pincheck check` does, apart from how its command line is parsed.
struct CheckRun {
    let targets: [String]
    let lists: [String]
    let policies: [String]
    let baseline: String?
    let rotation: RotationOptions
    let next: [String]
    /// What the flags ask of all targets, without what is in ``files``.
    let request: CheckRequest
    let files: RequestFiles
    let changes: ChangeOptions
    let output: OutputOptions

    /// Checks and reports.
    ///
    /// - Throws: ``CommandError`` when there is nothing to check, or no way to say what came of it.
    func run(in context: Context) async throws(CommandError) -> ExitStatus {
        var settings = try OutputSettings(output, in: context)
        settings.showsProgress = !changes.verbose
        settings.tellsChangesAlone = changes.state != nil
        var roles = FileRoles(in: context, writesStandardOutput: settings.usesStandardOutput)
        addRoles(to: &roles, settings, in: context)
        try roles.refuseClashes()
        let request = try request.reading(files, in: context)
        let baseline = try givenBaseline(in: context)
        let items = try CommandError.reading { () throws(CheckError) in try NextItem.read(next) }
        var loader = context.loader
        let supply = try supply(request, &loader, &roles, in: context)
        let jobs = supply.jobs.first
        let questions = items.isEmpty ? [] : try nextQuestions(about: jobs, &loader)
        let state = try changes.earlier(for: settings, in: context)
        var comparison = baseline.map { BaselineComparison(with: $0) }
        let total = supply.total.map { $0 + questions.count * items.count }
        var writer = try ResultWriter(settings, notes: loader.notes, total: total, state: state, in: context)
        var served: [Int: PresentedChain] = [:]
        try await Checker.run(
            supply.jobs, request, in: context.surroundings, within: writer.needsOrder ? context.targetWindow : nil
        ) { position, target throws(CommandError) in
            let states = comparison?.states(of: target)
            try writer.add(target.results(since: states), at: position)
            if !items.isEmpty { served[position] = target.connections.lazy.compactMap(\.served?.presented).first }
        }
        var position = jobs.count
        for question in questions {
            let results = question.results(on: items, served: question.job.flatMap { served[$0] }, at: context.now())
            for result in results {
                try writer.add([result], at: position)
                position += 1
            }
        }
        let status = try writer.finish()
        if let baseline, let comparison {
            baseline.reportUnasked(comparison.unasked, in: context)
            if rotation.update { try baseline.update(to: comparison.updated, after: status, in: context) }
        }
        return status
    }

    /// The endpoints to connect to; none when only files are to be judged.
    private func supply(
        _ request: CheckRequest, _ loader: inout EvaluationLoader, _ roles: inout FileRoles, in context: Context
    ) throws(CommandError) -> (jobs: JobSupply<CommandError>, total: Int?) {
        guard next.isEmpty || !(targets.isEmpty && lists.isEmpty && policies.isEmpty) else {
            guard request.http == CheckRequest.HTTP() else {
                throw .usage("a file answers no request: name a target beside --next, or leave out --request")
            }
            return (JobSupply([]), 0)
        }
        let given = GivenTargets(targets: targets, lists: lists, policies: policies, request: request)
        var others: Set<CheckRequest.Judging> = []
        var unused = UnusedAddresses()
        unused.add(request.connection.addresses)
        // What is compared with all targets of a run needs all of them.
        let needsAll = !next.isEmpty || baseline != nil
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
        if supply.rest != nil, supply.total != nil {
            try CommandError.reading { () throws(RequestError) in
                try unused.refuse(defaultPort: request.connection.port)
            }
        }
        let jobs = try CommandError.reading { () throws(CheckError) in
            try CheckPlan.jobs(supply.first, &loader, areAll: supply.rest == nil)
        }
        guard let rest = supply.rest else { return (JobSupply(jobs), supply.total) }
        let stream = JobStream(rest, loader)
        let more: @Sendable () throws(CommandError) -> [CheckJob] = { () throws(CommandError) in try stream.next() }
        return (JobSupply(jobs, more: more), supply.total)
    }

    private func addRoles(to roles: inout FileRoles, _ settings: OutputSettings, in context: Context) {
        roles.add(settings.outputs)
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
                request.judging, for: name, writtenAs: request.names.writtenName(of: nil))
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

import Base
import PinChecking

/// What `pincheck merge` does: files are read once to know what counts, and once more to write it.
struct MergeRun {
    let files: [String]
    /// What was to be checked, `nil` where nobody says.
    let given: GivenTargets?
    let settings: OutputSettings

    /// Writes the results that count.
    ///
    /// - Returns: the worst status of all.
    /// - Throws: ``CommandError`` for a file that is none of results, where there is no result at all, and where nothing can be written.
    func run(in context: Context) throws(CommandError) -> ExitStatus {
        let console = context.console
        var runs = MergedRuns()
        for path in files { try read(path, into: &runs, console) }
        let chosen = runs.settle()
        let missing = try given.map { (given) throws(CommandError) in try MissingTargets(given, in: runs, context) }
        guard runs.count > 0 || missing?.items.isEmpty == false else {
            throw .noInput(
                "there is no result in \(files.count == 1 ? "this file" : "these files"): name those of runs")
        }
        // A list names the targets of one run; of several it cannot tell which of them a result is missing in.
        let absent = missing == nil || runs.haveSeveralQuestions ? runs.absentShards : MergedRuns.Tally()
        var writer = try ResultWriter(settings, notes: [], total: runs.count + (missing?.items.count ?? 0), in: context)
        var position = 0
        var unlisted = MergedRuns.Tally()
        for (path, chosen) in zip(files, chosen) {
            try copy(path, chosen) { (unit, file) throws(CommandError) in
                if let missing, !missing.expectations.hasListed(unit.first) { unlisted.add(unit.first.target) }
                let reports = try unit.reports(file)
                try writer.add(reports, at: position)
                // What all connections came to, though a line of one may have been lost.
                for report in reports { if let all = report.consistency { writer.count(all.exit.status) } }
                position += 1
            }
        }
        for item in missing?.items ?? [] {
            let report = Report(missing: item.title, at: item.place, of: item.shard, time: context.now())
            try writer.add([report], at: position)
            position += 1
        }
        // There is no verdict on what is known to be missing, and named by no result.
        if absent.count > 0 || runs.broken.count > 0 || runs.tornFiles > 0 { writer.count(.unreachable) }
        let status = try writer.finish()
        say(runs, missing, absent, unlisted, console)
        return status
    }

    private func read(_ path: String, into runs: inout MergedRuns, _ console: Console) throws(CommandError) {
        let file = try ResultFile(path)
        runs.beginFile()
        while let unit = try file.next() { runs.add(unit) }
        if file.isTorn {
            runs.tornFiles += 1
            console.report(
                "Warning: \(file.name):\(file.lineNumber) is the beginning of a result: its run was broken off, and --resume "
                    + "goes on with it")
        }
        if file.lineNumber == 0 { console.report("Warning: \(file.name) is empty: its run has no result") }
    }

    /// Hands over what counts of a file.
    private func copy(
        _ path: String, _ chosen: [Bool], _ take: (ResultFile.Unit, ResultFile) throws(CommandError) -> Void
    ) throws(CommandError) {
        guard chosen.contains(true) else { return }
        let file = try ResultFile(path)
        for isChosen in chosen {
            guard let unit = try file.next() else {
                throw .noInput("\(file.name) has become shorter since it was read: wait until its run has ended")
            }
            if isChosen { try take(unit, file) }
        }
    }

    /// Says what is not as it should be.
    private func say(
        _ runs: MergedRuns, _ missing: MissingTargets?, _ absent: MergedRuns.Tally, _ unlisted: MergedRuns.Tally,
        _ console: Console
    ) {
        func warn(_ tally: MergedRuns.Tally, _ one: SafeText, _ several: SafeText) {
            guard tally.count > 0 else { return }
            console.report("Warning: \(tally.count) \(tally.count == 1 ? one : several)\(tally.listing)")
        }
        var lost = MergedRuns.Tally()
        for item in missing?.items ?? [] { lost.add(item.title) }
        if missing != nil, runs.haveSeveralQuestions {
            console.report(
                "Warning: the files are of runs that asked different things of their targets (pins, clients, settings)")
        }
        warn(lost, "target of the list has no result", "targets of the list have no result")
        warn(
            absent, "shard has no result (--targets names its targets)",
            "shards have no result (--targets names their targets)")
        warn(
            runs.broken, "target has only some of its results, which do not count",
            "targets have only some of their results, which do not count")
        warn(
            runs.doubled, "result was left out for a newer one of its target",
            "results were left out for newer ones of their targets")
        warn(unlisted, "target with a result is not in the list", "targets with results are not in the list")
    }
}

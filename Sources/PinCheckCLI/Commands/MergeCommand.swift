import ArgumentParser
import Base
import PinChecking

/// `pincheck merge`: the results of several runs as those of one.
struct MergeCommand: ContextCommand {
    static let name = "merge"
    static let configuration = CommandConfiguration(
        commandName: name, _superCommandName: "pincheck", abstract: "Put the results of several runs together.",
        usage: "pincheck merge <file> ... [--targets <file>] [<options>]",
        discussion: """
            The results of eight machines, each of which checked a part (--shard):
              pincheck merge --targets hosts.txt shard-*.jsonl
            As a report for CI, and as one file of results:
              pincheck merge shard-*.jsonl -f junit=report.xml -f jsonl=all.jsonl

            A file has the results of 'pincheck check --format jsonl' or --resume, and may be compressed with gzip. Of \
            several results of a target the newest counts. A target of the list without a result has no verdict, and \
            neither has a shard without any. The exit status is that of one run over all targets.
            """)

    @Argument(help: ArgumentHelp("A file with the results of a run.", valueName: "file"), completion: .file())
    var files: [String] = []

    @Option(
        name: .customLong("targets"),
        help: ArgumentHelp(
            "The list that was to be checked.",
            discussion: "What it names and no file has a result of is said, and counts as unreachable. Repeatable.",
            valueName: "file"), completion: .file()) var lists: [String] = []

    @Option(
        help: ArgumentHelp(
            "The policy whose hosts were to be checked.",
            discussion: "Beside --targets only the hosts that are in both. Repeatable.", valueName: "file"),
        completion: .file()) var policy: [String] = []

    @OptionGroup(title: "Output") var output: OutputOptions

    func exitConvention(in context: Context) -> ExitConvention? {
        (try? OutputSettings(output, in: context))?.exitConvention
    }

    func run(in context: Context) async throws(CommandError) -> ExitStatus {
        guard !files.isEmpty else {
            throw .usage("no file of results is given: name those that the runs wrote, as in 'pincheck merge *.jsonl'")
        }
        let settings = try OutputSettings(output, in: context)
        var roles = FileRoles(in: context, writesStandardOutput: settings.usesStandardOutput)
        roles.add(settings, in: context)
        roles.reads(files, as: "the results")
        roles.reads(lists, as: "--targets")
        roles.reads(policy, as: "--policy")
        try roles.refuseClashes()
        var given: GivenTargets?
        if !(lists.isEmpty && policy.isEmpty) {
            // As all parts of one, so that targets are known by what results of parts are known by.
            let all = ShardChoice(index: 1, count: 1)
            given = GivenTargets(targets: [], lists: lists, policies: policy, shard: all, request: CheckRequest())
        }
        return try MergeRun(files: files, given: given, settings: settings).run(in: context)
    }
}

import Base
import PinChecking
import PinFormats

extension Baseline {
    /// Reads the baseline at `path`, and what may differ from it.
    init(reading path: String, _ settings: Settings, in context: Context) throws(CommandError) {
        guard path != "-" || !settings.updatesBaseline else {
            throw .usage("--update cannot rewrite standard input: name the file of the baseline")
        }
        self.init(path, try SnapshotFile.read(path, in: context), allowing: settings.allowed)
    }

    /// Says which recorded endpoints were not among those that were asked.
    func reportUnasked(_ unasked: [Snapshot.Key], in context: Context) {
        guard !unasked.isEmpty else { return }
        let places = unasked.lazy.map { key in key.connect.map { "\(key.target) at \($0)" } ?? key.target }
        context.console.report(
            "Note: \(quoted(path)) also records \(listed(places, first: 1)), which "
                + "\(unasked.count == 1 ? "was" : "were") not compared: 'pincheck diff' without targets asks all")
    }

    /// Rewrites the baseline after a run that ended well; says so where it did not.
    func update(to snapshot: Snapshot, after status: ExitStatus, in context: Context) throws(CommandError) {
        guard status == .pass || status == .warn else {
            context.console.report("Warning: \(quoted(path)) was not updated: the run ended with \(status.name)")
            return
        }
        guard snapshot != self.snapshot else { return }
        try OutputFile.write(Array(try SnapshotFile.document(snapshot).utf8), to: path)
    }
}

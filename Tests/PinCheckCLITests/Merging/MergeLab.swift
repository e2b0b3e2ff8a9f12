import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI
@testable import PinChecking

/// Results of runs that were never made, in files of their own.
struct MergeLab {
    let files: TemporaryDirectory
    /// One moment, however long the tests take.
    static let now = LabClock.now

    /// What a result is to say.
    struct Item: Hashable {
        let target: String
        let status: ExitStatus
        /// In seconds since 1970.
        let time: Int64
        /// The words by which its list names it.
        var words: [String]
        /// How many connections it takes.
        var connections = 1

        init(_ number: Int, _ status: ExitStatus, at time: Int64 = MergeLab.now, connections: Int = 1) {
            target = "n\(number).example.com:443"
            self.status = status
            self.time = time
            self.connections = connections
            words = ["n\(number).example.com"]
        }
    }

    /// The lines of a result, of a run over parts where a number of them is given.
    static func lines(_ item: Item, of count: Int? = 4, asking run: String = "flags") throws -> [String] {
        var reports = (0..<item.connections).map { _ in report(item.status) }
        for index in reports.indices {
            reports[index].target = item.target
            reports[index].evaluatedAt = Timestamp(secondsSinceEpoch: item.time + Int64(index)).description
            if item.connections > 1 {
                reports[index].endpoint?.address = "203.0.113.\(index)"
                reports[index].variant = Report.Variant(label: "ordinary", counts: true)
            }
            reports[index].shard = count.map { count in
                Report.Shard(
                    index: ShardChoice.part(of: item.words[0], among: count), count: count,
                    run: TargetEntry.digest([run]).hexadecimal, entry: TargetEntry.digest(item.words).hexadecimal)
            }
        }
        if item.connections > 1 {
            reports[reports.count - 1].consistency = Report.Consistency(
                consistent: true, addresses: item.connections, accepted: item.status == .pass ? item.connections : 0,
                rejected: item.status == .fail ? item.connections : 0,
                unreachable: item.status == .unreachable ? item.connections : 0, findings: [],
                exit: Report.Exit(item.status), hasKnownDifferences: false)
        }
        return try reports.map { try JSONRenderer.line($0) }
    }

    private static func report(_ status: ExitStatus) -> Report {
        switch status {
        case .fail: return RendererTests.failing()
        case .unreachable: return MachineFormatTests.unreachable()
        default:
            var report = RendererTests.passing()
            report.warnings = []
            report.exit = Report.Exit(status)
            report.monitoring = RendererTests.monitored(status, report.reason.message)
            return report
        }
    }

    /// Writes a file of results.
    @discardableResult func write(_ items: [Item], to name: String, of count: Int? = 4) throws -> String {
        try files.write(try items.flatMap { try Self.lines($0, of: count) }.joined(), to: name)
    }

    /// The path of a file.
    func path(_ name: String) -> String { files.path + "/" + name }

    /// What lines of results say: the target, how it ended, and when it was judged.
    static func said(_ text: String) throws -> [String] {
        try text.split(separator: "\n").map { line in
            let result = try JSONValue(String(line))
            let words = [result["target"].text, result["exit"]["name"].text, result["evaluated_at"].text]
            return words.map { $0 ?? "-" }.joined(separator: " ")
        }
    }

    static func scoped(_ body: (MergeLab) async throws -> Void) async throws {
        try await TemporaryDirectory.scoped { files in try await body(MergeLab(files: files)) }
    }
}

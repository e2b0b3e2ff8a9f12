import Base
import Pinning
import Synchronization

/// A task of its own writes, so that a reader who stops reading stops nobody else; what does not fit into memory then is lost.
final class ServeLog: Sendable {
    enum Level: String, CaseIterable, Sendable { case error, warn, info }

    typealias Fields = [(name: String, value: String)]

    private let levels: ArraySlice<Level>
    private let now: @Sendable () -> Timestamp
    private let lines: AsyncStream<String>.Continuation
    private let writing: Task<Void, Never>

    init(from level: Level, in context: Context) {
        levels = Level.allCases.prefix { $0 != level } + [level]
        now = context.now
        let (stream, lines) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(8_192))
        self.lines = lines
        let errors = context.console.errors
        writing = Task(executorPreference: globalConcurrentExecutor) {
            // A standard error that cannot be written to is no reason to end.
            for await line in stream { try? errors.write(line) }
        }
    }

    func write(_ level: Level, _ event: String, _ fields: Fields = []) {
        guard levels.contains(level) else { return }
        let shown = fields.map { "\($0.name)=\(Self.shown($0.value))" }
        lines.yield((["\(now())", level.rawValue, event] + shown).joined(separator: " ") + "\n")
    }

    private static func shown(_ value: String) -> String {
        let text = TerminalText.shown(value, to: 400)
        guard text.isEmpty || text.utf8.contains(where: { [0x20, 0x22, 0x3D].contains($0) }) else { return text }
        return "\"" + text.replacingBytes(["\\": "\\\\", "\"": "\\\""]) + "\""
    }

    /// Waits until everything is written, but no longer than any command waits for a reader.
    func end() async {
        lines.finish()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        Task(executorPreference: globalConcurrentExecutor) { [writing] in
            await writing.value
            end.finish()
        }
        let alarm = Task(executorPreference: globalConcurrentExecutor) {
            try? await Task.sleep(for: .seconds(3))
            end.finish()
        }
        for await _ in ends {}
        alarm.cancel()
    }
}

final class ServeMetrics: Sendable {
    struct Counts: Sendable {
        var requests: [Int: Int] = [:]
        var probes: [[String]: Int] = [:]
        var errors: [[String]: Int] = [:]
        var probesInFlight = 0
        var connections = 0
        var isReloadGood = true
        var reloadTime: Timestamp
    }

    private let counts: Mutex<Counts>

    init(at now: Timestamp) { counts = Mutex(Counts(reloadTime: now)) }

    func update(_ change: (inout Counts) -> Void) { counts.withLock { change(&$0) } }

    /// Counts one more probe, unless `most` are under way.
    func beginProbe(beside most: Int) -> Bool {
        counts.withLock { counts in
            let isFree = counts.probesInFlight < most
            if isFree { counts.probesInFlight += 1 }
            return isFree
        }
    }

    private static let families = """
        pincheck_exporter_build_info The version of pincheck.
        pincheck_exporter_requests_total Requests by the status of the answer.
        pincheck_exporter_probes_total Probes by module and exit status.
        pincheck_exporter_probe_errors_total \
        Probes that came to nothing for a reason of the exporter's: its module, its limits, its descriptors.
        pincheck_exporter_probes_in_flight Probes under way.
        pincheck_exporter_connections Connections to the exporter.
        pincheck_exporter_config_last_reload_successful \
        Whether the policies could be read the last time (1); if not, those before are in force.
        pincheck_exporter_config_last_reload_success_timestamp_seconds When the policies in force were read.
        """

    var text: String {
        let counts = counts.withLock { $0 }
        var page = MetricPage(Self.families)
        func add(_ name: String, _ value: some CustomStringConvertible, _ labels: MetricPage.Labels = []) {
            page.add("pincheck_exporter_" + name, value, labels)
        }
        add("build_info", 1, [("version", ProgramVersion.number)])
        for (status, count) in counts.requests.sorted(by: { $0.key < $1.key }) {
            add("requests_total", count, [("code", String(status))])
        }
        for (family, label, table) in [("probes", "status", counts.probes), ("probe_errors", "reason", counts.errors)] {
            for (key, count) in table.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                add(family + "_total", count, [("module", key[0]), (label, key[1])])
            }
        }
        add("probes_in_flight", counts.probesInFlight)
        add("connections", counts.connections)
        add("config_last_reload_successful", counts.isReloadGood ? 1 : 0)
        add("config_last_reload_success_timestamp_seconds", counts.reloadTime.secondsSinceEpoch)
        return page.text
    }
}

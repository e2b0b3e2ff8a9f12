import Base
import Pinning
import Synchronization

/// Writes in a task of its own, so that a reader who stops reading delays nothing else; lines beyond 8,192 are lost.
final class ServeLog: Sendable {
    enum Level: String, CaseIterable { case error, warn, info }

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
            // The exporter goes on if standard error cannot be written to.
            for await line in stream { try? errors.write(line) }
        }
    }

    func write(_ level: Level, _ event: String, _ fields: Fields = []) {
        guard levels.contains(level) else { return }
        let texts = fields.map { "\($0.name)=\(Self.text(of: $0.value))" }
        lines.yield((["\(now())", level.rawValue, event] + texts).joined(separator: " ") + "\n")
    }

    private static func text(of value: String) -> String {
        let text = TerminalText.excerpt(value, to: 400)
        guard text.isEmpty || text.utf8.contains(where: { [0x20, 0x22, 0x3D].contains($0) }) else { return text }
        return "\"" + text.replacingBytes(["\\": "\\\\", "\"": "\\\""]) + "\""
    }

    /// Waits until all lines are written, for at most three seconds, as every command waits for a reader.
    func end() async {
        lines.finish()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        Task(executorPreference: globalConcurrentExecutor) { [writing] in
            await writing.value
            end.finish()
        }
        Task(executorPreference: globalConcurrentExecutor) {
            try? await Task.sleep(for: .seconds(3))
            end.finish()
        }
        for await _ in ends {}
    }
}

final class ServeMetrics: Sendable {
    private let values = Mutex<[String: Int]>([:])

    init(at now: Timestamp) {
        set("build_info", 1, [("version", ProgramVersion.number)])
        for name in ["probes_in_flight", "connections"] { set(name, 0) }
        tellReload(at: now)
    }

    func set(_ name: String, _ value: Int, _ labels: MetricPage.Labels = []) {
        values.withLock { $0[MetricPage.series("pincheck_exporter_" + name, labels)] = value }
    }

    /// Adds `step` to a series and returns `true`, unless the value would be more than `most`.
    @discardableResult func count(
        _ name: String, _ labels: MetricPage.Labels = [], by step: Int = 1, most: Int = .max
    ) -> Bool {
        values.withLock { values in
            let series = MetricPage.series("pincheck_exporter_" + name, labels)
            let value = values[series, default: 0] + step
            if value <= most { values[series] = value }
            return value <= most
        }
    }

    func tellReload(at now: Timestamp) {
        set("config_last_reload_successful", 1)
        set("config_last_reload_success_timestamp_seconds", Int(now.secondsSinceEpoch))
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
        var page = MetricPage(Self.families)
        for (series, value) in values.withLock({ $0 }).sorted(by: { $0.key < $1.key }) { page.add(series, value) }
        return page.text
    }
}

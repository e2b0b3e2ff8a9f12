import Pinning
import Synchronization

/// What an exporter counts of itself.
final class ExporterMetrics: Sendable {
    /// What tells requests apart.
    private struct Request: Hashable, Comparable {
        let path: String
        let status: Int

        static func < (one: Request, other: Request) -> Bool { (one.path, one.status) < (other.path, other.status) }
    }

    /// What tells probes of a module apart, by how they ended.
    private struct Probe: Hashable, Comparable {
        let module: String
        let end: String

        static func < (one: Probe, other: Probe) -> Bool { (one.module, one.end) < (other.module, other.end) }
    }

    /// How the last reading of the modules went.
    private struct Reading {
        var isGood = true
        var time: Timestamp
        var failures = 0
    }

    private struct State {
        var requests: [Request: Int] = [:]
        var probes: [Probe: Int] = [:]
        var errors: [Probe: Int] = [:]
        var times = Histogram()
        var cached = 0
        var connections = 0
        var dropped: [ServerEvent.Reason: Int] = [:]
        var lostLines = 0
        var reading: Reading
    }

    private let state: Mutex<State>
    private let start: Timestamp

    init(at now: Timestamp) {
        start = now
        state = Mutex(State(reading: Reading(time: now)))
    }

    func countRequest(_ path: String, _ status: Int) {
        state.withLock { $0.requests[Request(path: path, status: status), default: 0] += 1 }
    }

    func countProbe(of module: String, _ status: ExitStatus, in time: Duration) {
        state.withLock { state in
            state.probes[Probe(module: module, end: status.name), default: 0] += 1
            state.times.add(time)
        }
    }

    /// Counts a probe that came to nothing, for a reason that is not the target's.
    func countError(of module: String, _ reason: String) {
        state.withLock { $0.errors[Probe(module: module, end: reason), default: 0] += 1 }
    }

    func countCached() { state.withLock { $0.cached += 1 } }

    func countLostLine() { state.withLock { $0.lostLines += 1 } }

    /// Takes note of a reading of the modules.
    func note(readingIsGood isGood: Bool, at now: Timestamp) {
        state.withLock { state in
            state.reading.isGood = isGood
            if isGood { state.reading.time = now } else { state.reading.failures += 1 }
        }
    }

    /// Takes note of what happened to a connection.
    func take(_ event: ServerEvent) {
        state.withLock { state in
            switch event {
            case .opened: state.connections += 1
            case .closed: state.connections -= 1
            case .refused(let status): state.requests[Request(path: "none", status: status), default: 0] += 1
            case .dropped(let reason): state.dropped[reason, default: 0] += 1
            }
        }
    }

    func text(slots: (underWay: Int, waiting: Int), entries: Int) -> String {
        let state = state.withLock { $0 }
        var families = Families()
        families.add("build_info", "The version of pincheck.", .gauge, [([("version", ProgramVersion.number)], 1)])
        families.add("start_timestamp_seconds", "When the exporter was started.", Int(start.secondsSinceEpoch))
        families.add(
            "requests_total", "Requests by path and status of the answer; those that were none have the path none.",
            .counter,
            state.requests.sorted { $0.key < $1.key }.map {
                ([("path", $0.key.path), ("code", String($0.key.status))], $0.value)
            })
        families.add(
            "probes_total", "Probes by module and exit status.", .counter,
            state.probes.sorted { $0.key < $1.key }.map {
                ([("module", $0.key.module), ("status", $0.key.end)], $0.value)
            })
        families.add(
            "probe_errors_total",
            "Probes that came to nothing for a reason of the exporter's: its module, its limits, its descriptors.",
            .counter,
            state.errors.sorted { $0.key < $1.key }.map {
                ([("module", $0.key.module), ("reason", $0.key.end)], $0.value)
            })
        var times = MetricFamily(
            name: Families.prefix + "probe_seconds", help: "How long probes took, from their request on.",
            kind: .histogram)
        state.times.add(to: &times)
        families.text += times.text
        families.add("probes_in_flight", "Probes under way.", slots.underWay)
        families.add("probes_waiting", "Probes that wait for others to end (--jobs).", slots.waiting)
        families.add("cached_answers_total", "Answers that were given again.", .counter, [([], state.cached)])
        families.add("cache_entries", "Answers that may be given again.", entries)
        families.add("connections", "Connections to the exporter.", state.connections)
        families.add(
            "dropped_connections_total",
            "Connections that were given up: too slow, or idle where another needed the place.", .counter,
            ServerEvent.Reason.allCases.map { ([("reason", $0.rawValue)], state.dropped[$0] ?? 0) })
        families.add("lost_log_lines_total", "Lines of the log nobody took.", .counter, [([], state.lostLines)])
        families.add(
            "config_last_reload_successful",
            "Whether the policies could be read the last time (1); if not, those before are in force.",
            state.reading.isGood ? 1 : 0)
        families.add(
            "config_last_reload_success_timestamp_seconds", "When the policies in force were read.",
            Int(state.reading.time.secondsSinceEpoch))
        families.add(
            "config_reload_failures_total", "How often the policies could not be read again.", .counter,
            [([], state.reading.failures)])
        return families.text
    }
}

/// The metrics of an exporter as they are put together.
private struct Families {
    static let prefix = "pincheck_exporter_"

    var text = ""

    mutating func add(_ name: String, _ help: String, _ value: Int) { add(name, help, .gauge, [([], value)]) }

    mutating func add(
        _ name: String, _ help: String, _ kind: MetricFamily.Kind, _ series: [(labels: MetricFamily.Labels, value: Int)]
    ) {
        var family = MetricFamily(name: Self.prefix + name, help: help, kind: kind)
        for (labels, value) in series { family.add(labels, value) }
        text += family.text
    }
}

import Base

/// Metrics in the text format of Prometheus: families in their order, each with its series.
struct MetricPage: Sendable {
    /// The labels of a series, in their order.
    typealias Labels = [(name: String, value: String)]

    private let families: [(name: String, help: String)]
    private var series: [String: [String]] = [:]

    /// A page of these families, of which those that end in `_total` are counters.
    init(_ families: [(name: String, help: String)]) { self.families = families }

    mutating func add(_ name: String, _ value: some CustomStringConvertible, _ labels: Labels = []) {
        let pairs = labels.map { $0.name + "=\"" + Self.escaped($0.value) + "\"" }
        series[name, default: []].append(
            name + (pairs.isEmpty ? "" : "{" + pairs.joined(separator: ",") + "}") + " \(value)\n")
    }

    /// The lines of the families that have series.
    var text: String {
        families.map { name, help in
            guard let lines = series[name] else { return "" }
            let kind = name.hasSuffix("_total") ? "counter" : "gauge"
            return "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n" + lines.joined()
        }.joined()
    }

    private static func escaped(_ text: String) -> String {
        TerminalText.shown(text, to: 200).replacingBytes(["\\": "\\\\", "\"": "\\\""])
    }
}

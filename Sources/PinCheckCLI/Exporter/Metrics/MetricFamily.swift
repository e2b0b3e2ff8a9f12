import Base

/// One metric with all of its series, in the text format of Prometheus.
package struct MetricFamily: Sendable {
    package enum Kind: String, Sendable { case counter, gauge, histogram }

    /// The labels of a series, in their order.
    package typealias Labels = [(name: String, value: String)]

    private let name: String
    private let help: String
    private let kind: Kind
    private var samples: [String] = []

    package init(name: String, help: String, kind: Kind = .gauge) {
        self.name = name
        self.help = help
        self.kind = kind
    }

    package mutating func add(_ labels: Labels, _ value: some CustomStringConvertible, suffix: String = "") {
        let pairs = labels.map { $0.name + "=\"" + Self.escaped($0.value) + "\"" }
        let set = pairs.isEmpty ? "" : "{" + pairs.joined(separator: ",") + "}"
        samples.append(name + suffix + set + " \(value)")
    }

    /// The lines of the metric, none without series.
    package var text: String {
        guard !samples.isEmpty else { return "" }
        return "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n" + samples.map { $0 + "\n" }.joined()
    }

    private static func escaped(_ text: String) -> String {
        TerminalText.shown(text, to: 200).replacingBytes(["\\": "\\\\", "\"": "\\\""])
    }
}

/// How often something took how long.
package struct Histogram: Sendable {
    /// The upper ends of the buckets, in milliseconds.
    private static let ends: [Int64] = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000]

    private var counts = [Int](repeating: 0, count: Histogram.ends.count + 1)
    private var total = Duration.zero

    /// Nothing was counted so far.
    package init() {}

    /// Counts something that took `time`.
    package mutating func add(_ time: Duration) {
        counts[Self.ends.firstIndex { time <= .milliseconds($0) } ?? Self.ends.count] += 1
        total += time
    }

    package func add(to family: inout MetricFamily) {
        var count = 0
        for (index, end) in Self.ends.enumerated() {
            count += counts[index]
            // As Prometheus writes numbers: without zeros at the end.
            let seconds = Double(end) / 1_000
            let text = seconds == seconds.rounded() ? "\(end / 1_000)" : "\(seconds)"
            family.add([("le", text)], count, suffix: "_bucket")
        }
        count += counts[Self.ends.count]
        family.add([("le", "+Inf")], count, suffix: "_bucket")
        family.add([], total / .seconds(1), suffix: "_sum")
        family.add([], count, suffix: "_count")
    }
}

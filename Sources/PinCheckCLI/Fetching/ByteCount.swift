/// A number of bytes as people read it, as in `1.2 GiB`.
func readableBytes(_ count: Int) -> String {
    guard count >= 1_024 else { return "\(count) B" }
    var value = Double(count)
    var unit = ""
    for next in ["KiB", "MiB", "GiB", "TiB", "PiB"] where value >= 1_023.95 || unit.isEmpty {
        value /= 1_024
        unit = next
    }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(unit)"
}

/// A time as people read it, as in `4.2 s` or `1 h 02 min`.
func readableTime(_ time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    switch seconds {
    case ..<10: return "\(seconds).\(attoseconds / 100_000_000_000_000_000) s"
    case ..<60: return "\(seconds) s"
    case ..<3_600: return "\(seconds / 60) min \(twoDigits(seconds % 60)) s"
    default: return "\(seconds / 3_600) h \(twoDigits(seconds % 3_600 / 60)) min"
    }
}

private func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

/// The sum of numbers that a server may have chosen: the largest there is where it would be more.
func cappedSum(_ numbers: some Sequence<Int>) -> Int {
    numbers.reduce(0) { sum, number in
        let (next, overflows) = sum.addingReportingOverflow(number)
        return overflows ? .max : next
    }
}

import Base
import PinChecking

/// A line on the terminal that says how far a download is, and is gone at its end.
final class DownloadLine: Sendable {
    private let stream: OutputStream
    private let progress: DownloadProgress

    /// A line for a download, `nil` where nobody would see it.
    init?(_ progress: DownloadProgress, console: Console, environment: [String: String]) {
        guard console.errors.isTerminal, environment["TERM"] != "dumb" else { return nil }
        stream = console.errors
        self.progress = progress
    }

    /// Shows the line until the task is cancelled, and takes it away.
    func show() async {
        let start = ContinuousClock.now
        while (try? await Task.sleep(for: .milliseconds(250))) != nil {
            let state = progress.state
            let rate = Double(state.count - state.start) / (start.duration(to: .now) / .seconds(1))
            Interruption.isShowingProgress = true
            try? stream.write("\r" + Self.text(count: state.count, total: state.total, rate: rate) + "\u{1B}[K")
        }
        guard Interruption.isShowingProgress else { return }
        try? stream.write("\r\u{1B}[K")
        Interruption.isShowingProgress = false
    }

    static func text(count: Int, total: Int?, rate: Double) -> String {
        var parts = [readableBytes(count)]
        if let total { parts[0] += " of \(readableBytes(total))" }
        guard rate >= 1 else { return parts[0] }
        parts.append("\(readableBytes(Int(min(rate, 1e18))))/s")
        // What takes longer than a year no server means.
        if let total, total > count, Double(total - count) / rate < 366 * 86_400 {
            parts.append("\(readableTime(.seconds(Double(total - count) / rate))) left")
        }
        return parts.joined(separator: ", ")
    }
}

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
    func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (seconds, attoseconds) = time.components
    switch seconds {
    case ..<10: return "\(seconds).\(attoseconds / 100_000_000_000_000_000) s"
    case ..<60: return "\(seconds) s"
    case ..<3_600: return "\(seconds / 60) min \(twoDigits(seconds % 60)) s"
    default: return "\(seconds / 3_600) h \(twoDigits(seconds % 3_600 / 60)) min"
    }
}

import Base
import PinChecking

/// A line on the terminal that says how far downloads are, and is gone at their end.
final class DownloadLine: Sendable {
    private let stream: OutputStream
    private let downloads: [DownloadProgress]

    /// A line for downloads, `nil` where nobody would see it.
    init?(_ downloads: [DownloadProgress], console: Console, environment: [String: String]) {
        guard console.errors.isTerminal, environment["TERM"] != "dumb" else { return nil }
        stream = console.errors
        self.downloads = downloads
    }

    /// Shows the line until the task is cancelled, and takes it away.
    func show() async {
        let clock = ContinuousClock()
        let started = clock.now
        var first: Int?
        var rate = 0.0
        var last = (time: started, count: 0)
        while true {
            do { try await Task.sleep(for: .milliseconds(250)) } catch { break }
            let now = clock.now
            let count = cappedSum(downloads.map(\.count))
            let start = first ?? cappedSum(downloads.map(\.start))
            if first == nil, count > 0 {
                first = start
                last.count = start
            }
            let seconds = Self.seconds(last.time.duration(to: now))
            if seconds > 0, count >= last.count {
                let current = Double(count - last.count) / seconds
                rate = rate == 0 ? current : rate * 0.8 + current * 0.2
            }
            last = (now, count)
            Interruption.isShowingProgress = true
            let totals = downloads.compactMap(\.total)
            let total = totals.count < downloads.count ? nil : cappedSum(totals)
            try? stream.write("\r" + Self.text(count: count, total: total, rate: rate) + "\u{1B}[K")
        }
        guard Interruption.isShowingProgress else { return }
        try? stream.write("\r\u{1B}[K")
        Interruption.isShowingProgress = false
    }

    static func text(count: Int, total: Int?, rate: Double) -> String {
        var parts = [readableBytes(count)]
        if let total { parts[0] += " of \(readableBytes(total))" }
        if rate >= 1 { parts.append("\(readableBytes(Int(min(rate, 1e18))))/s") }
        // What takes longer than a year no server means.
        if let total, rate >= 1, total > count, Double(total - count) / rate < 366 * 86_400 {
            parts.append("\(readableTime(.seconds(Double(total - count) / rate))) left")
        }
        return parts.joined(separator: ", ")
    }

    private static func seconds(_ time: Duration) -> Double {
        Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    }
}

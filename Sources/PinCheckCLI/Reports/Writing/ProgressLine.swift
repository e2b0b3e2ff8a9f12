import Base
import PinChecking

final class ProgressLine {
    static let threshold = 11
    private let stream: OutputStream
    private let total: Int
    private let now: () -> ContinuousClock.Instant
    private var nextTime: ContinuousClock.Instant
    private let start: ContinuousClock.Instant
    private var checked = 0
    private var unaccepted = 0
    private var isShown = false

    /// Returns `nil` if results may end at the same terminal: a pipe can lead there, a file cannot.
    init?(
        total: Int, console: Console, hasResultOnOutput: Bool, environment: [String: String],
        now: @escaping () -> ContinuousClock.Instant = { .now }
    ) {
        guard total >= Self.threshold, console.errors.isTerminal, environment["TERM"] != "dumb",
            !hasResultOnOutput || console.output.isFile
        else { return nil }
        stream = console.errors
        self.total = total
        self.now = now
        start = now()
        nextTime = start + .seconds(1)
    }

    deinit { erase() }

    func count(_ status: ExitStatus) {
        checked += 1
        if status != .pass { unaccepted += 1 }
        let time = now()
        guard time >= nextTime, checked < total else { return }
        nextTime = time + .milliseconds(100)
        isShown = true
        stream.showProgress(text(at: time))
    }

    private func text(at time: ContinuousClock.Instant) -> String {
        let left = start.duration(to: time) * (total - checked) / checked
        return "\(checked) of \(total) checked, \(unaccepted) not passed, \(readableTime(left)) left"
    }

    func erase() {
        guard isShown else { return }
        isShown = false
        stream.eraseProgress()
    }
}

extension OutputStream {
    fileprivate func showProgress(_ text: String) {
        Interruption.isShowingProgress = true
        try? write("\r\(text)\u{1B}[K")
    }

    fileprivate func eraseProgress() {
        try? write("\r\u{1B}[K")
        Interruption.isShowingProgress = false
    }
}

extension DownloadProgress {
    /// Shows the progress on a line of the terminal until the task is cancelled, and then erases it.
    func show(on stream: OutputStream) async {
        let start = ContinuousClock.now
        while (try? await Task.sleep(for: .milliseconds(250))) != nil {
            let state = state
            let rate = Double(state.count - state.start) / start.duration(to: .now).seconds
            stream.showProgress(Self.text(count: state.count, total: state.total, rate: rate))
        }
        if Interruption.isShowingProgress { stream.eraseProgress() }
    }

    static func text(count: Int, total: Int?, rate: Double) -> String {
        var parts = [readableBytes(count)]
        if let total { parts[0] += " of \(readableBytes(total))" }
        guard rate >= 1 else { return parts[0] }
        parts.append("\(readableBytes(Int(min(rate, 1e18))))/s")
        // A time of more than a year means nothing: the length or the rate is wrong.
        if let total, total > count, Double(total - count) / rate < 366 * 86_400 {
            parts.append("\(readableTime(.seconds(Double(total - count) / rate))) left")
        }
        return parts.listed
    }
}

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

import Machine

/// A line on the terminal that says how far a long run is, and is gone at its end.
final class ProgressLine {
    /// How many targets make a run that can be long.
    static let threshold = 11

    private let stream: OutputStream
    private let total: Int
    private let now: () -> ContinuousClock.Instant
    private var nextTime: ContinuousClock.Instant
    private var checked = 0
    private var unaccepted = 0
    private var isShown = false

    /// A line for a run of so many targets, `nil` when it would be short or the line in the way.
    ///
    /// A pipe that results go to may end at the same terminal, so only results in files leave it free.
    init?(
        total: Int,
        console: Console,
        hasResultOnOutput: Bool,
        environment: [String: String],
        now: @escaping () -> ContinuousClock.Instant = { .now }
    ) {
        guard total >= Self.threshold, console.errors.isTerminal, environment["TERM"] != "dumb",
            !hasResultOnOutput || console.output.isFile
        else { return nil }
        stream = console.errors
        self.total = total
        self.now = now
        nextTime = now() + .seconds(1)
    }

    deinit {
        erase()
    }

    /// Counts a result, and shows the line when it is time to.
    func count(_ status: ExitStatus) {
        checked += 1
        if status != .pass { unaccepted += 1 }
        let time = now()
        guard time >= nextTime, checked < total else { return }
        nextTime = time + .milliseconds(100)
        isShown = true
        Interruption.isShowingProgress = true
        try? stream.write("\r\(checked) of \(total) checked, \(unaccepted) not passed\u{1B}[K")
    }

    /// Takes the line away, for something else to be written.
    func erase() {
        guard isShown else { return }
        isShown = false
        try? stream.write("\r\u{1B}[K")
        Interruption.isShowingProgress = false
    }
}

/// When the time of one target is over: name lookups, every connection and every retry included.
struct Deadline: Sendable {
    let timeout: Duration
    private let end: ContinuousClock.Instant

    /// A deadline after `timeout` from now.
    init(in timeout: Duration) {
        self.timeout = timeout
        // A year is for ever, and cannot overflow the clock.
        end = .now + min(timeout, .seconds(365 * 24 * 60 * 60))
    }

    /// What is left, not below zero.
    var remaining: Duration { max(.zero, ContinuousClock.now.duration(to: end)) }
}

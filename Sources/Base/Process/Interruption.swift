internal import Synchronization

/// Ends the process after a signal: at once, but never within a line of output or while a file is written.
///
/// The process ends by the signal itself: a shell sees 130 or 143 and stops its own loop. A hanging write gets three
/// seconds, and none after a second signal. A thread takes signals: a handler may call little (signal-safety(7)).
package enum Interruption {
    private struct State {
        /// The number of writes under way that have to stay whole.
        var writers = 0
        /// The signal that ends the process; 0 before it.
        var signal: Int32 = 0
        var farewell = ""
        var isShowingProgress = false
        var handler: (@Sendable (Int32) -> Bool)?
        /// The signals that the process was started to ignore (`nohup`).
        var ignored: [Int32] = []
    }

    private static let state = Mutex(State())
    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    private static let patience = Duration.seconds(3)

    /// Takes over the signals that end a process; to be called before another thread exists, which would get them.
    package static func install() {
        mask(SIG_BLOCK)
        let ignored = signals.filter { number in
            let before = signal(number, SIG_DFL)
            guard unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) else { return false }
            signal(number, SIG_IGN)
            return true
        }
        state.withLock { $0.ignored = ignored }
        if !SystemThread.start(receive) { mask(SIG_UNBLOCK) }
    }

    /// Gives signals to `handler` first, even ignored ones; the process ends if `handler` returns `false`.
    package static func handle(_ handler: @escaping @Sendable (Int32) -> Bool) {
        state.withLock { ($0.handler, $0.ignored) = (handler, []) }
        for number in signals { signal(number, SIG_DFL) }
    }

    /// Runs `body`, and lets a signal end the process only after it.
    package static func deferring<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        count(1)
        defer { count(-1) }
        return try body()
    }

    /// Counts a write that begins or ends; stops the calling thread if the process ends and no write is left.
    private static func count(_ change: Int) {
        let isOver = state.withLock { state in
            if state.signal == 0 || state.writers > 0 { state.writers += change }
            return state.signal != 0 && state.writers == 0
        }
        if isOver { while true { pause() } }
    }

    /// Sets the text that a signal prints on standard error before it ends the process.
    package static func setFarewell(_ text: String) { state.withLock { $0.farewell = text } }

    package static var isShowingProgress: Bool {
        get { state.withLock(\.isShowingProgress) }
        set { state.withLock { $0.isShowingProgress = newValue } }
    }

    @Sendable private static func receive() {
        var set = set
        var number: Int32 = 0
        while sigwait(&set, &number) == 0 {
            let (handler, isIgnored) = state.withLock { ($0.handler, $0.ignored.contains(number)) }
            if !isIgnored, handler?(number) != true { end(by: number) }
        }
    }

    private static func end(by number: Int32) -> Never {
        state.withLock { $0.signal = number }
        let limit = ContinuousClock.now + patience
        var isUrgent = false
        while state.withLock({ $0.writers > 0 }), ContinuousClock.now < limit, !isUrgent {
            usleep(5_000)
            var pending = sigset_t()
            sigpending(&pending)
            isUrgent = signals.contains { sigismember(&pending, $0) == 1 }
        }
        let (showsProgress, farewell) = state.withLock { ($0.isShowingProgress, $0.farewell) }
        // Carriage return, and the sequence that erases to the end of the line.
        let words = Array(((showsProgress ? "\r\u{1B}[K" : "") + farewell).utf8)
        var errors = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        if !words.isEmpty, poll(&errors, 1, isUrgent ? 0 : 1_000) == 1 { _ = write(STDERR_FILENO, words, words.count) }
        signal(number, SIG_DFL)
        mask(SIG_UNBLOCK)
        kill(getpid(), number)
        // The first process of a container survives its own signal.
        _exit(128 + number)
    }

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals { sigaddset(&set, number) }
        return set
    }

    private static func mask(_ how: Int32) {
        var set = set
        pthread_sigmask(how, &set, nil)
    }
}

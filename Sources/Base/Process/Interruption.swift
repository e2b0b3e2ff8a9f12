internal import Synchronization

/// The end of the process by a signal: at once, but never within a line of output or the writing of a file.
///
/// The process ends by the signal itself, so that a shell sees 130 or 143 and stops its own loop. A write that hangs, since nobody
/// reads, is given three seconds; a second signal does not wait for it at all. A handler may do no more than signal-safety(7) allows,
/// so it hands the number to a thread.
package enum Interruption {
    private struct State {
        /// How many writes are under way that have to stay whole.
        var writers = 0
        /// The signal that ends the process, 0 before.
        var signal: Int32 = 0
        var farewell = ""
        var isShowingProgress = false
        var handler: (@Sendable (Int32) -> Bool)?
    }

    private static let state = Mutex(State())
    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    /// The end of a pipe that the handler writes to, -1 before there is one.
    private static let writing = Atomic<Int32>(-1)
    /// How long is waited for a write that is under way.
    private static let patience = Duration.seconds(3)

    /// Takes over the signals that end a process, but for those it was started to ignore (`nohup`).
    package static func install() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        // Not at the place of a standard stream that is closed (`>&-`), for which it would be taken.
        let descriptors = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 3) }
        for end in ends { close(end) }
        guard descriptors.allSatisfy({ $0 >= 0 }) else { return }
        // A handler must not wait for a reader.
        _ = fcntl(descriptors[1], F_SETFL, O_NONBLOCK)
        writing.store(descriptors[1], ordering: .sequentiallyConsistent)
        unblock()
        guard let thread = SystemThread({ receive(from: descriptors[0]) }) else { return }
        thread.detach()
        for number in signals {
            let before = signal(number) { Interruption.received($0) }
            if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
        }
    }

    /// Hands signals, those the process was started to ignore as well, to `handler` first; what it returns `false` for ends the process.
    package static func handle(_ handler: @escaping @Sendable (Int32) -> Bool) {
        state.withLock { $0.handler = handler }
        for number in signals { signal(number) { Interruption.received($0) } }
    }

    /// Does something that a signal must not tear: the process ends after it.
    package static func deferring<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        count(1)
        defer { count(-1) }
        return try body()
    }

    /// Counts a write that begins or ends; when the process is ending, it goes no further beside none.
    private static func count(_ change: Int) {
        let isOver = state.withLock { state in
            if state.signal == 0 || state.writers > 0 { state.writers += change }
            return state.signal != 0 && state.writers == 0
        }
        if isOver { while true { pause() } }
    }

    /// Has a signal say this on standard error before it ends the process; empty for nothing.
    package static func setFarewell(_ text: String) { state.withLock { $0.farewell = text } }

    package static var isShowingProgress: Bool {
        get { state.withLock(\.isShowingProgress) }
        set { state.withLock { $0.isShowingProgress = newValue } }
    }

    private static func received(_ number: Int32) {
        let saved = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(writing.load(ordering: .relaxed), &byte, 1)
        errno = saved
    }

    /// The work of the thread.
    private static func receive(from descriptor: Int32) {
        var byte: UInt8 = 0
        while true {
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return }
            let number = Int32(byte)
            let handler = state.withLock(\.handler)
            if handler?(number) != true { end(by: number, unlessAgainOn: descriptor) }
        }
    }

    private static func end(by number: Int32, unlessAgainOn descriptor: Int32) -> Never {
        state.withLock { $0.signal = number }
        let limit = ContinuousClock.now + patience
        var isUrgent = false
        while state.withLock({ $0.writers > 0 }), ContinuousClock.now < limit, !isUrgent {
            isUrgent = Descriptor.wait(for: POLLIN, on: descriptor, milliseconds: 5)
        }
        let (showsProgress, farewell) = state.withLock { ($0.isShowingProgress, $0.farewell) }
        // Carriage return, and the sequence that erases to the end of the line.
        let words = Array(((showsProgress ? "\r\u{1B}[K" : "") + farewell).utf8)
        // Not where nothing reads them.
        if !words.isEmpty, Descriptor.wait(for: POLLOUT, on: STDERR_FILENO, milliseconds: isUrgent ? 0 : 1_000) {
            _ = write(STDERR_FILENO, words, words.count)
        }
        signal(number, SIG_DFL)
        unblock()
        kill(getpid(), number)
        // The first process of a container is not ended by its own signal.
        _exit(128 + number)
    }

    /// Lets this thread take all of them: what is started from a thread of a library inherits that all are blocked there.
    private static func unblock() {
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals { sigaddset(&set, number) }
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }
}

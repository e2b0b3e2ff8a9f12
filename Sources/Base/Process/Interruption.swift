import Synchronization

/// Ends the process after a signal: at once, but never within a line of output or while a file is written.
///
/// The process ends by the signal itself: a shell sees 130 or 143 and stops its own loop. A hanging write gets three
/// seconds, one after a second signal, and none after a third. A thread that waits for signals would cost a check 4 %,
/// so a handler takes them: it calls only functions that signal-safety(7) lists, and its state is atomic.
package enum Interruption {
    private struct State: ~Copyable {
        /// The signal that ends the process, 0 before it, and in the lower 32 bits the number of writes under way.
        let signalAndWrites = Atomic(0)
        /// `true` after a second signal.
        let isUrgent = Atomic(false)
        /// `true` once a thread ends the process.
        let isEnding = Atomic(false)
        /// The pipe that passes signals on to the thread of `handle`; -1 without one.
        let pipeToHandler = Atomic<Int32>(-1)
        let isShowingProgress = Atomic(false)
        /// The address of the text for standard error; 0 without one.
        let farewell = Atomic(0)
    }

    private static let state = State()
    /// The addresses of all texts for standard error, which stay: the handler may be reading one.
    private static let farewells = Mutex<[Int]>([])
    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    private static let set: sigset_t = {
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals + [SIGALRM] { sigaddset(&set, number) }
        return set
    }()

    /// Takes over the signals that end a process, but not those that it was started to ignore (`nohup`).
    package static func install() {
        // A handler must not find a global in the making: it would wait for itself. A pending signal must not get lost.
        mask(SIG_BLOCK)
        state.farewell.store(0, ordering: .sequentiallyConsistent)
        for number in signals {
            let before = signal(number, SIG_DFL)
            if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                signal(number, SIG_IGN)
            } else {
                listen(to: number)
            }
        }
        mask(SIG_UNBLOCK)
    }

    /// Gives signals to `handler` on a thread of its own, even ignored ones.
    ///
    /// The process ends if `handler` returns `false`.
    package static func handle(_ handler: @escaping @Sendable (Int32) -> Bool) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        let isStarted = SystemThread.start { [source = ends[0]] in
            var number: UInt8 = 0
            while read(source, &number, 1) == 1, handler(Int32(number)) {}
            state.pipeToHandler.store(-1, ordering: .sequentiallyConsistent)
            receive(Int32(number))
        }
        guard isStarted else { return }
        state.pipeToHandler.store(ends[1], ordering: .sequentiallyConsistent)
        for number in signals { listen(to: number) }
    }

    /// Runs `body`, and lets a signal end the process only after it.
    static func deferring<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        change { signal, writes in
            // A write within another one begins even after a signal.
            if signal != 0, writes == 0 { end() }
            return (signal, writes + 1)
        }
        defer {
            let (signal, writes) = change { ($0, $1 - 1) }
            if signal != 0, writes == 1 { end() }
        }
        return try body()
    }

    /// Changes the signal and the number of writes together, and returns what they were.
    @discardableResult private static func change(
        _ body: (_ signal: Int, _ writes: Int) -> (Int, Int)
    ) -> (signal: Int, writes: Int) {
        var old = state.signalAndWrites.load(ordering: .sequentiallyConsistent)
        while true {
            let parts = (signal: old >> 32, writes: old & 0xFFFF_FFFF)
            let (signal, writes) = body(parts.signal, parts.writes)
            let result = state.signalAndWrites.compareExchange(
                expected: old, desired: signal << 32 | writes, ordering: .sequentiallyConsistent)
            if result.exchanged { return parts }
            old = result.original
        }
    }

    /// Sets the text that a signal prints on standard error before it ends the process.
    package static func setFarewell(_ text: String) {
        let address = text.isEmpty ? 0 : Int(bitPattern: strdup(text))
        farewells.withLock { $0.append(address) }
        state.farewell.store(address, ordering: .sequentiallyConsistent)
    }

    package static var isShowingProgress: Bool {
        get { state.isShowingProgress.load(ordering: .sequentiallyConsistent) }
        set { state.isShowingProgress.store(newValue, ordering: .sequentiallyConsistent) }
    }

    private static func listen(to number: Int32) { signal(number) { Interruption.receive($0) } }

    /// The handler of signals: passes one on, ends the process, or lets a write end first, for some seconds.
    private static func receive(_ number: Int32) {
        var letter = UInt8(truncatingIfNeeded: number)
        let pipe = state.pipeToHandler.load(ordering: .sequentiallyConsistent)
        guard pipe < 0 else {
            _ = write(pipe, &letter, 1)
            return
        }
        let (signal, writes) = change { ($0 == 0 ? Int(number) : $0, $1) }
        guard number != SIGALRM, writes > 0,
            signal == 0 || !state.isUrgent.exchange(true, ordering: .sequentiallyConsistent)
        else { end() }
        listen(to: SIGALRM)
        alarm(signal == 0 ? 3 : 1)
    }

    private static func end() -> Never {
        mask(SIG_BLOCK)
        if state.isEnding.exchange(true, ordering: .sequentiallyConsistent) { while true { pause() } }
        var errors = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        let words = UnsafePointer<CChar>(bitPattern: state.farewell.load(ordering: .sequentiallyConsistent))
        if words != nil || isShowingProgress, poll(&errors, 1, 1_000) == 1 {
            // Carriage return, and the sequence that erases to the end of the line.
            let erasing: StaticString = "\r\u{1B}[K"
            if isShowingProgress { _ = write(STDERR_FILENO, erasing.utf8Start, erasing.utf8CodeUnitCount) }
            if let words { _ = write(STDERR_FILENO, words, strlen(words)) }
        }
        let number = Int32(state.signalAndWrites.load(ordering: .sequentiallyConsistent) >> 32)
        // No other signal: its handler would wait here for this thread.
        var own = sigset_t()
        sigemptyset(&own)
        sigaddset(&own, number)
        signal(number, SIG_DFL)
        pthread_sigmask(SIG_UNBLOCK, &own, nil)
        kill(getpid(), number)
        // The first process of a container survives its own signal.
        _exit(128 + number)
    }

    private static func mask(_ how: Int32) {
        var set = set
        pthread_sigmask(how, &set, nil)
    }
}

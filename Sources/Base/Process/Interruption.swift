internal import Synchronization

/// Ends the process after a signal: at once, but never within a line of output or while a file is written.
///
/// The process ends by the signal itself: a shell sees 130 or 143 and stops its own loop. A hanging write gets three
/// seconds, and none after a second signal. A thread that waits for signals would cost a check 4 %, so a handler takes
/// them: it calls only functions that signal-safety(7) lists, and its state is atomic.
package enum Interruption {
    /// The number of writes under way that have to stay whole.
    private static let writers = Atomic(0)
    /// The signal that ends the process; 0 before it.
    private static let ending = Atomic<Int32>(0)
    /// The pipe that passes signals on to the thread of `handle`; -1 without one.
    private static let pipeToHandler = Atomic<Int32>(-1)
    private static let showsProgress = Atomic(false)
    /// The address of the text for standard error; 0 without one.
    private static let farewell = Atomic(0)
    /// The addresses of all such texts, which stay: the handler may be reading one.
    private static let farewells = Mutex<[Int]>([])
    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    /// The time for a hanging write, in seconds.
    private static let patience: UInt32 = 3

    /// Takes over the signals that end a process, but not those that it was started to ignore (`nohup`).
    package static func install() {
        for number in signals {
            let before = signal(number, SIG_IGN)
            guard unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) else { continue }
            listen(to: number)
        }
        unblock()
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
            pipeToHandler.store(-1, ordering: .sequentiallyConsistent)
            receive(Int32(number))
        }
        guard isStarted else { return }
        pipeToHandler.store(ends[1], ordering: .sequentiallyConsistent)
        for number in signals { listen(to: number) }
    }

    /// Runs `body`, and lets a signal end the process only after it.
    package static func deferring<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        count(1)
        defer { count(-1) }
        return try body()
    }

    /// Counts a write that begins or ends; ends the process after a signal if no other write is under way.
    private static func count(_ change: Int) {
        let count = writers.wrappingAdd(change, ordering: .sequentiallyConsistent).newValue
        if ending.load(ordering: .sequentiallyConsistent) != 0, count == max(0, change) { end() }
    }

    /// Sets the text that a signal prints on standard error before it ends the process.
    package static func setFarewell(_ text: String) {
        let address = Int(bitPattern: strdup(text))
        farewells.withLock { $0.append(address) }
        farewell.store(address, ordering: .sequentiallyConsistent)
    }

    package static var isShowingProgress: Bool {
        get { showsProgress.load(ordering: .sequentiallyConsistent) }
        set { showsProgress.store(newValue, ordering: .sequentiallyConsistent) }
    }

    private static func listen(to number: Int32) { signal(number) { Interruption.receive($0) } }

    /// The handler of signals: passes one on, ends the process, or lets a write end first, for some seconds.
    private static func receive(_ number: Int32) {
        var letter = UInt8(truncatingIfNeeded: number)
        let pipe = pipeToHandler.load(ordering: .sequentiallyConsistent)
        guard pipe < 0 else {
            _ = write(pipe, &letter, 1)
            return
        }
        let isFirst = ending.compareExchange(expected: 0, desired: number, ordering: .sequentiallyConsistent).exchanged
        guard isFirst, writers.load(ordering: .sequentiallyConsistent) > 0 else { end() }
        listen(to: SIGALRM)
        alarm(patience)
    }

    private static func end() -> Never {
        var errors = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        let words = UnsafePointer<CChar>(bitPattern: farewell.exchange(0, ordering: .sequentiallyConsistent))
        let erases = showsProgress.exchange(false, ordering: .sequentiallyConsistent)
        if words != nil || erases, poll(&errors, 1, 1_000) == 1 {
            // Carriage return, and the sequence that erases to the end of the line.
            let erasing: StaticString = "\r\u{1B}[K"
            if erases { _ = write(STDERR_FILENO, erasing.utf8Start, erasing.utf8CodeUnitCount) }
            if let words { _ = write(STDERR_FILENO, words, strlen(words)) }
        }
        let number = ending.load(ordering: .sequentiallyConsistent)
        signal(number, SIG_DFL)
        unblock()
        kill(getpid(), number)
        // The first process of a container survives its own signal.
        _exit(128 + number)
    }

    /// Lets signals come that the process was started with as blocked, or that a handler blocks while it runs.
    private static func unblock() {
        var set = set
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    private static let set: sigset_t = {
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals + [SIGALRM] { sigaddset(&set, number) }
        return set
    }()
}

internal import Synchronization

/// The end of the process by a signal: at once, but never within a line of output or the writing of a file.
///
/// The process ends by the signal itself, so that a shell sees 130 or 143 and stops its own loop. A write that hangs, since nobody
/// reads, is given ``patience``; a second signal does not wait for it at all.
package enum Interruption {
    /// How many writes are under way that have to stay whole.
    private static let writers = Atomic<Int>(0)
    /// The signal that came while there were some, 0 before.
    private static let pending = Atomic<Int32>(0)
    /// How long is waited for a write that is under way, in seconds.
    private static let patience: UInt32 = 3
    /// Whether the last words are being said, or the process is past them.
    private static let isEnding = Atomic<Bool>(false)
    /// How long is waited for the last words where they seem to take no time, in seconds.
    private static let lastPatience: UInt32 = 1
    private static let showsProgress = Atomic<Bool>(false)
    /// What is said at the end: memory that is there from the beginning, since a handler may ask for none.
    nonisolated(unsafe) private static let farewell = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 2_048, alignment: 1)
    /// How many bytes of ``farewell`` are said.
    private static let farewellCount = Atomic<Int>(0)

    /// Takes over the signals that end a process, but for those it was started to ignore (`nohup`).
    ///
    /// They are unblocked: what is started from a thread of a library inherits that all are blocked there.
    package static func install() {
        // The handler may not be the first to ask for them: making them takes a lock.
        _ = (isShowingProgress, writers.load(ordering: .relaxed), pending.load(ordering: .relaxed))
        _ = (isEnding.load(ordering: .relaxed), patience, lastPatience)
        _ = (farewell.count, farewellCount.load(ordering: .relaxed))
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let before = signal(number) { number in Interruption.received(number) }
            if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
        }
        // Set by the first of them; a handler may do that.
        signal(SIGALRM) { _ in Interruption.lostPatience() }
        unblock()
    }

    /// Lets this thread take all of them, within a handler as well.
    private static func unblock() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGHUP)
        sigaddset(&set, SIGALRM)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Does something that a signal must not tear: the process ends after it.
    package static func deferring<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let others = writers.add(1, ordering: .sequentiallyConsistent).oldValue
        // The handler has seen that nothing is written, or will never look again; beside others it waits for the last.
        if others == 0, pending.load(ordering: .sequentiallyConsistent) != 0 { end() }
        defer {
            let left = writers.subtract(1, ordering: .sequentiallyConsistent).newValue
            if left == 0, pending.load(ordering: .sequentiallyConsistent) != 0 { end() }
        }
        return try body()
    }

    /// Has a signal say this on standard error before it ends the process, as far as it fits; empty for nothing.
    ///
    /// One thread at a time may call it.
    package static func setFarewell(_ text: String) {
        deferring {
            farewellCount.store(0, ordering: .sequentiallyConsistent)
            farewell.copyBytes(from: text.utf8.prefix(farewell.count))
            farewellCount.store(min(text.utf8.count, farewell.count), ordering: .sequentiallyConsistent)
        }
    }

    package static var isShowingProgress: Bool {
        get { showsProgress.load(ordering: .relaxed) }
        set { showsProgress.store(newValue, ordering: .relaxed) }
    }

    /// The handler: it may do no more than what signal-safety(7) allows.
    private static func received(_ number: Int32) {
        let isFirst = pending.compareExchange(expected: 0, desired: number, ordering: .sequentiallyConsistent).exchanged
        guard isFirst else { endWithoutWaiting() }
        alarm(patience)
        if writers.load(ordering: .sequentiallyConsistent) == 0 { end() }
    }

    private static func lostPatience() {
        if pending.load(ordering: .sequentiallyConsistent) != 0 { endWithoutWaiting() }
    }

    /// Ends the process though a write is under way, with the last words where they take no time.
    private static func endWithoutWaiting() -> Never {
        guard !isEnding.load(ordering: .sequentiallyConsistent), isReadyForWords else { die() }
        alarm(lastPatience)
        end()
    }

    /// Says the last words and ends the process; a thread that comes second waits for the first, and the alarm waits for neither.
    private static func end() -> Never {
        unblock()
        if isEnding.exchange(true, ordering: .sequentiallyConsistent) { while true { pause() } }
        if showsProgress.load(ordering: .relaxed) { eraseLine() }
        say(UnsafeRawBufferPointer(rebasing: farewell[..<farewellCount.load(ordering: .sequentiallyConsistent)]))
        die()
    }

    /// Ends the process by the signal that came first, at once.
    private static func die() -> Never {
        let number = pending.load(ordering: .sequentiallyConsistent)
        signal(number, SIG_DFL)
        unblock()
        kill(getpid(), number)
        // The first process of a container is not ended by its own signal.
        _exit(128 + number)
    }

    /// Whether standard error takes something without waiting.
    private static var isReadyForWords: Bool {
        var state = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        return poll(&state, 1, 0) == 1 && state.revents & Int16(POLLOUT) != 0
    }

    /// Carriage return, and the sequence that erases to the end of the line.
    private static func eraseLine() {
        var bytes: (UInt8, UInt8, UInt8, UInt8) = (0x0D, 0x1B, 0x5B, 0x4B)
        withUnsafeBytes(of: &bytes) { say($0) }
    }

    /// Writes to standard error, once.
    private static func say(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0 else { return }
        #if canImport(Glibc)
        _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        #else
        _ = Darwin.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        #endif
    }
}

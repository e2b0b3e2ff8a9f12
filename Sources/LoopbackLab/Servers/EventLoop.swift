/// The loop of one of a server's threads: accepts connections and serves them until it is woken to stop.
///
/// Several loops may share a listening socket; each connection stays with the loop that accepted it, which alone touches it.
struct EventLoop: Sendable {
    enum Service: Sendable {
        /// Speaks TLS from what the contexts are when a connection begins.
        case tls(CurrentTLSContext, ServerBehavior.Delivery)
        /// Asks as a proxy whom to reach, and is then that server; over TLS from the last context where there is one.
        case proxy(ProxySettings, CurrentTLSContext, own: CurrentTLSContext?, ServerBehavior.Delivery)
        /// Plays a script, or listens without answering.
        case script(ServerBehavior.Script?)
        /// Ends each connection at once, in order or by a reset.
        case hangUp(reset: Bool)
    }

    let listener: Int32
    /// The end of a pipe that becomes readable when the loop is to stop, borrowed.
    let wake: Int32
    let service: Service
    let log: ServerLog

    /// Serves until ``wake`` is readable, then closes this loop's connections.
    func run() {
        var connections: [Connection] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let before = Self.now
            var interests = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
            interests.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))
            interests += connections.map { $0.interest(now: before) }
            let deadline = connections.compactMap(\.deadline).min()
            let timeout = deadline.map { Int32(clamping: max(0, $0 - before)) } ?? -1
            let ready = poll(&interests, nfds_t(interests.count), timeout)
            guard ready >= 0 || errno == EINTR, interests[0].revents == 0 else { break }

            let now = Self.now
            for (connection, interest) in zip(connections, interests.dropFirst(2)) {
                let isDue = connection.deadline.map { $0 <= now } ?? false
                if interest.revents != 0 || isDue { connection.handle(interest.revents, now: now, buffer: &buffer) }
            }
            if interests[1].revents != 0 { accept(into: &connections, now: now) }
            connections.removeAll(where: \.isClosed)
        }
        for connection in connections { connection.close() }
    }

    private func accept(into connections: inout [Connection], now: Int64) {
        while let descriptor = Sockets.accepted(by: listener) {
            let index = log.begin()
            let connection = Connection(
                takingOwnershipOf: descriptor, conversation: conversation(index), delivery: delivery, log: log,
                index: index)
            connections.append(connection)
            if case .hangUp(reset: true) = service { connection.close(reset: true) } else { connection.begin(now: now) }
        }
    }

    private func conversation(_ index: Int) -> any Conversation {
        switch service {
        case .tls(let context, _):
            return TLSConversation(context.value, log: log, index: index) ?? ScriptedConversation(nil)
        case .proxy(let settings, let context, let own, _):
            let log = log
            let proxy = ProxyConversation(settings, log: log, index: index) { () -> any Conversation in
                TLSConversation(context.value, log: log, index: index) ?? ScriptedConversation(nil)
            }
            guard let own else { return proxy }
            return TLSConversation(own.value, log: log, index: index, around: proxy) ?? ScriptedConversation(nil)
        case .script(let script): return ScriptedConversation(script)
        case .hangUp: return ScriptedConversation(ServerBehavior.Script([], waitsForClient: false))
        }
    }

    private var delivery: ServerBehavior.Delivery {
        switch service {
        case .tls(_, let delivery), .proxy(_, _, _, let delivery): delivery
        case .script, .hangUp: .immediate
        }
    }

    /// Milliseconds of a clock that never goes back.
    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// A thread that was started and is to be joined exactly once.
///
/// Threads of the system and not tasks: a server that blocks must not take a place in the pool the code under test runs on.
///
/// Sendable because pthread_t, which is a pointer on some systems, only names the thread and may be used from any other.
struct WorkerThread: @unchecked Sendable {
    private let handle: pthread_t

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that runs `body` (pthread_create).
    init(_ body: @escaping @Sendable () -> Void) throws(LabError) {
        let context = Unmanaged.passRetained(Work(body))
        #if canImport(Darwin)
        var created: pthread_t?
        let status = pthread_create(
            &created, nil,
            { context in
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, context.toOpaque())
        #else
        var started = pthread_t()
        let status = pthread_create(
            &started, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, context.toOpaque())
        let created: pthread_t? = started
        #endif
        guard status == 0, let created else {
            context.release()
            throw .system(operation: "start a thread", code: status)
        }
        handle = created
    }

    /// Waits until the thread is gone (pthread_join).
    func join() { pthread_join(handle, nil) }
}

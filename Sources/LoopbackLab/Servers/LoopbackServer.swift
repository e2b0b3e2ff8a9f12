internal import Synchronization

/// A server on the loopback interface that lives as long as a closure runs.
///
/// ```swift
/// let world = try StandardPKI.shared()
/// try await LoopbackServer.serving(.presenting([world.leaf, world.interA])) { server in
///     // connect to server.address, server.port …
///     let seen = await server.connections(ended: 1)
/// }
/// ```
///
/// POSIX sockets and poll, on threads of its own and without SwiftNIO: an opinion on TLS that does not share the client's code.
package struct LoopbackServer: Sendable {
    /// The address the server listens on, as it was asked for.
    package let address: String
    package let port: UInt16
    private let log: ServerLog
    private let context: CurrentTLSContext?

    /// Answers connections that begin from now on by other settings, as a server does whose certificate was renewed.
    ///
    /// - Throws: ``LabError`` when a key does not fit its certificate; the server then goes on as before.
    package func present(_ settings: TLSServerSettings) throws(LabError) {
        precondition(context != nil, "only a server that speaks TLS has certificates")
        context?.replace(with: try TLSServerContext(settings))
    }

    /// What the server has seen so far of each connection, in the order they were accepted.
    package var connections: [ConnectionObservation] { log.connections }

    /// What the server has seen, once at least `count` connections are over.
    ///
    /// Waits for as long as it takes; a cancelled task gets what there is.
    package func connections(ended count: Int) async -> [ConnectionObservation] {
        await log.waitForEnd(of: count)
        return log.connections
    }

    /// Serves while `body` runs, then stops: no thread and no descriptor of the server is left when this returns or throws.
    ///
    /// The address is one of this machine, such as `127.0.0.2` or `::1`, and port 0 a free one. More than one thread serves benchmarks.
    package static func serving<Value: Sendable>(
        _ behavior: ServerBehavior, address: String = "127.0.0.1", port: UInt16 = 0, threads: Int = 1,
        isolation: isolated (any Actor)? = #isolation, _ body: (LoopbackServer) async throws -> Value
    ) async throws -> Value {
        precondition(threads > 0, "a server needs a thread")
        let running = try RunningServer(behavior, address: address, port: port, threads: threads)
        let server = LoopbackServer(address: address, port: running.port, log: running.log, context: running.context)
        let result: Result<Value, any Error>
        do { result = .success(try await body(server)) } catch { result = .failure(error) }
        await running.stop()
        return try result.get()
    }
}

/// The descriptors and threads of a server between its start and its stop.
private final class RunningServer: Sendable {
    let log = ServerLog()
    let port: UInt16
    let context: CurrentTLSContext?
    private let listener: Int32
    private let wakePipe: (read: Int32, write: Int32)
    private let threads: [WorkerThread]
    private let departures: Departures

    init(_ behavior: ServerBehavior, address: String, port: UInt16, threads count: Int) throws(LabError) {
        let service: EventLoop.Service =
            switch behavior {
            case .tls(let settings, let delivery): .tls(CurrentTLSContext(try TLSServerContext(settings)), delivery)
            case .proxy(let settings, let delivery):
                .proxy(
                    settings, CurrentTLSContext(try TLSServerContext(settings.server)),
                    own: try settings.tls.map { (tls) throws(LabError) in CurrentTLSContext(try TLSServerContext(tls))
                    }, delivery)
            case .closes: .hangUp(reset: false)
            case .resets: .hangUp(reset: true)
            case .tarpit: .script(nil)
            case .script(let script): .script(script)
            }
        let listener = try Sockets.bound(to: address, port: port)
        guard listen(listener, 4_096) == 0 else {
            let code = errno
            close(listener)
            throw .system(operation: "listen on \(address)", code: code)
        }
        let wakePipe: (read: Int32, write: Int32)
        do { wakePipe = try Sockets.pipe() } catch {
            close(listener)
            throw error
        }
        let departures = Departures(expecting: count)
        let loop = EventLoop(listener: listener, wake: wakePipe.read, service: service, log: log)
        var started: [WorkerThread] = []
        do {
            for _ in 0..<count {
                started.append(
                    try WorkerThread {
                        loop.run()
                        departures.leave()
                    })
            }
        } catch {
            Self.wake(wakePipe.write)
            for thread in started { thread.join() }
            for descriptor in [listener, wakePipe.read, wakePipe.write] { close(descriptor) }
            throw error
        }
        self.port = Sockets.port(of: listener)
        if case .tls(let context, _) = service { self.context = context } else { context = nil }
        (self.listener, self.wakePipe, self.threads) = (listener, wakePipe, started)
        self.departures = departures
    }

    /// Wakes the threads, waits until they are gone, and only then closes what they used.
    func stop() async {
        Self.wake(wakePipe.write)
        // Each thread has left its loop by then, so that joining them does not hold up the caller's executor.
        await departures.wait()
        for thread in threads { thread.join() }
        Sockets.finish(listener)
        for descriptor in [listener, wakePipe.read, wakePipe.write] { close(descriptor) }
    }

    private static func wake(_ descriptor: Int32) {
        // One byte that is never read: the pipe stays readable, so every loop sees it whenever it looks.
        var byte: UInt8 = 0
        while write(descriptor, &byte, 1) < 0, errno == EINTR {}
    }
}

/// Counts the threads of a server that have finished their work.
private final class Departures: Sendable {
    private struct State {
        var remaining: Int
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state: Mutex<State>

    init(expecting count: Int) { state = Mutex(State(remaining: count)) }

    func leave() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.remaining -= 1
            return state.remaining == 0 ? state.waiting : nil
        }
        waiting?.resume()
    }

    /// Returns when all have left.
    ///
    /// Called once.
    func wait() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                state.waiting = continuation
                return state.remaining == 0
            }
            if hasEnded { continuation.resume() }
        }
    }
}

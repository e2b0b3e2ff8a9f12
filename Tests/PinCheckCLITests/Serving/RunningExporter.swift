import LoopbackLab
import Base
@testable import PinCheckCLI
import Pinning
import Synchronization
import Testing

/// `pincheck serve` in this process, on a free port.
struct RunningExporter: Sendable {
    let port: Int
    let log: LogWatch
    private let signals: AsyncStream<ProcessSignal>.Continuation

    /// Runs an exporter while `body` runs, then ends it as SIGTERM does.
    static func serving(
        _ arguments: [String], _ log: LogWatch = LogWatch(), _ body: (RunningExporter) async throws -> Void
    ) async throws {
        let (stream, signals) = AsyncStream.makeStream(of: ProcessSignal.self)
        var context = Context(
            console: Console(output: OutputBuffer().stream(), errors: log.stream),
            environment: ["SSL_CERT_FILE": "/nonexistent", "SSL_CERT_DIR": "/nonexistent"],
            now: { Timestamp(secondsSinceEpoch: LabClock.now) }, readStandardInput: { [] })
        context.signals = { stream }
        // A busy machine is no reason for another answer.
        let time = arguments.contains("--timeout") ? [] : ["--timeout", "60"]
        let given = ["serve", "--listen", "127.0.0.1:0"] + time + arguments
        let running = Task { [context] in
            let status = await PinCheck.run(arguments: given, in: context)
            log.end()
            return status
        }
        let line = try #require(await log.line { $0.contains(" listening ") }, "\(log.text)")
        let port = try #require(line.firstMatch(of: /127\.0\.0\.1:([0-9]+)/).flatMap { Int($0.output.1) })
        let exporter = RunningExporter(port: port, log: log, signals: signals)
        let result: Result<Void, any Error>
        do { result = .success(try await body(exporter)) } catch { result = .failure(error) }
        signals.yield(.end)
        #expect(await running.value == .pass)
        try result.get()
    }

    /// Asks for a place, on a connection of its own.
    func get(_ place: String, _ fields: [String] = []) async throws -> ScrapeConnection.Answer {
        let connection = try ScrapeConnection(port: port)
        let lines = ["GET \(place) HTTP/1.1", "Host: exporter", "Connection: close"] + fields
        connection.send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
        return try await connection.answer()
    }

    /// Whether a probe succeeds, as it is written.
    func success(_ place: String) async throws -> String? { try await get(place).value(of: "pincheck_probe_success") }

    /// What the exporter counts of itself.
    func count(_ series: String) async throws -> String? {
        try await get("/metrics").value(of: "pincheck_exporter_" + series)
    }

    /// Has the exporter read its files again, and waits until it has.
    func reload() async -> String? {
        let seen = log.lines.count
        signals.yield(.reload)
        return await log.line(after: seen) { $0.contains(" reload") }
    }

    /// Asks the exporter to end, without waiting.
    func end() { signals.yield(.end) }
}

/// What is written to a stream, line by line as it comes.
final class LogWatch: Sendable {
    private struct Waiter {
        let start: Int
        let isWanted: @Sendable (String) -> Bool
        let continuation: CheckedContinuation<String?, Never>
    }

    private struct State {
        var lines: [String] = []
        var waiters: [Waiter] = []
        var hasEnded = false
    }

    private let state = Mutex(State())

    var lines: [String] { state.withLock(\.lines) }
    var text: String { lines.joined(separator: "\n") }

    var stream: OutputStream {
        OutputStream(isTerminal: false) { bytes throws(OutputError) in
            self.add(String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init))
        }
    }

    /// The first line from `start` on that is wanted, once it is there; `nil` when nothing comes any more.
    func line(after start: Int = 0, where isWanted: @escaping @Sendable (String) -> Bool) async -> String? {
        await withCheckedContinuation { continuation in
            let found = state.withLock { state -> String?? in
                if let line = state.lines.dropFirst(start).first(where: isWanted) { return line }
                if state.hasEnded { return .some(nil) }
                state.waiters.append(Waiter(start: start, isWanted: isWanted, continuation: continuation))
                return nil
            }
            if let found { continuation.resume(returning: found) }
        }
    }

    func end() {
        let waiters = state.withLock { state in
            state.hasEnded = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    private func add(_ lines: [String]) {
        let due = state.withLock { state -> [(Waiter, String)] in
            state.lines += lines
            var due: [(Waiter, String)] = []
            state.waiters.removeAll { waiter in
                guard let line = state.lines.dropFirst(waiter.start).first(where: waiter.isWanted) else { return false }
                due.append((waiter, line))
                return true
            }
            return due
        }
        for (waiter, line) in due { waiter.continuation.resume(returning: line) }
    }
}

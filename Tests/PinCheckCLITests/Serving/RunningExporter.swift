import Base
import Dispatch
import Pinning
import Synchronization
import Testing

@testable import LoopbackLab
@testable import PinCheckCLI

struct RunningExporter: Sendable {
    let port: Int
    let log: LogWatch
    private let signals: AsyncStream<ProcessSignal>.Continuation

    static func serving(
        _ arguments: [String], _ log: LogWatch = LogWatch(), _ body: (RunningExporter) async throws -> Void
    ) async throws {
        let (stream, signals) = AsyncStream.makeStream(of: ProcessSignal.self)
        var context = Context.lab(errors: log.stream)
        context.signals = { stream }
        // A busy machine is no reason for another answer.
        let time = arguments.contains("--timeout") ? [] : ["--timeout", "60"]
        let given = ["serve", "--listen", "127.0.0.1:0"] + time + arguments
        let running = Task { [context] in
            let status = await PinCheck.run(given, in: context).status
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

    func get(_ place: String, _ fields: [String] = []) async throws -> ScrapeConnection.Answer {
        let connection = try ScrapeConnection(port: port)
        let lines = ["GET \(place) HTTP/1.1", "Host: localhost", "Connection: close"] + fields
        connection.send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
        return try await connection.answer()
    }

    func success(_ place: String) async throws -> String? { try await get(place).value(of: "pincheck_probe_success") }

    func count(_ series: String) async throws -> String? {
        try await get("/metrics").value(of: "pincheck_exporter_" + series)
    }

    func reload() async -> String? {
        let seen = log.lines.count
        signals.yield(.reload)
        return await log.line(after: seen) { $0.contains(" reload") }
    }

    func end() { signals.yield(.end) }
}

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
        OutputStream(isTerminal: false) { bytes throws(WriteFailure) in
            self.add(String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init))
        }
    }

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

/// One connection to an exporter, by a few system calls: what it sends is what the test says, and nothing more.
final class ScrapeConnection: Sendable {
    struct Answer: Sendable {
        let status: Int
        let fields: [String]
        let body: String

        func value(of series: String) -> String? {
            body.split(separator: "\n").first { $0.hasPrefix(series + " ") }.map {
                String($0.dropFirst(series.count + 1))
            }
        }
    }

    struct NoAnswer: Error { let received: String }

    #if canImport(Darwin)
    private static let stream = SOCK_STREAM
    #else
    private static let stream = Int32(SOCK_STREAM.rawValue)
    #endif

    private let descriptor: Int32
    private let buffer = Mutex<[UInt8]>([])

    init(port: Int, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Self.stream, 0)
        // Before it is connected, so that the other side learns of it.
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw NoAnswer(received: "no connection: \(errno)") }
    }

    deinit { close(descriptor) }

    @discardableResult func send(_ text: String) -> Bool { send(text.bytes) }

    @discardableResult func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Sockets.transmit(rest, to: descriptor)
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Breaks the connection off, as a client does that crashes.
    func reset() {
        Sockets.resetOnClose(descriptor)
        // The number stays this object's, so that nobody else gets it before it is closed.
        let other = socket(AF_INET, Self.stream, 0)
        dup2(other, descriptor)
        close(other)
    }

    func answer(toHead isHead: Bool = false) async throws -> Answer {
        // On a thread of its own, because it blocks.
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try self.nextAnswer(toHead: isHead) }) }
        }
    }

    func rest() async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                while self.receive() {}
                continuation.resume(returning: String(decoding: self.buffer.withLock { $0 }, as: UTF8.self))
            }
        }
    }

    private func nextAnswer(toHead isHead: Bool) throws -> Answer {
        while true {
            if let answer = take(isHead) { return answer }
            guard receive() else { throw NoAnswer(received: String(decoding: buffer.withLock { $0 }, as: UTF8.self)) }
        }
    }

    private func take(_ isHead: Bool) -> Answer? {
        buffer.withLock { buffer in
            guard let end = buffer.firstRange(of: "\r\n\r\n".bytes) else { return nil }
            let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n").map(
                String.init)
            let length = lines.first { $0.lowercased().hasPrefix("content-length: ") }
            let count = isHead ? 0 : length.flatMap { Int($0.dropFirst(16)) } ?? 0
            guard buffer.count >= end.upperBound + count else { return nil }
            let body = String(decoding: buffer[end.upperBound..<end.upperBound + count], as: UTF8.self)
            buffer.removeFirst(end.upperBound + count)
            let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            return Answer(status: status, fields: Array(lines.dropFirst()), body: body)
        }
    }

    private func receive() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return false }
        buffer.withLock { $0 += bytes[..<count] }
        return true
    }
}

import Base
import Pinning

/// The log of an exporter: one line for whatever happens, on standard error.
///
/// Lines are written one after the other by a task of their own, so that a reader who stops reading stops nobody else; what does not
/// fit into memory then is dropped and counted.
final class ServeLog: Sendable {
    /// How a line is written.
    enum Form: String, CaseIterable, Sendable { case text, json }

    /// How grave something is.
    enum Level: String, CaseIterable, Sendable { case error, warn, info, debug }

    /// A part of a line beside the time, the level and the event.
    enum Value: Sendable {
        case text(String)
        case integer(Int)
        case seconds(Duration)
        case flag(Bool)
    }

    typealias Fields = [(name: String, value: Value)]

    private static let mostWaiting = 8_192
    /// How long is waited for a reader at the end: as long as any other command waits for one.
    private static let patience = Duration.seconds(3)
    /// So much is shown of a text.
    private static let longest = 400

    private let form: Form
    private let level: Level
    private let now: @Sendable () -> Timestamp
    private let lines: AsyncStream<String>.Continuation
    private let writing: Task<Void, Never>
    private let dropped: @Sendable () -> Void

    init(_ form: Form, from level: Level, in context: Context, dropped: @escaping @Sendable () -> Void) {
        self.form = form
        self.level = level
        self.dropped = dropped
        now = context.now
        let (stream, lines) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        self.lines = lines
        let errors = context.console.errors
        writing = Task(executorPreference: globalConcurrentExecutor) {
            // A standard error that cannot be written to is no reason to end.
            for await line in stream { try? errors.write(line) }
        }
    }

    func writes(_ level: Level) -> Bool {
        let levels = Level.allCases
        return levels.firstIndex(of: level) ?? 0 <= levels.firstIndex(of: self.level) ?? 0
    }

    func write(_ level: Level, _ event: String, _ fields: Fields = []) {
        guard writes(level) else { return }
        let time = "\(now())"
        let line =
            switch form {
            case .text: Self.text(time, level, event, fields)
            case .json:
                Self.json([("time", .text(time)), ("level", .text(level.rawValue)), ("event", .text(event))] + fields)
            }
        if case .dropped = lines.yield(line + "\n") { dropped() }
    }

    /// Waits until everything is written, but no longer than for ``patience`` where nobody reads.
    func end() async {
        lines.finish()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let writing = writing
        Task(executorPreference: globalConcurrentExecutor) {
            await writing.value
            end.finish()
        }
        let alarm = Task {
            try? await Task.sleep(for: Self.patience)
            end.finish()
        }
        for await _ in ends {}
        alarm.cancel()
    }

    private static func text(_ time: String, _ level: Level, _ event: String, _ fields: Fields) -> String {
        ([time, level.rawValue, event] + fields.map { "\($0.name)=\(text($0.value))" }).joined(separator: " ")
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .integer(let number): return "\(number)"
        case .seconds(let time): return DecimalText.seconds(time / .seconds(1))
        case .flag(let flag): return "\(flag)"
        case .text(let text):
            let shown = TerminalText.shown(text, to: longest)
            guard shown.isEmpty || shown.utf8.contains(where: { [0x20, 0x22, 0x3D].contains($0) }) else { return shown }
            return "\"" + shown.replacingBytes(["\\": "\\\\", "\"": "\\\""]) + "\""
        }
    }

    private static func json(_ fields: Fields) -> String {
        var output = JSONOutput(depth: nil)
        output.beginObject()
        for (name, value) in fields.sorted(by: { $0.name < $1.name }) {
            output.beginMember(name)
            switch value {
            case .text(let text): output.write(TerminalText.shortened(text, to: longest))
            case .flag(let flag): output.write(flag)
            case .integer(let number): output.write(number)
            case .seconds(let time):
                // To the microsecond; a duration is a finite number.
                try? output.write((time / .seconds(1) * 1e6).rounded() / 1e6)
            }
        }
        output.endObject()
        return String(decoding: output.bytes, as: UTF8.self)
    }
}

import Base
import Pinning

/// The log of an exporter: one line for whatever happens, on standard error.
///
/// A task of its own writes them, so that a reader who stops reading stops nobody else; what does not fit into memory then is lost.
final class ServeLog: Sendable {
    /// How grave something is.
    enum Level: String, CaseIterable, Sendable { case error, warn, info }

    typealias Fields = [(name: String, value: String)]

    private let levels: ArraySlice<Level>
    private let now: @Sendable () -> Timestamp
    private let lines: AsyncStream<String>.Continuation
    private let writing: Task<Void, Never>

    init(from level: Level, in context: Context) {
        levels = Level.allCases.prefix { $0 != level } + [level]
        now = context.now
        let (stream, lines) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(8_192))
        self.lines = lines
        let errors = context.console.errors
        writing = Task(executorPreference: globalConcurrentExecutor) {
            // A standard error that cannot be written to is no reason to end.
            for await line in stream { try? errors.write(line) }
        }
    }

    func write(_ level: Level, _ event: String, _ fields: Fields = []) {
        guard levels.contains(level) else { return }
        let shown = fields.map { "\($0.name)=\(Self.shown($0.value))" }
        lines.yield((["\(now())", level.rawValue, event] + shown).joined(separator: " ") + "\n")
    }

    private static func shown(_ value: String) -> String {
        let text = TerminalText.shown(value, to: 400)
        guard text.isEmpty || text.utf8.contains(where: { [0x20, 0x22, 0x3D].contains($0) }) else { return text }
        return "\"" + text.replacingBytes(["\\": "\\\\", "\"": "\\\""]) + "\""
    }

    /// Waits until everything is written, but no longer than any command waits for a reader.
    func end() async {
        lines.finish()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let waits: [@Sendable () async -> Void] = [
            { [writing] in await writing.value }, { try? await Task.sleep(for: .seconds(3)) },
        ]
        for wait in waits {
            Task(executorPreference: globalConcurrentExecutor) {
                await wait()
                end.finish()
            }
        }
        for await _ in ends {}
    }
}

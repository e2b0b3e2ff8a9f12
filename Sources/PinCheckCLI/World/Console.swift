import Base
import Pinning
import Synchronization

struct Console {
    let output: OutputStream
    let errors: OutputStream
    var style = TextStyle.plain

    func report(_ message: SafeText) {
        var text = message.description
        for (word, paint) in [("Error:", style.bad), ("Warning:", style.doubtful)] where text.hasPrefix(word) {
            text = paint(word) + text.dropFirst(word.count)
        }
        try? errors.write(errors.layout.folded(text) + "\n")
    }

    func report(_ problem: Problem) { report("Error: \(problem.told)") }
}

struct OutputStream {
    let isTerminal: Bool
    var isFile = false
    /// `true` if everything waits for the end of the run, as for a file that is replaced as a whole.
    var isWhole = false
    var layout = TextLayout()
    var identity: FileIdentity?
    /// The file that the words of a failure name.
    var path: String?
    let writeBytes: @Sendable ([UInt8]) throws(WriteFailure) -> Void

    /// Writes text; if the reader has gone away, the rest is dropped and the verdict still counts.
    func write(_ text: String) throws(Problem) {
        do { try writeBytes(Array(text.utf8)) } catch {
            guard case .system(let code) = error else { return }
            let place: SafeText = path.map { " (\(quoted($0))): name another file" } ?? ""
            throw .inputOutput("the result could not be written: \(SystemError.message(of: code))\(place)")
        }
    }
}

final class OutputBuffer: Sendable {
    private let contents = Mutex<[UInt8]>([])

    init() {}

    var text: String { contents.withLock { String(decoding: $0, as: UTF8.self) } }

    func stream(isTerminal: Bool = false, isFile: Bool = false, layout: TextLayout = TextLayout()) -> OutputStream {
        OutputStream(isTerminal: isTerminal, isFile: isFile, layout: layout) { bytes in
            self.contents.withLock { $0 += bytes }
        }
    }
}

struct TextStyle {
    let isColored: Bool

    enum Choice: String, CaseIterable { case auto, always, never }

    /// Decides for the whole run: colours only on a terminal, unless the environment forbids them (no-color.org).
    init(_ choice: Choice, isTerminal: Bool, environment: [String: String]) {
        isColored =
            switch choice {
            case .always: true
            case .never: false
            case .auto: isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
            }
    }

    static let plain = TextStyle(.never, isTerminal: false, environment: [:])

    func good(_ text: String) -> String { paint(text, "32") }
    func bad(_ text: String) -> String { paint(text, "31") }
    func doubtful(_ text: String) -> String { paint(text, "33") }
    func faint(_ text: String) -> String { paint(text, "2") }

    func token(_ status: ExitStatus) -> String {
        switch status {
        case .pass: paint(status.name, "1;32")
        case .warn, .changed, .unreachable, .unknown: paint(status.name, "1;33")
        default: paint(status.name, "1;31")
        }
    }

    private func paint(_ text: String, _ code: String) -> String {
        isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

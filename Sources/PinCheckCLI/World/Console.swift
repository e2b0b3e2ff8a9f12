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
    var layout = TextLayout()
    var identity: FileIdentity?
    /// The file that the words of a failure name.
    var path: String?
    let writeBytes: @Sendable ([UInt8]) throws(WriteFailure) -> Void

    /// Writes text; if the reader has gone away, the rest is dropped and the verdict still counts.
    func write(_ text: String) throws(Problem) {
        do { try writeBytes(text.bytes) } catch {
            guard error != .brokenPipe else { return }
            let code = if case .system(let code) = error { code } else { EIO }
            let place: SafeText = path.map { " (\(quoted($0))): name another file" } ?? ""
            throw .inputOutput("the result could not be written: \(SystemError.message(of: code))\(place)")
        }
    }
}

final class OutputBuffer: Sendable {
    private let contents = Mutex<[UInt8]>([])

    init() {}

    var text: String { contents.withLock { String(utf8: $0) } }

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

enum OutputFile {
    static func write(_ text: String, to path: String) throws(Problem) {
        do { try AtomicFile.write(text.bytes, to: path) } catch { throw self.error(error, at: path) }
    }

    /// Writes a whole text to the file or standard output, but never over a file that this run has read.
    static func deliver(_ text: String, to path: String?, in context: Context) throws(Problem) {
        guard let path else {
            try refuseReadFile(behind: context.console.output)
            return try context.console.output.write(text)
        }
        try refuseReadFile(path)
        try write(text, to: path)
    }

    static func lock(_ path: String, _ what: SafeText) throws(Problem) -> FileLock {
        do { return try FileLock(path) } catch {
            if error == .held {
                throw .inputOutput("another run with \(what) is under way (\(quoted(path))): wait for its end")
            }
            throw self.error(error, at: path)
        }
    }

    /// Locks a file that this run replaces; `nil` for a file that it makes, and for a pipe.
    static func lock(replaced path: String?, _ what: SafeText) throws(Problem) -> FileLock? {
        guard let path, FileKind(at: path) == .regular else { return nil }
        return try lock(path, what)
    }

    /// Refuses a file that this run reads, and a file in a directory whose files are all read.
    static func refuseReadFile(_ path: String) throws(Problem) {
        guard let identity = FileIdentity(ofFile: path) else { return }
        try refuseRead(identity, quoted(path))
        // The next run would read a file that is made there now.
        guard let log = ReadLog.current, let directory = FileIdentity(ofDirectoryOf: path),
            log.holds(directory: directory)
        else { return }
        throw .usage("\(quoted(path)) is in a directory whose files are all read: write it somewhere else")
    }

    static func refuseReadFile(behind stream: OutputStream) throws(Problem) {
        guard stream.isFile, let identity = stream.identity else { return }
        try refuseRead(identity, "the file of standard output")
    }

    private static func refuseRead(_ identity: FileIdentity, _ name: String) throws(Problem) {
        guard ReadLog.current?.holds(identity) == true else { return }
        throw .usage("\(name) is read in this run: what is written would destroy what is there, so name another")
    }

    static func error(_ failure: WriteFailure, at path: String) -> Problem {
        do { try refuseMissingDirectory(of: path) } catch { return error }
        if FileKind(at: path) == .directory {
            return .inputOutput("cannot write \(quoted(path)): it is a directory: name a file in it")
        }
        return .inputOutput("cannot write \(quoted(path)): \(reason(of: failure))")
    }

    static func refuseMissingDirectory(of path: String) throws(Problem) {
        let directory = PathParts(path).directory
        guard directory.utf8.count > 1, FileKind(at: String(directory.dropLast())) == .absent else { return }
        throw .inputOutput(
            "cannot write \(quoted(path)): there is no directory \(quoted(directory.dropLast())): make it, or name another file"
        )
    }

    private static func reason(of failure: WriteFailure) -> SafeText {
        switch failure {
        case .unnamed: "the name is empty or holds a NUL"
        case .withoutReader: "this pipe has no reader: start its reader first"
        case .noRoom(let code): "no new file can be made beside it: \(SystemError.message(of: code)): name another"
        case .held: "another run is writing it: wait for its end"
        case .brokenPipe: "its reader has closed it"
        case .foreign(let path): "\(quoted(path)) is not of a download of pincheck: move it away, or name another file"
        case .system(let code): "\(SystemError.message(of: code)): name another file"
        }
    }
}

extension OutputStream {
    /// A file that grows line by line: an interrupted run leaves its results, and two runs write whole lines.
    static func growingFile(at path: String) throws(Problem) -> OutputStream {
        // The name of an open descriptor (`/dev/fd/3`) means the descriptor: a file behind it is added to.
        let open = AtomicFile.descriptor(named: path).map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        let descriptor = open ?? Descriptor.openForWriting(path, O_CREAT | O_TRUNC | O_APPEND)
        guard descriptor >= 0 else { throw OutputFile.error(WriteFailure(opening: errno), at: path) }
        let file = OpenFile(owning: descriptor)
        return OutputStream(isTerminal: false, path: path) { bytes throws(WriteFailure) in
            try Descriptor.writeLines(bytes, to: file.descriptor)
        }
    }
}

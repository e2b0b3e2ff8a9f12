import Machine
import PinChecking
import Pinning
import Synchronization
import Text

/// What an earlier run has written, so that only what is missing is checked (`--resume`).
///
/// A result counts for the very question that it answers: the same target with the same names, pins, clients, roots and settings, and
/// the same contents of their files. What could not be reached is asked again.
final class ResumedRun: Sendable {
    /// The file's name, for messages.
    private let path: String
    private let state: Mutex<State>

    private struct State {
        /// The results by question: a list can have a target twice.
        var done: [QuestionKey: Recorded] = [:]
        /// Results of which nobody can tell what they answer.
        var unknown = 0
        /// The questions of the jobs that are checked now, by position.
        var asked: [SHA256Digest] = []
        /// What the targets of this run came to: first as they were recorded, then as they are checked.
        var total = RunTotal()
        /// How many of them were recorded.
        var recorded = 0
        /// How many of those nobody has taken note of.
        var unnoted = 0
    }

    /// What is recorded for one question.
    private struct Recorded {
        var count: UInt32
        var status: ExitStatus
    }

    /// The most bytes that one result can have: chains of hundreds of certificates with all their names.
    private static let longestLine = 64 << 20

    /// Reads the results in the file at `path`; none where there is no such file.
    ///
    /// A line that was torn when the run was killed is taken out of the file.
    init(_ path: String) throws(CommandError) {
        var state = State()
        switch FileKind(at: path) {
        case .absent: break
        case .regular:
            do throws(WriteFailure) {
                try Descriptor.removeTornLine(ofFile: path)
            } catch {
                throw OutputFile.error(error, at: path)
            }
            try Self.read(path, into: &state)
        default: throw .usage("--resume \(quoted(path)) is no regular file: name one, which need not be there yet")
        }
        self.path = path
        self.state = Mutex(state)
    }

    private static func read(_ path: String, into state: inout State) throws(CommandError) {
        let reader: LineReader
        do throws(ReadFailure) {
            reader = try LineReader(path: path, limit: longestLine, isWritten: true)
        } catch {
            throw CommandError(FileReader.failure(error, quoted(path)))
        }
        // Of targets with several results, until the last.
        var open: [QuestionKey: Set<ExitStatus>] = [:]
        while let line = try nextLine(of: reader, path) {
            guard let result = ResultLine(line[...]) else {
                throw .data(
                    "\(quoted(path)):\(reader.number) is no result of 'pincheck check --format jsonl': --resume goes on with "
                        + "what such a run has written"
                )
            }
            guard let question = result.question else {
                if !result.isFollowed { state.unknown += 1 }
                continue
            }
            var statuses = open.removeValue(forKey: question) ?? []
            if let status = result.status { statuses.insert(status) }
            guard !result.isFollowed else {
                open[question] = statuses
                continue
            }
            let status = statuses.isEmpty ? .pass : ExitStatus.worst(statuses)
            guard status != .unreachable else { continue }
            var recorded = state.done[question] ?? Recorded(count: 0, status: status)
            recorded.count += 1
            recorded.status = .worst([recorded.status, status])
            state.done[question] = recorded
        }
    }

    /// Whether the job has no result yet; each of several that are the same is asked about once.
    ///
    /// Jobs without a result are taken to be checked, one position after the other.
    func lacks(_ job: CheckJob) -> Bool {
        guard let question = job.question else {
            preconditionFailure("a run that goes on needs loaders that tell questions apart")
        }
        return state.withLock { state in
            let key = QuestionKey(question)
            guard var recorded = state.done[key] else {
                state.asked.append(question)
                return true
            }
            state.total.add(recorded.status)
            state.recorded += 1
            state.unnoted += 1
            recorded.count -= 1
            state.done[key] = recorded.count == 0 ? nil : recorded
            return false
        }
    }

    /// The question of the job at a position among those that are checked.
    func question(at position: Int) -> SHA256Digest {
        state.withLock { $0.asked[position] }
    }

    /// Takes note of what a target came to.
    func add(_ status: ExitStatus) {
        state.withLock { $0.total.add(status) }
    }

    /// How many targets of this run were recorded that the last call did not tell of.
    func takeRecorded() -> Int {
        state.withLock { state in
            defer { state.unnoted = 0 }
            return state.unnoted
        }
    }

    /// The worst that is recorded for targets of this run, `nil` for nothing.
    var status: ExitStatus? { state.withLock { $0.total.worst } }

    /// What the run comes to with what was recorded, and what of the file does not count.
    var summary: SafeText {
        state.withLock { state in
            let others = state.unknown + state.done.values.reduce(0) { $0 + Int($1.count) }
            let before = state.recorded == 0 ? "" : ", \(state.recorded) of them recorded before"
            let rest =
                others == 0
                ? ""
                : "; \(others) \(others == 1 ? "result" : "results") in it "
                    + "\(others == 1 ? "answers another question" : "answer other questions") (other targets, pins, clients, "
                    + "roots or settings) and \(others == 1 ? "does" : "do") not count"
            return "\(quoted(path)): \(state.total.sentence())\(before)\(rest)"
        }
    }

    private static func nextLine(of reader: LineReader, _ path: String) throws(CommandError) -> [UInt8]? {
        do throws(LineReader.Failure) {
            return try reader.next()
        } catch {
            switch error {
            case .tooLong: throw .data("\(quoted(path)):\(reader.number) is longer than any result: name another file")
            case .unreadable(let failure): throw CommandError(FileReader.failure(failure, quoted(path)))
            }
        }
    }
}

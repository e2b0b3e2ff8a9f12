import Machine
import PinChecking
import Pinning
import Synchronization
import Text

/// What an earlier run has written, so that only what is missing is checked (`--resume`).
///
/// A result counts for the very question that it answers: the same target with the same names, pins, clients, roots and settings, and
/// the same contents of their files. What could not be reached is asked again, and so is what is older than a day or was trusted by a
/// certificate that has ended since, unless the time to judge by was given.
final class ResumedRun: Sendable {
    /// The file's name, for messages.
    private let path: String
    private let state: Mutex<State>

    fileprivate struct State {
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
    fileprivate struct Recorded {
        var count: UInt32
        var status: ExitStatus
        /// When the oldest was judged, in seconds since 1970.
        var evaluated: Int64
        /// When a certificate of theirs ends first, in seconds since 1970.
        var end: Int64

        /// Whether they still say what is.
        func holds(at now: Timestamp) -> Bool {
            now.secondsSinceEpoch < min(end, evaluated + ResumedRun.secondsOfADay)
        }
    }

    fileprivate static let secondsOfADay: Int64 = 86_400
    private let now: Timestamp

    /// The most bytes that one result can have: chains of hundreds of certificates with all their names.
    private static let longestLine = 64 << 20

    /// Reads the results in the file at `path`; none where there is no such file.
    ///
    /// A line that was torn when the run was killed is taken out of the file, with the other lines of its target.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - now: the moment of this run.
    /// - Throws: ``CommandError`` for a file that is no such run's, or cannot be read or shortened.
    init(_ path: String, at now: Timestamp) throws(CommandError) {
        self.now = now
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
        // The results of a target stand one behind the other.
        var open: [ResultLine] = []
        var wholeEnd = 0
        var end = 0
        while let line = try nextLine(of: reader, path) {
            guard let result = ResultLine(line[...]) else {
                throw .data(
                    "\(quoted(path)):\(reader.number) is no result of 'pincheck check --format jsonl': --resume goes on with "
                        + "what such a run has written"
                )
            }
            end += line.count + 1
            if open.first?.question != result.question { open = [] }
            open.append(result)
            guard !result.isFollowed else { continue }
            wholeEnd = end
            state.add(open)
            open = []
        }
        // Of a target that was not told to its end nothing is left, for it is told again.
        guard wholeEnd < end else { return }
        do throws(WriteFailure) {
            try Descriptor.truncate(fileAt: path, to: wholeEnd)
        } catch {
            throw OutputFile.error(error, at: path)
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
            guard var recorded = state.done[key], job.evaluation?.time != nil || recorded.holds(at: now) else {
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

extension ResumedRun.State {
    /// Takes the results of one target.
    fileprivate mutating func add(_ results: [ResultLine]) {
        guard let question = results.first?.question else {
            unknown += 1
            return
        }
        let statuses = Set(results.compactMap(\.status))
        let status = statuses.isEmpty ? .pass : ExitStatus.worst(statuses)
        guard status != .unreachable else { return }
        let evaluated = results.map(\.evaluated).min() ?? 0
        let end = results.compactMap(\.end).min() ?? .max
        var recorded = done[question] ?? ResumedRun.Recorded(count: 0, status: status, evaluated: evaluated, end: end)
        recorded.count += 1
        recorded.status = .worst([recorded.status, status])
        recorded.evaluated = min(recorded.evaluated, evaluated)
        recorded.end = min(recorded.end, end)
        done[question] = recorded
    }
}

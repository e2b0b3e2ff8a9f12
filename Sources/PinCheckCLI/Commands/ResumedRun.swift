import Base
import PinChecking
import Pinning
import Synchronization

/// What an earlier run has written, so that only what is missing is checked (`--resume`).
///
/// A result counts for the very question that it answers: the same target with the same names, pins, clients, roots and settings, and
/// the same contents of their files, and only with all results of its target. What could not be reached is asked again, and so is what
/// is older than a day or was trusted by a certificate that has ended since, unless the time to judge by was given.
final class ResumedRun: Sendable {
    /// The file's name, for messages.
    private let path: String
    private let state: Mutex<State>

    fileprivate struct State {
        /// The results by question.
        var done: [QuestionKey: Record] = [:]
        /// Results of which nobody can tell what they answer.
        var unknown = 0
        /// The questions of the jobs that are checked now, by position.
        var asked = PendingDigests()
        /// What the targets of this run came to: first as they were recorded, then as they are checked.
        var total = RunTotal()
        /// How many of them were recorded.
        var recorded = 0
        /// How many of those nobody has taken note of.
        var unnoted = 0
    }

    private let now: Timestamp
    /// The file, to which the results of this run are added.
    let file: HeldFile

    /// The most bytes that one result can have: chains of hundreds of certificates with all their names.
    private static let longestLine = 64 << 20

    /// Reads the results in the file at `path`, which is made where there is none, and holds it until ``end()``.
    ///
    /// Nothing is changed before all of the file is known to be results. Then a last line that was torn when the run was killed is
    /// taken out, with the other lines of its target.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - now: the moment of this run.
    /// - Throws: ``CommandError`` for a file that is no such run's, is held by another, or cannot be read or shortened.
    init(_ path: String, at now: Timestamp) throws(CommandError) {
        let file = try HeldFile(path)
        var state = State()
        do throws(CommandError) { try Self.read(file, path, into: &state) } catch {
            file.end()
            throw error
        }
        self.now = now
        self.path = path
        self.file = file
        self.state = Mutex(state)
    }

    /// Lets another run have the file.
    func end() { file.end() }

    private static func read(_ file: HeldFile, _ path: String, into state: inout State) throws(CommandError) {
        // The results of a target stand one behind the other.
        var open: [ResultLine] = []
        var number = 0
        var (end, kept) = (0, 0)
        var isLastEnded = true
        try file.readLines(limit: longestLine) { (line, isEnded) throws(CommandError) in
            number += 1
            guard let result = ResultLine(line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...]) else {
                guard !isEnded, ResultLine.isBeginning(line[...], isAlone: number == 1) else {
                    throw .data(
                        "\(quoted(path)):\(number) is no result of 'pincheck check --format jsonl': --resume goes on with "
                            + "what such a run has written")
                }
                return
            }
            if let last = open.last, !result.follows(last) {
                // What came before was broken off, and something else written behind it: it counts for nothing and stays.
                open = []
                kept = end
            }
            end += line.count + (isEnded ? 1 : 0)
            isLastEnded = isEnded
            open.append(result)
            guard !result.isFollowed else { return }
            state.add(open)
            open = []
            kept = end
        }
        // Of a target that was not told to its end nothing is left, for it is told again: unless it is another run's.
        if let last = open.last, last.set == nil { kept = end }
        try file.keep(kept, endingLine: kept == end && !isLastEnded)
    }

    /// Whether the job has no result yet; each of several that are the same is asked about once.
    ///
    /// Jobs without a result are taken to be checked, one position after the other.
    func lacks(_ job: CheckJob) -> Bool {
        guard let question = job.question else {
            preconditionFailure("a run that goes on needs loaders that tell questions apart")
        }
        return state.withLock { state in
            let isTimeGiven = job.evaluation?.time != nil
            let newest = state.done[QuestionKey(question)]?.takeNewest(at: isTimeGiven ? nil : now)
            guard let recorded = newest, recorded.status != .unreachable, isTimeGiven || recorded.holds(at: now) else {
                state.asked.append(question)
                return true
            }
            state.total.add(recorded.status)
            state.recorded += 1
            state.unnoted += 1
            return false
        }
    }

    /// The question of the job at a position among those that are checked, once.
    func takeQuestion(at position: Int) -> SHA256Digest { state.withLock { $0.asked.take(at: position) } }

    /// Takes note of what a target came to.
    func add(_ status: ExitStatus) { state.withLock { $0.total.add(status) } }

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
            let others = state.unknown + state.done.values.reduce(0) { $0 + $1.others }
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
}

extension ResumedRun.State {
    /// Takes the results of one target.
    fileprivate mutating func add(_ results: [ResultLine]) {
        guard let first = results.first, let question = first.question, first.set != nil else {
            unknown += 1
            return
        }
        // Lines that were lost, mixed or moved make another set: then it is asked again.
        guard ResultLine.set(of: results) == first.set else { return }
        let statuses = Set(results.compactMap(\.status))
        let status = statuses.isEmpty ? .pass : ExitStatus.worst(statuses)
        let recorded = Recorded(
            status: status, evaluated: results.map(\.evaluated).min() ?? 0,
            latest: results.map(\.evaluated).max() ?? .max, end: results.compactMap(\.end).min() ?? .max)
        done[question, default: Record()].add(recorded)
    }
}

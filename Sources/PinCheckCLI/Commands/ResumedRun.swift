import Machine
import PinChecking
import Synchronization
import Text

/// What an earlier run of the same list has written, so that only what is missing is checked (`--resume`).
final class ResumedRun: Sendable {
    /// The worst that the earlier run met, `nil` without any result.
    let status: ExitStatus?
    /// How many targets it is done with.
    let count: Int

    /// How many results there are by key: a list can have a target twice.
    private let done: Mutex<[ResultKey: Int]>

    /// The most bytes that one result can have: chains of hundreds of certificates with all their names.
    private static let longestLine = 64 << 20

    /// Reads the results in the file at `path`; none where there is no such file.
    ///
    /// A line that was torn when the run was killed is taken out of the file.
    init(_ path: String) throws(CommandError) {
        var done: [ResultKey: Int] = [:]
        var statuses: Set<ExitStatus> = []
        var count = 0
        switch FileKind(at: path) {
        case .absent: break
        case .regular:
            do throws(WriteFailure) {
                try Descriptor.removeTornLine(ofFile: path)
            } catch {
                throw OutputFile.error(error, at: path)
            }
            let reader: LineReader
            do throws(ReadFailure) {
                reader = try LineReader(path: path, limit: Self.longestLine, isWritten: true)
            } catch {
                throw CommandError(FileReader.failure(error, quoted(path)))
            }
            while let line = try Self.nextLine(of: reader, path) {
                guard let result = ResultLine(line[...]) else {
                    throw .data(
                        "\(quoted(path)):\(reader.number) is no result of 'pincheck check --format jsonl': --resume goes on with "
                            + "what such a run has written"
                    )
                }
                if let status = result.status { statuses.insert(status) }
                guard !result.isFollowed else { continue }
                done[result.key, default: 0] += 1
                count += 1
            }
        default: throw .usage("--resume \(quoted(path)) is no regular file: name one, which need not be there yet")
        }
        self.done = Mutex(done)
        self.count = count
        status = statuses.isEmpty ? nil : ExitStatus.worst(statuses)
    }

    /// Whether the job has no result yet; each of several that are the same is asked about once.
    func lacks(_ job: CheckJob) -> Bool {
        done.withLock { done in
            guard !done.isEmpty else { return true }
            let key = ResultKey(job)
            guard let count = done[key] else { return true }
            done[key] = count > 1 ? count - 1 : nil
            return false
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

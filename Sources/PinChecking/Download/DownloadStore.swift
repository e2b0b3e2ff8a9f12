import Base
import Pinning
import X509

/// Where the bytes of one document go, and what of it is there already.
///
/// Sendable because one thread at a time touches it: the event loop while a document comes, the downloader between.
final class DownloadStore: @unchecked Sendable {
    private enum Place {
        case file(PartialFile)
        case stream(@Sendable ([UInt8]) throws(OutputError) -> Void)
        case nowhere
    }

    /// Why nothing can be stored.
    enum Obstacle: Error {
        /// The system's answer.
        case failure(WriteFailure)
        /// What stands at this path is none of pincheck's files.
        case inTheWay(String)
    }

    private let place: Place
    /// What escapes the document, `nil` where no terminal shows it.
    private var shown: TerminalDocument?
    private let hash: RunningSHA256?
    private var streamed = 0
    /// What is known of the document of which a part is there, `nil` where nothing is.
    private(set) var record: DownloadRecord?
    /// Why nothing can be stored any more.
    private(set) var failure: WriteFailure?

    /// A store that goes on with what there is of the document at `url`.
    init(_ destination: DownloadDestination, url: String, hashing: Bool) throws(Obstacle) {
        hash = hashing ? RunningSHA256() : nil
        switch destination {
        case .stream(let write): place = .stream(write)
        case .terminal(let write):
            place = .stream(write)
            shown = TerminalDocument()
        case .nowhere: place = .nowhere
        case .interrupted(let path):
            guard [.absent, .regular].contains(FileKind(at: path, followingLinks: false)) else { throw .inTheWay(path) }
            (place, record) = try Self.unfinished(path, url: url, hash)
        case .file(let path):
            let open: OpenFile?
            do throws(WriteFailure) { open = try OpenFile(at: path) } catch { throw .failure(error) }
            if let open {
                place = .stream { bytes throws(OutputError) in try open.write(bytes) }
                if open.isTerminal { shown = TerminalDocument() }
            } else {
                (place, record) = try Self.unfinished(path, url: url, hash)
            }
        }
    }

    /// Opens what there is of the file at `path`; with the record of the document at `url` where it can be gone on with.
    private static func unfinished(
        _ path: String, url: String, _ hash: RunningSHA256?
    ) throws(Obstacle) -> (Place, DownloadRecord?) {
        // Before anything is made there; a link's own files are beside what it names.
        if FileKind(at: path, followingLinks: false) != .special { try refuseOthers(beside: path) }
        let file: PartialFile
        do throws(WriteFailure) { file = try PartialFile(becoming: path) } catch .foreign(let path) {
            throw .inTheWay(path)
        } catch { throw .failure(error) }
        try refuseOthers(beside: file.path)
        let record = file.record.flatMap { DownloadRecord(bytes: $0) }
        // A run that ended before its first byte left nothing; anything else has a record.
        guard file.count == 0 || record != nil else { throw .inTheWay(file.path + PartialFile.suffix) }
        guard let record, record.url == url, record.validator != nil, file.count > 0 else { return (.file(file), nil) }
        if let hash { do throws(WriteFailure) { try file.read { hash.add($0) } } catch { throw .failure(error) } }
        return (.file(file), record)
    }

    private static func refuseOthers(beside path: String) throws(Obstacle) {
        for suffix in [PartialFile.suffix, PartialFile.recordSuffix] {
            let kind = FileKind(at: path + suffix, followingLinks: false)
            if kind == .absent { continue }
            let isRecord = suffix == PartialFile.recordSuffix
            guard kind == .regular,
                !isRecord || PartialFile.record(of: path).flatMap({ DownloadRecord(bytes: $0) }) != nil
            else { throw .inTheWay(path + suffix) }
        }
    }

    /// How many bytes of the document are there.
    var count: Int {
        switch place {
        case .file(let file): record == nil ? 0 : file.count
        case .stream: streamed
        case .nowhere: 0
        }
    }

    /// Whether another run can go on with what is there.
    var isResumable: Bool {
        if case .file(let file) = place { file.count > 0 && record?.validator != nil } else { false }
    }

    /// Whether another run can go on with what comes now.
    var keepsWhatComes: Bool { if case .file = place { record?.validator != nil } else { false } }

    /// Whether there is something of another document, or of one that cannot be told from another.
    var holdsSomethingElse: Bool { if case .file(let file) = place { record == nil && file.count > 0 } else { false } }

    var canBeginAgain: Bool { if case .stream = place { streamed == 0 } else { true } }

    func begin(_ record: DownloadRecord) -> Bool {
        guard failure == nil else { return false }
        self.record = record
        hash?.restart()
        guard case .file(let file) = place else { return true }
        do throws(WriteFailure) {
            try file.begin(recording: record.bytes)
            return true
        } catch {
            failure = error
            return false
        }
    }

    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard failure == nil else { return false }
        hash?.add(bytes)
        switch place {
        case .nowhere: return true
        case .stream(let write):
            do throws(OutputError) {
                try write(shown?.shown(Array(bytes)) ?? Array(bytes))
                streamed += bytes.count
                return true
            } catch {
                failure = .output(error)
                return false
            }
        case .file(let file):
            do throws(WriteFailure) {
                try file.append(bytes)
                return true
            } catch {
                failure = error
                return false
            }
        }
    }

    /// The hash of the whole document; asked for once.
    func finishedHash() -> SHA256Digest? { hash?.finish() }

    func complete() throws(WriteFailure) {
        switch place {
        case .nowhere: break
        case .file(let file): try file.complete()
        case .stream(let write):
            guard let rest = shown?.finished(), !rest.isEmpty else { return }
            do throws(OutputError) { try write(rest) } catch { throw .output(error) }
        }
    }

    /// Lets others have the file: nothing is stored any more.
    func end() { if case .file(let file) = place { file.end() } }

    func discardNothing() {
        // An empty file that was there and that no record is about is not of a download.
        if case .file(let file) = place, file.count == 0, file.isNew || file.record != nil { file.discard() }
    }

    func discard() {
        record = nil
        if case .file(let file) = place { file.discard() }
    }
}

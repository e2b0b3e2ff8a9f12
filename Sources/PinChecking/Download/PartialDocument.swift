import Base
import Pinning
import TLSProbe
import X509

/// What there is of one document, and what becomes of it by a response: it goes on, begins anew or stays as it is.
///
/// Sendable because one thread at a time touches it: the event loop while a response comes, the downloader between.
final class PartialDocument: HTTPReceiver, @unchecked Sendable {
    /// What a head says the response is.
    enum Answer {
        case none
        case document
        /// The document is there already.
        case nothingMissing
        /// What is there is of no use: it has to be asked for without a range.
        case notInRange
        case redirect(String)
        case other(DownloadObjection)
    }

    /// The file of the document, `nil` where it is streamed.
    private let file: PartialFile?
    private let stream: (@Sendable ([UInt8]) throws(OutputError) -> Void)?
    private let url: String
    private let wantedHash: SHA256Digest?
    private let hash: RunningSHA256?
    private let progress: DownloadProgress
    private var streamed = 0
    /// What is known of what is there, `nil` where that is nothing of this document.
    private var record: DownloadRecord?
    /// How many bytes of an earlier run are used.
    private(set) var resumed = 0
    private(set) var startedAgain = false
    /// Why nothing can be stored any more.
    private(set) var failure: WriteFailure?

    // Of the response that is expected or comes.
    private var acceptance: String?
    /// The first byte that is asked for, 0 for all.
    private var offset = 0
    private(set) var answer = Answer.none
    private(set) var head: HTTPResponse?
    private(set) var total: Int?

    /// Opens what an earlier run left of the document, or begins anew.
    init(
        _ destination: DownloadDestination, of request: DownloadRequest, _ progress: DownloadProgress
    ) throws(WriteFailure) {
        url = request.location.description
        wantedHash = request.sha256
        hash = wantedHash == nil ? nil : RunningSHA256()
        self.progress = progress
        guard case .file(let path) = destination else {
            file = nil
            if case .stream(let write) = destination { stream = write } else { stream = nil }
            return
        }
        stream = nil
        let file = try PartialFile(becoming: path) { DownloadRecord(bytes: $0) != nil }
        self.file = file
        guard let record = file.record.flatMap(DownloadRecord.init(bytes:)), record.url == url, record.isResumable,
            file.count > 0
        else { return }
        if let hash { try file.read { hash.add($0) } }
        self.record = record
        resumed = file.count
        progress.keep(true)
    }

    var count: Int { file?.count ?? streamed }

    var isResumable: Bool { file.map { $0.count > 0 } ?? false && record?.isResumable == true }

    /// Whether it can be asked for again: what was streamed was read.
    var mayBeginAgain: Bool { streamed == 0 }

    /// Expects a response from a server that is accepted, and matches the hash of its host and pins; `nil` where no pin matched.
    ///
    /// What came from a server that was accepted by other pins is not gone on with: whoever sent it may be nobody whom these accept.
    ///
    /// - Returns: the fields that ask for what is missing.
    func expect(from acceptance: String?, goingOn: Bool) -> [HTTPField] {
        self.acceptance = acceptance
        (answer, head, total, offset) = (.none, nil, nil, 0)
        guard goingOn, let acceptance, let record, record.acceptance == acceptance, isResumable,
            let range = HTTPField("Range", "bytes=\(count)-"),
            let tag = record.entityTag.flatMap({ HTTPField("If-Range", $0) })
        else { return [] }
        offset = count
        return [range, tag]
    }

    func receive(_ head: HTTPResponse) -> Bool {
        self.head = head
        answer = look(at: head)
        guard case .document = answer, failure == nil else { return false }
        progress.begin(at: count, of: total, keeps: record?.isResumable ?? false)
        return true
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Without a Content-Length nothing else ends the rest of a document where its range does.
        if offset > 0, let total, bytes.count > total - count {
            answer = .other(.wrongRange(head?.value(of: "Content-Range")))
            return false
        }
        do throws(WriteFailure) { try file?.append(bytes) } catch { failure = error }
        if let stream {
            streamed += bytes.count
            do throws(OutputError) { try stream(Array(bytes)) } catch { failure = .output(error) }
        }
        guard failure == nil else { return false }
        hash?.add(bytes)
        progress.add(bytes.count)
        return true
    }

    private func look(at head: HTTPResponse) -> Answer {
        switch head.status {
        case 200, 203: return begin(head)
        case 206: return goOn(head)
        case 301, 302, 303, 307, 308:
            return head.value(of: "Location").map(Answer.redirect) ?? .other(.status(head.statusLine))
        case 416 where offset > 0:
            let range = head.value(of: "Content-Range").flatMap { ContentRange($0) }
            let isWhole = range?.total == offset && record?.total.map { $0 == offset } ?? true
            return isWhole && record?.isOf(head) ?? false ? .nothingMissing : .notInRange
        default: return .other(.status(head.statusLine))
        }
    }

    /// The whole document, whatever was asked for.
    private func begin(_ head: HTTPResponse) -> Answer {
        let record = DownloadRecord(head, url: url, acceptance: acceptance)
        self.record = record
        (total, offset) = (record.total, 0)
        hash?.restart()
        guard let file else { return .document }
        if file.count > 0 { (startedAgain, resumed) = (true, 0) }
        do throws(WriteFailure) { try file.begin(recording: record.bytes) } catch { failure = error }
        return .document
    }

    private func goOn(_ head: HTTPResponse) -> Answer {
        let words = head.value(of: "Content-Range")
        let isMultipart = head.fields.contains {
            $0.isNamed("Content-Type") && $0.value.lowercased().hasPrefix("multipart/byteranges")
        }
        // Its bytes are not those of the document.
        if offset > 0, isMultipart || head.contentCoding != nil { return .notInRange }
        guard offset > 0, let record, let range = words.flatMap({ ContentRange($0) }), let bytes = range.bytes,
            let whole = range.total, bytes.lowerBound == offset, bytes.upperBound == whole - 1,
            head.value(of: "Content-Length").map({ Int($0) == bytes.count }) ?? true
        else { return .other(.wrongRange(words)) }
        guard record.isOf(head), record.total.map({ $0 == whole }) ?? true else { return .notInRange }
        total = whole
        return .document
    }

    /// Gives a whole document its name, or throws away what no run can go on with, and lets others have the file.
    func conclude(_ ending: DownloadEnding) -> DownloadEnding {
        guard let file else { return ending }
        defer { file.end() }
        guard case .complete = ending else {
            if record == nil { file.discardNothing() } else if !isResumable { file.discard() }
            return ending
        }
        record = nil
        if let wantedHash, let found = hash?.finish(), found != wantedHash {
            file.discard()
            return .answered(.wrongHash(found))
        }
        do throws(WriteFailure) { try file.complete() } catch { return .notStored(error) }
        return ending
    }
}

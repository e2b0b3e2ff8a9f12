import Base
import Pinning
import TLSProbe
import X509

/// A partial document, which responses continue, replace or leave; Sendable because one thread at a time uses it.
final class PartialDocument: HTTPReceiver, @unchecked Sendable {
    enum Answer {
        case document
        /// The part cannot be continued: the next request has no range.
        case notInRange
        case redirect(String)
        case ended(DownloadEnding)
    }

    private let file: PartialFile?
    private let stream: DownloadStream
    private let url: String
    private let wantedHash: SHA256Digest?
    private let hash: RunningSHA256?
    private let progress: DownloadProgress
    private var streamed = 0
    /// The record of the partial file; `nil` if the file belongs to another document.
    private var record: DownloadRecord?
    /// The number of bytes of an earlier run that are used.
    private(set) var resumed = 0
    private(set) var startedAgain = false
    private(set) var failure: WriteFailure?

    // The state of the response that is expected or arriving.
    private var acceptance: String?
    /// The first requested byte; 0 means all.
    private var offset = 0
    private(set) var answer = Answer.document
    private(set) var head: HTTPResponse?
    private(set) var total: Int?

    init(
        _ path: String?, or stream: @escaping DownloadStream, of request: DownloadRequest, _ progress: DownloadProgress
    ) throws(WriteFailure) {
        url = request.location.description
        wantedHash = request.sha256
        hash = wantedHash == nil ? nil : RunningSHA256()
        (self.progress, self.stream) = (progress, stream)
        file = try path.map { (path) throws(WriteFailure) in
            try PartialFile(becoming: path) { DownloadRecord(bytes: $0) != nil }
        }
        guard let file, let record = file.record.flatMap(DownloadRecord.init(bytes:)), record.url == url,
            record.isResumable, file.count > 0
        else { return }
        if let hash { try file.read { hash.add($0) } }
        self.record = record
        resumed = file.count
        progress.keep(true)
    }

    var count: Int { file?.count ?? streamed }
    var isResumable: Bool { file.map { $0.count > 0 } ?? false && record?.isResumable == true }

    /// `true` if the document can be requested again: streamed bytes have already been read.
    var mayBeginAgain: Bool { streamed == 0 }

    /// Prepares for a response of an accepted server, and returns the fields that request the missing bytes.
    ///
    /// `acceptance` is the hash of its host and pins, `nil` if no pin matched. Bytes of a server that other pins
    /// accepted are not continued: these pins might reject their sender.
    func expect(from acceptance: String?, goingOn: Bool) -> [HTTPField] {
        self.acceptance = acceptance
        (answer, head, total, offset) = (.document, nil, nil, 0)
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
        // Without a Content-Length, this check alone ends a response that is longer than its range.
        if offset > 0, let total, bytes.count > total - count {
            answer = .ended(.wrongRange(head?.value(of: "Content-Range")))
            return false
        }
        if file == nil { streamed += bytes.count }
        do {
            if let file { try file.append(bytes) } else { try stream(Array(bytes)) }
        } catch { failure = error }
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
            return head.value(of: "Location").map(Answer.redirect) ?? .ended(.status(head.statusLine))
        case 416 where offset > 0:
            let range = head.value(of: "Content-Range").flatMap { ContentRange($0) }
            let isWhole = range?.total == offset && record?.total.map { $0 == offset } ?? true
            return isWhole && record?.isOf(head) ?? false ? .ended(.complete) : .notInRange
        default: return .ended(.status(head.statusLine))
        }
    }

    private func begin(_ head: HTTPResponse) -> Answer {
        let record = DownloadRecord(head, url: url, acceptance: acceptance)
        self.record = record
        (total, offset) = (record.total, 0)
        hash?.restart()
        guard let file else { return .document }
        if file.count > 0 { (startedAgain, resumed) = (true, 0) }
        do { try file.begin(recording: record.bytes) } catch { failure = error }
        return .document
    }

    private func goOn(_ head: HTTPResponse) -> Answer {
        let words = head.value(of: "Content-Range")
        let isMultipart = head.fields.contains {
            $0.isNamed("Content-Type") && $0.value.lowercased().hasPrefix("multipart/byteranges")
        }
        // The bytes of such a response are not those of the document.
        if offset > 0, isMultipart || head.contentCoding != nil { return .notInRange }
        guard offset > 0, let record, let range = words.flatMap({ ContentRange($0) }), let bytes = range.bytes,
            let whole = range.total, bytes.lowerBound == offset, bytes.upperBound == whole - 1,
            head.value(of: "Content-Length").map({ Int($0) == bytes.count }) ?? true
        else { return .ended(.wrongRange(words)) }
        guard record.isOf(head), record.total.map({ $0 == whole }) ?? true else { return .notInRange }
        total = whole
        return .document
    }

    /// Names a complete document, discards a part that no run can continue, and closes the file.
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
            return .wrongHash(found)
        }
        do { try file.complete() } catch { return .notStored(error) }
        return ending
    }
}

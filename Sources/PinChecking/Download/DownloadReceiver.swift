import TLSProbe

/// Takes one answer: decides by its head what becomes of what is there, and stores its body.
///
/// Sendable because everything but the progress is touched by the event loop alone, until the transfer has ended.
final class DownloadReceiver: TransferReceiver, @unchecked Sendable {
    enum Answer {
        case none
        case document
        /// The document is there already.
        case nothingMissing
        /// What is there is of no use: it has to be asked for without a range.
        case notInRange
        case redirect(String)
        /// Something else.
        case other(DownloadObjection)
    }

    private let store: DownloadStore
    private let url: String
    private let method: HTTPQuestion.Method
    /// The first byte that is asked for, 0 for all.
    private(set) var offset = 0
    private var goesOn = false
    /// The hash of what the server is accepted by, `nil` for one without TLS.
    private var acceptance: String?
    var isPinned = false
    private let progress: DownloadProgress
    private(set) var answer = Answer.none
    private(set) var head: TransferHead?
    private(set) var startedAgain: DownloadResult.StartedAgain?
    private(set) var total: Int?

    init(_ store: DownloadStore, url: String, method: HTTPQuestion.Method, progress: DownloadProgress) {
        self.store = store
        self.url = url
        self.method = method
        self.progress = progress
    }

    /// Says, before a server is asked, by what it is accepted, and whether what is there may be gone on with.
    ///
    /// What came from a server that was accepted by anything else is not: whoever sent it may be nobody whom these pins accept.
    func begin(from acceptance: String?, goingOn: Bool, needingPins: Bool = false) {
        self.acceptance = acceptance
        goesOn = store.record.map { $0.acceptance == acceptance && ($0.isPinned || !needingPins) } ?? false
        offset = goingOn && goesOn && method == .get ? store.count : 0
    }

    func receive(_ head: TransferHead) -> Bool {
        self.head = head
        answer = look(at: head)
        guard case .document = answer else { return false }
        progress.begin(at: store.count, of: total, keeps: store.keepsWhatComes)
        return true
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Without a Content-Length nothing else ends the rest of a document where its range does.
        if head?.status == 206, let total, bytes.count > total - store.count {
            answer = .other(.wrongRange(head?.value(of: "Content-Range")))
            return false
        }
        guard store.append(bytes) else { return false }
        progress.add(bytes.count)
        return true
    }

    private func look(at head: TransferHead) -> Answer {
        switch head.status {
        case 200, 203: return begin(head)
        case 206: return goOn(head)
        case 301, 302, 303, 307, 308:
            return head.value(of: "Location").map(Answer.redirect) ?? .other(.status(head.status, head.reason))
        case 416 where offset > 0:
            let range = head.value(of: "Content-Range").flatMap { ContentRange($0) }
            let isWhole = range?.total == offset && store.record?.total.map { $0 == offset } ?? true
            return isWhole && (isPinned || store.record?.isPinned == false) && store.record?.isOf(head) ?? false
                ? .nothingMissing : .notInRange
        default: return .other(.status(head.status, head.reason))
        }
    }

    /// The whole document, whatever was asked for.
    private func begin(_ head: TransferHead) -> Answer {
        let record = DownloadRecord(head, url: url, acceptance: acceptance, isPinned: isPinned)
        total = record.total
        guard method == .get else { return .document }
        guard store.canBeginAgain else { return .other(.wrongRange(nil)) }
        if offset > 0 {
            startedAgain = store.record.map { $0.isOf(head) } ?? false ? .noRanges : .changed
        } else if store.holdsSomethingElse {
            startedAgain = .unknown
        } else if store.count > 0, !goesOn {
            startedAgain = .acceptedOtherwise
        }
        _ = store.begin(record)
        return .document
    }

    private func goOn(_ head: TransferHead) -> Answer {
        let words = head.value(of: "Content-Range")
        // Its bytes are not those of the document.
        if offset > 0, Self.isWrapped(head) { return .notInRange }
        guard offset > 0, let record = store.record, let range = words.flatMap({ ContentRange($0) }),
            let bytes = range.bytes, let whole = range.total, bytes.lowerBound == offset, bytes.upperBound == whole - 1,
            Self.length(head).map({ $0 == bytes.count }) ?? true
        else { return .other(.wrongRange(words)) }
        // No byte of a server that no pin is for is added to those of one that a pin was for.
        guard isPinned || !record.isPinned else { return .notInRange }
        guard record.isOf(head), record.total.map({ $0 == whole }) ?? true else { return .notInRange }
        total = whole
        return .document
    }

    /// How long the body is, `nil` where the head does not say.
    private static func length(_ head: TransferHead) -> Int? { head.value(of: "Content-Length").flatMap(Int.init) }

    /// Whether a body is encoded, or made of several parts.
    private static func isWrapped(_ head: TransferHead) -> Bool {
        head.isEncoded
            || head.fields.contains {
                $0.isNamed("Content-Type") && $0.value.lowercased().hasPrefix("multipart/byteranges")
            }
    }
}

import TLSProbe

/// Takes one answer: decides by its head what becomes of what is there, and stores its body.
///
/// Sendable because everything but the progress is touched by the event loop alone, until the transfer has ended.
final class DownloadReceiver: TransferReceiver, @unchecked Sendable {
    /// What the answer is about.
    enum Answer {
        /// There is none yet.
        case none
        /// The document, or the rest of it.
        case document
        /// The document is there already.
        case nothingMissing
        /// What is there is of no use: it has to be asked for without a range.
        case notInRange
        /// A redirect.
        case redirect(String)
        /// Something else.
        case other(DownloadObjection)
    }

    private let store: DownloadStore
    private let url: String
    private let method: HTTPQuestion.Method
    /// The first byte that was asked for, 0 for all.
    private let offset: Int
    private let progress: DownloadProgress
    /// What the answer is about.
    private(set) var answer = Answer.none
    /// Its head.
    private(set) var head: TransferHead?
    /// Why what was there was thrown away.
    private(set) var startedAgain: DownloadResult.StartedAgain?
    /// How long the document is.
    private(set) var total: Int?

    init(
        _ store: DownloadStore,
        url: String,
        method: HTTPQuestion.Method,
        offset: Int,
        progress: DownloadProgress
    ) {
        self.store = store
        self.url = url
        self.method = method
        self.offset = offset
        self.progress = progress
    }

    func receive(_ head: TransferHead) -> Bool {
        self.head = head
        answer = look(at: head)
        guard case .document = answer else { return false }
        progress.begin(at: store.count, of: total, keeps: store.keepsWhatComes)
        return true
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
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
            return isWhole && store.record?.isOf(head) ?? false ? .nothingMissing : .notInRange
        default: return .other(.status(head.status, head.reason))
        }
    }

    /// The whole document, whatever was asked for.
    private func begin(_ head: TransferHead) -> Answer {
        let record = DownloadRecord(head, url: url)
        total = record.total
        guard method == .get else { return .document }
        guard store.canBeginAgain else { return .other(.wrongRange(nil)) }
        if offset > 0 {
            startedAgain = store.record.map { $0.isOf(head) } ?? false ? .noRanges : .changed
        } else if store.holdsSomethingElse {
            startedAgain = .unknown
        }
        _ = store.begin(record)
        return .document
    }

    /// The rest of the document, where it is what was asked for.
    private func goOn(_ head: TransferHead) -> Answer {
        let words = head.value(of: "Content-Range")
        guard offset > 0, let record = store.record, let range = words.flatMap({ ContentRange($0) }),
            let bytes = range.bytes, bytes.lowerBound == offset
        else { return .other(.wrongRange(words)) }
        let isSame = record.isOf(head) && (record.total == nil || range.total == nil || record.total == range.total)
        guard isSame else { return .notInRange }
        total = range.total ?? record.total
        return .document
    }
}

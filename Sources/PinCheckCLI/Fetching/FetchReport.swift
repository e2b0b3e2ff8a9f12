import Base
import PinChecking
import TLSProbe

/// The JSON document of `fetch`.
struct FetchReport: DocumentObject {
    /// The name and version of the document's form.
    static let schema = "pincheck-fetch/1"

    var url: String
    var file: String?
    var hops: [Hop]
    var reason: Report.Message
    var bytes: Int
    var resumedAt: Int
    var total: Int?
    var startedAgain: String?
    var contentEncoding: String?
    var retries: Int
    var sha256: String?
    var seconds: Double
    var exit: Report.Exit

    /// One server on the way.
    struct Hop: DocumentObject {
        var url: String
        var status: Int?
        var report: Report?
    }

    /// Several documents.
    struct List: DocumentObject {
        let results: [FetchReport]
        let exit: Report.Exit
    }
}

extension FetchReport {
    init(_ result: DownloadResult, file: String?, sha256: String?) {
        let status = ExitStatus(result)
        url = result.location.description
        self.file = file
        hops = result.hops.map {
            Hop(url: $0.location.description, status: $0.status, report: $0.result.map(Report.init))
        }
        reason = Report.Message(result.reason(file: file))
        bytes = result.count
        resumedAt = result.resumedAt
        total = result.total
        startedAgain = result.startedAgain?.rawValue
        contentEncoding = result.contentCoding
        retries = result.retries
        self.sha256 = sha256
        seconds = Double(result.time.components.seconds) + Double(result.time.components.attoseconds) / 1e18
        exit = Report.Exit(status)
    }

    static let exits = ValueForm.exits(
        [.pass, .fail, .unreachable, .answer, .usage, .data, .noInput, .software, .inputOutput],
        definition: "downloadExit")

    static let fields: DocumentFields<FetchReport> = [
        DocumentField("schema", { _ in FetchReport.schema }, as: .constant(FetchReport.schema)),
        DocumentField("url", \.url, "What was asked for."),
        DocumentField("file", \.file, "The file of the document; null for standard output."),
        DocumentField("hops", \.hops, "Every server on the way; of several tries those of the last."),
        DocumentField("reason", \.reason, "How it ended."),
        DocumentField("bytes", \.bytes, "How many bytes of the document are there.", as: .atLeast(0)),
        DocumentField("resumed_at", \.resumedAt, "How many of them an earlier run left.", as: .atLeast(0)),
        DocumentField("total", \.total, "How long the document is; null where no server said.", as: .atLeast(0)),
        DocumentField(
            "started_again", \.startedAgain, "Why what an earlier run left was thrown away; null where it was not.",
            as: .words(["changed", "no-ranges", "unknown", "accepted-otherwise"])),
        DocumentField(
            "content_encoding", \.contentEncoding,
            "How the document is encoded, in the server's words: nothing is decompressed; null for not at all."),
        DocumentField("retries", \.retries, as: .atLeast(0)),
        DocumentField("sha256", \.sha256, "The hash that was asked for; null without one.", as: .sha256),
        DocumentField("seconds", \.seconds), DocumentField("exit", \.exit, as: exits),
    ]
}

extension FetchReport.Hop {
    static let fields: DocumentFields<FetchReport.Hop> = [
        DocumentField("url", \.url),
        DocumentField("status", \.status, "The HTTP status; null without an answer.", as: .within(100...999)),
        DocumentField("report", \.report, "What the server was judged to be; null for one without TLS."),
    ]
}

extension FetchReport.List {
    static let definition: String? = "downloads"

    static let fields: DocumentFields<FetchReport.List> = [
        DocumentField("schema", { _ in FetchReport.schema }, as: .constant(FetchReport.schema)),
        DocumentField("results", \.results), DocumentField("exit", \.exit, as: FetchReport.exits),
    ]
}

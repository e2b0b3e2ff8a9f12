import Base
import PinChecking
import TLSProbe

extension Report {
    /// The request for an accepted server, and what came of it.
    struct HTTP: DocumentObject {
        /// `GET` or `HEAD`.
        var method: String
        var path: String
        var host: String
        var expected: [String]
        /// Whether the server was asked, as only one is that is accepted.
        var asked: Bool
        /// The status of the answer, `nil` without one.
        var status: Int?
        var statusLine: String?
        /// From the request to the end of the answer's head, in milliseconds.
        var timeMs: Double?
        /// Whether the answer is as it should be, `nil` where the server was not asked.
        var asExpected: Bool?
        /// Why there is no answer, `nil` where there is one and where the server was not asked.
        var problem: String?
    }
}

extension Report.HTTP {
    init(_ answer: CheckedAnswer) {
        let request = answer.exchange.request
        let result = answer.result
        let came = try? result?.get()
        var problem: String?
        if case .failure(let error)? = result { problem = error.description }
        self.init(
            method: HTTPRequest.method, path: withoutSecrets(request.path), host: request.authority,
            expected: answer.exchange.expected?.texts ?? [], asked: result != nil, status: came?.status,
            statusLine: came?.statusLine, timeMs: came.map { Report.milliseconds($0.time) },
            asExpected: answer.isAsExpected, problem: problem)
    }

    /// What came of the request, in few words.
    var outcome: String { statusLine ?? problem ?? "not asked, since the server is not accepted" }

    /// The request as a check beside those of the connection and the clients.
    var check: Report.Check {
        Report.Check(
            client: nil, id: Report.Check.request, status: asExpected.map { $0 ? "pass" : "fail" } ?? "skip",
            detail: "\(method) \(path): \(outcome)")
    }
}

extension Report.Check { static let request = "request" }

// The keys of the document.

extension Report.HTTP {
    static let definition: String? = "http"

    static let fields: DocumentFields<Report.HTTP> = [
        DocumentField("method", \.method, as: .words(["GET", "HEAD"])),
        DocumentField("path", \.path, as: .matching(.beginning(with: "/"))),
        DocumentField("host", \.host, "The Host header."),
        DocumentField("expected", \.expected, "The statuses the answer may have (--expect-status); empty for any."),
        DocumentField("asked", \.asked, "False for a server that is not accepted."),
        DocumentField("status", \.status, as: .within(101...999)),
        DocumentField("status_line", \.statusLine, "In the server's words."),
        DocumentField("time_ms", \.timeMs, "From the request to the end of the answer's head.", as: .atLeast(0)),
        DocumentField("as_expected", \.asExpected, "Null where it was not asked."),
        DocumentField("problem", \.problem, "Why there is no answer."),
    ]
}

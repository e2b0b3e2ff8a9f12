import PinChecking
import TLSProbe

extension Report {
    /// The request for an accepted server, and what came of it.
    struct HTTP: Encodable, Sendable {
        /// `GET` or `HEAD`.
        var method: String
        /// The path and the query.
        var path: String
        /// The Host header.
        var host: String
        /// The statuses that the answer may have; none for any.
        var expected: [String]
        /// Whether the server was asked, as only one is that is accepted.
        var asked: Bool
        /// The status of the answer, `nil` without one.
        @ExplicitNull var status: Int? = nil
        /// The status line as the server wrote it.
        @ExplicitNull var statusLine: String? = nil
        /// From the request to the end of the answer's head, in milliseconds.
        @ExplicitNull var timeMs: Double? = nil
        /// Whether the answer is as it should be, `nil` where the server was not asked.
        @ExplicitNull var asExpected: Bool? = nil
        /// Why there is no answer, `nil` where there is one and where the server was not asked.
        @ExplicitNull var problem: String? = nil
    }
}

extension Report.HTTP {
    /// Reports a request.
    init(_ answer: CheckedAnswer) {
        let question = answer.exchange.question
        let result = answer.result
        let came = try? result?.get()
        var problem: String?
        if case .failure(let error)? = result { problem = error.description }
        self.init(
            method: question.method.rawValue,
            path: question.path.description,
            host: question.authority,
            expected: answer.exchange.expected?.texts ?? [],
            asked: result != nil,
            status: came?.status,
            statusLine: came?.statusLine,
            timeMs: came.map { Report.milliseconds($0.time) },
            asExpected: answer.isAsExpected,
            problem: problem
        )
    }

    /// What came of the request, in few words.
    var outcome: String { statusLine ?? problem ?? "not asked, since the server is not accepted" }

    /// The request as a check beside those of the connection and the clients.
    var check: Report.Check {
        Report.Check(
            client: nil,
            id: Report.Check.request,
            status: asExpected.map { $0 ? "pass" : "fail" } ?? "skip",
            detail: "\(method) \(path): \(outcome)"
        )
    }
}

extension Report.Check {
    /// The id of the check that is the answer to a request.
    static let request = "request"
}

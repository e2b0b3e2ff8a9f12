import Base
package import TLSProbe

package struct CheckedAnswer: Sendable {
    package let exchange: CheckExchange
    /// What the server answered, or why it did not; `nil` where it was not asked, since it was not accepted.
    package let result: Result<HTTPResponse, HTTPError>?

    /// Whether the answer is as it should be, `nil` where the server was not asked.
    package var isAsExpected: Bool? { result == nil ? nil : objection == nil }

    /// That the answer is an error, where no status is expected; `nil` for any other.
    var warning: Finding? {
        guard exchange.expected == nil, case .success(let answer)? = result, answer.status >= 400 else { return nil }
        let line = TerminalText.shortened(answer.statusLine, to: 200)
        return .warning(
            id: "error-answer",
            message: "\(withoutSecrets(exchange.request.title)) is answered by \(line): say which statuses are right")
    }

    /// What is to be said against the answer, `nil` for nothing.
    ///
    /// Without an expected status any answer will do.
    var objection: Reason? {
        // The path is as long as the user wants it, the line as the server does.
        let question = TerminalText.shortened(withoutSecrets(exchange.request.title), to: 120)
        switch result {
        case nil: return nil
        case .success(let answer):
            guard let expected = exchange.expected, !expected.includes(answer.status) else { return nil }
            let line = TerminalText.shortened(answer.statusLine, to: 200)
            return Reason(
                id: "unexpected-status",
                message:
                    "\(question) is answered by \(line), not by \(TerminalText.shortened(expected.texts.joined(separator: ","), to: 120))"
            )
        case .failure(let error):
            return Reason(
                id: "no-http-answer", message: "\(question) has no HTTP answer: \(error)", remedy: error.remedy)
        }
    }
}

extension HTTPError {
    /// What would bring an answer, `nil` where the sentence says it or nothing would.
    fileprivate var remedy: Remedy? {
        switch self {
        case .deadlineExceeded: .raiseTimeout
        case .handshakeNotCompleted, .alert(.certificateRequired): .giveClientCertificate
        default: nil
        }
    }
}

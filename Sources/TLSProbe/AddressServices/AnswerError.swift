internal import Base

/// Why an answer could not be read, or is a refusal.
///
/// Text of the answer is in ``problem`` as it came, and escaped in the description.
package struct AnswerError: Error, Sendable, Hashable {
    /// What is wrong.
    package enum Problem: Sendable, Hashable {
        /// There is nothing but white space.
        case empty
        /// The bytes are not UTF-8.
        case notText
        /// There are more than so many bytes.
        case tooLarge(limit: Int)
        /// One host has more than so many addresses.
        case tooManyAddresses(Int, limit: Int)
        /// It begins as a web page does.
        case webPage
        /// It has the looks of an encrypted answer.
        case encrypted
        /// This is no address.
        case notAnAddress(String)
        /// This is no time to live in seconds.
        case notATimeToLive(String)
        /// A JSON document that breaks off or is malformed, with the reader's words if it had any.
        case brokenJSON(String?)
        /// A JSON document without the keys of any known answer.
        case unknownJSON
        /// Something in a JSON document is not of the expected kind.
        case wrongValue(expected: String)
        /// The service refused to answer, in its own words.
        case refused(String)
        /// The service answered with this DNS response code (RFC 1035, 4.1.1).
        case responseCode(Int)
    }

    /// What is wrong.
    package let problem: Problem
    /// The line in a text, from 1, or the keys in a JSON document, as in `line 2` and `Answer[0].data`.
    package let place: String?

    init(_ problem: Problem, at place: String? = nil) {
        self.problem = problem
        self.place = place
    }
}

extension AnswerError: CustomStringConvertible {
    /// What is wrong and where, without the name of the file or service: in one line.
    package var description: String { TerminalText.escaped((place.map { "\($0): " } ?? "") + sentence) }

    private var sentence: String {
        switch problem {
        case .empty: "there is no answer in it: expected addresses, as in 192.0.2.1;192.0.2.2"
        case .notText: "it is not text"
        case .tooLarge(let limit): "it is larger than \(limit / 1024) KiB, no answer is as long"
        case .tooManyAddresses(let count, let limit): "it gives one host \(count) addresses, more than \(limit)"
        case .webPage: "it is a web page: check the address of the service"
        case .encrypted: "it looks encrypted: give the answer as it is after decryption"
        case .notAnAddress(let text): "\(quoted(text, to: 60)) is not an address"
        case .notATimeToLive(let text):
            "\(quoted(text, to: 60)) is not a time to live in seconds; addresses are joined by ';'"
        case .brokenJSON(let detail): "it is broken JSON" + (detail.map { " (\($0))" } ?? "")
        case .unknownJSON: "it has neither 'ips' (Aliyun) nor 'Answer' (DNS over HTTPS)"
        case .wrongValue(let expected): "it is not \(expected)"
        case .refused(let words): "the service refuses: \(quoted(words, to: 60))"
        case .responseCode(let code):
            "the DNS response code is \(code)" + (Self.name(of: code).map { " (\($0))" } ?? "")
        }
    }

    private static func name(of code: Int) -> String? {
        switch code {
        case 1: "FORMERR, the service did not understand the question"
        case 2: "SERVFAIL, the name's servers did not answer"
        case 3: "NXDOMAIN, there is no such name"
        case 5: "REFUSED, the service does not answer this question"
        default: nil
        }
    }
}

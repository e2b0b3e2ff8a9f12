import TLSProbe
import Pinning

/// What holds for answers of services that resolve names.
enum AnswerProperties {
    /// Reads `bytes` as an answer in any form.
    static func check(_ bytes: [UInt8]) throws(Violation) {
        switch Result(catching: { () throws(AnswerError) in try AddressAnswer.read(bytes) }) {
        case .success(let answers):
            try Violation.unless(!answers.isEmpty, "read, and no answer")
            for answer in answers {
                try Violation.unless(answer.addresses.count <= AddressAnswer.addressLimit, "too many addresses")
                try Violation.unless(Set(answer.addresses).count == answer.addresses.count, "addresses twice")
            }
        case .failure(let error):
            // Whoever shows it escapes it: line breaks of the answer are in it.
            let length = error.description.utf8.count
            try Violation.unless(length <= 1_000, "a message of \(length) bytes")
        }
    }
}

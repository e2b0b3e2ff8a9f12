/// Why an OCSP response that a server sent along says nothing about its certificate.
package struct StapleError: Error, Hashable, CustomStringConvertible {
    /// What is wrong.
    package enum Problem: Sendable, Hashable {
        /// Not one whole OCSP response with basic contents (RFC 6960, 4.2.1).
        case damaged
        /// More bytes than any response about one certificate has.
        case tooLarge
        /// It has more answers or certificates, or stranger keys, than are read.
        case costly
        /// The responder gave an error in place of a response, by its number.
        case refused(status: Int)
        /// It is about other certificates.
        case aboutOthers
        /// A date in it is none.
        case brokenDate
        /// It is not signed by the issuer, or by a responder that the issuer made for that.
        case notSigned
    }

    /// What is wrong.
    package let problem: Problem
    /// OpenSSL's own words for it, when it had any.
    package let detail: String?

    init(_ problem: Problem, detail: String? = nil) {
        self.problem = problem
        self.detail = detail
    }

    /// One line that says what is wrong.
    package var description: String {
        let what =
            switch problem {
            case .damaged: "the staple is not a whole OCSP response"
            case .tooLarge: "the staple is larger than \(StapleReader.sizeLimit >> 10) KiB, and no OCSP response is"
            case .costly: "the staple has more answers or certificates, or stranger keys, than any OCSP response has"
            case .refused(let status): "the staple is the responder's error '\(Self.name(ofStatus: status))'"
            case .aboutOthers: "the staple is about another certificate"
            case .brokenDate: "the staple has a malformed date"
            case .notSigned: "the staple is not signed by the certificate's issuer, or for it"
            }
        return what + (detail.map { " (\($0))" } ?? "")
    }

    /// The names of RFC 6960, 4.2.1.
    private static func name(ofStatus status: Int) -> String {
        let names = [1: "malformedRequest", 2: "internalError", 3: "tryLater", 5: "sigRequired", 6: "unauthorized"]
        return names[status] ?? String(status)
    }
}

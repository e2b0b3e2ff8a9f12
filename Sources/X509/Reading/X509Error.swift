/// Why bytes could not be read as a certificate, a key or PEM text.
package struct X509Error: Error, Hashable, CustomStringConvertible {
    package enum Problem: Sendable, Hashable {
        /// Not one whole DER certificate: cut off, followed by more bytes, or something else.
        case notACertificate
        /// Not one whole DER SubjectPublicKeyInfo of a kind OpenSSL can read.
        case notAPublicKey
        /// Not one whole DER certification request with a good signature.
        case notARequest
        /// Not one whole DER private key without a passphrase.
        case notAPrivateKey
        /// PEM text whose base64 or framing is broken.
        case brokenPEM
        /// A certificate with trust settings, which only a trust store of OpenSSL heeds.
        case trustSettings
        /// More bytes than any file of certificates has.
        case tooLarge
    }

    package let problem: Problem
    /// The line of the PEM block concerned, from 1; `nil` for bytes that are not text.
    package let line: Int?
    /// OpenSSL's own words for it, when it had any.
    package let detail: String?

    /// Describes bytes that could not be read.
    package init(_ problem: Problem, line: Int? = nil, detail: String? = nil) {
        self.problem = problem
        self.line = line
        self.detail = detail
    }

    /// One line that says what was expected, where, and what OpenSSL said.
    package var description: String {
        let what =
            switch problem {
            case .notACertificate: "not a whole X.509 certificate"
            case .notAPublicKey: "not a whole public key (SubjectPublicKeyInfo)"
            case .notARequest: "not a whole certification request (PKCS #10)"
            case .notAPrivateKey: "not a whole private key without a passphrase"
            case .brokenPEM: "broken PEM text"
            case .trustSettings: "a certificate with OpenSSL's trust settings, which nothing heeds here"
            case .tooLarge: "larger than any file of certificates, so it was not read"
            }
        return what + (line.map { " at line \($0)" } ?? "") + (detail.map { " (\($0))" } ?? "")
    }
}

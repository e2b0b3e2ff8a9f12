internal import COpenSSL
internal import Pinning

/// Staples as Android reads them: Conscrypt hands them to a `PKIXRevocationChecker` (`sun.security.provider.certpath`) that has no other
/// answer to go by and no soft failure.
extension StapleReader {
    /// How far clocks may differ, in seconds (`OCSPResponse.MAX_CLOCK_SKEW`).
    private static let slack: Int64 = 900

    /// Why a response whose signature is good is no good one to Android, in a clause; `nil` where it is.
    ///
    /// Of several answers about a certificate the last one counts, and certificates are named by SHA-1 alone (`CertId`). Each of those
    /// in the response has to be current, whatever it is about, and no extension is known that is critical.
    static func androidObjection(
        to response: OCSPResponseHandle, about leaf: X509Handle, from issuer: X509Handle, at time: Timestamp
    ) -> String? {
        if response.hasCriticalExtension { return "it has a critical extension" }
        for answer in response.lastAnswers {
            guard let answer = try? staple(answer) else { return "an answer in it is damaged" }
            if let objection = objection(toDatesOf: answer, at: time) { return objection }
        }
        guard let last = response.lastAnswerBySHA1(about: leaf, from: issuer), let answer = try? staple(last) else {
            return "it does not name the certificate by SHA-1"
        }
        return switch answer.status {
        case .good: nil
        case .revoked: "it says that the certificate was revoked"
        case .unknown: "it says that the issuer does not know the certificate"
        }
    }

    private static func objection(toDatesOf answer: Staple, at time: Timestamp) -> String? {
        let now = time.secondsSinceEpoch
        if answer.thisUpdate.secondsSinceEpoch > now + slack { return "it is not valid before \(answer.thisUpdate)" }
        let end = answer.nextUpdate ?? answer.thisUpdate
        guard end.secondsSinceEpoch < now - slack else { return nil }
        return answer.nextUpdate == nil
            ? "it is of \(end) and does not say until when it counts" : "it expired at \(end)"
    }
}

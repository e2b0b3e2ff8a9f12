import Base
import Pinning

extension Problem {
    /// What there is to say of a header that pins.
    static func responseHeader(at place: PinPlace) -> Problem {
        Problem(
            .notation, at: place, "is the header of a response, and no browser enforces its pins any more",
            remedy: "give its pins alone: pin-sha256=\"…\"")
    }

    /// What there is to say of PKCS #7.
    static func signedData(at place: PinPlace, _ word: String, isPEM: Bool) -> Problem {
        Problem(
            .otherKind, at: place, "PKCS #7, which is not read",
            remedy:
                "take its certificates: openssl pkcs7 -print_certs \(isPEM ? "" : "-inform der ")-in \(word) -out certificates.pem"
        )
    }
}

package import Pinning
import X509

/// A TLSA record that is configured and that no pin can express, as one of a certificate's hash.
package struct ConfiguredRecord: Sendable {
    /// The record.
    package let record: TLSARecord
    /// Where it was read.
    package let origin: String
}

extension TLSARecord {
    /// Whether a pin says the same as the record, apart from where on the path it has to be.
    func says(_ pin: Pin, _ verifier: some PathVerifier) -> Bool {
        switch (selector, matching) {
        case (.publicKey, .sha256): data == pin.spkiSHA256.bytes
        case (.publicKey, .full): Hashing.sha256(data) == pin.spkiSHA256
        case (.certificate, _), (.publicKey, .sha512): pin.certificate.map { matches($0, verifier) } ?? false
        }
    }
}

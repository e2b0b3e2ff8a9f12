import Pinning
import TLSProbe

extension CertificateKeyType {
    /// The type that clients ask for to get a certificate with such a key, `nil` for one that no server has.
    init?(_ algorithm: KeyAlgorithm) {
        switch algorithm {
        case .rsa: self = .rsa
        case .ec: self = .ecdsa
        case .other(let name, _) where name.lowercased() == "ed25519": self = .ed25519
        case .other, .unknown: return nil
        }
    }
}

internal import Base
package import Pinning

/// One key that can be pinned, with what is known of it: what the writers write.
package struct PinItem: Sendable, Hashable {
    package enum Role: String, Sendable, Hashable, CaseIterable {
        case leaf
        /// An authority below the root.
        case intermediate
        /// The authority at the end of the chain, whose certificate signed itself.
        case root
        /// An authority of which only the key's hash is known.
        case authority
        case publicKey = "public-key"
        case request
        case privateKey = "private-key"

        /// Whether the key belongs to an authority, which vouches for certificates other than the server's too.
        package var isAuthority: Bool { [.intermediate, .root, .authority].contains(self) }
    }

    package let role: Role
    package let spkiSHA256: SHA256Digest
    package let publicKey: PublicKey?
    package let certificate: Certificate?
    /// Who the key belongs to: the subject of the certificate or request, `nil` when that is not known.
    package let subject: String?
    /// Where it comes from: `presented`, the name of a trust store, or the place in a file.
    package let source: String

    package init(_ certificate: Certificate, role: Role, source: String) {
        (self.role, self.source, self.certificate) = (role, source, certificate)
        (publicKey, subject) = (certificate.publicKey, certificate.description)
        spkiSHA256 = certificate.publicKey.spkiSHA256
    }

    /// A key without a certificate; `subject` names its owner where a request does.
    package init(_ publicKey: PublicKey, role: Role, subject: String? = nil, source: String) {
        (self.role, self.source, certificate) = (role, source, nil)
        (self.publicKey, self.subject, spkiSHA256) = (publicKey, subject, publicKey.spkiSHA256)
    }

    /// A hash alone, as another configuration holds it.
    package init(_ spkiSHA256: SHA256Digest, role: Role = .publicKey, source: String) {
        (self.role, self.source, certificate) = (role, source, nil)
        (publicKey, subject, self.spkiSHA256) = (nil, nil, spkiSHA256)
    }

    /// A pin of a configuration, which may say whether the key is a CA's.
    init(_ pin: Pin, isAuthority: Bool?) {
        guard let certificate = pin.certificate else {
            self.init(pin.spkiSHA256, role: isAuthority == true ? .authority : .publicKey, source: pin.origin)
            return
        }
        let isCertificateAuthority = certificate.basicConstraints?.isCertificateAuthority == true
        let role: Role =
            if isAuthority ?? isCertificateAuthority { certificate.isSelfIssued ? .root : .intermediate } else { .leaf }
        self.init(certificate, role: role, source: pin.origin)
    }

    /// What a comment beside the hash says: role, owner and expiry; not escaped.
    var label: String {
        // Where a file lies on this machine does not belong into what is committed.
        let place = PathParts(source).name
        let owner = TerminalText.shortened(subject.map { $0.isEmpty ? "(no subject)" : $0 } ?? place, to: 120)
        let key = publicKey.map { ", \($0.algorithm)" } ?? ""
        let expiry = certificate.map { ", expires \($0.notAfter.date)" } ?? ""
        return "\(role.rawValue): \(owner)\(key)\(expiry)"
    }
}

/// The form that a client wants its pins in, and with that what a remedy tells to ship.
package enum PinForm: Sendable, Hashable {
    /// Certificate files in the app.
    case file(BundleLoader)
    /// The hash of a key; of a certificate the key is compared.
    case hash(PinNotation)
    /// The hash of the leaf's key, or the file of a public key; a certificate's file is not read.
    case leafKey(PinNotation)
    /// A hash, or a certificate that is compared whole.
    case any(PinNotation)

    /// The notation of the hash of a key.
    package var notation: PinNotation {
        switch self {
        case .file: .okhttp
        case .hash(let notation), .leafKey(let notation), .any(let notation): notation
        }
    }

    /// The files of an app that are loaded; `nil` for a client that loads none.
    package var loader: BundleLoader? { if case .file(let loader) = self { loader } else { nil } }
}

/// A notation in which people write one pin by hand.
package enum PinNotation: Sendable, Hashable {
    /// OkHttp's `sha256/…`.
    case okhttp
    /// `sha256//…`.
    case curl
    /// RFC 7469's `pin-sha256="…"`.
    case hpkp
    /// Base64 and nothing else: TrustKit, Apple, Android.
    case base64
}

extension PinItem {
    /// The pin in a notation.
    package subscript(notation: PinNotation) -> String {
        let base64 = spkiSHA256.base64
        return switch notation {
        case .okhttp: "sha256/" + base64
        case .curl: "sha256//" + base64
        case .hpkp: "pin-sha256=\"\(base64)\""
        case .base64: base64
        }
    }
}

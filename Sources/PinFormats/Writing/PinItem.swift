internal import Base
package import Pinning

/// One key that can be pinned, with what is known of it: what the writers write.
package struct PinItem: Sendable, Hashable {
    /// What part the key plays.
    package enum Role: String, Sendable, Hashable, CaseIterable {
        /// The server's own certificate.
        case leaf
        /// An authority below the root.
        case intermediate
        /// The authority at the end of the chain, whose certificate signed itself.
        case root
        /// An authority of which only the key's hash is known.
        case authority
        /// A public key without a certificate.
        case publicKey = "public-key"
        /// A request for a certificate.
        case request
        /// The public half of a private key.
        case privateKey = "private-key"

        /// Whether the key belongs to an authority, which vouches for certificates other than the server's too.
        package var isAuthority: Bool { [.intermediate, .root, .authority].contains(self) }
    }

    /// What part the key plays.
    package let role: Role
    /// SHA-256 of the SubjectPublicKeyInfo.
    package let spkiSHA256: SHA256Digest
    /// The key, `nil` when only its hash is known.
    package let publicKey: PublicKey?
    /// The certificate, `nil` for a key without one.
    package let certificate: Certificate?
    /// Who the key belongs to: the subject of the certificate or request, `nil` when that is not known.
    package let subject: String?
    /// Where it comes from: `presented`, the name of a trust store, or the place in a file.
    package let source: String

    /// A certificate.
    package init(_ certificate: Certificate, role: Role, source: String) {
        self.role = role
        self.source = source
        self.certificate = certificate
        publicKey = certificate.publicKey
        spkiSHA256 = certificate.publicKey.spkiSHA256
        subject = certificate.description
    }

    /// A key without a certificate; `subject` names its owner where a request does.
    package init(_ publicKey: PublicKey, role: Role, subject: String? = nil, source: String) {
        self.role = role
        self.source = source
        self.publicKey = publicKey
        self.subject = subject
        certificate = nil
        spkiSHA256 = publicKey.spkiSHA256
    }

    /// A hash alone, as another configuration holds it.
    package init(_ spkiSHA256: SHA256Digest, role: Role = .publicKey, source: String) {
        self.role = role
        self.source = source
        self.spkiSHA256 = spkiSHA256
        publicKey = nil
        certificate = nil
        subject = nil
    }

    /// The notations of the pin, each as its clients take it.
    package var notations: PinNotations { PinNotations(self) }

    /// What a comment beside the hash says: role, owner and expiry; not escaped.
    var label: String {
        // Where a file lies on this machine is nobody's business who reads what is committed.
        let place = PathParts(source).name
        let owner = TerminalText.shortened(subject.map { $0.isEmpty ? "(no subject)" : $0 } ?? place, to: 120)
        let key = certificate == nil ? publicKey.map { ", \($0.algorithm)" } ?? "" : ""
        let expiry = certificate.map { ", expires \($0.notAfter.date)" } ?? key
        return "\(role.rawValue): \(owner)\(expiry)"
    }
}

/// One pin in the notations people write by hand.
package struct PinNotations: Sendable, Hashable {
    /// A way in which people write a pin by hand.
    package enum Kind: Sendable, Hashable {
        /// OkHttp's: `sha256/…`.
        case okhttp
        /// curl's: `sha256//…`.
        case curl
        /// RFC 7469's: `pin-sha256="…"`.
        case hpkp
        /// Base64 and nothing else: TrustKit, Apple, Android.
        case base64
    }

    /// OkHttp's: `sha256/…`.
    package let okhttp: String
    /// curl's: `sha256//…`.
    package let curl: String
    /// RFC 7469's: `pin-sha256="…"`.
    package let hpkp: String
    /// Base64 and nothing else: TrustKit, Apple, Android.
    package let base64: String

    init(_ item: PinItem) {
        let digest = item.spkiSHA256
        okhttp = "sha256/" + digest.base64
        curl = "sha256//" + digest.base64
        hpkp = "pin-sha256=\"\(digest.base64)\""
        base64 = digest.base64
    }

    /// The pin in one of them.
    package subscript(kind: Kind) -> String {
        switch kind {
        case .okhttp: okhttp
        case .curl: curl
        case .hpkp: hpkp
        case .base64: base64
        }
    }
}

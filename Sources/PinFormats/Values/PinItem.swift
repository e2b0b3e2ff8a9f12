import Base
package import Pinning

/// A key that can be pinned, with all that the writers show of it.
package struct PinItem: Hashable {
    package enum Role: String, CaseIterable {
        case leaf
        case intermediate
        /// The CA at the end of the chain, whose certificate is self-signed.
        case root
        /// A CA of which only the key's hash is known.
        case authority
        case publicKey = "public-key"
        case request
        case privateKey = "private-key"

        package var isAuthority: Bool { [.intermediate, .root, .authority].contains(self) }
    }

    package let role: Role
    package let spkiSHA256: SHA256Digest
    package let publicKey: PublicKey?
    package let certificate: Certificate?
    package let subject: String?
    /// The origin: `presented`, the name of a trust store, or the place in a file.
    package let source: String

    package init(_ certificate: Certificate, role: Role, source: String) {
        (self.role, self.source, self.certificate) = (role, source, certificate)
        (publicKey, subject) = (certificate.publicKey, certificate.description)
        spkiSHA256 = certificate.spkiSHA256
    }

    /// A certificate outside of a chain; if `isAuthority` is `nil`, its own extensions give its role.
    init(_ certificate: Certificate, isAuthority: Bool? = nil, source: String) {
        let isCA = isAuthority ?? certificate.isCA
        let ofCA = certificate.isSelfIssued ? Role.root : .intermediate
        self.init(certificate, role: isCA ? ofCA : .leaf, source: source)
    }

    /// A key without a certificate; `subject` names its owner if a request does.
    package init(_ publicKey: PublicKey, role: Role, subject: String? = nil, source: String) {
        (self.role, self.source, certificate) = (role, source, nil)
        (self.publicKey, self.subject, spkiSHA256) = (publicKey, subject, publicKey.spkiSHA256)
    }

    package init(_ spkiSHA256: SHA256Digest, role: Role = .publicKey, source: String) {
        (self.role, self.source, certificate) = (role, source, nil)
        (publicKey, subject, self.spkiSHA256) = (nil, nil, spkiSHA256)
    }

    /// A pin of a configuration; `isAuthority` is `nil` if the configuration does not say whose key it is.
    init(_ pin: Pin, isAuthority: Bool?) {
        if let certificate = pin.certificate {
            self.init(certificate, isAuthority: isAuthority, source: pin.origin)
        } else {
            self.init(pin.spkiSHA256, role: isAuthority == true ? .authority : .publicKey, source: pin.origin)
        }
    }

    /// The words of a comment next to the hash: role, owner and expiry; not escaped.
    var label: String {
        // The comment may be committed, so it must not contain a directory of this machine.
        let place = PathParts(source).name
        let owner = TerminalText.shortened(subject.map { $0.isEmpty ? "(no subject)" : $0 } ?? place, to: 120)
        let key = publicKey.map { ", \($0.algorithm)" } ?? ""
        let expiry = certificate.map { ", expires \($0.notAfter.date)" } ?? ""
        return "\(role.rawValue): \(owner)\(key)\(expiry)"
    }

    package subscript(notation: PinNotation) -> String { notation.text(of: spkiSHA256.base64) }
}

/// The form of a client's pins, and so of the files that a remedy tells users to ship.
package enum PinForm: Hashable {
    /// Certificate files in the app.
    case file(BundleLoader)
    /// The hash of a key; of a certificate only the key counts.
    case hash(PinNotation)
    /// The hash of the leaf's key, or the file of a public key; certificate files are not read.
    case leafKey(PinNotation)
    /// A hash, or a certificate that is compared whole.
    case any(PinNotation)

    package var notation: PinNotation {
        switch self {
        case .file: .okhttp
        case .hash(let notation), .leafKey(let notation), .any(let notation): notation
        }
    }

    package var loader: BundleLoader? { if case .file(let loader) = self { loader } else { nil } }
}

/// A notation in which people write one pin by hand.
package enum PinNotation {
    /// OkHttp's `sha256/…`.
    case okhttp
    /// `sha256//…`.
    case curl
    /// RFC 7469's `pin-sha256="…"`.
    case hpkp
    /// Base64 alone: TrustKit, Apple, Android.
    case base64

    func text(of base64: String) -> String {
        switch self {
        case .okhttp: "sha256/" + base64
        case .curl: "sha256//" + base64
        case .hpkp: "pin-sha256=\"\(base64)\""
        case .base64: base64
        }
    }
}

import Base
package import Pinning

/// A hash that is pinned by mistake: clients compare only the hash of a SubjectPublicKeyInfo.
package enum OtherHash {
    case certificate
    /// The hash of the bare key, as in Node's `cert.pubkey` (EC only) and in `SecKeyCopyExternalRepresentation`.
    case bareKey
    /// The hash of the key as `openssl pkey -pubout` writes it, with or without the last line feed.
    case keyAsText
}

extension Certificate {
    package var otherHashes: [(hash: SHA256Digest, kind: OtherHash)] {
        if let hashes = known.value(for: fingerprint) { return hashes }
        let text = publicKey.pem
        let forms: [(bytes: [UInt8]?, kind: OtherHash)] = [
            (text, .keyAsText), (Array(text.dropLast()), .keyAsText), (KeyReader.bareKey(of: publicKey), .bareKey),
        ]
        let hashes =
            [(fingerprint, .certificate)]
            + forms.compactMap { form in form.bytes.map { (Hashing.sha256($0), form.kind) } }
        known.remember(hashes, for: fingerprint)
        return hashes
    }
}

private let known = BoundedCache<SHA256Digest, [(hash: SHA256Digest, kind: OtherHash)]>()

extension PublicKey {
    /// The key as PEM, in lines of 64 characters (RFC 7468).
    fileprivate var pem: [UInt8] {
        let letters = Base64.text(of: subjectPublicKeyInfo).bytes
        let lines = stride(from: 0, to: letters.count, by: 64).flatMap {
            letters[$0..<min($0 + 64, letters.count)] + "\n".bytes
        }
        return "-----BEGIN PUBLIC KEY-----\n".bytes + lines + "-----END PUBLIC KEY-----\n".bytes
    }
}

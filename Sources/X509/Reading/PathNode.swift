import COpenSSL
package import Pinning
import Synchronization

/// A certificate as a value and as OpenSSL's `X509`.
///
/// Sendable because it does not change after parsing, and OpenSSL locks the caches inside it.
package final class PathNode: @unchecked Sendable {
    /// Recently seen certificates: chains share intermediates, and parsing takes about 0.15 ms in OpenSSL 3.0, mostly to
    /// find a decoder for the key.
    ///
    /// Room for 16 MiB of DER and 1,024 certificates, more than the CAs of any batch at one time.
    private static let recent = BoundedCache<SHA256Digest, PathNode>(sizeLimit: 16 << 20)

    let certificate: Certificate
    package let pointer: OpaquePointer
    /// Results that are computed at the first use, and `nil` before.
    private struct Known {
        var malformation: String??
        var rewritten: PathNode??
    }
    private let known = Mutex(Known())

    private init(_ certificate: Certificate, takingOwnershipOf pointer: OpaquePointer) {
        (self.certificate, self.pointer) = (certificate, pointer)
    }

    /// Reads exactly one DER certificate; `nil` if the bytes are anything else or cost too much to read.
    static func read(_ der: [UInt8]) -> PathNode? {
        guard let parsed = parsed(der) else { return nil }
        defer { X509_free(parsed) }
        return read(parsed)
    }

    /// Reads a certificate that OpenSSL has parsed; encoding it again drops the unused bits of a signature.
    static func read(_ pointer: OpaquePointer) -> PathNode? {
        guard let der = DER.encoding(with: { i2d_X509(pointer, $0) }) else { return nil }
        let fingerprint = Hashing.sha256(der)
        if let known = recent.value(for: fingerprint), known.certificate.der == der { return known }
        X509_up_ref(pointer)
        let certificate = CertificateReader.certificate(of: pointer, der: der, fingerprint: fingerprint)
        return PathNode(certificate, takingOwnershipOf: pointer).remembered()
    }

    /// The parsed form of a certificate; `nil` if OpenSSL cannot read it, as one that is only assumed.
    static func of(_ certificate: Certificate) -> PathNode? {
        recent.value(for: certificate.fingerprint)
            ?? parsed(certificate.der).map { PathNode(certificate, takingOwnershipOf: $0).remembered() }
    }

    private static func parsed(_ der: [UInt8]) -> OpaquePointer? {
        guard COpenSSL_certificate(der, der.count) == 0 else { return nil }
        return DER.decoded(der, free: { X509_free($0) }, { d2i_X509(nil, $0, $1) })
    }

    private func remembered() -> PathNode {
        Self.recent.remember(self, for: certificate.fingerprint, size: certificate.der.count)
        return self
    }

    deinit { X509_free(pointer) }

    var subjectName: OpaquePointer? { X509_get_subject_name(pointer) }
    var issuerName: OpaquePointer? { X509_get_issuer_name(pointer) }

    var malformation: String? {
        known.withLock { known in
            if let malformation = known.malformation { return malformation }
            let found = Malformation.first(in: pointer)
            known.malformation = .some(found)
            return found
        }
    }

    /// A copy with the signed algorithm on the outside, too; `nil` if they are equal or differ by more than a NULL.
    private var rewritten: PathNode? {
        known.withLock { known in
            if let rewritten = known.rewritten { return rewritten }
            let copy = COpenSSL_X509_with_inner_algorithm(pointer)
            let made = copy.map { PathNode(certificate, takingOwnershipOf: $0) }
            known.rewritten = .some(made)
            return made
        }
    }

    /// `true` if the certificate requires a valid policy (requireExplicitPolicy; RFC 5280, 4.2.1.11).
    var asksForPolicy: Bool {
        defer { ERR_clear_error() }
        guard let value = X509_get_ext_d2i(pointer, NID_policy_constraints, nil, nil) else { return false }
        let constraints = value.assumingMemoryBound(to: POLICY_CONSTRAINTS.self)
        defer { POLICY_CONSTRAINTS_free(constraints) }
        return constraints.pointee.requireExplicitPolicy != nil
    }

    /// `true` if this subject is the issuer name in `other`, compared in canonical form (RFC 5280, 7.1).
    func isNamedIssuer(of other: PathNode) -> Bool { X509_NAME_cmp(subjectName, other.issuerName) == 0 }

    /// `true` if `issuer` made the signature, by the outer or the inner algorithm (`X509_verify`).
    func isSigned(by issuer: PathNode) -> Bool { isVerified(by: issuer) || isSignedByInnerAlgorithm(by: issuer) }

    /// `true` if the signature verifies by the inner algorithm, and the outer one differs.
    func isSignedByInnerAlgorithm(by issuer: PathNode) -> Bool { rewritten?.isVerified(by: issuer) ?? false }

    private func isVerified(by issuer: PathNode) -> Bool {
        guard let key = X509_get0_pubkey(issuer.pointer) else { return false }
        defer { ERR_clear_error() }
        return X509_verify(pointer, key) == 1
    }
}

extension Certificate {
    package var node: PathNode? { PathNode.of(self) }
}

/// OpenSSL's error queue, which belongs to the thread: emptied before a call, and read right after it.
enum OpenSSLFailure {
    /// Empties the queue and returns the reason of its first entry, the one nearest to the cause.
    static func takeReason() -> String? {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0, let reason = ERR_reason_error_string(code) else { return nil }
        return String(cString: reason)
    }
}

package enum OpenSSLVersion {
    /// The name and version of the loaded OpenSSL, not of the build's headers, as in `OpenSSL 3.0.15 3 Sep 2024`.
    package static var text: String { String(cString: OpenSSL_version(OPENSSL_VERSION)) }
    /// The version alone, as in `3.0.15`.
    package static var number: String { String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)) }
    /// `true` if OpenSSL has X25519MLKEM768 and ML-DSA (from 3.5 on).
    package static var isHybrid: Bool { OpenSSL_version_num() >= 0x3050_0000 }
}

import COpenSSL
import Pinning
import Synchronization

/// Owns one `X509`; Sendable because it does not change after parsing, and OpenSSL locks the caches inside it.
package final class X509Handle: @unchecked Sendable {
    package let pointer: OpaquePointer
    /// Results that are computed at the first use, and `nil` before.
    private struct Known {
        var malformation: String??
        var rewritten: X509Handle??
    }
    private let known = Mutex(Known())

    init(takingOwnershipOf pointer: OpaquePointer) { self.pointer = pointer }

    convenience init(borrowing pointer: OpaquePointer) {
        X509_up_ref(pointer)
        self.init(takingOwnershipOf: pointer)
    }

    /// Parses exactly one DER certificate (`d2i_X509`); `nil` if the bytes are anything else or cost too much to read.
    package convenience init?(der: [UInt8]) {
        guard COpenSSL_certificate(der, der.count) == 0 else { return nil }
        guard let parsed = DER.decoded(der, free: { X509_free($0) }, { d2i_X509(nil, $0, $1) }) else { return nil }
        self.init(takingOwnershipOf: parsed)
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
    private var rewritten: X509Handle? {
        known.withLock { known in
            if let rewritten = known.rewritten { return rewritten }
            let made = COpenSSL_X509_with_inner_algorithm(pointer).map { X509Handle(takingOwnershipOf: $0) }
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
    func isNamedIssuer(of other: X509Handle) -> Bool { X509_NAME_cmp(subjectName, other.issuerName) == 0 }

    /// `true` if `issuer` made the signature, by the outer or the inner algorithm (`X509_verify`).
    func isSigned(by issuer: X509Handle) -> Bool { isVerified(by: issuer) || isSignedByInnerAlgorithm(by: issuer) }

    /// `true` if the signature verifies by the inner algorithm, and the outer one differs.
    func isSignedByInnerAlgorithm(by issuer: X509Handle) -> Bool { rewritten?.isVerified(by: issuer) ?? false }

    private func isVerified(by issuer: X509Handle) -> Bool {
        guard let key = X509_get0_pubkey(issuer.pointer) else { return false }
        defer { ERR_clear_error() }
        return X509_verify(pointer, key) == 1
    }
}

/// Recently seen certificates, as values and in parsed form.
///
/// Parsing takes about 0.15 ms in OpenSSL 3.0, mostly to find a decoder for the key; chains share intermediates.
final class HandleCache: Sendable {
    static let shared = HandleCache()

    /// Room for 16 MiB of DER and 1,024 certificates, more than the CAs of any batch at one time.
    private let known = BoundedCache<SHA256Digest, (certificate: Certificate, handle: X509Handle)>(sizeLimit: 16 << 20)

    func handle(for certificate: Certificate) -> X509Handle? {
        if let known = known.value(for: certificate.fingerprint) { return known.handle }
        guard let handle = X509Handle(der: certificate.der) else { return nil }
        remember(handle, for: certificate)
        return handle
    }

    func certificate(der: [UInt8], fingerprint: SHA256Digest) -> Certificate? {
        let known = known.value(for: fingerprint)?.certificate
        return known?.der == der ? known : nil
    }

    func remember(_ handle: X509Handle, for certificate: Certificate) {
        known.remember((certificate, handle), for: certificate.fingerprint, size: certificate.der.count)
    }
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

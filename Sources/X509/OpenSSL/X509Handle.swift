internal import COpenSSL
internal import Pinning
internal import Synchronization

/// Owns one `X509`.
///
/// Sendable because the object is never changed after it was parsed; what OpenSSL caches inside it on first use
/// (extensions, the decoded key) it guards with a lock of its own.
final class X509Handle: @unchecked Sendable {
    let pointer: OpaquePointer
    /// What was found out when somebody asked; `nil` until then.
    private struct Known {
        var malformation: String??
        var rewritten: X509Handle??
    }
    private let known = Mutex(Known())

    /// Takes over a reference that the caller holds.
    init(takingOwnershipOf pointer: OpaquePointer) { self.pointer = pointer }

    /// Adds a reference to a certificate that another owner keeps.
    convenience init(borrowing pointer: OpaquePointer) {
        X509_up_ref(pointer)
        self.init(takingOwnershipOf: pointer)
    }

    /// Parses exactly one DER certificate with `d2i_X509`; `nil` when the bytes are anything else, or its key costs too much to read.
    convenience init?(der: [UInt8]) {
        guard COpenSSL_certificate(der, der.count) == 0 else { return nil }
        guard let parsed = DER.decoded(der, free: { X509_free($0) }, { d2i_X509(nil, $0, $1) }) else { return nil }
        self.init(takingOwnershipOf: parsed)
    }

    deinit { X509_free(pointer) }

    var subjectName: OpaquePointer? { X509_get_subject_name(pointer) }
    var issuerName: OpaquePointer? { X509_get_issuer_name(pointer) }

    /// What is wrong with the form of the certificate, `nil` if nothing is.
    var malformation: String? {
        known.withLock { known in
            if let malformation = known.malformation { return malformation }
            let found = Malformation.found(in: pointer)
            known.malformation = .some(found)
            return found
        }
    }

    /// The certificate with its inner signature algorithm written outside, if both differ by a NULL alone.
    private var rewritten: X509Handle? {
        known.withLock { known in
            if let rewritten = known.rewritten { return rewritten }
            let made = COpenSSL_X509_with_inner_algorithm(pointer).map { X509Handle(takingOwnershipOf: $0) }
            known.rewritten = .some(made)
            return made
        }
    }

    /// Whether it wants a policy to hold (requireExplicitPolicy; RFC 5280, 4.2.1.11).
    var asksForPolicy: Bool {
        defer { OpenSSLFailure.forget() }
        guard let value = X509_get_ext_d2i(pointer, NID_policy_constraints, nil, nil) else { return false }
        let constraints = value.assumingMemoryBound(to: POLICY_CONSTRAINTS.self)
        defer { POLICY_CONSTRAINTS_free(constraints) }
        return constraints.pointee.requireExplicitPolicy != nil
    }

    /// Whether this certificate's subject is the name of `other`'s issuer, compared in canonical form (RFC 5280, 7.1).
    func isNamedIssuer(of other: X509Handle) -> Bool { X509_NAME_cmp(subjectName, other.issuerName) == 0 }

    /// Whether `issuer`'s key made the signature on this certificate, by either of its algorithms (`X509_verify`).
    func isSigned(by issuer: X509Handle) -> Bool {
        isVerified(by: issuer) || isSignedByInnerAlgorithm(by: issuer)
    }

    /// Whether it is `issuer`'s signature by the algorithm that was signed, where the other one is another.
    func isSignedByInnerAlgorithm(by issuer: X509Handle) -> Bool { rewritten?.isVerified(by: issuer) ?? false }

    private func isVerified(by issuer: X509Handle) -> Bool {
        guard let key = X509_get0_pubkey(issuer.pointer) else { return false }
        defer { OpenSSLFailure.forget() }
        return X509_verify(pointer, key) == 1
    }
}

/// Certificates that were seen lately, as values and in parsed form, so that neither has to be made again.
///
/// Parsing costs more than a signature check of the usual kind (about 0.15 ms in OpenSSL 3.0, most of it for finding a
/// decoder for the key), and chains of different servers share their intermediates.
final class HandleCache: Sendable {
    static let shared = HandleCache()

    /// More than any batch has distinct authorities at work at one time, and no more than so many bytes of DER.
    private let known = BoundedCache<SHA256Digest, (certificate: Certificate, handle: X509Handle)>(sizeLimit: 16 << 20)

    /// The parsed form of `certificate`, `nil` when its bytes are no certificate.
    func handle(for certificate: Certificate) -> X509Handle? {
        if let known = known.value(for: certificate.fingerprint) { return known.handle }
        guard let handle = X509Handle(der: certificate.der) else { return nil }
        remember(handle, for: certificate)
        return handle
    }

    /// The value of the certificate whose DER is `der`, `nil` when it was not seen lately.
    func certificate(der: [UInt8], fingerprint: SHA256Digest) -> Certificate? {
        let known = known.value(for: fingerprint)?.certificate
        return known?.der == der ? known : nil
    }

    func remember(_ handle: X509Handle, for certificate: Certificate) {
        known.remember((certificate, handle), for: certificate.fingerprint, size: certificate.der.count)
    }
}

/// What has to come before everything that OpenSSL looks up by name.
package enum OpenSSLNames {
    /// Has OpenSSL learn the names of all kinds of keys, once in a process; other threads wait meanwhile.
    ///
    /// Called before keys are read and before TLS is set up, which different threads begin with.
    package static func learn() { COpenSSL_learn_names() }
}

/// What OpenSSL's error queue said about the last call of this thread.
///
/// The queue belongs to the thread, so it is emptied before a call and read right after it, with no suspension between.
enum OpenSSLFailure {
    /// Forgets earlier errors, so that what is read next belongs to the call in between.
    static func forget() { ERR_clear_error() }

    /// Empties the queue and returns the reason of its first entry, the one nearest to the cause.
    static func takeReason() -> String? {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0, let reason = ERR_reason_error_string(code) else { return nil }
        return String(cString: reason)
    }
}

/// The OpenSSL library this process runs on.
package enum OpenSSLVersion {
    /// Its name and version, as in `OpenSSL 3.0.15 3 Sep 2024`.
    ///
    /// It is what was loaded, not what was compiled against.
    package static var text: String { String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}

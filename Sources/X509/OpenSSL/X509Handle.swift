internal import COpenSSL

/// Owns one `X509`.
///
/// Sendable because the object is never changed after it was parsed; what OpenSSL caches inside it on first use
/// (extensions, the decoded key) it guards with a lock of its own.
final class X509Handle: @unchecked Sendable {
    let pointer: OpaquePointer

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
        OpenSSLNames.learn()
        OpenSSLFailure.forget()
        let parsed = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var cursor = bytes.baseAddress
            guard let certificate = d2i_X509(nil, &cursor, bytes.count) else { return nil }
            guard cursor == bytes.baseAddress.map({ $0 + bytes.count }) else {
                X509_free(certificate)
                return nil
            }
            return certificate
        }
        guard let parsed else { return nil }
        self.init(takingOwnershipOf: parsed)
    }

    deinit { X509_free(pointer) }

    var subjectName: OpaquePointer? { X509_get_subject_name(pointer) }
    var issuerName: OpaquePointer? { X509_get_issuer_name(pointer) }

    /// Whether this certificate's subject is the name of `other`'s issuer, compared in canonical form (RFC 5280, 7.1).
    func isNamedIssuer(of other: X509Handle) -> Bool { X509_NAME_cmp(subjectName, other.issuerName) == 0 }

    /// Whether `issuer`'s key made the signature on this certificate (`X509_verify`).
    func isSigned(by issuer: X509Handle) -> Bool {
        guard let key = X509_get0_pubkey(issuer.pointer) else { return false }
        defer { OpenSSLFailure.forget() }
        return X509_verify(pointer, key) == 1
    }
}

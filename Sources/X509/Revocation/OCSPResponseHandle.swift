internal import COpenSSL
internal import COpenSSLShims

/// Owns one `OCSP_BASICRESP`, of a response that was successful.
final class OCSPResponseHandle {
    /// So many answers are looked through; a response that is sent along has one.
    private static let answerLimit: Int32 = 64
    /// More certificates of responders than this are not read; there is one, or none.
    private static let certificateLimit = 16

    let basic: OpaquePointer

    /// Parses exactly one response (`d2i_OCSP_RESPONSE`, `OCSP_response_get1_basic`).
    init(der: [UInt8]) throws(StapleError) {
        switch Int(COpenSSLShims_staple(der, der.count, Self.certificateLimit)) {
        case 0: break
        case Int(COpenSSLShims_CERTIFICATES_UNREADABLE): throw StapleError(.damaged)
        default: throw StapleError(.costly)
        }
        OpenSSLNames.learn()
        let parsed = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var cursor = bytes.baseAddress
            guard let response = d2i_OCSP_RESPONSE(nil, &cursor, bytes.count) else { return nil }
            guard cursor == bytes.baseAddress.map({ $0 + bytes.count }) else {
                OCSP_RESPONSE_free(response)
                return nil
            }
            return response
        }
        guard let parsed else { throw StapleError(.damaged, detail: OpenSSLFailure.takeReason()) }
        defer { OCSP_RESPONSE_free(parsed) }
        let status = OCSP_response_status(parsed)
        guard status == OCSP_RESPONSE_STATUS_SUCCESSFUL else { throw StapleError(.refused(status: Int(status))) }
        guard let basic = OCSP_response_get1_basic(parsed) else {
            throw StapleError(.damaged, detail: OpenSSLFailure.takeReason())
        }
        self.basic = basic
    }

    deinit {
        OCSP_BASICRESP_free(basic)
    }

    /// The answer about `leaf`, an `OCSP_SINGLERESP *` that lives as long as this object.
    ///
    /// An answer names its certificate by hashes of the issuer's name and key, with whatever algorithm it says (RFC 6960, 4.1.1).
    func answer(about leaf: X509Handle, from issuer: X509Handle) throws(StapleError) -> OpaquePointer {
        // Each once, and only where an answer asks for it: to hash the issuer's name can take a while.
        var expected: [Int32: OpaquePointer] = [:]
        defer { for identifier in expected.values { OCSP_CERTID_free(identifier) } }
        for index in 0..<min(OCSP_resp_count(basic), Self.answerLimit) {
            guard let single = OCSP_resp_get0(basic, index), let identifier = OCSP_SINGLERESP_get0_id(single),
                let digest = Self.digest(of: identifier)
            else { continue }
            if expected[digest.kind] == nil {
                expected[digest.kind] = OCSP_cert_to_id(digest.function, leaf.pointer, issuer.pointer)
            }
            guard let known = expected[digest.kind], OCSP_id_cmp(known, identifier) == 0
            else { continue }
            return single
        }
        throw StapleError(.aboutOthers)
    }

    /// What an answer names its certificate by, where that is a digest that responders use.
    private static func digest(of identifier: OpaquePointer) -> (kind: Int32, function: OpaquePointer?)? {
        var object: OpaquePointer?
        OCSP_id_get0_info(nil, &object, nil, nil, identifier)
        let kind = OBJ_obj2nid(object)
        switch kind {
        case NID_sha1: return (kind, EVP_sha1())
        case NID_sha256: return (kind, EVP_sha256())
        case NID_sha384: return (kind, EVP_sha384())
        case NID_sha512: return (kind, EVP_sha512())
        default: return nil
        }
    }
}

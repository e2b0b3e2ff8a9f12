internal import COpenSSL

/// Owns one `OCSP_BASICRESP`, of a response that was successful.
final class OCSPResponseHandle {
    /// More answers than a response of the greatest size has room for.
    private static let answerLimit: Int32 = 2_000
    /// More kinds of digests than OpenSSL knows, to name certificates by.
    private static let digestLimit = 64
    /// More certificates of responders than this are not read; there is one, or none.
    private static let certificateLimit = 16

    let basic: OpaquePointer

    /// Parses exactly one response (`d2i_OCSP_RESPONSE`, `OCSP_response_get1_basic`).
    init(der: [UInt8]) throws(StapleError) {
        switch Int(COpenSSL_staple(der, der.count, Self.certificateLimit)) {
        case 0: break
        case Int(COpenSSL_CERTIFICATES_UNREADABLE): throw .damaged()
        default: throw .costly
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
        guard let parsed else { throw .damaged(OpenSSLFailure.takeReason()) }
        defer { OCSP_RESPONSE_free(parsed) }
        let status = OCSP_response_status(parsed)
        guard status == OCSP_RESPONSE_STATUS_SUCCESSFUL else { throw .refused(status: Int(status)) }
        guard let basic = OCSP_response_get1_basic(parsed) else { throw .damaged(OpenSSLFailure.takeReason()) }
        self.basic = basic
    }

    deinit { OCSP_BASICRESP_free(basic) }

    /// An answer, an `OCSP_SINGLERESP *` that lives as long as its response.
    struct Answer {
        let single: OpaquePointer
        /// Whether the hashes by which it names its certificate are SHA-1.
        let isNamedBySHA1: Bool
    }

    /// How many answers there are, whatever they are about.
    var count: Int32 { OCSP_resp_count(basic) }

    /// The answers about `leaf`; never empty.
    ///
    /// An answer names its certificate by hashes of the issuer's name and key, with whatever algorithm it says (RFC 6960, 4.1.1).
    func answers(about leaf: X509Handle, from issuer: X509Handle) throws(StapleError) -> [Answer] {
        guard count <= Self.answerLimit else { throw .costly }
        // Each once, and only where an answer asks for it: to hash the issuer's name can take a while.
        var expected: [Int32: OpaquePointer] = [:]
        defer { for identifier in expected.values { OCSP_CERTID_free(identifier) } }
        var answers: [Answer] = []
        for index in 0..<count {
            guard let single = OCSP_resp_get0(basic, index), let identifier = OCSP_SINGLERESP_get0_id(single) else {
                continue
            }
            let kind = Self.digest(of: identifier)
            if expected[kind] == nil, expected.count < Self.digestLimit {
                expected[kind] = Self.identifier(of: leaf, from: issuer, by: kind)
            }
            if let known = expected[kind], OCSP_id_cmp(known, identifier) == 0 {
                answers.append(Answer(single: single, isNamedBySHA1: kind == NID_sha1))
            }
        }
        guard !answers.isEmpty else { throw .aboutOthers }
        return answers
    }

    var hasCriticalExtension: Bool {
        OCSP_BASICRESP_get_ext_by_critical(basic, 1, -1) >= 0
            || (0..<max(0, count)).contains { index in
                OCSP_resp_get0(basic, index).map { OCSP_SINGLERESP_get_ext_by_critical($0, 1, -1) >= 0 } ?? false
            }
    }

    /// The digest that an answer names its certificate by, a NID.
    private static func digest(of identifier: OpaquePointer) -> Int32 {
        var object: OpaquePointer?
        OCSP_id_get0_info(nil, &object, nil, nil, identifier)
        return OBJ_obj2nid(object)
    }

    private static func identifier(of leaf: X509Handle, from issuer: X509Handle, by digest: Int32) -> OpaquePointer? {
        guard let name = OBJ_nid2sn(digest), let function = EVP_get_digestbyname(name) else { return nil }
        return OCSP_cert_to_id(function, leaf.pointer, issuer.pointer)
    }
}

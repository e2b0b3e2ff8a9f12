internal import COpenSSL
package import Pinning

/// The places where a certificate says that its issuer's certificate can be had.
package enum IssuerPlaces {
    /// No certificate names more, and what follows is not looked at.
    static let limit = 100

    /// The URLs under `caIssuers` in the authorityInfoAccess extension (RFC 5280, 4.2.2.1), in their order; none without one.
    ///
    /// Read when it is asked for: few certificates are looked at in this way. The text is the author's, who may be hostile.
    package static func named(by certificate: Certificate) -> [String] {
        defer { OpenSSLFailure.forget() }
        guard let handle = HandleCache.shared.handle(for: certificate),
            let value = X509_get_ext_d2i(handle.pointer, NID_info_access, nil, nil)
        else { return [] }
        let stack = OpaquePointer(value)
        defer { AUTHORITY_INFO_ACCESS_free(stack) }
        let count = min(COpenSSL_sk_ACCESS_DESCRIPTION_num(stack), Int32(limit))
        return (0..<max(0, count)).compactMap { index in
            guard let description = COpenSSL_sk_ACCESS_DESCRIPTION_value(stack, index),
                OBJ_obj2nid(description.pointee.method) == NID_ad_ca_issuers
            else { return nil }
            var kind: Int32 = 0
            let location = GENERAL_NAME_get0_value(description.pointee.location, &kind)
            guard kind == GEN_URI else { return nil }
            return Extensions.bytes(location).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

/// Whether a certificate says where its revocation would be told.
package enum RevocationPlaces {
    /// Whether `certificate` names an OCSP service (RFC 5280, 4.2.2.1) or a place of revocation lists (4.2.1.13).
    package static func areNamed(by certificate: Certificate) -> Bool {
        defer { OpenSSLFailure.forget() }
        guard let handle = HandleCache.shared.handle(for: certificate) else { return false }
        if X509_get_ext_by_NID(handle.pointer, NID_crl_distribution_points, -1) >= 0 { return true }
        guard let value = X509_get_ext_d2i(handle.pointer, NID_info_access, nil, nil) else { return false }
        let stack = OpaquePointer(value)
        defer { AUTHORITY_INFO_ACCESS_free(stack) }
        let count = min(COpenSSL_sk_ACCESS_DESCRIPTION_num(stack), Int32(IssuerPlaces.limit))
        return (0..<max(0, count)).contains { index in
            guard let description = COpenSSL_sk_ACCESS_DESCRIPTION_value(stack, index) else { return false }
            return OBJ_obj2nid(description.pointee.method) == NID_ad_OCSP
        }
    }
}

internal import COpenSSL
package import Pinning

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

import COpenSSL
package import Pinning

package enum IssuerPlaces {
    /// The most places that are read; no certificate names as many.
    static let limit = 100

    /// The URLs of caIssuers (authorityInfoAccess; RFC 5280, 4.2.2.1), in order; their author may be hostile.
    package static func all(in certificate: Certificate) -> [String] {
        guard let handle = certificate.node else { return [] }
        return locations(of: handle, by: NID_ad_ca_issuers).compactMap(\.self)
    }

    /// The URLs of one access method; `nil` if a place is not a URL.
    private static func locations(of certificate: PathNode, by method: Int32) -> [String?] {
        defer { ERR_clear_error() }
        guard let value = X509_get_ext_d2i(certificate.pointer, NID_info_access, nil, nil) else { return [] }
        let stack = OpaquePointer(value)
        defer { AUTHORITY_INFO_ACCESS_free(stack) }
        let descriptions = Extensions.elements(of: stack, as: ACCESS_DESCRIPTION.self).prefix(limit).map(\.pointee)
        return descriptions.filter { OBJ_obj2nid($0.method) == method }.map { description in
            var kind: Int32 = 0
            let location = GENERAL_NAME_get0_value(description.location, &kind)
            return kind == GEN_URI ? Extensions.bytes(location).map { String(decoding: $0, as: UTF8.self) } : nil
        }
    }

    /// `true` if the certificate names an OCSP service (RFC 5280, 4.2.2.1) or a place of revocation lists (4.2.1.13).
    package static func nameRevocation(of certificate: Certificate) -> Bool {
        guard let handle = certificate.node else { return false }
        return X509_get_ext_by_NID(handle.pointer, NID_crl_distribution_points, -1) >= 0
            || !locations(of: handle, by: NID_ad_OCSP).isEmpty
    }
}

internal import COpenSSL
internal import Pinning

/// Whether the authorities on a path may certify a reference name; which names of the leaf count is the platform's.
enum NameRule {
    static func hasConstraints(_ path: [PathNode]) -> Bool {
        path.dropFirst().contains { X509_get_ext_by_NID($0.handle.pointer, NID_name_constraints, -1) >= 0 }
    }

    /// The depth of the first authority on the path whose name constraints forbid `name` itself, `nil` when there is none.
    ///
    /// OpenSSL holds the constraints against the names in the leaf; a wildcard there can cover a name that an authority
    /// excludes (CVE-2025-61727).
    static func depthOfConstraint(on path: [PathNode], against name: ServerName) -> Int? {
        guard case .dns(let text) = name else { return nil }
        defer { OpenSSLFailure.forget() }
        for (depth, node) in path.enumerated().dropFirst() {
            guard X509_get_ext_by_NID(node.handle.pointer, NID_name_constraints, -1) >= 0 else { continue }
            guard let constraints = X509_get_ext_d2i(node.handle.pointer, NID_name_constraints, nil, nil) else {
                return depth
            }
            let parsed = constraints.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
            defer { NAME_CONSTRAINTS_free(parsed) }
            guard satisfies(text, parsed) else { return depth }
        }
        return nil
    }

    /// The first authority on the path whose constraints the names of the certificate at `depth` break: OpenSSL does not say which.
    static func authority(on path: [PathNode], against depth: Int, constrainsCommonName: Bool) -> Int? {
        defer { OpenSSLFailure.forget() }
        let certificate = path[depth].handle.pointer
        return path.indices.dropFirst(depth + 1).first { above in
            guard let value = X509_get_ext_d2i(path[above].handle.pointer, NID_name_constraints, nil, nil) else {
                return false
            }
            let constraints = value.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
            defer { NAME_CONSTRAINTS_free(constraints) }
            return NAME_CONSTRAINTS_check(certificate, constraints) != X509_V_OK
                || constrainsCommonName && NAME_CONSTRAINTS_check_CN(certificate, constraints) != X509_V_OK
        }
    }

    /// Holds the constraints against a certificate that has `name` as its only name (`NAME_CONSTRAINTS_check`).
    private static func satisfies(_ name: String, _ constraints: UnsafeMutablePointer<NAME_CONSTRAINTS>) -> Bool {
        guard let certificate = X509_new(), let names = COpenSSL_sk_GENERAL_NAME_new_null() else { return false }
        defer {
            GENERAL_NAMES_free(names)
            X509_free(certificate)
        }
        guard let entry = GENERAL_NAME_new(), let value = ASN1_STRING_type_new(V_ASN1_IA5STRING),
            ASN1_STRING_set(value, name, Int32(name.utf8.count)) == 1
        else { return false }
        GENERAL_NAME_set0_value(entry, GEN_DNS, UnsafeMutableRawPointer(value))
        guard COpenSSL_sk_GENERAL_NAME_push(names, entry) > 0,
            X509_add1_ext_i2d(certificate, NID_subject_alt_name, UnsafeMutableRawPointer(names), 0, 0) == 1
        else { return false }
        // The check reads the names from where OpenSSL keeps them after a first look at the extensions; were that look
        // to fail, it would find no name and nothing to object to.
        guard X509_get_extension_flags(certificate) & UInt32(EXFLAG_SET) != 0 else { return false }
        return NAME_CONSTRAINTS_check(certificate, constraints) == X509_V_OK
    }
}

/// What platforms have against leaves of many names, for the name of a server.
///
/// Clients of several devices ask the same again and again, and a hostile leaf has tens of thousands of names.
final class NameFindings: Sendable {
    /// Below this many names the answer is found as fast as it is looked up.
    private static let fewestNames = 64

    private struct Key: Hashable {
        let leaf: SHA256Digest
        let name: ServerName
        let rules: NameRules
        let family: PlatformFamily
    }

    private let known = BoundedCache<Key, TrustFailure?>(countLimit: 256)

    /// What `platform` has against `leaf`, `nil` when one of its names covers the server.
    func objection(of platform: Platform, to leaf: Certificate, for name: ServerName) -> TrustFailure? {
        func objection() -> TrustFailure? {
            platform.objection(to: leaf, for: name, isRegistry: SystemPublicSuffixList.isRegistry)
        }
        guard leaf.names.count >= Self.fewestNames else { return objection() }
        let key = Key(leaf: leaf.fingerprint, name: name, rules: platform.names, family: platform.family)
        if let known = known.value(for: key) { return known }
        let found = objection()
        known.remember(found, for: key)
        return found
    }
}

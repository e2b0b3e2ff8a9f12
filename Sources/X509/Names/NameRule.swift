import COpenSSL
import Pinning

/// Checks if the CAs on a path may certify a server's name; the platform decides which names of the leaf count.
enum NameRule {
    static func hasConstraints(_ path: [PathNode]) -> Bool {
        path.dropFirst().contains { X509_get_ext_by_NID($0.pointer, NID_name_constraints, -1) >= 0 }
    }

    /// The depth of the first CA on the path whose name constraints forbid `name`; `nil` if there is none.
    ///
    /// OpenSSL checks only the leaf's names, whose wildcards can cover a name that a CA excludes (CVE-2025-61727).
    static func depthOfConstraint(on path: [PathNode], against name: ServerName) -> Int? {
        guard case .dns(let text) = name else { return nil }
        return path.indices.dropFirst().first { depth in
            let certificate = path[depth].pointer
            return X509_get_ext_by_NID(certificate, NID_name_constraints, -1) >= 0
                && Extensions.withNameConstraints(of: certificate, { satisfies(text, $0) }) != true
        }
    }

    /// The depth of the first CA whose constraints the certificate at `depth` violates; OpenSSL does not report it.
    static func authority(on path: [PathNode], against depth: Int, constrainsCommonName: Bool) -> Int? {
        let certificate = path[depth].pointer
        return path.indices.dropFirst(depth + 1).first { above in
            let isBroken = Extensions.withNameConstraints(of: path[above].pointer) { constraints in
                NAME_CONSTRAINTS_check(certificate, constraints) != X509_V_OK
                    || constrainsCommonName && NAME_CONSTRAINTS_check_CN(certificate, constraints) != X509_V_OK
            }
            return isBroken == true
        }
    }

    /// Checks constraints against a certificate whose only name is `name` (`NAME_CONSTRAINTS_check`).
    private static func satisfies(_ name: String, _ constraints: UnsafeMutablePointer<NAME_CONSTRAINTS>) -> Bool {
        guard let certificate = X509_new(), let names = OPENSSL_sk_new_null() else { return false }
        defer {
            GENERAL_NAMES_free(names)
            X509_free(certificate)
        }
        guard let entry = GENERAL_NAME_new(), let value = ASN1_STRING_type_new(V_ASN1_IA5STRING),
            ASN1_STRING_set(value, name, Int32(name.utf8.count)) == 1
        else { return false }
        GENERAL_NAME_set0_value(entry, GEN_DNS, UnsafeMutableRawPointer(value))
        guard OPENSSL_sk_push(names, entry) > 0,
            X509_add1_ext_i2d(certificate, NID_subject_alt_name, UnsafeMutableRawPointer(names), 0, 0) == 1
        else { return false }
        // The check reads names that OpenSSL stores with the extensions; if that failed, it would find none to reject.
        guard X509_get_extension_flags(certificate) & UInt32(EXFLAG_SET) != 0 else { return false }
        return NAME_CONSTRAINTS_check(certificate, constraints) == X509_V_OK
    }
}

import COpenSSL

/// The malformations for which Go and BoringSSL do not parse a certificate and Apple's platforms refuse it (Security
/// 61901, `SecCertificate.c`, `SecPolicyCheckDuplicateExtension`, `SecPolicyCheckUnparseableExtension`).
enum Malformation {
    /// The extensions that OpenSSL reads first; it calls a certificate invalid if one of them cannot be read.
    private static let readAtOnce = [
        NID_basic_constraints, NID_name_constraints, NID_key_usage, NID_ext_key_usage, NID_subject_key_identifier,
        NID_authority_key_identifier, NID_subject_alt_name,
    ]
    private static let policies = [
        NID_certificate_policies, NID_policy_constraints, NID_policy_mappings, NID_inhibit_any_policy,
    ]

    /// The first broken rule, as a clause about the certificate; `nil` if there is none.
    static func first(in certificate: OpaquePointer) -> String? {
        defer { ERR_clear_error() }
        let (version, count) = (X509_get_version(certificate) + 1, X509_get_ext_count(certificate))
        guard (1...3).contains(version) else { return "it is of version \(version)" }
        guard version == 3 || count <= 0 else { return "it is of version \(version) and has extensions" }
        let isInvalid = X509_get_extension_flags(certificate) & UInt32(EXFLAG_INVALID) != 0
        var seen: Set<[UInt8]> = []
        for index in 0..<max(0, count) {
            guard let part = X509_get_ext(certificate, index), let identifier = X509_EXTENSION_get_object(part) else {
                continue
            }
            let bytes = UnsafeBufferPointer(start: OBJ_get0_data(identifier), count: OBJ_length(identifier))
            guard seen.insert(Array(bytes)).inserted else {
                return "it has \(Extensions.numbers(of: identifier)) twice"
            }
            let kind = OBJ_obj2nid(identifier)
            if policies.contains(kind) || isInvalid && readAtOnce.contains(kind), !isReadable(part) {
                return "its \(Extensions.objectName(identifier)) cannot be read"
            }
            if kind == NID_name_constraints, let flaw = flaw(ofNameConstraintsIn: certificate) { return flaw }
        }
        return isInvalid ? "its extensions are invalid" : nil
    }

    private static func isReadable(_ part: OpaquePointer) -> Bool {
        guard let value = X509V3_EXT_d2i(part) else { return false }
        if let item = X509V3_EXT_get(part)?.pointee.it { ASN1_item_free(OpaquePointer(value), item()) }
        return true
    }

    /// The flaw of a DNS name constraint, as a clause: Go and BoringSSL accept no dot at its end and no star.
    private static func flaw(ofNameConstraintsIn certificate: OpaquePointer) -> String? {
        let flaw = Extensions.withNameConstraints(of: certificate) { constraints -> String? in
            let stacks = [constraints.pointee.permittedSubtrees, constraints.pointee.excludedSubtrees]
            for subtree in stacks.flatMap({ Extensions.elements(of: $0, as: GENERAL_SUBTREE.self) }) {
                var kind: Int32 = 0
                let base = GENERAL_NAME_get0_value(subtree.pointee.base, &kind)
                guard kind == GEN_DNS, let name = Extensions.bytes(base) else { continue }
                if name.last == UInt8(ascii: ".") { return "a name constraint of it ends in a dot" }
                if name.contains(UInt8(ascii: "*")) { return "a name constraint of it holds a *" }
            }
            return nil
        }
        return flaw ?? nil
    }
}

internal import COpenSSL
internal import Pinning

/// The extensions of a certificate as values.
///
/// A malformed extension reads as an absent one here; the verifier rejects it.
enum Extensions {
    static func subjectAlternativeNames(of certificate: OpaquePointer) -> [SubjectAlternativeName] {
        guard let extensionValue = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else { return [] }
        let stack = OpaquePointer(extensionValue)
        defer { GENERAL_NAMES_free(stack) }
        return (0..<COpenSSL_sk_GENERAL_NAME_num(stack)).compactMap { index in
            guard let name = COpenSSL_sk_GENERAL_NAME_value(stack, index) else { return nil }
            var kind: Int32 = 0
            let value = GENERAL_NAME_get0_value(name, &kind)
            switch kind {
            case GEN_DNS: return .dns(text(value))
            case GEN_IPADD: return .ip(bytes(value) ?? [])
            case GEN_URI: return .other(kind: "URI", value: text(value))
            case GEN_EMAIL: return .other(kind: "email", value: text(value))
            case GEN_DIRNAME:
                return .other(kind: "DirName", value: DistinguishedNames.line(value.map { OpaquePointer($0) }))
            case GEN_RID: return .other(kind: "RID", value: value.map { objectName(OpaquePointer($0)) } ?? "")
            default: return .other(kind: "other", value: "")
            }
        }
    }

    static func basicConstraints(of certificate: OpaquePointer, flags: UInt32) -> BasicConstraints? {
        guard flags & UInt32(EXFLAG_BCONS) != 0 else { return nil }
        let limit = X509_get_pathlen(certificate)
        return BasicConstraints(
            isCertificateAuthority: flags & UInt32(EXFLAG_CA) != 0, pathLengthLimit: limit < 0 ? nil : Int(limit))
    }

    static func keyUsage(of certificate: OpaquePointer) -> [String]? {
        let bits = X509_get_key_usage(certificate)
        guard bits != UInt32.max else { return nil }
        let names: [(Int32, String)] = [
            (KU_DIGITAL_SIGNATURE, "digitalSignature"), (KU_NON_REPUDIATION, "nonRepudiation"),
            (KU_KEY_ENCIPHERMENT, "keyEncipherment"), (KU_DATA_ENCIPHERMENT, "dataEncipherment"),
            (KU_KEY_AGREEMENT, "keyAgreement"), (KU_KEY_CERT_SIGN, "keyCertSign"), (KU_CRL_SIGN, "cRLSign"),
            (KU_ENCIPHER_ONLY, "encipherOnly"), (KU_DECIPHER_ONLY, "decipherOnly"),
        ]
        return names.filter { bits & UInt32($0.0) != 0 }.map(\.1)
    }

    /// So many purposes are told one by one; real certificates have three.
    ///
    /// Every rule goes through all that there are.
    private static let purposeLimit = 64

    /// The purposes of a key; of more than a certificate has, those behind that have a name, each once.
    static func extendedKeyUsage(of certificate: OpaquePointer) -> [String]? {
        guard let extensionValue = X509_get_ext_d2i(certificate, NID_ext_key_usage, nil, nil) else { return nil }
        let stack = OpaquePointer(extensionValue)
        defer { EXTENDED_KEY_USAGE_free(stack) }
        var purposes: [String] = []
        var named: Set<Int32> = []
        for index in 0..<COpenSSL_sk_ASN1_OBJECT_num(stack) {
            guard let purpose = COpenSSL_sk_ASN1_OBJECT_value(stack, index) else { continue }
            let identifier = OBJ_obj2nid(purpose)
            let isNew = identifier != NID_undef && named.insert(identifier).inserted
            if isNew || purposes.count < purposeLimit { purposes.append(objectName(purpose)) }
        }
        return purposes
    }

    /// The bytes of an `ASN1_STRING` of any kind.
    static func bytes(_ string: UnsafeRawPointer?) -> [UInt8]? {
        guard let string else { return nil }
        let length = COpenSSL_ASN1_STRING_length(string)
        guard length > 0, let start = COpenSSL_ASN1_STRING_get0_data(string) else { return [] }
        return Array(UnsafeBufferPointer(start: start, count: Int(length)))
    }

    private static func text(_ string: UnsafeRawPointer?) -> String {
        String(decoding: bytes(string) ?? [], as: UTF8.self)
    }

    /// The short name of an object identifier, or its dotted numbers.
    private static func objectName(_ object: OpaquePointer) -> String {
        if let name = OBJ_nid2sn(OBJ_obj2nid(object)), OBJ_obj2nid(object) != NID_undef { return String(cString: name) }
        var text = [CChar](repeating: 0, count: 128)
        let length = OBJ_obj2txt(&text, Int32(text.count), object, 1)
        let shown = text.prefix(max(0, min(Int(length), text.count - 1)))
        return String(decoding: shown.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

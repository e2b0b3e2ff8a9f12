import Base
import COpenSSL
import Pinning

/// The extensions of a certificate as values; a malformed one is absent here, and the path verifier rejects it.
enum Extensions {
    static func subjectAlternativeNames(of certificate: OpaquePointer) -> [SubjectAlternativeName] {
        guard let extensionValue = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else { return [] }
        let stack = OpaquePointer(extensionValue)
        defer { GENERAL_NAMES_free(stack) }
        return elements(of: stack, as: GENERAL_NAME.self).map { name in
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

    static func isNamedUncritically(_ certificate: OpaquePointer) -> Bool {
        guard X509_NAME_entry_count(X509_get_subject_name(certificate)) == 0 else { return false }
        let position = X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1)
        return position >= 0 && X509_EXTENSION_get_critical(X509_get_ext(certificate, position)) == 0
    }

    /// The names of the bits of KeyUsage, in their order (RFC 5280, 4.2.1.3).
    private static let keyUsages = [
        "digitalSignature", "nonRepudiation", "keyEncipherment", "dataEncipherment", "keyAgreement", "keyCertSign",
        "cRLSign", "encipherOnly", "decipherOnly",
    ]

    /// Reads the extension itself: `X509_get_key_usage` reports no bit at all if another extension is malformed.
    static func keyUsage(of certificate: OpaquePointer) -> [String]? {
        guard let extensionValue = X509_get_ext_d2i(certificate, NID_key_usage, nil, nil) else { return nil }
        defer { COpenSSL_ASN1_STRING_free(extensionValue) }
        let bits = bytes(extensionValue) ?? []
        return keyUsages.enumerated().filter { position, _ in
            position / 8 < bits.count && bits[position / 8] & 0x80 >> UInt8(position % 8) != 0
        }.map(\.element)
    }

    /// The most purposes that are listed one by one, because every rule reads them all; real certificates have three.
    private static let purposeLimit = 64

    /// The purposes of a key; beyond the limit only those with a name, each once.
    static func extendedKeyUsage(of certificate: OpaquePointer) -> [String]? {
        guard let extensionValue = X509_get_ext_d2i(certificate, NID_ext_key_usage, nil, nil) else { return nil }
        let stack = OpaquePointer(extensionValue)
        defer { EXTENDED_KEY_USAGE_free(stack) }
        var purposes: [String] = []
        var named: Set<Int32> = []
        for index in 0..<max(0, OPENSSL_sk_num(stack)) {
            guard let purpose = OPENSSL_sk_value(stack, index).map({ OpaquePointer($0) }) else { continue }
            let identifier = OBJ_obj2nid(purpose)
            let isNew = identifier != NID_undef && named.insert(identifier).inserted
            if isNew || purposes.count < purposeLimit { purposes.append(objectName(purpose)) }
        }
        return purposes
    }

    /// Calls `body` with the name constraints of a certificate; `nil` if it has none, or if they cannot be read.
    static func withNameConstraints<T>(
        of certificate: OpaquePointer, _ body: (UnsafeMutablePointer<NAME_CONSTRAINTS>) -> T
    ) -> T? {
        defer { ERR_clear_error() }
        guard let value = X509_get_ext_d2i(certificate, NID_name_constraints, nil, nil) else { return nil }
        let constraints = value.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
        defer { NAME_CONSTRAINTS_free(constraints) }
        return body(constraints)
    }

    static func elements<T>(of stack: OpaquePointer?, as type: T.Type) -> [UnsafeMutablePointer<T>] {
        (0..<max(0, OPENSSL_sk_num(stack))).compactMap { OPENSSL_sk_value(stack, $0)?.assumingMemoryBound(to: type) }
    }

    /// The bytes of an `ASN1_STRING` of any kind.
    static func bytes(_ string: UnsafeRawPointer?) -> [UInt8]? {
        guard let string else { return nil }
        let length = COpenSSL_ASN1_STRING_length(string)
        guard length > 0, let start = COpenSSL_ASN1_STRING_get0_data(string) else { return [] }
        return Array(UnsafeBufferPointer(start: start, count: Int(length)))
    }

    private static func text(_ string: UnsafeRawPointer?) -> String {
        String(utf8: bytes(string) ?? [])
    }

    /// The short name of an object identifier; its dotted numbers if it has none.
    static func objectName(_ object: OpaquePointer) -> String {
        if let name = OBJ_nid2sn(OBJ_obj2nid(object)), OBJ_obj2nid(object) != NID_undef { return String(cString: name) }
        return numbers(of: object)
    }

    static func numbers(of object: OpaquePointer) -> String {
        var text = [CChar](repeating: 0, count: 128)
        let length = OBJ_obj2txt(&text, Int32(text.count), object, 1)
        let shown = text.prefix(max(0, min(Int(length), text.count - 1)))
        return String(utf8: shown.map(UInt8.init(bitPattern:)))
    }
}

enum DistinguishedNames {
    /// XN_FLAG_RFC2253 and ASN1_STRFLGS_RFC2253, which Swift cannot import, but with non-ASCII characters.
    private static let flags = UInt(
        ASN1_STRFLGS_ESC_2253 | ASN1_STRFLGS_ESC_CTRL | ASN1_STRFLGS_UTF8_CONVERT | ASN1_STRFLGS_DUMP_UNKNOWN
            | ASN1_STRFLGS_DUMP_DER | Int32(XN_FLAG_SEP_COMMA_PLUS) | Int32(XN_FLAG_DN_REV) | Int32(XN_FLAG_FN_SN)
            | Int32(XN_FLAG_DUMP_UNKNOWN_FIELDS))

    static func der(_ name: OpaquePointer) -> [UInt8] {
        var bytes: UnsafePointer<UInt8>?
        var length = 0
        guard X509_NAME_get0_der(name, &bytes, &length) == 1 else { return [] }
        return Array(UnsafeBufferPointer(start: bytes, count: length))
    }

    /// The whole name on one line (`X509_NAME_print_ex`), with control characters as `\0A`; empty for an empty name.
    static func line(_ name: OpaquePointer?) -> String {
        guard let bio = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(bio) }
        guard X509_NAME_print_ex(bio, name, 0, flags) >= 0 else { return "" }
        var start: UnsafePointer<CChar>?
        let length = COpenSSL_BIO_get_mem_data(bio, &start)
        guard length > 0, let start else { return "" }
        return start.withMemoryRebound(to: UInt8.self, capacity: length) {
            String(utf8: UnsafeBufferPointer(start: $0, count: length))
        }
    }

    /// The last common name, decoded; it may contain any character, even NUL.
    static func commonName(_ name: OpaquePointer?) -> String? {
        var last: Int32 = -1
        while case let next = X509_NAME_get_index_by_NID(name, NID_commonName, last), next >= 0 { last = next }
        guard last >= 0, let entry = X509_NAME_get_entry(name, last) else { return nil }
        var text: UnsafeMutablePointer<UInt8>?
        let length = COpenSSL_ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
        guard length >= 0, let text else { return nil }
        defer { COpenSSL_OPENSSL_free(text) }
        return String(utf8: UnsafeBufferPointer(start: text, count: Int(length)))
    }
}

extension Timestamp {
    /// The moment of an `ASN1_TIME`; `nil` if it is malformed.
    init?(asn1 time: UnsafeRawPointer?) {
        var seconds: Int64 = 0
        guard let time, COpenSSL_ASN1_TIME_seconds(time, &seconds) == 1 else { return nil }
        self.init(secondsSinceEpoch: seconds)
    }
}

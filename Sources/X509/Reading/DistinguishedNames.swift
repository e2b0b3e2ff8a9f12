internal import COpenSSL

enum DistinguishedNames {
    /// RFC 2253 without its escaping of non-ASCII characters: most specific part first, separated by commas.
    ///
    /// These are XN_FLAG_RFC2253 and ASN1_STRFLGS_RFC2253, macros that Swift does not see, put together again.
    private static let flags = UInt(
        ASN1_STRFLGS_ESC_2253 | ASN1_STRFLGS_ESC_CTRL | ASN1_STRFLGS_UTF8_CONVERT | ASN1_STRFLGS_DUMP_UNKNOWN
            | ASN1_STRFLGS_DUMP_DER | Int32(XN_FLAG_SEP_COMMA_PLUS) | Int32(XN_FLAG_DN_REV) | Int32(XN_FLAG_FN_SN)
            | Int32(XN_FLAG_DUMP_UNKNOWN_FIELDS))

    /// The whole name on one line (`X509_NAME_print_ex`), with control characters as `\0A`; empty for an empty name.
    static func line(_ name: OpaquePointer?) -> String {
        guard let bio = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(bio) }
        guard X509_NAME_print_ex(bio, name, 0, flags) >= 0 else { return "" }
        var start: UnsafePointer<CChar>?
        let length = COpenSSL_BIO_get_mem_data(bio, &start)
        guard length > 0, let start else { return "" }
        return start.withMemoryRebound(to: UInt8.self, capacity: length) {
            String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
        }
    }

    /// The last common name, decoded; it may hold any character, NUL included.
    static func commonName(_ name: OpaquePointer?) -> String? {
        var position: Int32 = -1
        var last: Int32 = -1
        while true {
            position = X509_NAME_get_index_by_NID(name, NID_commonName, position)
            guard position >= 0 else { break }
            last = position
        }
        guard last >= 0, let entry = X509_NAME_get_entry(name, last) else { return nil }
        var text: UnsafeMutablePointer<UInt8>?
        let length = COpenSSL_ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
        guard length >= 0, let text else { return nil }
        defer { COpenSSL_OPENSSL_free(text) }
        return String(decoding: UnsafeBufferPointer(start: text, count: Int(length)), as: UTF8.self)
    }
}

internal import COpenSSL

/// Asks servers for signed certificate timestamps (extension 18, RFC 6962, 3.3.1), and keeps what they send.
///
/// OpenSSL's own support of the extension would verify them against a list of logs; this one only listens.
enum TimestampExtension {
    /// The number of the extension.
    private static let number = UInt32(TLSEXT_TYPE_signed_certificate_timestamp)
    /// Where it stands: in the ClientHello, empty, and with the leaf or before it.
    private static let messages = UInt32(
        SSL_EXT_CLIENT_HELLO | SSL_EXT_TLS1_2_SERVER_HELLO | SSL_EXT_TLS1_3_CERTIFICATE)

    /// Makes every ClientHello of a context ask (`SSL_CTX_add_custom_ext`).
    ///
    /// - Returns: whether OpenSSL took it.
    static func register(in context: OpaquePointer) -> Bool {
        SSL_CTX_add_custom_ext(
            context, number, messages,
            { _, _, _, content, count, _, _, _, _ in
                content?.pointee = nil
                count?.pointee = 0
                return 1
            }, nil, nil,
            { ssl, _, _, bytes, count, _, depth, _, _ in
                // What stands with an intermediate is for nobody.
                guard depth == 0 else { return 1 }
                TLSConnection.note(
                    timestampList: Array(UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : count)), of: ssl)
                // Damaged ones are for whoever reads them: clients that do not look go on.
                return 1
            }, nil) == 1
    }
}

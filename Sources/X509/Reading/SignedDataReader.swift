internal import COpenSSL
package import Pinning

/// Takes the certificates out of PKCS #7 SignedData (RFC 5652, 5): `.p7b` and `.p7c` files hold them with nothing that is signed.
package enum SignedDataReader {
    /// Every certificate in the message, in the order in which it lists them (`d2i_CMS_ContentInfo`, `CMS_get1_certs`).
    ///
    /// Nothing is verified: a signature in it would be one over something else.
    ///
    /// - Throws: ``X509Error`` when the bytes are not one whole message, one without a certificate, or one with a key that costs too
    ///   much to read.
    package static func certificates(der: [UInt8]) throws(X509Error) -> [Certificate] {
        switch Int(COpenSSL_signed_data(der, der.count)) {
        case 0: break
        case Int(COpenSSL_CERTIFICATES_UNREADABLE): throw X509Error(.notSignedData)
        default: throw X509Error(.notSignedData, detail: "a certificate in it has a key that costs too much to read")
        }
        OpenSSLNames.learn()
        OpenSSLFailure.forget()
        let parsed = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var cursor = bytes.baseAddress
            guard let message = d2i_CMS_ContentInfo(nil, &cursor, bytes.count) else { return nil }
            guard cursor == bytes.baseAddress.map({ $0 + bytes.count }) else {
                CMS_ContentInfo_free(message)
                return nil
            }
            return message
        }
        guard let parsed else { throw X509Error(.notSignedData, detail: OpenSSLFailure.takeReason()) }
        defer { CMS_ContentInfo_free(parsed) }
        guard let stack = CMS_get1_certs(parsed) else {
            throw X509Error(.notSignedData, detail: OpenSSLFailure.takeReason() ?? "it holds no certificate")
        }
        defer { COpenSSL_sk_X509_pop_free(stack) }
        var certificates: [Certificate] = []
        for index in 0..<COpenSSL_sk_X509_num(stack) {
            guard let pointer = COpenSSL_sk_X509_value(stack, index) else { continue }
            certificates.append(try CertificateReader.certificate(borrowing: pointer))
        }
        guard !certificates.isEmpty else { throw X509Error(.notSignedData, detail: "it holds no certificate") }
        return certificates
    }
}

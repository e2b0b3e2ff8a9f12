internal import COpenSSL

extension ClientIdentity {
    /// Has `ssl` send the certificates when it is asked to; returns false when OpenSSL refuses.
    func use(on ssl: OpaquePointer) -> Bool {
        guard SSL_use_certificate(ssl, certificates.first) == 1, SSL_use_PrivateKey(ssl, key) == 1 else { return false }
        // Without a certificate OpenSSL asks the context's callback for one; with one it asks this.
        SSL_set_cert_cb(
            ssl,
            { ssl, _ in
                TLSConnection.noteClientCertificateRequest(ssl)
                return 1
            }, nil)
        return certificates.dropFirst().allSatisfy { COpenSSL_SSL_add1_chain_cert(ssl, $0) == 1 }
    }
}

internal import COpenSSL
internal import X509

/// Why OpenSSL does not take a list of an offer.
package struct OfferRefusal: Error, Sendable, Hashable { package let words: String }

extension HandshakeOffer {
    /// Restricts a part of the offer to a list, which OpenSSL has to take; commas stand for colons.
    package mutating func set(_ part: WritableKeyPath<HandshakeOffer, String?>, to list: String) throws(OfferRefusal) {
        var alone = HandshakeOffer()
        alone[keyPath: part] = list.replacing(",", with: ":")
        OpenSSLNames.learn()
        let context = SSL_CTX_new(TLS_client_method())
        let ssl = SSL_new(context)
        SSL_CTX_free(context)
        defer { SSL_free(ssl) }
        OpenSSLErrors.clear()
        let isTaken = ssl.map(alone.restrict) ?? false
        let errors = OpenSSLErrors.take()
        guard isTaken else {
            let version = OpenSSL_version(OPENSSL_VERSION_STRING).map { String(cString: $0) } ?? ""
            throw OfferRefusal(words: "OpenSSL \(version) does not take it (\(errors.text))")
        }
        self[keyPath: part] = alone[keyPath: part]
    }

    /// Restricts what `ssl` offers; returns false when OpenSSL refuses.
    func restrict(_ ssl: OpaquePointer) -> Bool {
        // Before they are set: OpenSSL looks at what is allowed.
        if groups != nil { COpenSSL_SSL_allow_named_dh(ssl) }
        if let groups, COpenSSL_SSL_set1_groups_list(ssl, groups) != 1 { return false }
        if let signatureAlgorithms {
            guard COpenSSL_SSL_set1_sigalgs_list(ssl, signatureAlgorithms) == 1,
                COpenSSL_SSL_set1_client_sigalgs_list(ssl, CertificateKeyType.forClients) == 1
            else { return false }
        }
        guard ciphers != nil else { return true }
        let suites = suites
        if !suites.new.isEmpty, SSL_set_ciphersuites(ssl, suites.new.joined(separator: ":")) != 1 { return false }
        guard !suites.old.isEmpty else { return !suites.new.isEmpty }
        return SSL_set_cipher_list(ssl, suites.old.joined(separator: ":") + ":@SECLEVEL=0") == 1
    }
}

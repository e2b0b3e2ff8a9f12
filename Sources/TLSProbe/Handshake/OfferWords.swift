internal import COpenSSL
internal import X509

/// Reads parts of an offer with the words that this OpenSSL has.
package enum OfferWords {
    /// The words of a list with colons or commas between them.
    ///
    /// - Throws: ``UnknownOfferWord`` for the first that OpenSSL does not take.
    package static func read(_ text: String, of part: HandshakeOffer.Part) throws(UnknownOfferWord) -> [String] {
        let words = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "," }.map(String.init)
        OpenSSLNames.learn()
        let context = SSL_CTX_new(TLS_client_method())
        defer {
            SSL_CTX_free(context)
            OpenSSLErrors.clear()
        }
        for word in words where !takes(word, part, context) {
            throw UnknownOfferWord(part: part, word: word, known: known(part, context), version: version)
        }
        // Of suites that are taken and taken away again nothing may be left, and nothing else may stand there twice.
        var offer = HandshakeOffer()
        switch part {
        case .groups: offer.groups = words
        case .ciphers: offer.ciphers = words
        case .signatureAlgorithms: offer.signatureAlgorithms = words
        }
        guard let ssl = SSL_new(context) else { return words }
        defer { SSL_free(ssl) }
        guard offer.restrict(ssl) else { throw UnknownOfferWord(part: part, word: text, known: [], version: version) }
        return words
    }

    private static func takes(_ word: String, _ part: HandshakeOffer.Part, _ context: OpaquePointer?) -> Bool {
        guard let context, !word.isEmpty, word.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return false }
        switch part {
        case .groups: return COpenSSL_SSL_CTX_set1_groups_list(context, word) == 1
        case .signatureAlgorithms:
            guard let ssl = SSL_new(context) else { return false }
            defer { SSL_free(ssl) }
            return COpenSSL_SSL_set1_sigalgs_list(ssl, word) == 1
        case .ciphers:
            guard !word.utf8.starts(with: "TLS_".utf8) else { return SSL_CTX_set_ciphersuites(context, word) == 1 }
            guard !orders.contains(word) else { return true }
            let name = word.first.map { "!-+".contains($0) } == true ? word.dropFirst() : word[...]
            // OpenSSL passes over what it does not know where something is left.
            return name.split(separator: "+", omittingEmptySubsequences: false).allSatisfy { name in
                groupsOfCiphers.contains(String(name))
                    || !name.isEmpty && SSL_CTX_set_cipher_list(context, "\(name):@SECLEVEL=0") == 1
            }
        }
    }

    /// What changes the order alone.
    private static let orders: Set = ["@STRENGTH"]

    /// What stands for several suites, in some versions of OpenSSL for none (ciphers(1)).
    private static let groupsOfCiphers: Set = [
        "3DES", "ADH", "AECDH", "AES", "AES128", "AES256", "AESCCM", "AESCCM8", "AESGCM", "ALL", "ARIA", "ARIA128",
        "ARIA256", "CAMELLIA", "CAMELLIA128", "CAMELLIA256", "CBC", "CHACHA20", "COMPLEMENTOFALL",
        "COMPLEMENTOFDEFAULT", "DEFAULT", "DES", "DH", "DHE", "DSS", "ECDH", "ECDHE", "ECDSA", "EDH", "EECDH", "EXP",
        "EXPORT", "HIGH", "IDEA", "LOW", "MD5", "MEDIUM", "NULL", "PSK", "RC2", "RC4", "RSA", "SEED", "SHA", "SHA1",
        "SHA256", "SHA384", "SRP", "SSLv3", "TLSv1", "TLSv1.0", "TLSv1.2", "aDSS", "aECDSA", "aNULL", "aPSK", "aRSA",
        "eNULL", "kDHE", "kECDHE", "kEDH", "kEECDH", "kPSK", "kRSA",
    ]

    /// The version of OpenSSL that runs, as in `3.0.17`.
    private static var version: String {
        OpenSSL_version(OPENSSL_VERSION_STRING).map { String(cString: $0) } ?? "unknown"
    }

    /// The words for the nearest to be found among.
    private static func known(_ part: HandshakeOffer.Part, _ context: OpaquePointer?) -> [String] {
        switch part {
        case .groups: return HelloNames.groups.map(\.name).filter { takes($0, part, context) }
        case .signatureAlgorithms: return HelloNames.signatureAlgorithms.map(\.name).filter { takes($0, part, context) }
        case .ciphers:
            _ = SSL_CTX_set_cipher_list(context, "ALL:eNULL:@SECLEVEL=0")
            _ = SSL_CTX_set_ciphersuites(context, HelloNames.newCiphers.joined(separator: ":"))
            let list = SSL_CTX_get_ciphers(context)
            let count = COpenSSL_sk_SSL_CIPHER_num(list)
            let names = (0..<max(0, count)).compactMap { index in
                SSL_CIPHER_get_name(COpenSSL_sk_SSL_CIPHER_value(list, index)).map { String(cString: $0) }
            }
            return names + groupsOfCiphers.sorted()
        }
    }
}

extension HandshakeOffer {
    /// Restricts what `ssl` offers; returns false when OpenSSL refuses.
    func restrict(_ ssl: OpaquePointer) -> Bool {
        // Before they are set: OpenSSL looks at what is allowed.
        if !groups.isEmpty { COpenSSL_SSL_allow_named_dh(ssl) }
        return (groups.isEmpty || COpenSSL_SSL_set1_groups_list(ssl, groups.joined(separator: ":")) == 1)
            && (signatureAlgorithms.isEmpty
                || COpenSSL_SSL_set1_sigalgs_list(ssl, signatureAlgorithms.joined(separator: ":")) == 1
                    && COpenSSL_SSL_set1_client_sigalgs_list(ssl, CertificateKeyType.forClients) == 1)
            && (newCiphers.isEmpty || SSL_set_ciphersuites(ssl, newCiphers.joined(separator: ":")) == 1)
            && (oldCiphers.isEmpty
                || SSL_set_cipher_list(ssl, (oldCiphers + ["@SECLEVEL=0"]).joined(separator: ":")) == 1)
    }
}

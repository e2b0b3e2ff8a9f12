internal import Base
internal import COpenSSL
package import Pinning
internal import X509

extension HandshakeOffer {
    /// Restricts a part of the offer to a list that OpenSSL accepts; its commas count as colons.
    package mutating func set(_ part: WritableKeyPath<HandshakeOffer, String?>, to list: String) throws(Problem) {
        let list = list.replacing(",", with: ":")
        OpenSSLNames.learn()
        let context = SSL_CTX_new(TLS_client_method())
        let ssl = SSL_new(context)
        SSL_CTX_free(context)
        defer { SSL_free(ssl) }
        // OpenSSL passes over the suites of a list that it does not know.
        let suites =
            part == \HandshakeOffer.ciphers ? list.split(separator: ":").filter { $0.first?.isLetter == true } : []
        for words in suites.map(String.init) + [list] {
            var alone = HandshakeOffer()
            alone[keyPath: part] = words
            OpenSSLErrors.clear()
            let isTaken = ssl.map(alone.restrict) ?? false
            let errors = OpenSSLErrors.take()
            guard isTaken else {
                let what = words == list ? "it" : quoted(words)
                throw .usage("OpenSSL \(OpenSSLVersion.number) does not take \(what) (\(errors.text))")
            }
        }
        self[keyPath: part] = list
    }

    /// Restricts the offer of `ssl`; `false` if OpenSSL refuses.
    func restrict(_ ssl: OpaquePointer) -> Bool {
        if let groups, COpenSSL_SSL_set1_groups_list(ssl, groups) != 1 { return false }
        if let signatureAlgorithms {
            guard COpenSSL_SSL_set1_sigalgs_list(ssl, signatureAlgorithms) == 1,
                // Everything: what is offered to the server must not restrict the client's certificate.
                COpenSSL_SSL_set1_client_sigalgs_list(ssl, SignatureScheme.words(of: SignatureScheme.all.map(\.number)))
                    == 1
            else { return false }
        }
        guard ciphers != nil else { return true }
        let suites = suites
        if !suites.new.isEmpty, SSL_set_ciphersuites(ssl, suites.new.joined(separator: ":")) != 1 { return false }
        guard !suites.old.isEmpty else { return !suites.new.isEmpty }
        return SSL_set_cipher_list(ssl, suites.old.joined(separator: ":") + ":@SECLEVEL=0") == 1
    }
}

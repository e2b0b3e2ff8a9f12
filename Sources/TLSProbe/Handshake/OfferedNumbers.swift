import Base
import COpenSSL
package import Pinning
import X509

/// The groups of key exchanges by IANA's numbers, with their names in reports and in OpenSSL.
package enum NamedGroup {
    private static let all: [(number: UInt16, name: String, id: Int32, others: [String])] = [
        (TLSStack.hybrid, "X25519MLKEM768", 0, []), (0x001D, "X25519", NID_X25519, []),
        (0x0017, "P-256", NID_X9_62_prime256v1, ["prime256v1", "secp256r1"]),
        (0x0018, "P-384", NID_secp384r1, ["secp384r1"]), (0x0019, "P-521", NID_secp521r1, ["secp521r1"]),
        (0x001E, "X448", NID_X448, []),
    ]

    package static func name(_ number: UInt16) -> String? { all.first { $0.number == number }?.name }

    /// The numbers of the groups in one of OpenSSL's lists, which mark some groups from 3.5 on.
    static func numbers(in list: String) -> [UInt16] {
        list.split { ":/".contains($0) }.compactMap { word in
            let word = word.drop { "?*".contains($0) }.lowercased()
            return all.first { ([$0.name] + $0.others).contains { $0.lowercased() == word } }?.number
        }
    }

    static func choice(of ssl: OpaquePointer) -> ConnectionFacts.Choice? {
        let id = Int32(clamping: SSL_ctrl(ssl, SSL_CTRL_GET_NEGOTIATED_GROUP, 0, nil))
        guard id != NID_undef else { return nil }
        if let known = all.first(where: { $0.id == id }) { return (known.number, known.name) }
        let name = SSL_group_to_name(ssl, id).map { String(cString: $0) } ?? "unknown"
        switch id {
        case NID_ffdhe2048...NID_ffdhe8192: return (0x0100 + UInt16(id - NID_ffdhe2048), name)
        // A group that OpenSSL does not know has IANA's number.
        case _ where id & TLSEXT_nid_unknown != 0: return (UInt16(truncatingIfNeeded: id), name)
        default: return (0, name)
        }
    }
}

/// The signature algorithms of TLS (RFC 8446, 4.2.3) by IANA's numbers and names.
package enum SignatureScheme {
    /// Keys and digests have OpenSSL's numbers; only OpenSSL 3.5 and later know ML-DSA.
    static let all: [(number: UInt16, name: String, key: Int32, digest: Int32)] = [
        (0x0403, "ecdsa_secp256r1_sha256", EVP_PKEY_EC, NID_sha256),
        (0x0503, "ecdsa_secp384r1_sha384", EVP_PKEY_EC, NID_sha384),
        (0x0603, "ecdsa_secp521r1_sha512", EVP_PKEY_EC, NID_sha512), (0x0807, "ed25519", EVP_PKEY_ED25519, NID_undef),
        (0x0808, "ed448", EVP_PKEY_ED448, NID_undef), (0x0804, "rsa_pss_rsae_sha256", EVP_PKEY_RSA_PSS, NID_sha256),
        (0x0805, "rsa_pss_rsae_sha384", EVP_PKEY_RSA_PSS, NID_sha384),
        (0x0806, "rsa_pss_rsae_sha512", EVP_PKEY_RSA_PSS, NID_sha512),
        (0x0809, "rsa_pss_pss_sha256", EVP_PKEY_RSA_PSS, NID_sha256),
        (0x080A, "rsa_pss_pss_sha384", EVP_PKEY_RSA_PSS, NID_sha384),
        (0x080B, "rsa_pss_pss_sha512", EVP_PKEY_RSA_PSS, NID_sha512),
        (0x0401, "rsa_pkcs1_sha256", EVP_PKEY_RSA, NID_sha256), (0x0501, "rsa_pkcs1_sha384", EVP_PKEY_RSA, NID_sha384),
        (0x0601, "rsa_pkcs1_sha512", EVP_PKEY_RSA, NID_sha512), (0x0303, "ecdsa_sha224", EVP_PKEY_EC, NID_sha224),
        (0x0301, "rsa_pkcs1_sha224", EVP_PKEY_RSA, NID_sha224), (0x0203, "ecdsa_sha1", EVP_PKEY_EC, NID_sha1),
        (0x0201, "rsa_pkcs1_sha1", EVP_PKEY_RSA, NID_sha1), (0x0904, "mldsa44", OBJ_ln2nid("ML-DSA-44"), NID_undef),
        (0x0905, "mldsa65", OBJ_ln2nid("ML-DSA-65"), NID_undef),
        (0x0906, "mldsa87", OBJ_ln2nid("ML-DSA-87"), NID_undef),
    ].filter { $0.key != NID_undef }

    package static func name(_ number: UInt16) -> String? { all.first { $0.number == number }?.name }

    /// OpenSSL's word: algorithms with SHA-1 or SHA-224 have no name there, only a pair of a key and a digest.
    private static func word(_ number: UInt16) -> String? {
        [0x0303: "ECDSA+SHA224", 0x0301: "RSA+SHA224", 0x0203: "ECDSA+SHA1", 0x0201: "RSA+SHA1"][number] ?? name(number)
    }

    static func words(of numbers: [UInt16]) -> String { numbers.compactMap(word).joined(separator: ":") }

    /// The numbers of the algorithms in one of OpenSSL's lists, by name or as a key and a digest.
    static func numbers(in list: String) -> [UInt16] {
        list.split { ":/".contains($0) }.flatMap { word -> [UInt16] in
            let word = word.drop { $0 == "?" }
            let pair = word.uppercased().split(separator: "+")
            guard pair.count == 2 else { return all.filter { $0.name == word.lowercased() }.map(\.number) }
            let key = ["ECDSA": EVP_PKEY_EC, "RSA": EVP_PKEY_RSA, "RSA-PSS": EVP_PKEY_RSA_PSS, "PSS": EVP_PKEY_RSA_PSS]
            return all.filter { $0.key == key[String(pair[0])] && $0.digest == OBJ_txt2nid(String(pair[1])) }.map(
                \.number)
        }
    }

    /// The server's signature algorithm; OpenSSL does not distinguish the two kinds of PSS, but the leaf's key does.
    static func choice(of ssl: OpaquePointer, for leaf: KeyAlgorithm) -> ConnectionFacts.Choice? {
        var (key, digest): (Int32, Int32) = (0, 0)
        guard SSL_get_peer_signature_type_nid(ssl, &key) == 1, COpenSSL_SSL_get_peer_signature_nid(ssl, &digest) == 1
        else { return nil }
        let isPSS = if case .rsaPSS = leaf { true } else { false }
        let known = all.first { $0.key == key && $0.digest == digest && $0.name.hasPrefix("rsa_pss_pss") == isPSS }
        return known.map { ($0.number, $0.name) } ?? (0, "unknown")
    }
}

// Servers of TLS 1.3 choose a certificate by signature_algorithms alone, older ones first by the cipher suites.
extension CertificateKeyType {
    /// Algorithms that in TLS 1.3 only a CA's signature on a certificate may have (RFC 8446, 4.2.3).
    ///
    /// Without them, servers that compare the signatures on their certificates with the offer would not send an ECDSA
    /// certificate issued by an RSA CA. Before TLS 1.3, the cipher suites prevent an RSA certificate.
    private static let forAuthorities: [UInt16] = [0x0401, 0x0501, 0x0601, 0x0201]

    /// The offer that fits only certificates with such a key; suites for ECDSA are for EdDSA too (RFC 8422, 5.3).
    var offer: HandshakeOffer {
        var offer = HandshakeOffer()
        offer.ciphers = (self == .rsa ? "aRSA:!kDHE" : "aECDSA") + ":!eNULL:!PSK:!SRP"
        offer.signatureAlgorithms = SignatureScheme.words(of: signatures)
        return offer
    }

    private var signatures: [UInt16] {
        let own: [UInt16] =
            switch self {
            case .rsa: [0x0804, 0x0805, 0x0806, 0x0809, 0x080A, 0x080B]
            case .ecdsa: [0x0403, 0x0503, 0x0603, 0x0203]
            case .ed25519: [0x0807]
            }
        return own + Self.forAuthorities
    }

    /// `true` if the stack takes some leaf with such a key: only OpenSSL takes Ed25519.
    package func isKnown(to stack: TLSStack) -> Bool { self != .ed25519 || stack.curves == nil }
}

extension ProbeRequest {
    /// The request for a stack's exact offer to `peer`, as far as this request and the loaded OpenSSL allow it.
    ///
    /// - Throws: the part of the offer of which nothing is left.
    package func offering(_ stack: TLSStack, to peer: PeerAddress?) throws(OfferedPart) -> ProbeRequest {
        var request = self
        request.isExact = true
        if let peer { request.destination = .address(peer.ip) }
        guard minimumTLS <= stack.versions.upperBound else {
            // Suites of TLS 1.3 alone allow no older version, even if ``minimumTLS`` does.
            throw offer.ciphers != nil && offer.suites.old.isEmpty ? .suites : .lowestVersion
        }
        guard maximumTLS >= stack.versions.lowerBound else { throw .highestVersion }
        request.minimumTLS = max(minimumTLS, stack.versions.lowerBound)
        request.maximumTLS = min(maximumTLS, stack.versions.upperBound)
        let ssl = (try? TLSContext()).flatMap { SSL_new($0.pointer) }
        defer { SSL_free(ssl) }
        guard let ssl, keyType?.offer.restrict(ssl) ?? true, offer.isEmpty || offer.restrict(ssl) else { throw .suites }
        // The list repeats a suite of TLS 1.3 that is named twice.
        var left: [String] = []
        while let name = SSL_get_cipher_list(ssl, Int32(left.count)) { left.append(String(cString: name)) }
        let suites = stack.suites.compactMap { number in
            SSL_CIPHER_find(ssl, [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]).flatMap(SSL_CIPHER_get_name)
                .map { String(cString: $0) }
        }.filter(left.contains)
        request.offer.ciphers = suites.joined(separator: ":")
        if request.offer.suites.new.isEmpty { request.maximumTLS = min(request.maximumTLS, .tls12) }
        if request.offer.suites.old.isEmpty { request.minimumTLS = max(request.minimumTLS, .tls13) }
        guard request.minimumTLS <= request.maximumTLS else { throw .suites }
        if let groups = stack.groups {
            let left = offer.groups.map(NamedGroup.numbers)
            let names = groups.filter { left?.contains($0) ?? true }.compactMap(NamedGroup.name).filter {
                COpenSSL_SSL_set1_groups_list(ssl, $0) == 1
            }
            guard !names.isEmpty else { throw .groups }
            request.offer.groups = names.joined(separator: ":")
        }
        let lists = [offer.signatureAlgorithms, keyType?.offer.signatureAlgorithms].compactMap(\.self)
        let signatures = stack.signatures.filter { number in
            lists.allSatisfy { SignatureScheme.numbers(in: $0).contains(number) }
        }
        request.offer.signatureAlgorithms = SignatureScheme.words(of: signatures)
        guard request.offer.signatureAlgorithms?.isEmpty == false else { throw .signatures }
        return request
    }
}

extension HandshakeOffer {
    /// Restricts a part of the offer to a list that OpenSSL accepts; commas count as colons.
    package mutating func set(_ part: WritableKeyPath<HandshakeOffer, String?>, to list: String) throws(Problem) {
        let marks = part == \.ciphers ? ":,; " : ":,"
        let list = list.split { marks.contains($0) }.joined(separator: ":")
        COpenSSL_learn_names()
        let context = SSL_CTX_new(TLS_client_method())
        let ssl = SSL_new(context)
        SSL_CTX_free(context)
        defer { SSL_free(ssl) }
        // OpenSSL skips the suites of a list that it does not know, so each is tried alone first.
        let suites = part == \.ciphers ? list.split(separator: ":").filter { !"!-+@".contains($0.prefix(1)) } : []
        for words in suites.map(String.init) + [list] {
            var alone = HandshakeOffer()
            alone[keyPath: part] = words
            ERR_clear_error()
            let isTaken = ssl.map(alone.restrict) ?? false
            let errors = OpenSSLErrors.take()
            guard isTaken else {
                let what: SafeText = words == list ? "it" : "\(quoted(words))"
                throw .usage("OpenSSL \(OpenSSLVersion.number) does not take \(what) (\(errors.text))")
            }
        }
        self[keyPath: part] = list
    }

    func restrict(_ ssl: OpaquePointer) -> Bool {
        if let groups, COpenSSL_SSL_set1_groups_list(ssl, groups) != 1 { return false }
        if let signatureAlgorithms {
            guard COpenSSL_SSL_set1_sigalgs_list(ssl, signatureAlgorithms) == 1,
                // All of them, because the offer to the server must not restrict the client's certificate.
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

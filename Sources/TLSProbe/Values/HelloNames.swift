/// What the numbers of a ClientHello are called, as OpenSSL takes the words; from the registry of IANA.
package enum HelloNames {
    /// The groups of the key exchange.
    static let groups: [(number: UInt16, name: String)] = [
        (0x11ec, "X25519MLKEM768"), (0x11eb, "SecP256r1MLKEM768"), (0x11ed, "SecP384r1MLKEM1024"), (0x001d, "X25519"),
        (0x0017, "P-256"), (0x001e, "X448"), (0x0018, "P-384"), (0x0019, "P-521"), (0x0100, "ffdhe2048"),
        (0x0101, "ffdhe3072"), (0x0102, "ffdhe4096"), (0x0103, "ffdhe6144"), (0x0104, "ffdhe8192"),
        (0x0200, "MLKEM512"), (0x0201, "MLKEM768"), (0x0202, "MLKEM1024"), (0x0016, "secp256k1"),
        (0x001a, "brainpoolP256r1"), (0x001b, "brainpoolP384r1"), (0x001c, "brainpoolP512r1"),
        (0x001f, "brainpoolP256r1tls13"), (0x0020, "brainpoolP384r1tls13"), (0x0021, "brainpoolP512r1tls13"),
    ]

    /// The algorithms of signatures.
    static let signatureAlgorithms: [(number: UInt16, name: String)] = [
        (0x0403, "ecdsa_secp256r1_sha256"), (0x0503, "ecdsa_secp384r1_sha384"), (0x0603, "ecdsa_secp521r1_sha512"),
        (0x0807, "ed25519"), (0x0808, "ed448"), (0x0804, "rsa_pss_rsae_sha256"), (0x0805, "rsa_pss_rsae_sha384"),
        (0x0806, "rsa_pss_rsae_sha512"), (0x0809, "rsa_pss_pss_sha256"), (0x080a, "rsa_pss_pss_sha384"),
        (0x080b, "rsa_pss_pss_sha512"), (0x0401, "rsa_pkcs1_sha256"), (0x0501, "rsa_pkcs1_sha384"),
        (0x0601, "rsa_pkcs1_sha512"), (0x0904, "mldsa44"), (0x0905, "mldsa65"), (0x0906, "mldsa87"),
        (0x081a, "ecdsa_brainpoolP256r1tls13_sha256"), (0x081b, "ecdsa_brainpoolP384r1tls13_sha384"),
        (0x081c, "ecdsa_brainpoolP512r1tls13_sha512"), (0x0303, "ECDSA+SHA224"), (0x0203, "ECDSA+SHA1"),
        (0x0301, "RSA+SHA224"), (0x0201, "RSA+SHA1"), (0x0402, "DSA+SHA256"), (0x0502, "DSA+SHA384"),
        (0x0602, "DSA+SHA512"), (0x0302, "DSA+SHA224"), (0x0202, "DSA+SHA1"),
    ]

    /// The cipher suites of TLS 1.3.
    static let newCiphers = [
        "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256", "TLS_AES_128_CCM_SHA256",
        "TLS_AES_128_CCM_8_SHA256",
    ]

    /// The word for a group, or its number.
    package static func group(_ number: UInt16) -> String { name(number, in: groups) }

    /// The word for a signature algorithm, or its number.
    package static func signatureAlgorithm(_ number: UInt16) -> String { name(number, in: signatureAlgorithms) }

    /// The name of a version, or its number.
    package static func version(_ number: UInt16) -> String {
        TLSVersion(rawValue: number)?.description ?? hexadecimal(number)
    }

    private static func name(_ number: UInt16, in table: [(number: UInt16, name: String)]) -> String {
        table.first { $0.number == number }?.name ?? hexadecimal(number)
    }

    static func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

import COpenSSL
import LoopbackLab
import Pinning
import Testing
import X509

@Suite("A path that is found valid is valid to OpenSSL, alone") struct SoundPathTests {
    @Test(arguments: Seeds.sample(4)) func randomWorldsWithStoresThatDistrust(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for number in 0..<6 {
            let pki = try RandomPKI(using: &generator)
            let presented = try pki.presented(using: &generator)
            var text = pem(of: pki.anchors(using: &generator))
            var distrusted: Set<LabCertificate> = []
            for certificate in pki.roots + pki.authorities + [pki.leaf] where generator.chance(8) {
                let settings = Self.settings.randomElement(using: &generator)!
                if settings != TrustSettings(trusted: [.serverAuth]) { distrusted.insert(certificate) }
                text += certificate.pem(settings)
            }
            guard !text.isEmpty else { continue }
            let store = TrustStore(anchors: [try AnchorBundle(pemOrDER: Array(text.utf8))])
            let findings = OpenSSLPathVerifier(trustStore: store).findPaths(try PathQuestion(presented))
            let distrustedDER = Set(distrusted.map(\.der))
            for path in findings.validPaths {
                let ders = path.map(\.der)
                #expect(distrustedDER.isDisjoint(with: ders), "seed \(seed), world \(number)")
                // The anchor may have the name of a certificate between, and is not to stand in for it.
                let error = Self.error(
                    of: ders[0], through: Array(ders.dropFirst().dropLast()), to: [ders[ders.count - 1]],
                    trustedFirst: false)
                #expect(error == X509_V_OK, "seed \(seed), world \(number): \(path)")
            }
        }
    }

    @Test(arguments: Seeds.sample(4)) func curlGetsWhatOpenSSLBuildsOfWhatIsSentInThatOrder(seed: UInt64) throws {
        _ = try acceptedWorlds(seed: seed)
    }

    @Test func someOfThoseWorldsHaveAPathForCurl() throws {
        // Of the fixed seeds: one seed alone may well have none.
        #expect(try (1...2).map { try acceptedWorlds(seed: $0) }.reduce(0, +) > 0)
    }

    /// How many of a seed's worlds OpenSSL accepts; whether curl's search agrees is expected of each.
    private func acceptedWorlds(seed: UInt64) throws -> Int {
        var generator = SeededGenerator(seed: seed)
        var accepted = 0
        for number in 0..<12 {
            let pki = try RandomPKI(using: &generator)
            let anchors = pki.anchors(using: &generator)
            var presented = try pki.presented(using: &generator)
            presented = presented.prefix(1) + presented.dropFirst().shuffled(using: &generator)
            let findings = OpenSSLPathVerifier(trustStore: try TrustStore(anchors)).findPaths(
                try PathQuestion(presented, on: .openssl))
            let error = Self.error(
                of: presented[0].der, through: presented.dropFirst().map(\.der), to: anchors.map(\.der),
                trustedFirst: true)
            if error == X509_V_OK { accepted += 1 }
            #expect(
                findings.validPaths.isEmpty == (error != X509_V_OK),
                "seed \(seed), world \(number): OpenSSL says \(error), \(findings)")
        }
        return accepted
    }

    private static let settings = [
        TrustSettings(rejected: [.serverAuth]), TrustSettings(trusted: [.clientAuth]),
        TrustSettings(trusted: [.serverAuth]),
    ]

    /// `openssl verify -partial_chain -purpose sslserver -auth_level 2`.
    private static func error(of leaf: [UInt8], through sent: [[UInt8]], to anchors: [[UInt8]], trustedFirst: Bool)
        -> Int32
    {
        openSSLError(of: leaf, through: sent, to: anchors) { _, parameters in
            if !trustedFirst { X509_VERIFY_PARAM_clear_flags(parameters, UInt(X509_V_FLAG_TRUSTED_FIRST)) }
            X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN))
            X509_VERIFY_PARAM_set1_host(parameters, RandomPKI.serverName, RandomPKI.serverName.utf8.count)
        }
    }
}

/// What `X509_verify_cert` says of a leaf seen at ``RandomPKI/now``, given what was sent with it and what is trusted: these anchors, and
/// what `prepare` has the store load.
func openSSLError(
    of leaf: [UInt8], through sent: [[UInt8]], to anchors: [[UInt8]] = [],
    _ prepare: (_ store: OpaquePointer?, _ parameters: OpaquePointer?) -> Void
) -> Int32 {
    let certificates = ([leaf] + sent + anchors).map { decoded($0) { d2i_X509(nil, $0, $1) } }
    let store = X509_STORE_new()
    let untrusted = OPENSSL_sk_new_null()
    let context = X509_STORE_CTX_new()
    defer {
        X509_STORE_CTX_free(context)
        OPENSSL_sk_free(untrusted)
        X509_STORE_free(store)
        for certificate in certificates { X509_free(certificate) }
        ERR_clear_error()
    }
    for certificate in certificates.suffix(anchors.count) { X509_STORE_add_cert(store, certificate) }
    for certificate in certificates[1...].prefix(sent.count) {
        OPENSSL_sk_push(untrusted, UnsafeRawPointer(certificate))
    }
    X509_STORE_CTX_init(context, store, certificates[0], untrusted)
    X509_STORE_CTX_set_default(context, "ssl_server")
    let parameters = X509_STORE_CTX_get0_param(context)
    X509_VERIFY_PARAM_set_auth_level(parameters, 2)
    X509_VERIFY_PARAM_set_time(parameters, time_t(RandomPKI.now.secondsSinceEpoch))
    prepare(store, parameters)
    return X509_verify_cert(context) == 1 ? X509_V_OK : X509_STORE_CTX_get_error(context)
}

@Suite("Keys are as strong as OpenSSL says that they are") struct SecurityBitsTests {
    @Test(arguments: [1_024, 1_900, 1_962, 1_963, 2_000, 2_047, 2_048, 3_072])
    func rsaKeysAreTakenAtLevel2FromTheLengthOnFromWhichOpenSSLDoes(bits: Int) throws {
        let key = try LabKey.generate(.rsa(bits: bits))
        let root = try LabCertificate.selfSigned(.authority("Root"))
        let leaf = try root.issue(.leaf("a.example"), key: key)
        let findings = OpenSSLPathVerifier(trustStore: try TrustStore([root])).findPaths(
            try PathQuestion([leaf], name: .unchecked, on: .openssl))
        // Level 2 asks for 112 bits of security.
        #expect(findings.failures.isEmpty == (EVP_PKEY_get_security_bits(key.pointer) >= 112))
    }
}

import LoopbackLab
import PinCheckCLI
import Testing

/// What a ClientHello offers: `--groups`, `--ciphers`, `--sigalgs`; what cannot be offered is a row of ``MistakeTests``.
@Suite(.endsSomeTime) struct OfferCommandTests {
    private static let pki = try! StandardPKI.shared()

    /// What is offered, and what is negotiated.
    @Test(arguments: [
        ("--groups P-384:X25519", ["group": "P-384"]), ("--groups prime256v1,P-521", ["group": "P-256"]),
        // Cipher suites say which versions are offered.
        ("--ciphers TLS_CHACHA20_POLY1305_SHA256", ["cipher": "TLS_CHACHA20_POLY1305_SHA256", "version": "TLSv1.3"]),
        (
            "--ciphers ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256",
            ["cipher": "ECDHE-ECDSA-AES128-GCM-SHA256", "version": "TLSv1.2"]
        ), ("--ciphers TLS_AES_128_GCM_SHA256,ECDHE-ECDSA-AES128-GCM-SHA256", ["cipher": "TLS_AES_128_GCM_SHA256"]),
    ]) func whatIsOfferedIsNegotiated(offer: String, expected: [String: String]) async throws {
        try await Desk.serving { desk, _ in
            let tls = try JSONValue(await desk("CHECK -f json \(offer)").expect(.pass).output)["tls"]
            for (key, value) in expected { #expect(tls[key].text == value) }
        }
    }

    @Test func aServerThatHasDHEAloneIsOutOfReachUntilItIsOffered() async throws {
        let leaf = try Self.pki.interA.issue(
            .leaf(StandardPKI.serverName), key: .shared(.rsa(bits: 2_048), label: "key exchange"))
        let settings = TLSServerSettings(presenting: [leaf, Self.pki.interA]).with {
            $0.maximumVersion = .tls12
            $0.cipherList = "DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0"
            $0.offersFiniteFieldGroups = true
        }
        let offer = "--ciphers DHE-RSA-AES128-GCM-SHA256"
        try await Desk.serving(.tls(settings)) { desk, _ in
            await desk("CHECK").expect(.unreachable, "it may offer DHE only: \(offer)")
            await desk("CHECK \(offer)").expect(.pass)
        }
    }

    @Test func aClientCertificateIsSignedWithWhateverTheServerTakes() async throws {
        let settings = TLSServerSettings(presenting: [Self.pki.leaf, Self.pki.interA]).with {
            $0.clientCertificate = .required
        }
        let client = try Self.pki.interA.issue(.leaf("client.example.com"), key: .generate(.rsa(bits: 2_048)))
        let texts = ["client.pem": try client.pem + client.key.privateKeyPEM()]
        try await Desk.serving(.tls(settings), texts) { desk, _ in
            // The server's key is no RSA key, and the client's is no other.
            await desk("CHECK -f json --sigalgs ecdsa_secp256r1_sha256 --cert @client.pem").expect(
                .pass, "\"client_certificate_sent\" : true")
        }
    }

    @Test(arguments: [
        (
            "--groups secp256k1 --max-tls 1.2 --ciphers ECDHE",
            "takes nothing of what was offered (groups secp256k1; cipher suites ECDHE): alert "
        ), ("--sigalgs ed448", "takes nothing of what was offered (signature algorithms ed448): alert "),
        (
            "--ciphers ECDHE-RSA-AES128-GCM-SHA256",
            "takes nothing of what was offered (cipher suites ECDHE-RSA-AES128-GCM-SHA256): alert "
        ), ("--groups secp256k1 --min-tls 1.3", "(groups secp256k1) fits none of the TLS versions"),
    ]) func aServerThatTakesNothingOfItIsToldFromABrokenOne(offer: String, words: String) async throws {
        try await Desk.serving { desk, _ in
            let outcome = await desk("CHECK -f json \(offer)").expect("unreachable offer-refused")
            let message = try JSONValue(outcome.output)["reason"]["message"].text
            #expect(message?.contains(words) == true, "\(outcome)")
        }
    }
}

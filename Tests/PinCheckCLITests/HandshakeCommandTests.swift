import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// `pincheck check` for servers that ask who their client is.
@Suite(.timeLimit(.minutes(5))) struct ClientCertificateCommandTests {
    @Test(arguments: [
        ("--key @client.key", "usage: client.key' needs the certificate that goes with it"),
        ("--cert @client.pem", "usage: client.pem' holds no private key beside the certificate: give --key"),
        ("--cert @client.pem --key @other.key", "data: other.key' holds a key that does not belong"),
        ("--cert /nonexistent/c.pem --key @client.key", "noInput: c.pem': there is no such file"),
    ]) func filesThatCannotBeUsedAreNamedAndNoKeyIsShown(arguments: String, end: String) async throws {
        let client = try pki.interA.issue(.leaf("client.example.com"))
        let texts = [
            "client.pem": client.pem, "client.key": try client.key.privateKeyPEM(),
            "other.key": try pki.leaf.key.privateKeyPEM(),
        ]
        try await Desk(texts).expect("$HOST --connect 127.0.0.1:9 " + arguments, end).says(not: "PRIVATE KEY-", "MIG")
    }
}

/// What a ClientHello offers: `--groups`, `--ciphers`, `--sigalgs`; what cannot be offered is a row of ``MistakeTests``.
@Suite(.endsSomeTime) struct OfferCommandTests {
    @Test(arguments: [
        ("--groups P-384:X25519", ["group": "P-384"]), ("--groups prime256v1,P-521", ["group": "P-256"]),
        ("--ciphers TLS_CHACHA20_POLY1305_SHA256", ["cipher": "TLS_CHACHA20_POLY1305_SHA256", "version": "TLSv1.3"]),
        ("--ciphers ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256", ["version": "TLSv1.2"]),
        ("--ciphers ECDHE-ECDSA-AES128-GCM-SHA256 --max-tls 1.3", ["version": "TLSv1.2"]),
        ("--ciphers TLS_AES_128_GCM_SHA256,ECDHE-ECDSA-AES128-GCM-SHA256", ["cipher": "TLS_AES_128_GCM_SHA256"]),
    ]) func whatIsOfferedIsNegotiated(offer: String, expected: [String: String]) async throws {
        try await Desk.serving { desk, _ in
            let tls = try await desk("CHECK -f json \(offer)").expect(.pass).json["tls"]
            for (key, value) in expected { #expect(tls[key].text == value) }
        }
    }

    @Test func aServerThatHasDHEAloneIsOutOfReachUntilItIsOffered() async throws {
        let settings = TLSServerSettings(presenting: [rsaLeaf, pki.interA]).with {
            $0.maximumVersion = .tls12
            $0.options["CipherString"] = "DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0"
        }
        let offer = "--ciphers DHE-RSA-AES128-GCM-SHA256"
        try await Desk.serving(.tls(settings)) { desk, _ in
            await desk.expect("CHECK", "unreachable: it may offer DHE only: \(offer)")
            await desk("CHECK \(offer)").expect(.pass)
        }
    }

    @Test func aClientCertificateIsSignedWithWhateverTheServerTakes() async throws {
        let settings = TLSServerSettings(presenting: served).with { $0.clientCertificate = .required }
        let client = try pki.interA.issue(.leaf("client.example.com"), key: .generate(.rsa(bits: 2_048)))
        let texts = ["client.pem": try client.pem + client.key.privateKeyPEM()]
        try await Desk.serving(.tls(settings), texts) { desk, _ in
            // The server's key is no RSA key, and the client's is no other.
            await desk.expect(
                "CHECK -f json --sigalgs ecdsa_secp256r1_sha256 --cert @client.pem",
                "pass: \"client_certificate_sent\" : true")
        }
    }

    /// TLS 1.3 has the server speak of the client's certificate after the handshake: it is told in the same words.
    @Test func anUnfitClientCertificateIsToldOnceInEveryVersion() async throws {
        let ended = CertificateTemplate.leaf("client.example.com").with { $0.notAfter = LabClock.now - LabClock.day }
        let foreign = CertificateTemplate.leaf("client.example.com").with { $0.extendedKeyUsage = [.serverAuth] }
        for (template, words) in [(ended, "expired at"), (foreign, "is not for clients")] {
            let client = try pki.interA.issue(template)
            let texts = ["client.pem": try client.pem + client.key.privateKeyPEM()]
            var told: [[String?]] = []
            for version in [LoopbackLab.TLSVersion.tls12, .tls13] {
                let settings = TLSServerSettings(presenting: served).with {
                    $0.clientCertificate = .required
                    $0.maximumVersion = version
                }
                try await Desk.serving(.tls(settings), texts) { desk, _ in
                    let outcome = await desk("CHECK --cert @client.pem -f json").expect(
                        "pass trusted-without-pins", words)
                    told.append(try outcome.json["warnings"].array.map { $0["id"].text })
                    await desk("CHECK -f json").expect(
                        .pass, "client-certificate-required", "ended the handshake without one")
                }
            }
            #expect(told[0] == told[1] && told[0].count { $0 == "client-certificate-unfit" } == 1, "\(told)")
        }
        let client = try pki.interA.issue(ended)
        let texts = ["client.pem": try client.pem + client.key.privateKeyPEM()]
        try await desk("127.0.0.1:1 --cert @client.pem", texts).expect(
            .unreachable, "; and 1 more: client-certificate-unfit\n", errors: "the client certificate")
    }

    @Test func aClockThatIsWrongIsToldWithTheRejection() async throws {
        let (early, late) = (Int64(1_577_836_800), LabClock.now + 20 * LabClock.year)
        try await Desk.serving { desk, _ in
            await desk.expect("CHECK", "fail not-yet-valid: this machine's clock reads 2020-01-01T00:00Z", at: early)
            await desk.expect("CHECK", "fail expired: this machine's clock reads", at: late)
            await desk("CHECK --at 2020-01-01").expect(.fail, not: "clock reads")
            await desk("CHECK --pins $JUNK").expect(.fail, not: "clock reads")
        }
        let ended = try pki.interA.issue(
            CertificateTemplate.leaf(host).with { $0.notAfter = LabClock.now - LabClock.day })
        try await Desk.serving(.presenting([ended, pki.interA])) { desk, _ in
            await desk("CHECK").expect(.fail, not: "clock reads")
        }
    }

    @Test(arguments: [
        (
            "--groups secp256k1 --max-tls 1.2 --ciphers ECDHE",
            "the offer (groups secp256k1; cipher suites ECDHE): alert "
        ), ("--sigalgs ed448", "accepts no part of the offer (signature algorithms ed448): alert "),
        ("--ciphers ECDHE-RSA-AES128-GCM-SHA256", "offer (cipher suites ECDHE-RSA-AES128-GCM-SHA256): alert "),
        ("--groups secp256k1 --min-tls 1.3", "(groups secp256k1) fits none of the allowed TLS versions"),
    ]) func aServerThatTakesNothingOfItIsToldFromABrokenOne(offer: String, words: String) async throws {
        try await Desk.serving { desk, _ in
            let outcome = await desk("CHECK -f json \(offer)").expect("unreachable offer-refused")
            let message = try outcome.json["reason"]["message"].text
            #expect(message?.contains(words) == true, "\(outcome)")
        }
    }
}

/// A server with an EC and an RSA key, of which most clients see one: the other is in use as well, and no reserve.
@Suite(.endsSomeTime) struct OtherKeyTests {
    @Test func theKeysOfAllTypesAreToldOnceAndAreNoReserve() async throws {
        let texts = ["rsa.key": try rsaLeaf.key.privateKeyPEM(), "backup.key": try LabKey.generate().privateKeyPEM()]
        func added(_ pin: String) -> String { "\n    .add(\"\(host)\", \"\(pin)\")" }
        try await Desk.serving(.tls(bothKeys), texts) { desk, _ in
            let all = "pins CHECK --key-types all "
            let results = try await desk(all + "-f json").expect(.pass).results
            #expect(results.map { $0["key_type"].text } == [nil, "RSA"])
            await desk(all).says("asked for RSA\n  0 leaf", "no certificate with a key for Ed25519")
            await desk(all + "-f okhttp").says(added(pki.leaf.pin), added(rsaLeaf.pin))
            await desk("pins CHECK --key-types rsa -f okhttp --key @rsa.key").says(
                "// Backup: add the pin of a second key", errors: "is no reserve")
            // Those of all types are shipped beside one in reserve.
            let advised = all + "--recommend --key @backup.key -f "
            let advice = try await desk(advised + "json").results
            let pins = advice.map { $0["recommendation"]["pins"].array.compactMap { $0["pin"].text } }
            #expect(pins.map(\.first) == [pki.leaf.pin, rsaLeaf.pin] && pins.allSatisfy { $0.count == 2 })
            let block = await desk(advised + "okhttp").output
            for pin in Set(pins.joined()) { #expect(block.contains(added(pin)), "\(block)") }
            await desk(all + "--recommend --key @rsa.key").says(
                errors: desk.expand("rsa.key:1 is the key of $HOST, which is on the chain already"))
        }
    }
}

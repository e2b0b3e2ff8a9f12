import LoopbackLab
import PinCheckCLI
import Pinning
import Testing
import X509

/// What a client's TLS offers decides before its pins: servers with a part of TLS alone, and how clients on devices fare with them.
///
/// Rows that no server here can show are `TLSStackTests` and `StagedHandshakeTests`.
@Suite(.endsSomeTime) struct HandshakeVectorTests {
    /// A server, as the number of its row in the specification has it.
    struct Server: Sendable {
        var key = LabKey.Algorithm.p256
        var other: LabKey.Algorithm?
        var usage: [CertificateTemplate.KeyUsage] = [.digitalSignature]
        var versions = (TLSVersion.tls10, TLSVersion.tls13)
        var suites: String?
        var options: [String: String] = [:]
        var afterwards: ServerBehavior.Delivery?

        typealias TLSVersion = LoopbackLab.TLSVersion
        static func only(_ version: TLSVersion) -> Server { Server(versions: (version, version)) }
        static func with(_ suites: String, _ key: LabKey.Algorithm = .rsa(bits: 2_048)) -> Server {
            Server(key: key, versions: (.tls12, .tls12), suites: suites)
        }

        func leaf(_ algorithm: LabKey.Algorithm) throws -> LabCertificate {
            try pki.interA.issue(
                CertificateTemplate.leaf(host).with { $0.keyUsage = usage },
                key: .shared(algorithm, label: "handshake vector"))
        }

        func behavior() throws -> ServerBehavior {
            let keys = [key] + (other.map { [$0] } ?? [])
            let settings = TLSServerSettings(try keys.map { TLSIdentity([try leaf($0), pki.interA]) }).with {
                ($0.minimumVersion, $0.maximumVersion) = versions
                if let suites { $0.options["CipherString"] = suites + ":@SECLEVEL=0" }
                $0.options.merge(options) { $1 }
            }
            return .tls(settings, afterwards: afterwards)
        }
    }

    private static let rsa = LabKey.Algorithm.rsa(bits: 2_048)
    private static let cbc = "ECDHE-RSA-AES256-SHA384"
    private static let camellia = "ECDHE-RSA-CAMELLIA256-SHA384"
    private static let dhe = "DHE-RSA-AES128-GCM-SHA256"

    private static let servers: [String: Server] = [
        "1, 2, 3, 32": .only(.tls13), "4, 5, 27, 28": Server(), "6, 7": .with(cbc),
        "8": .with("ECDHE-ECDSA-AES256-SHA", .p256),
        "9": Server(key: rsa, usage: [.keyEncipherment], versions: (.tls12, .tls12), suites: "AES256-SHA"),
        "10": Server(key: rsa, usage: [.keyEncipherment], versions: (.tls12, .tls12), suites: "AES256-SHA256"),
        "11": .with(camellia), "12 (1.3)": Server(key: .p521, versions: (.tls13, .tls13)),
        "12 (1.2)": Server(key: .p521, versions: (.tls12, .tls12)), "14": Server(key: .rsaPSS),
        "16": Server(key: .ed25519, other: rsa), "17": Server(key: .p384, other: rsa),
        "18": Server(options: ["Groups": "P-521"]),
        "20": Server(key: rsa, versions: (.tls12, .tls12), options: ["SignatureAlgorithms": "RSA+SHA1"]),
        "24, 26": Server(versions: (.tls13, .tls13), afterwards: .stalls(afterBytes: 0)),
        "25": Server(versions: (.tls13, .tls13), afterwards: .resets(afterBytes: 1)), "29": .only(.tls10),
        "30": .with(dhe), "30 (1024)": .with(dhe, .rsa(bits: 1_024)),
        "31": Server(key: rsa, usage: [.keyEncipherment], suites: "AES128-GCM-SHA256"),
    ]

    /// A server, the connections, the clients with their options, and how the line ends.
    private static let rows = """
        1, 2, 3, 32 | 2 | okhttp --device android-8 | fail handshake: okhttp on android-8 cannot connect: Android 8 \
        offers TLS 1.2 at most, and the server, which chose TLS 1.3 here, refuses that: alert protocol_version (70) … \
        okhttp:conscrypt
        1, 2, 3, 32 | 1 | android --device android-11 | pass pin-matched
        1, 2, 3, 32 | 2 | trustkit --device ios-12.1.3 | fail handshake: iOS 12.2
        1, 2, 3, 32 | 1 | trustkit --device ios-13 | pass pin-matched
        1, 2, 3, 32 | 1 | okhttp:conscrypt --device android-8 | pass pin-matched
        1, 2, 3, 32 | 2 | generic --device android-9 | fail handshake: Android 9 offers TLS 1.2 at most
        // One offer is asked once.
        1, 2, 3, 32 | 2 | okhttp --device android-8,android-8.1,android-9 | fail handshake: also rejected by okhttp on \
        android-8.1, android-9
        4, 5, 27, 28 | 2 | okhttp --device android-8 | pass pin-matched: TLSv1.2 … as Android 8 offers
        4, 5, 27, 28 | 2 | okhttp --device android-8,android-16 | pass pin-matched: "version" : "TLSv1.3"
        4, 5, 27, 28 | 1 | okhttp --device android-9 --max-tls 1.2 | pass pin-matched
        4, 5, 27, 28 | 1 | okhttp --device android-9 --min-tls 1.3 | fail handshake: what may be offered leaves \
        nothing that Android 9 offers: see --min-tls
        4, 5, 27, 28 | 1 | okhttp --device android-9 --groups X448 | fail handshake: see --groups
        4, 5, 27, 28 | 2 | okhttp --device android-9 --ciphers \
        TLS_AES_128_GCM_SHA256,TLS_AES_128_GCM_SHA256,ECDHE-ECDSA-AES128-GCM-SHA256 | pass pin-matched
        4, 5, 27, 28 | 1 | okhttp --device android-9 --ciphers TLS_AES_128_GCM_SHA256 --min-tls 1.2 | fail handshake: see \
        --ciphers
        4, 5, 27, 28 | 1 | okhttp --device android-9 --sigalgs ed25519:ecdsa_secp521r1_sha512 | unreachable \
        offer-refused
        // Phones and curl, as they are today.
        4, 5, 27, 28 | 1 | all | pass pin-matched
        6, 7 | 1 | afnetworking --device ios-14 | pass pin-matched
        6, 7 | 2 | afnetworking --device ios-17 | fail handshake: iOS 17 does not offer \(cbc)
        6, 7 | 1 | curl | pass pin-matched
        6, 7 | 1 | generic | pass pin-matched: "platform-rule" … iOS does not connect to this server as it answered
        8 | 1 | android --device android-14 | pass pin-matched
        8 | 2 | okhttp --device android-14 | fail handshake: Android 14 does not offer ECDHE-ECDSA-AES256-SHA
        // One offer, although its sources are others.
        8 | 2 | okhttp --device android-14,android-17 | fail handshake: also rejected by okhttp on android-17
        9 | 1 | okhttp --device android-12 | pass pin-matched: "no-forward-secrecy" … static RSA
        10 | 2 | android --device android-12 | fail handshake: does not offer AES256-SHA256
        10 | 1 | alamofire --device ios-13 | pass pin-matched
        11 | 2 | curl | fail handshake: OpenSSL does not offer \(camellia)
        11 | 2 | alamofire | fail handshake: today's iOS does not offer \(camellia)
        11 | 2 | okhttp | fail handshake: today's Android does not offer \(camellia)
        11 | 1 | generic | pass pin-matched
        12 (1.3) | 2 | alamofire --device ios-18 | fail handshake: iOS 18 takes no leaf with an EC P-521 key
        12 (1.2) | 1 | alamofire --device ios-18 | pass pin-matched
        12 (1.2) | 2 | android --device android-14 | fail handshake: Android 14 takes no leaf with an EC P-521 key
        12 (1.2) | 2 | okhttp:conscrypt --device android-8 | fail handshake: the app's Conscrypt takes no leaf
        14 | 2 | nspinneddomains | fail handshake: takes no leaf with an RSA-PSS 2048 key
        14 | 2 | android | fail handshake: takes no leaf with an RSA-PSS 2048 key
        14 | 1 | curl | pass pin-matched
        16 | 2 | okhttp --device android-13 --pins $SECOND | pass pin-matched
        16 | 2 | okhttp --device android-13 | fail pin-mismatch
        16 | 2 | okhttp,curl --pins $OWN --pins $SECOND | pass pin-matched: "key-types-differ" … clients get the key \
        that fits their TLS
        16 | 4 | curl,okhttp --pins $OWN --pins $SECOND --key-types rsa,ed25519 | pass \
        pin-matched,pin-matched,pin-matched: not judged for okhttp, which never gets a key for Ed25519
        16 | 3 | curl,okhttp --device android-13,system --pins $OWN --pins $SECOND --key-types ed25519 | pass \
        pin-matched,pin-matched
        16 | 4 | okhttp --pins $OWN --pins $SECOND --key-types rsa,ed25519 | fail pin-matched,pin-matched,handshake
        17 | 1 | all | pass pin-matched
        18 | 1 | trustkit --device ios-16 | pass pin-matched
        18 | 2 | android --device android-16 | fail handshake: Android 16 does not offer P-521
        20 | 1 | android | pass pin-matched: "signature_algorithm" : "rsa_pkcs1_sha1"
        20 | 2 | curl | fail handshake: OpenSSL does not offer rsa_pkcs1_sha1
        24, 26 | 2 | okhttp --device android-9 --timeout 1 | unreachable timeout
        24, 26 | 3 | okhttp --device android-9 --timeout 3 --retries 1 | unreachable timeout
        24, 26 | 2 | okhttp --device android-9,android-14 --timeout 1 | unreachable timeout: okhttp on android-9
        25 | 2 | okhttp --device android-9 --retries 1 | fail handshake: refuses that: it reset the connection
        25 | 2 | okhttp --device android-9,android-14 | fail handshake: okhttp on android-9: cannot connect
        29 | 2 | okhttp --device android-8 --min-tls 1.0 | fail handshake: Android 8 offers TLS 1.2 at least
        29 | 1 | android --device android-8 --min-tls 1.0 | pass pin-matched
        29 | 2 | afnetworking --device ios-26 --min-tls 1.0 | fail handshake: iOS 26 offers TLS 1.2 at least
        29 | 1 | afnetworking --device ios-18 --min-tls 1.0 | pass pin-matched: "ats-exception-needed" … \
        NSExceptionMinimumTLSVersion
        30 | 1 | okhttp --ciphers \(dhe) | fail handshake: see --ciphers
        30 | 1 | generic --ciphers \(dhe) | pass pin-matched: "weak-key-exchange" … phones and browsers
        30 (1024) | 1 | okhttp --ciphers \(dhe) | fail handshake: "weak-key-exchange" … 2048 are the least
        31 | 2 | android --device android-9 | pass pin-matched
        31 | 1 | android --device android-13 | fail key-usage
        31 | 1 | okhttp | fail key-usage
        31 | 1 | generic | pass pin-matched: Android refuses this server
        31 | 2 | android --device android-9,android-13 | fail key-usage: android on android-13
        """

    @Test(arguments: table(rows)) func aClientIsJudgedOnWhatItsTLSGets(row: [String]) async throws {
        let server = try #require(Self.servers[row[0]])
        let words = [
            "$OWN": try server.leaf(server.key).pin, "$SECOND": try server.other.map { try server.leaf($0).pin } ?? "",
        ]
        let pins = row[2].contains("--pins") ? "" : " --pins $OWN --pins $JUNK"
        let text = words.reduce("CHECK --client \(row[2])\(pins)") { $0.replacing($1.key, with: $1.value) }
        try await Desk.serving(server.behavior()) { desk, server in
            let outcome = await desk.expect(text, row[3])
            #expect("\(server.connections.count)" == row[1])
            // Conscrypt as an app brings it takes no such key either.
            if row[0].hasPrefix("12 ") { outcome.says(not: "connects otherwise") }
            // All phones end it: no other platform is advised.
            if row[2] == "okhttp", row[3] == "fail key-usage" { outcome.says(not: "another platform") }
        }
    }

    /// The rows 4 and 5 once more: what documents say of the handshakes.
    @Test func eachClientSaysWhichHandshakeItWasJudgedOn() async throws {
        try await Desk.serving { desk, _ in
            let line = "CHECK --client okhttp --pins $LEAF --pins $JUNK -f json --device "
            let both = try await desk(line + "android-8,android-16").expect(.pass).json
            #expect(both["clients"].array.map { $0["tls"]["version"].text } == ["TLSv1.2", "TLSv1.3"])
            #expect(both["tls"]["version"].text == "TLSv1.2" && both["tls"]["group"].text == "X25519")
            #expect(both["tls"]["signature_algorithm"].text == "ecdsa_secp256r1_sha256")
            let steps = both["checks"].array.filter { $0["id"].text == "handshake" && $0["client"].text == "okhttp" }
            #expect(steps.count == 2 && steps[0]["detail"].text?.hasSuffix("within what Android 8 offers") == true)
            let none = try await desk(line + "android-9 --min-tls 1.3").expect(.fail).json
            #expect(none["clients"][0]["tls"].isNull && none["tls"]["version"].text == "TLSv1.3")
        }
    }

    /// Row 16: the chain of another handshake is no other path of the shown one.
    @Test func theChainThatAnotherClientGotIsNotListedUnderTheShownOne() async throws {
        let row = Server(key: .ed25519, other: Self.rsa)
        let pins = "--pins \(try row.leaf(.ed25519).pin) --pins \(try row.leaf(Self.rsa).pin)"
        try await Desk.serving(row.behavior()) { desk, _ in
            let line = "CHECK --client okhttp,curl \(pins)"
            await desk(line).expect(.pass, "clients get the key that fits their TLS", not: "the system also checks")
            let document = try await desk(line + " -f json").expect(.pass).json
            #expect(document["other_paths"].array.map { $0["chain"][0]["source"].text } == ["presented"])
        }
    }

    /// Row 33.
    @Test(arguments: [("android-9", [false, true]), ("android-9,android-14", [true, false])])
    func aRequestGoesOverAConnectionThatWasJudged(devices: String, asked: [Bool]) async throws {
        let settings = TLSServerSettings(presenting: served).with {
            $0.application = .answers("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".bytes)
        }
        var behavior = ServerBehavior.tls(settings)
        // The first is closed at once if nobody is judged on it.
        behavior.isSerial = !asked[0]
        try await Desk.serving(behavior) { desk, server in
            let line = "CHECK --client okhttp --device \(devices) --pins $LEAF --request / --expect-status 200"
            await desk.expect(line, "pass pin-matched")
            let seen = await server.connections(ended: 2)
            #expect(seen.map { $0.request.hasPrefix("GET / ") } == asked)
            #expect(seen.map { $0.applicationOpening.isEmpty } == asked.map { !$0 })
        }
    }

    /// Row 34.
    @Test func theFirstConnectionAloneIsCompared() async throws {
        try await Desk.serving { desk, _ in
            await desk("snapshot $HOST --connect $SERVER -o @base.json").expect(.pass)
            await desk("diff @base.json --anchors @root.pem --client okhttp --device android-9 --pins $LEAF").expect(
                .pass, "unchanged since", "as Android 9 offers")
        }
    }

    /// Row 22: what a server of X25519MLKEM768 alone answers an older OpenSSL.
    @Test(.enabled(if: !OpenSSLVersion.isHybrid)) func whatThisOpenSSLDoesNotKnowIsNamed() async throws {
        try await Desk.serving(.alert(40)) { desk, _ in
            await desk.expect(
                "CHECK --client okhttp --pins $LEAF",
                "unreachable tls-alert: does not know X25519MLKEM768 and ML-DSA: 3.5 does")
        }
    }

    /// Rows 13 to 15, without a connection.
    @Test(arguments: [
        (
            LabKey.Algorithm.p521, "okhttp",
            "fail handshake: okhttp cannot connect: today's Android takes no leaf with an EC P-521 key"
        ), (.p521, "afnetworking", "pass pin-matched: no connection: not judged"),
        (
            .p521, "generic",
            "pass pin-matched: \"platform-rule\" … Android refuses this server: today's Android takes no leaf"
        ), (.rsaPSS, "android", "fail handshake: an RSA-PSS 2048 key"), (.rsaPSS, "nspinneddomains", "fail handshake"),
        (.rsaPSS, "curl", "pass pin-matched"), (.ed25519, "okhttp", "fail handshake: an ED25519 key"),
        (.ed25519, "curl", "pass pin-matched"),
    ]) func aKeyThatNoVersionTakesRejectsAFile(key: LabKey.Algorithm, client: String, end: String) async throws {
        let leaf = try pki.interA.issue(.leaf(host), key: .shared(key, label: "handshake vector"))
        let desk = try Desk(["odd.pem": leaf.pem + pki.interA.pem])
        let pins = "--pins \(leaf.pin) --pins $JUNK --client \(client)"
        await desk.expect("verify @odd.pem --anchors @root.pem --host $HOST \(pins)", end)
        if end.hasPrefix("fail") {
            await desk.expect("--next @odd.pem --anchors @root.pem --host $HOST \(pins)", "fail handshake")
        }
    }

    /// Row 35.
    @Test(arguments: [
        ("okhttp --pins $INTER", "fail handshake: an ML-DSA-65 key"),
        (
            "generic --pins $INTER",
            OpenSSLVersion.isHybrid
                ? "pass pin-matched" : "data unknown-algorithm: ML-DSA-65, which this OpenSSL … 3.5 does"
        ), ("curl", OpenSSLVersion.isHybrid ? "pass trusted-without-pins" : "data unknown-algorithm: ML-DSA-65"),
        ("generic --pins $JUNK", "fail pin-mismatch"),
    ]) func aKeyThatThisOpenSSLDoesNotKnowHasNoVerdict(client: String, end: String) async throws {
        let leaf = try pki.interA.issue(CertificateTemplate.leaf(host).with { $0.publicKeyInfo = .mlDSA65 })
        let desk = try Desk(["odd.pem": leaf.pem + pki.interA.pem])
        await desk.expect("verify @odd.pem --anchors @root.pem --host $HOST --client \(client)", end)
    }
}

extension [UInt8] {
    /// A SubjectPublicKeyInfo of ML-DSA-65 (FIPS 204), as long as one is.
    fileprivate static var mlDSA65: [UInt8] {
        [0x30, 0x82, 0x07, 0xB2, 0x30, 0x0B, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x12] + [
            0x03, 0x82, 0x07, 0xA1, 0x00,
        ] + [UInt8](repeating: 7, count: 1_952)
    }
}

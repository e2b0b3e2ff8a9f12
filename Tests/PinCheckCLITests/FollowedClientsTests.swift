import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI

/// Which clients judge where none is chosen, what each makes of its own pins, and how the run ends.
@Suite struct FollowedClientsTests {
    /// What follows `VERIFY`, the clients with their reasons, and the status.
    static let rows: [(arguments: String, clients: String, status: ExitStatus)] = [
        // What names no client is one set.
        ("", "generic:trusted-without-pins", .pass), ("--pins $LEAF", "generic:pin-matched", .pass),
        ("--pins $INTER", "generic:pin-matched", .pass), ("--pins $JUNK", "generic:pin-mismatch", .fail),
        ("--pins $JUNK --pins $LEAF", "generic:pin-matched", .pass),
        ("--pins @hashes.txt", "generic:pin-matched", .pass),
        ("--pins @junk.txt --pins $LEAF", "generic:pin-matched", .pass),
        ("--pins @leaf.pem", "generic:pin-matched", .pass), ("--pins @renewed.pem", "generic:pin-mismatch", .fail),
        ("--pins @key.pub", "generic:pin-matched", .pass), ("--pins @leaf.csr", "generic:pin-matched", .pass),
        ("--pins @leaf.cer --pins @junk.txt", "generic:pin-matched", .pass),
        ("--pins @mixed", "generic:pin-matched", .pass), ("--pins @renamed", "generic:pin-matched", .pass),
        ("--pins @lines.txt", "generic:pin-matched", .pass),
        ("--pins @lines.txt --pins $JUNK", "generic:pin-matched", .pass),
        ("--pins @wildcard.txt", "generic:pin-matched", .pass), ("--pins @others.txt", "generic:not-configured", .data),
        ("--pins @others.txt --pins $LEAF", "generic:pin-matched", .pass),
        ("--pins @lines-junk.txt --pins @leaf.cer", "generic:pin-matched", .pass),
        ("--pins @lines.txt --pins @junk.cer", "generic:pin-matched", .pass),
        ("--pins @policy.json5", "generic:pin-matched", .pass),
        // Where all of it is DER certificates AFNetworking judges.
        ("--pins @leaf.cer", "afnetworking:pin-matched", .pass),
        ("--pins @leaf.der", "afnetworking:pin-matched", .pass),
        ("--pins @junk.cer", "afnetworking:pin-mismatch", .fail),
        ("--pins @junk.cer --pins @leaf.cer", "afnetworking:pin-matched", .pass),
        ("--pins @bundle", "afnetworking:pin-matched", .pass),
        ("--pins @bundle --mode public-key", "afnetworking:pin-matched", .pass),
        ("--pins @renewed.cer", "afnetworking:pin-mismatch", .fail),
        ("--pins @renewed.cer --mode public-key", "afnetworking:pin-matched", .pass),
        // AFNetworking's flags.
        ("--pins $LEAF --mode public-key", "afnetworking:pin-matched", .pass),
        ("--pins $LEAF --mode none", "afnetworking:trusted-without-pins", .pass),
        ("--pins $LEAF --allow-invalid-certificates", "afnetworking:pin-matched", .pass),
        ("--no-validate-domain-name", "afnetworking:trusted-without-pins", .pass),
        ("--pins @nsc.xml --mode public-key", "", .usage),
        ("--pins @kotlin.kt --allow-invalid-certificates", "", .usage),
        ("--pins @nsc.xml --pins $LEAF --mode public-key", "afnetworking:pin-matched android:pin-matched", .pass),
        ("--pins @nsc.xml --client afnetworking --mode public-key", "afnetworking:pin-matched", .pass),
        ("--pins @lines.txt --mode public-key", "afnetworking:pin-matched", .pass),
        ("--pins @lines-junk.txt --mode public-key", "afnetworking:pin-mismatch", .fail),
        ("--pins @policy.json5 --allow-invalid-certificates", "afnetworking:pin-matched", .pass),
        ("--pins @policy-junk.json5 --mode public-key", "afnetworking:pin-mismatch", .fail),
        ("--pins @Files.app --pins $JUNK --mode public-key", "afnetworking:pin-matched generic:pin-mismatch", .fail),
        ("--pins sha256//$LEAF64 --mode public-key", "", .usage),
        // Lines for other hosts, whoever judges.
        ("--pins @others.txt --mode public-key", "afnetworking:not-configured", .data),
        ("--pins @others.txt --client generic", "generic:not-configured", .data),
        ("--pins @others.txt --client okhttp", "okhttp:not-configured", .data),
        ("--pins @others.txt --client afnetworking", "afnetworking:not-configured", .data),
        ("--pins @others.txt --client okhttp,curl", "okhttp:not-configured curl:not-configured", .data),
        ("--pins @others.txt --pins $LEAF --client okhttp", "okhttp:pin-matched", .pass),
        ("--pins @nsc.xml --pins @others.txt --client android", "android:pin-matched", .pass),
        ("--pins @nsc.xml --pins @others.txt", "android:pin-matched generic:not-configured", .data),
        // A configuration brings its client.
        ("--pins @nsc.xml", "android:pin-matched", .pass), ("--pins @nsc-junk.xml", "android:pin-mismatch", .fail),
        ("--pins @nsc-expired.xml", "android:pins-not-applied", .pass),
        ("--pins @nsc-bare.xml", "android:pins-not-applied", .pass),
        ("--pins @pinned.plist", "nspinneddomains:pin-matched", .pass),
        ("--pins @ca.plist", "nspinneddomains:pin-mismatch", .fail),
        ("--pins @trustkit.json", "trustkit:pin-matched", .pass),
        ("--pins @trustkit-junk.json", "trustkit:pin-mismatch", .fail), ("--pins @trustkit-one.json", "", .data),
        ("--pins @kotlin.kt", "okhttp:pin-matched", .pass), ("--pins @kotlin-junk.kt", "okhttp:pin-mismatch", .fail),
        ("--pins @native.json", "trustkit:pin-matched okhttp:pin-matched", .pass),
        ("--pins @app.json", "nspinneddomains:pin-matched", .pass),
        ("--pinnedpubkey sha256//$LEAF64", "curl:pin-matched", .pass),
        ("--pinnedpubkey sha256//$INTER64", "curl:pin-mismatch", .fail),
        ("--pins sha256//$LEAF64", "curl:pin-matched", .pass), ("--pins @curl.txt", "curl:pin-matched", .pass),
        ("--pins @curl-mixed.txt", "curl:pin-mismatch generic:pin-matched", .fail),
        // Each client compares its own pins, and all must accept.
        ("--pins @nsc-junk.xml --pins $LEAF", "android:pin-mismatch generic:pin-matched", .fail),
        ("--pins @nsc.xml --pins $JUNK", "android:pin-matched generic:pin-mismatch", .fail),
        ("--pins @nsc.xml --pins $LEAF", "android:pin-matched generic:pin-matched", .pass),
        ("--pins @nsc-junk.xml --pins @leaf.cer", "afnetworking:pin-matched android:pin-mismatch", .fail),
        ("--pins @kotlin-junk.kt --pins @leaf.cer", "afnetworking:pin-matched okhttp:pin-mismatch", .fail),
        ("--pins @kotlin.kt --pins @lines-junk.txt", "okhttp:pin-matched generic:pin-mismatch", .fail),
        ("--pins sha256//$LEAF64 --pins $JUNK", "curl:pin-matched generic:pin-mismatch", .fail),
        ("--pins sha256//$LEAF64 --pins $JUNK --client curl", "curl:pin-matched", .pass),
        ("--pins @nsc.xml --pins @pinned.plist", "android:pin-matched nspinneddomains:pin-matched", .pass),
        ("--pins @nsc.xml --pins @nsc-junk.xml", "", .data), ("--pins @kotlin.kt --pins @kotlin-junk.kt", "", .data),
        // Apps.
        ("--pins @Files.app", "afnetworking:pin-matched", .pass), ("--pins @Odd.app", "alamofire:pin-matched", .pass),
        ("--pins @Alamofire.app", "alamofire:pin-matched", .pass),
        ("--pins @Both.app", "afnetworking:pin-mismatch trustkit:pin-matched nspinneddomains:pin-matched", .fail),
        ("--pins @Bare.app", "nspinneddomains:pins-not-applied", .pass),
        ("--pins @Silent.app", "nspinneddomains:pins-not-applied", .pass),
        ("--pins @Bare.app --pins $LEAF", "nspinneddomains:pins-not-applied generic:pin-matched", .pass),
        ("--pins @Bare.app --pins @leaf.cer", "afnetworking:pin-matched", .pass),
        ("--pins @Bare.app --pins @nsc.xml", "android:pin-matched nspinneddomains:pins-not-applied", .pass),
        ("--pins @Bare.app --mode none", "", .usage),
        ("--pins @Files.app --pins @junk.cer", "afnetworking:pin-matched generic:pin-mismatch", .fail),
        // A client that is chosen, and what the system enforces beside it.
        ("--pins $LEAF --client okhttp,curl", "okhttp:pin-matched curl:pin-matched", .pass),
        ("--pins @nsc-junk.xml --pins $LEAF --client okhttp", "okhttp:pin-matched android:pin-mismatch", .fail),
        ("--pins @nsc-junk.xml --pins $LEAF --client generic", "generic:pin-matched android:pin-mismatch", .fail),
        (
            "--pins @ca.plist --pins $LEAF --client alamofire", "alamofire:pin-matched nspinneddomains:pin-mismatch",
            .fail
        ), ("--pins $LEAF --client okhttp,trustkit", "okhttp:pin-matched trustkit:not-configured", .data),
        ("--pins $JUNK --client okhttp,trustkit", "okhttp:pin-mismatch trustkit:not-configured", .data),
        ("--pins $LEAF --client trustkit", "", .data), ("--pins $LEAF --client hpkp", "", .usage),
        (
            "--pins @nsc-junk.xml --pins @others.txt --client okhttp", "okhttp:not-configured android:pin-mismatch",
            .data
        ),
        (
            "--pins @ca.plist --pins $LEAF --client trustkit", "trustkit:not-configured nspinneddomains:pin-mismatch",
            .data
        ), ("--pins $LEAF --client retrofit", "", .usage),
        // Devices.
        ("--pins $LEAF --device ios-17", "generic:pin-matched", .pass),
        ("--pins @leaf.cer --device ios-17", "afnetworking:pin-matched", .pass),
        ("--pins @leaf.cer --device android-14", "generic:pin-matched", .pass),
        ("--pins @nsc.xml --device android-14", "android:pin-matched", .pass),
        ("--pins @nsc.xml --device ios-17", "", .usage),
        ("--pins @nsc-junk.xml --pins $LEAF --device ios-17", "", .usage),
        ("--pins $LEAF --client android --device ios-26", "", .usage),
        ("--pins $LEAF --client android,trustkit --device ios-26", "", .usage),
        ("--pins @Files.app --pins $LEAF --device android-14", "", .usage),
        ("--pins @native.json --device android-14", "okhttp:pin-matched", .pass),
        ("--pins @native.json --device ios-17", "trustkit:pin-matched", .pass),
    ]

    @Test func theClientsFollowThePins() async throws {
        try await Self.open { desk in
            for row in Self.rows {
                let outcome = await desk("VERIFY \(row.arguments) -f json")
                let clients =
                    try outcome.output.isEmpty
                    ? []
                    : JSONValue(outcome.output)["clients"].array.map {
                        "\($0["name"].text ?? ""):\($0["reason"]["id"].text ?? "")"
                    }
                #expect(
                    clients.joined(separator: " ") == row.clients && outcome.status == row.status,
                    "\(row.arguments): \(clients.joined(separator: " ")) \(outcome.status) \(outcome.errors)")
            }
        }
    }

    /// What a list or a policy says, what is given beside it, and how the run ends.
    private static let given: [(list: String, arguments: String, status: ExitStatus, words: String)] = [
        ("$HOST:$PORT pins=$LEAF", "", .pass, "PASS  $HOST:$PORT → 127.0.0.1  pin matched"),
        ("$HOST:$PORT pins=$LEAF", "--mode public-key", .pass, "afnetworking: public key pin matched"),
        (
            "$HOST:$PORT pins=$JUNK", "--allow-invalid-certificates", .fail,
            "afnetworking: no configured pin is on the chain"
        ), ("$HOST:$PORT pins=nsc.xml", "--mode public-key", .usage, "list:1: mode, allowInvalidCertificates and"),
        (
            "$HOST:$PORT pins=nsc.xml", "--mode public-key --client afnetworking", .pass,
            "afnetworking: public key pin matched"
        ), ("$HOST:$PORT\nHOST pins=$LEAF", "--pins $JUNK", .data, "list:2: pins= stands here"),
        ("$HOST:$PORT pins=$LEAF", "--pinnedpubkey sha256//$LEAF64", .data, "list:1: pins= stands here"),
        ("$HOST:$PORT client=curl", "--client okhttp", .data, "list:1: client= stands here"),
        ("$HOST:$PORT client=curl", "--pins $LEAF", .pass, "curl: public key pin matched"),
        ("{ '$HOST:$PORT': { pins: '$LEAF' } }", "", .pass, "PASS  $HOST:$PORT → 127.0.0.1  pin matched"),
        ("{ '$HOST:$PORT': { pins: '$LEAF' } }", "--mode public-key", .pass, "afnetworking: public key pin matched"),
        (
            "{ '$HOST:$PORT': { pins: 'nsc.xml' } }", "--mode public-key", .usage,
            "and the pins are for android: add --client"
        ), ("{ '$HOST:$PORT': { pins: '$LEAF' } }", "--pins $JUNK", .usage, "the policy has 'pins' for"),
        ("{ '$HOST:$PORT': { pins: 'nsc.xml' } }", "--client okhttp", .usage, "the policy has 'pins' for"),
        ("{ '$HOST:$PORT': { client: 'okhttp' } }", "--client curl", .usage, "the policy has 'client' for"),
        (
            "{ '$HOST:$PORT': { client: 'okhttp' } }", "--mode none", .usage,
            "and a flag of AFNetworking's is given beside it"
        ), ("{ '$HOST:$PORT': { client: 'okhttp' } }", "--pins $LEAF", .pass, "okhttp: public key pin matched"),
        ("{ '$HOST:$PORT': {} }", "--client curl --pins $LEAF", .pass, "curl: public key pin matched"),
        ("{ '$HOST:$PORT': {} }", "", .pass, "the policy pins nothing for this target"),
        ("{ '$HOST:$PORT': {} }", "--fail-on warn", .warn, "accepted, but the policy pins nothing for this target"),
        ("{ '$HOST:$PORT': {} }", "--ignore nothing-pinned --fail-on warn", .pass, "(no pins given)"),
    ]

    @Test func listsAndPoliciesAreFollowedAndNotReplaced() async throws {
        try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
            try await Self.open(port: server.port) { desk in
                for row in Self.given {
                    let isPolicy = row.list.hasPrefix("{")
                    try desk.write(isPolicy ? "{ hosts: \(row.list) }" : row.list, to: "list")
                    let option = isPolicy ? "--policy" : "--targets"
                    let line = "check \(option) @list --connect 127.0.0.1 --anchors @root.pem \(row.arguments)"
                    await desk(line).expect(row.status, told: desk.expand(row.words))
                }
            }
        }
    }

    /// What is told of sources that say more, or less, than pins.
    @Test(arguments: [
        (
            "VERIFY --pins @policy-rich.json5",
            "its pins alone are taken, without 'client', 'connect', 'warnBefore': give it as the policy"
        ), ("lint @Silent.app", "Silent.app: error: the app has no pin"),
        ("VERIFY --pins @Silent.app", "Silent.app: the app has no pin"),
        ("VERIFY --pins @Bare.app", "Bare.app: the app has no pin"),
        (
            "VERIFY --pins @others.txt --client okhttp",
            "okhttp cannot be set up: no line is for $HOST ($DIR/others.txt:1); the nearest is for other.example.com"
        ),
    ]) func nothingGivenIsLeftOutWithoutAWord(line: String, words: String) async throws {
        try await Self.open { desk in await desk(line).says(told: desk.expand(words)) }
    }

    /// A desk with the files that rows name.
    private static func open(port: UInt16? = nil, _ body: (Desk) async throws -> Void) async throws {
        func android(_ pin: String?, until expiration: String? = nil) -> String {
            let pins = pin.map { AppText.pinSet($0, until: expiration) } ?? ""
            return AppText.android(AppText.domain(pins + AppText.anchors("system")))
        }
        let loads = "<key>NSAllowsArbitraryLoads</key><true/>"
        let bundle = "<key>CFBundleIdentifier</key><string>a.b</string>"
        let open = AppText.plist(bundle + "<key>NSAppTransportSecurity</key><dict>\(loads)</dict>")
        let leaf = AppText.pinnedDomains(leaf: ["$LEAF64"])
        let texts: [String: String] = [
            "renewed.pem": pki.leafRe.pem, "hashes.txt": "# pins\nsha256/$LEAF64\n", "junk.txt": "sha256/$JUNK64\n",
            "curl.txt": "sha256//$LEAF64\n", "lines.txt": "$HOST sha256/$LEAF64\n",
            "lines-junk.txt": "$HOST sha256/$JUNK64\n", "wildcard.txt": "*.example.com sha256/$LEAF64\n",
            "others.txt": "other.example.com sha256/$LEAF64\n", "nsc.xml": android("$LEAF64"),
            "nsc-junk.xml": android("$JUNK64"), "nsc-bare.xml": android(nil),
            "nsc-expired.xml": android("$JUNK64", until: "2020-01-01"), "kotlin.kt": AppText.okHttp("$LEAF"),
            "kotlin-junk.kt": AppText.okHttp("$JUNK"), "pinned.plist": AppText.ats(loads + leaf),
            "ca.plist": AppText.ats(loads + AppText.pinnedDomains(cas: ["$LEAF64"])),
            "trustkit.json": AppText.trustKit("$LEAF64", "$JUNK64"),
            "trustkit-junk.json": AppText.trustKit("$JUNK64", "$ROGUE64"),
            "trustkit-one.json": AppText.trustKit("$LEAF64"),
            "native.json":
                "{\"$HOST\": {\"includeSubdomains\": true, \"publicKeyHashes\": [\"$LEAF64\", \"$JUNK64\"]}}",
            "app.json":
                "{\"expo\": {\"ios\": {\"infoPlist\": {\"NSAppTransportSecurity\": {\"NSAllowsArbitraryLoads\": true, \"NSPinnedDomains\": "
                + "{\"$HOST\": {\"NSPinnedLeafIdentities\": [{\"SPKI-SHA256-BASE64\": \"$LEAF64\"}]}}}}}}}",
            "policy.json5": "{hosts: {\"$HOST\": {pins: \"sha256/$LEAF64\"}}}",
            "policy-junk.json5": "{hosts: {\"$HOST\": {pins: \"sha256/$JUNK64\"}}}",
            "policy-rich.json5":
                "{defaults: {client: 'okhttp', warnBefore: '30d'}, hosts: {'$HOST': {pins: 'sha256/$LEAF64', connect: '192.0.2.1'}}}",
            "curl-mixed.txt": "sha256//$INTER64\nsha256/$LEAF64\n", "Silent.app/Info.plist": AppText.plist(bundle),
            "mixed/hashes.txt": "sha256/$LEAF64\n", "Files.app/Info.plist": open, "Odd.app/Info.plist": open,
            "Alamofire.app/Info.plist": open, "Alamofire.app/Frameworks/Alamofire.framework/Alamofire": "code",
            "Bare.app/Info.plist": open,
            "Both.app/Info.plist": AppText.plist(
                bundle + "<key>NSAppTransportSecurity</key><dict>\(loads)\(leaf)</dict>"
                    + "<key>TSKConfiguration</key><dict><key>TSKPinnedDomains</key><dict><key>$HOST</key><dict>"
                    + "<key>TSKPublicKeyHashes</key><array><string>$LEAF64</string><string>$JUNK64</string></array></dict></dict></dict>"
            ),
        ]
        let bytes: [String: [UInt8]] = [
            "leaf.der": pki.leaf.der, "renewed.cer": pki.leafRe.der, "bundle/leaf.cer": pki.leaf.der,
            "bundle/junk.cer": pki.junk.der, "mixed/junk.cer": pki.junk.der, "renamed/leaf.crt": pki.leaf.der,
            "Files.app/leaf.cer": pki.leaf.der, "Odd.app/leaf.crt": pki.leaf.der,
            "Alamofire.app/leaf.cer": pki.leaf.der, "Both.app/junk.cer": pki.junk.der,
        ]
        let files = try TemporaryDirectory()
        let desk = try Desk(texts, in: files, port: port)
        for folder in ["renamed", "bundle"] { try files.makeDirectory(folder) }
        for (name, data) in bytes { try files.write(data, to: name) }
        try files.write(pki.leaf.key.publicKeyPEM, to: "key.pub")
        let name = DistinguishedName(commonName: StandardPKI.serverName)
        try files.write(pki.leaf.key.certificationRequest(for: name), to: "leaf.csr")
        try await body(desk)
    }
}

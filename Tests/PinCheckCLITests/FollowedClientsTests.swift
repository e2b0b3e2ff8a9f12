import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI

/// Which clients judge where none is chosen, what each makes of its own pins, and how the run ends.
@Suite struct FollowedClientsTests {
    /// What follows `VERIFY`, the clients with their reasons where no pin matched, and the status.
    static let rows: [(arguments: String, clients: String, status: ExitStatus)] = [
        // What names no client is one set.
        ("", "generic:trusted-without-pins", .pass), ("--pins $LEAF", "generic", .pass),
        ("--pins $JUNK", "generic:pin-mismatch", .fail), ("--pins @hashes.txt", "generic", .pass),
        ("--pins @leaf.pem", "generic", .pass), ("--pins @leaf.cer --pins @junk.txt", "generic", .pass),
        ("--pins @mixed", "generic", .pass), ("--pins @renamed", "generic", .pass),
        ("--pins @lines.txt", "generic", .pass), ("--pins @others.txt", "generic:not-configured", .data),
        ("--pins @others.txt --pins $LEAF", "generic", .pass),
        ("--pins @lines-junk.txt --pins @leaf.cer", "generic", .pass), ("--pins @policy.json5", "generic", .pass),
        ("--pins @leaf.cer", "afnetworking", .pass), ("--pins @leaf.der", "afnetworking", .pass),
        ("--pins @bundle", "afnetworking", .pass), ("--pins @renewed.cer --mode public-key", "afnetworking", .pass),
        ("--pins $LEAF --mode public-key", "afnetworking", .pass),
        ("--pins $LEAF --mode none", "afnetworking:trusted-without-pins", .pass),
        ("--pins $LEAF --allow-invalid-certificates", "afnetworking", .pass),
        ("--no-validate-domain-name", "afnetworking:trusted-without-pins", .pass),
        ("--pins @nsc.xml --mode public-key", "", .usage),
        ("--pins @kotlin.kt --allow-invalid-certificates", "", .usage),
        ("--pins @nsc.xml --pins $LEAF --mode public-key", "afnetworking android", .pass),
        ("--pins @nsc.xml --client afnetworking --mode public-key", "afnetworking", .pass),
        ("--pins @lines.txt --mode public-key", "afnetworking", .pass),
        ("--pins @policy.json5 --allow-invalid-certificates", "afnetworking", .pass),
        ("--pins @Files.app --pins $JUNK --mode public-key", "afnetworking generic:pin-mismatch", .fail),
        ("--pins sha256//$LEAF64 --mode public-key", "", .usage),
        ("--pins @others.txt --mode public-key", "afnetworking:not-configured", .data),
        ("--pins @others.txt --client okhttp,curl", "okhttp:not-configured curl:not-configured", .data),
        ("--pins @others.txt --pins $LEAF --client okhttp", "okhttp", .pass),
        ("--pins @nsc.xml --pins @others.txt --client android", "android", .pass),
        ("--pins @nsc.xml --pins @others.txt", "android generic:not-configured", .data),
        ("--pins @nsc.xml", "android", .pass), ("--pins @nsc-bare.xml", "android:pins-not-applied", .pass),
        ("--pins @pinned.plist", "nspinneddomains", .pass), ("--pins @trustkit.json", "trustkit", .pass),
        ("--pins @kotlin.kt", "okhttp", .pass), ("--pins @native.json", "trustkit okhttp", .pass),
        ("--pins @native-other.json", "trustkit:not-configured okhttp", .data),
        ("--pins @app.json", "nspinneddomains", .pass), ("--pinnedpubkey sha256//$LEAF64", "curl", .pass),
        ("--pins sha256//$LEAF64", "curl", .pass), ("--pins @curl.txt", "curl", .pass),
        ("--pins @curl-mixed.txt", "curl:pin-mismatch generic", .fail),
        // Each client compares its own pins, and all must accept.
        ("--pins @nsc-junk.xml --pins $LEAF", "android:pin-mismatch generic", .fail),
        ("--pins @nsc.xml --pins $JUNK", "android generic:pin-mismatch", .fail),
        ("--pins @nsc-junk.xml --pins @leaf.cer", "afnetworking android:pin-mismatch", .fail),
        ("--pins @kotlin.kt --pins @lines-junk.txt", "okhttp generic:pin-mismatch", .fail),
        ("--pins sha256//$LEAF64 --pins $JUNK", "curl generic:pin-mismatch", .fail),
        ("--pins sha256//$LEAF64 --pins $JUNK --client curl", "curl", .pass),
        ("--pins @nsc.xml --pins @pinned.plist", "android nspinneddomains", .pass),
        ("--pins @Files.app", "afnetworking", .pass), ("--pins @Odd.app", "alamofire", .pass),
        ("--pins @Alamofire.app", "alamofire", .pass), ("--pins @Legacy.app", "afnetworking-3", .pass),
        ("--pins @Both.app", "afnetworking:pin-mismatch trustkit nspinneddomains", .fail),
        ("--pins @Bare.app", "nspinneddomains:pins-not-applied", .pass),
        ("--pins @Bare.app --pins $LEAF", "nspinneddomains:pins-not-applied generic", .pass),
        ("--pins @Bare.app --pins @leaf.cer", "afnetworking", .pass),
        ("--pins @Bare.app --pins @nsc.xml", "android nspinneddomains:pins-not-applied", .pass),
        ("--pins @Bare.app --mode none", "", .usage),
        ("--pins @Files.app --pins @junk.cer", "afnetworking generic:pin-mismatch", .fail),
        ("--pins $LEAF --client okhttp,curl", "okhttp curl", .pass),
        ("--pins @nsc-junk.xml --pins $LEAF --client okhttp", "okhttp android:pin-mismatch", .fail),
        ("--pins @nsc-junk.xml --pins $LEAF --client generic", "generic android:pin-mismatch", .fail),
        ("--pins @ca.plist --pins $LEAF --client alamofire", "alamofire nspinneddomains:pin-mismatch", .fail),
        ("--pins @nsc.xml --client okhttp", "okhttp android", .pass),
        ("--pins @empty.plist --pins $LEAF --client generic", "generic nspinneddomains:pin-mismatch", .fail),
        ("--pins $LEAF --client okhttp,trustkit", "okhttp trustkit:not-configured", .data),
        ("--pins $JUNK --client okhttp,trustkit", "okhttp:pin-mismatch trustkit:not-configured", .data),
        ("--pins $LEAF --client trustkit", "", .data),
        (
            "--pins @others.txt --pins @nsc-junk.xml --client okhttp", "okhttp:not-configured android:pin-mismatch",
            .data
        ),
        (
            "--pins @ca.plist --pins $LEAF --client trustkit", "trustkit:not-configured nspinneddomains:pin-mismatch",
            .data
        ), ("--pins $LEAF --device ios-17", "generic", .pass),
        ("--pins @leaf.cer --device ios-17", "afnetworking", .pass),
        ("--pins @leaf.cer --device android-14", "generic", .pass),
        ("--pins @nsc.xml --device android-14", "android", .pass), ("--pins @nsc.xml --device ios-17", "", .usage),
        ("--pins @nsc-junk.xml --pins $LEAF --device ios-17", "", .usage),
        ("--pins $LEAF --client android --device ios-26", "", .usage),
        ("--pins $LEAF --client android,trustkit --device ios-26", "", .usage),
        ("--pins @Files.app --pins $LEAF --device android-14", "", .usage),
        ("--pins @native.json --device android-14", "okhttp", .pass),
        ("--pins @native.json --device ios-17", "trustkit", .pass),
    ]

    @Test func theClientsFollowThePins() async throws {
        try await Self.open { desk in
            for row in Self.rows {
                let outcome = await desk("VERIFY \(row.arguments) -f json")
                let report = outcome.output.isEmpty ? nil : try outcome.json
                let clients = (report?["clients"].array ?? []).map {
                    "\($0["name"].text ?? ""):\($0["reason"]["id"].text ?? "")".replacing(":pin-matched", with: "")
                }.joined(separator: " ")
                #expect(
                    clients == row.clients && outcome.status == row.status, "\(row.arguments): \(clients) \(outcome)")
            }
        }
    }

    private static let given: [(list: String, arguments: String, status: ExitStatus, words: String)] = [
        ("$HOST:$PORT pins=$LEAF", "", .pass, "PASS  $HOST:$PORT → 127.0.0.1  pin matched"),
        ("$HOST:$PORT pins=$LEAF", "--mode public-key", .pass, "afnetworking: public key pin"),
        ("$HOST:$PORT pins=$JUNK", "--allow-invalid-certificates", .fail, "afnetworking: no configured pin is on"),
        ("$HOST:$PORT pins=nsc.xml", "--mode public-key", .usage, "list:1: mode, allowInvalidCertificates and"),
        ("$HOST:$PORT pins=nsc.xml", "--mode public-key --client afnetworking", .pass, "afnetworking: public key pin"),
        ("$HOST:$PORT\nHOST pins=$LEAF", "--pins $JUNK", .data, "list:2: pins= stands here"),
        ("$HOST:$PORT pins=$LEAF", "--pinnedpubkey sha256//$LEAF64", .data, "list:1: pins= stands here"),
        ("$HOST:$PORT client=curl", "--client okhttp", .data, "list:1: client= stands here"),
        ("$HOST:$PORT client=curl", "--pins $LEAF", .pass, "curl: public key pin matched"),
        ("{ '$HOST:$PORT': { pins: '$LEAF' } }", "--mode public-key", .pass, "afnetworking: public key pin"),
        (
            "{ '$HOST:$PORT': { pins: 'nsc.xml' } }", "--mode public-key", .usage,
            "the pins are for android: add --client"
        ), ("{ '$HOST:$PORT': { pins: '$LEAF' } }", "--pins $JUNK", .usage, "the policy has 'pins' for"),
        ("{ '$HOST:$PORT': { client: 'okhttp' } }", "--client curl", .usage, "the policy has 'client' for"),
        (
            "{ '$HOST:$PORT': { client: 'okhttp' } }", "--mode none", .usage,
            "a flag of AFNetworking's is given beside it"
        ), ("{ '$HOST:$PORT': { client: 'okhttp' } }", "--pins $LEAF", .pass, "okhttp: public key pin matched"),
        ("{ '$HOST:$PORT': {} }", "--client curl --pins $LEAF", .pass, "curl: public key pin matched"),
        ("{ '$HOST:$PORT': {} }", "", .pass, "the policy pins nothing for this target"),
        ("{ '$HOST:$PORT': {} }", "--fail-on warn", .warn, "accepted, but the policy pins nothing for this target"),
        ("{ '$HOST:$PORT': {} }", "--ignore nothing-pinned --fail-on warn", .pass, "(no pins given)"),
    ]

    @Test func listsAndPoliciesAreFollowedAndNotReplaced() async throws {
        try await LoopbackServer.serving(.presenting(served)) { server in
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

    @Test(arguments: [
        ("VERIFY --pins @policy-rich.json5", "its pins alone are taken, without 'client', 'connect', 'warnBefore'"),
        ("lint @Silent.app", "Silent.app: error: no pin was found in Info.plist"),
        ("VERIFY --pins @Silent.app", "Silent.app: no pin was found in Info.plist"),
        (
            "VERIFY --pins @others.txt --client okhttp",
            "okhttp cannot be set up: no line is for $HOST ($DIR/others.txt:1); the nearest is for other.example.com"
        ),
    ]) func nothingGivenIsLeftOutWithoutAWord(line: String, words: String) async throws {
        try await Self.open { desk in await desk(line).says(told: desk.expand(words)) }
    }

    private static func open(port: UInt16? = nil, _ body: (Desk) async throws -> Void) async throws {
        func android(_ pin: String?) -> String {
            AppText.android(AppText.domain((pin.map { AppText.pinSet($0) } ?? "") + AppText.anchors("system")))
        }
        let loads = "<key>NSAllowsArbitraryLoads</key><true/>"
        let bundle = "<key>CFBundleIdentifier</key><string>a.b</string>"
        let open = AppText.plist(bundle + "<key>NSAppTransportSecurity</key><dict>\(loads)</dict>")
        let leaf = AppText.pinnedDomains(leaf: ["$LEAF64"])
        let texts: [String: String] = [
            "hashes.txt": "# pins\nsha256/$LEAF64\n", "junk.txt": "sha256/$JUNK64\n", "curl.txt": "sha256//$LEAF64\n",
            "lines.txt": "$HOST sha256/$LEAF64\n", "lines-junk.txt": "$HOST sha256/$JUNK64\n",
            "others.txt": "other.example.com sha256/$LEAF64\n", "nsc.xml": android("$LEAF64"),
            "nsc-junk.xml": android("$JUNK64"), "nsc-bare.xml": android(nil), "kotlin.kt": AppText.okHttp("$LEAF"),
            "pinned.plist": AppText.ats(loads + leaf),
            "empty.plist": AppText.ats(loads + AppText.pinnedDomains(leaf: [])),
            "ca.plist": AppText.ats(loads + AppText.pinnedDomains(cas: ["$LEAF64"])),
            "trustkit.json": AppText.trustKit(["$LEAF64", "$JUNK64"]),
            "native.json":
                "{\"$HOST\": {\"includeSubdomains\": true, \"publicKeyHashes\": [\"$LEAF64\", \"$JUNK64\"]}}",
            "native-other.json": "{\"$HOST\": {\"publicKeyHashes\": [\"$LEAF64\", \"$JUNK64\"]}, "
                + "\"localhost\": {\"publicKeyHashes\": [\"$LEAF64\", \"$JUNK64\"]}}",
            "app.json":
                "{\"expo\": {\"ios\": {\"infoPlist\": {\"NSAppTransportSecurity\": {\"NSAllowsArbitraryLoads\": true, \"NSPinnedDomains\": "
                + "{\"$HOST\": {\"NSPinnedLeafIdentities\": [{\"SPKI-SHA256-BASE64\": \"$LEAF64\"}]}}}}}}}",
            "policy.json5": "{hosts: {\"$HOST\": {pins: \"sha256/$LEAF64\"}}}",
            "policy-rich.json5":
                "{defaults: {client: 'okhttp', warnBefore: '30d'}, hosts: {'$HOST': {pins: 'sha256/$LEAF64', connect: '192.0.2.1'}}}",
            "curl-mixed.txt": "sha256//$INTER64\nsha256/$LEAF64\n", "Silent.app/Info.plist": AppText.plist(bundle),
            "mixed/hashes.txt": "sha256/$LEAF64\n", "Files.app/Info.plist": open, "Odd.app/Info.plist": open,
            "Alamofire.app/Info.plist": open, "Alamofire.app/Frameworks/Alamofire.framework/Alamofire": "code",
            "Bare.app/Info.plist": open, "Legacy.app/Info.plist": open,
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
            "Alamofire.app/leaf.cer": pki.leaf.der,
            "Legacy.app/Frameworks/AFNetworking.framework/leaf.cer": pki.leaf.der, "Both.app/junk.cer": pki.junk.der,
        ]
        let files = try TemporaryDirectory()
        let desk = try Desk(texts, in: files, port: port)
        for (name, data) in bytes { try files.write(data, to: name) }
        try await body(desk)
    }
}

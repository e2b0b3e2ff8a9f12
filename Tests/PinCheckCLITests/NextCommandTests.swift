import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

@Suite(.endsSomeTime) struct NextCommandTests {
    /// What is next, in files: the key of `$NEXT` by itself, in a request and in certificates.
    private func texts(_ more: [String: String] = [:]) throws -> [String: String] {
        let next = pki.leaf2
        let elsewhere = try pki.interA.issue(.leaf("elsewhere.example"), key: next.key)
        let poison = OID(1, 3, 6, 1, 4, 1, 11129, 2, 4, 3)
        let poisoned = try pki.interA.issue(
            CertificateTemplate.leaf(host).with {
                $0.additionalExtensions = [.init(poison, isCritical: true, value: [5, 0])]
            }, key: next.key)
        let otherInter = try pki.rootA.issue(.authority("Other CA"))
        let other = try otherInter.issue(.leaf(host))
        let tomorrow = try pki.interA.issue(.leaf(host).notYetValid(inDays: 1))
        return [
            "next.pem": next.pem + pki.interA.pem, "alone.pem": next.pem, "key.pub": next.key.publicKeyPEM,
            "next.csr": pem(try next.key.certificationRequest(for: "next"), label: "CERTIFICATE REQUEST"),
            "pre.pem": poisoned.pem, "several.pem": next.pem + Self.ed25519.publicKeyPEM, "other.pem": other.pem,
            "others.pem": other.pem + otherInter.pem, "tomorrow.pem": tomorrow.pem + pki.interA.pem,
            "Pins.kt": AppText.okHttp("$LEAF", of: "elsewhere.example"),
            "weak.csr": pem(try Self.weak.certificationRequest(for: "weak"), label: "CERTIFICATE REQUEST"),
            "next.key": try next.key.privateKeyPEM(), "elsewhere.pem": elsewhere.pem,
            "alone-expired.pem": pki.leafExp.pem, "expired.pem": pki.leafExp.pem + pki.interA.pem,
            "ed25519.pub": Self.ed25519.publicKeyPEM, "lines.txt": "other.example.com $NEXT\n", "list.txt": "$LEAF\n",
            "leaf.plist": plist("$NEXT64"), "both.plist": plist("$NEXT64", "$INTER64"),
            "wrong.plist": plist("$NEXT64", "$ROGUE64"), "secured.plist": plist("$NEXT64", isSecured: true),
        ].merging(more) { $1 }
    }

    private static let weak = try! LabKey.shared(.rsa(bits: 1_024), label: "weak")
    private static let ed25519 = try! LabKey.shared(.ed25519, label: "next")
    private static let odd = ed25519.pin

    private func plist(_ leaf: String, _ ca: String? = nil, isSecured: Bool = false) -> String {
        let loads = "<key>NSAllowsArbitraryLoads</key><\(!isSecured)/>"
        return AppText.ats(loads + AppText.pinnedDomains(leaf: [leaf], cas: ca.map { [$0] }))
    }

    private static let whole = "is compared as a whole: ask with the certificate"
    private static let assumed = "its certificate is assumed to be trusted and valid for the name"

    private static let rows = """
        @next.pem --pins $INTER | pass
        @next.pem --pins $LEAF | fail pin-mismatch: the key of CN=leaf: before it is deployed, ship $NEXT⏎
        @expired.pem --pins \(pki.leafExp.pin) | fail expired
        // A key and a request are held against the pins, and so is a certificate whose CAs neither a file nor a server tells.
        @key.pub --pins $NEXT | pass: \(assumed) … valid for the name, with dates that clients take
        @next.csr --pins $LEAF | fail pin-mismatch: no configured pin matches the key of the request for CN=next:
        @alone.pem --pins $NEXT | pass: its issuer is assumed to be trusted
        // Every gate asks about it: its own end, how long the pins hold after it, and the end of the pins.
        @alone.pem --pins $NEXT --fail-before 400d | fail expires-soon
        @alone.pem --pins $NEXT --min-pin-life 400d | fail pin-life-short
        @alone.pem --pins $NEXT --pins $JUNK --min-pin-life 400d | pass
        @key.pub --pins $NEXT --min-pin-life 120d | fail pin-life-short
        @next.csr --pins $NEXT --pins $JUNK --min-pin-life 120d | pass
        // What a certificate tells by itself is judged, and what only it would tell is asked of it.
        @ed25519.pub --pins \(odd) | pass: today's Android takes no leaf with an ED25519 key
        @elsewhere.pem --pins $NEXT | fail name-mismatch
        @elsewhere.pem --pins $NEXT --no-validate-domain-name | fail unknown-issuer: neither presented nor
        @alone-expired.pem --pins \(pki.leafExp.pin) | fail expired
        @key.pub --pins @next.cer | fail pin-mismatch: \(whole)
        @key.pub --pins @next.cer --client generic | fail pin-mismatch: \(whole)
        @key.pub --pins @next.cer --mode public-key | pass: PASS
        @key.pub --pins @lines.txt | data: the nearest is for other.example.com
        @key.pub --pins $NEXT --client okhttp,trustkit | data: TrustKit needs 2
        @next.csr --pins @both.plist | unknown issuer-unknown: whether a pinned CA issues it cannot be told: ask with
        // Whose certificates are above it may not be known, and what it lacks is named.
        @other.pem --pins $TOP | unknown issuer-unknown: whether a pinned CA issues it cannot be told: add CN=Other CA \
        to
        @others.pem --pins $TOP | pass pin-matched: "assumptions" : []
        @next.csr --pins $TOP | unknown issuer-unknown: ask with the certificate once it is issued
        @next.csr --client okhttp --pins @Pins.kt | unknown issuer-unknown: okhttp compares no pin for $HOST
        @weak.csr --pins \(weak.pin) | fail weak-key
        @tomorrow.pem --pins $INTER | pass pin-matched: it begins at … "time"
        @pre.pem --pins $NEXT | data: is a Certificate Transparency precertificate: ask with the certificate, or
        // The remedy is in the form that the client takes.
        @alone.pem --pins $INTER | fail pin-mismatch: if CN=InterA is pinned by its hash, add its certificate to the file
        @next.pem --pins $LEAF --client afnetworking | fail pin-mismatch: ship next.pem as a .cer: openssl x509 -in \
        next.pem -outform der -out next.cer
        @next.csr --pins $LEAF --client alamofire | fail pin-mismatch: ship its certificate once it is issued, or a CA's
        @key.pub --pins @leaf.cer | fail pin-mismatch
        @chain.pem --pins @leaf.cer | pass
        // A client that only reports goes on, and each is told its own pin.
        @next.csr --pins $LEAF --pins $JUNK --client trustkit:no-enforce | pass
        @next.csr --pins $LEAF --pins $JUNK --client okhttp,curl,trustkit | fail pin-mismatch: ship $NEXT⏎ … \
        sha256//$NEXT64 … ship $NEXT64
        @next.csr | usage: none are given: give --pins
        // Pins for other hosts decide about no certificate.
        @next.pem --client okhttp --pins @Pins.kt | usage: none are given: give --pins
        @next.key --pins $LEAF | data: holds a private key, which was not used: give its public half
        @absent --pins $LEAF | noInput
        @list.txt --pins $LEAF | data: holds pins and not what they are pins of
        @several.pem --pins $NEXT | data: holds certificates and keys: give each with a --next of its own
        """

    @Test(arguments: table(rows)) func whatIsNextIsHeldAgainstThePins(row: [String]) async throws {
        let desk = try Desk(texts())
        try desk.files.write(pki.leaf2.der, to: "next.cer")
        await desk.expect("--next \(row[0]) --anchors @root.pem --host $HOST", row[1])
    }

    @Test func aChainOfOthersIsNotToBeShipped() async throws {
        let desk = try Desk()
        await desk.expect("--next @rogue.pem --pins $ROGUE --anchors @root.pem --host $HOST", "fail unknown-issuer")
            .says(not: "before it is deployed")
        await desk.expect(
            "--next @next.pem --next @leaf.cer --pins $NEXT --anchors @root.pem --host $HOST",
            "fail pin-matched,pin-mismatch")
    }

    @Test(arguments: [(SignatureDigest.sha256, "pass pin-matched"), (.sha1, "fail weak-signature")])
    func aCertificateAloneIsHeldToTheAppsTransportSecurity(digest: SignatureDigest, expected: String) async throws {
        let leaf = try pki.interA.issue(CertificateTemplate.leaf(host).with { $0.digest = digest })
        let texts = ["next.pem": leaf.pem, "Info.plist": AppText.ats()]
        let line = "--next @next.pem --host $HOST --pins @Info.plist --pins \(leaf.pin) --client afnetworking"
        try await Desk(texts).expect(line, expected)
    }

    @Test func theServerOfTodayIsAskedToo() async throws {
        try await Desk.serving(nil, texts()) { desk, _ in
            // With the intermediates that the server sends today it makes a path, which is said.
            let results = try await desk("CHECK --next @alone.pem --pins $INTER -f json").results
            #expect(results.map { $0["next"]["assumed"].flag } == [nil, true])
            #expect(results.last?["next"]["assumptions"].array.map(\.text) == ["intermediates"])
            #expect(results.last?["presented"].array.count == 1)
            #expect(results.last?["built"][1]["source"].text == "presented")
            #expect(results.last?["next"]["kind"].text == "certificate")
            #expect(results.last?["next"]["pin"].text == pki.leaf2.pin)
            // Of a request nobody knows who issues its certificate.
            await desk.expect("CHECK --next @next.csr --pins $INTER", "unknown pin-matched,issuer-unknown: UNKNOWN  ")
            // Who pins a CA is not told to pin a leaf, but for a client that compares nothing else.
            await desk.expect(
                "CHECK --next @others.pem --pins $INTER --client curl", "fail pin-mismatch,pin-mismatch: ship sha256//")
            await desk.expect(
                "CHECK --next @others.pem --pins $INTER", "fail pin-matched,pin-mismatch: ship a pin of its CA")
            // Today's pin holds and tomorrow's does not: the worst decides.
            await desk.expect("CHECK --next @next.csr --pins $LEAF", "fail pin-matched,pin-mismatch: PASS  \(host):443")
        }
    }

    /// The certificate of a key to come lives as long as today's, but never longer than platforms allow.
    @Test func aKeyToComeIsNoReasonForALongLifetime() async throws {
        let long = CertificateTemplate.leaf(host).valid(from: LabClock.now - 1, to: LabClock.now + 1_000 * LabClock.day)
        let settings = TLSServerSettings(presenting: [try pki.interA.issue(long), pki.interA])
        try await Desk.serving(.tls(settings), texts()) { desk, _ in
            let line = "CHECK --next @key.pub --pins $NEXT --client alamofire:evaluator=public-keys -f json"
            let results = try await desk(line).results
            #expect(
                results.map { $0["warnings"].array.map { $0["id"].text } } == [["platform-rule"], ["next-assumed"]])
        }
    }

    /// What is asked of a bare key and of the places beside the leaf's; `TODAY` names the server.
    private static let bare: [(arguments: String, decision: String)] = [
        ("@key.pub --client nspinneddomains --pins @leaf.plist", "pass pin-matched"),
        ("@key.pub --client nspinneddomains --pins @both.plist", "unknown issuer-unknown"),
        ("@key.pub TODAY --client nspinneddomains --pins @both.plist", "pass pin-matched"),
        ("@key.pub TODAY --client nspinneddomains --pins @wrong.plist", "fail pin-mismatch"),
        // App Transport Security judges the certificate's signature, which no key tells.
        ("@key.pub --client nspinneddomains --pins @secured.plist", "unknown issuer-unknown"),
        // Every certificate has to be pinned: the root is not.
        ("@key.pub TODAY --pins $NEXT --pins $INTER --client afnetworking-2.5", "fail pin-mismatch"),
        ("@key.pub TODAY --pins $NEXT --pins $INTER --pins $TOP --client afnetworking-2.5", "pass pin-matched"),
        // What is above a lone certificate or a key is not known to be pinned.
        ("@alone.pem --pins $NEXT --pins $INTER --client afnetworking-2.5", "fail pin-mismatch"),
        // Two equal pins match the leaf twice, as many times as the assumed chain has certificates.
        ("@key.pub --pins $NEXT --pins @key.pub --client afnetworking-2.5", "unknown issuer-unknown"),
        ("@ed25519.pub --pins \(odd) --client okhttp", "fail handshake"),
    ]

    @Test func aBareKeyIsComparedAtTheLeafAlone() async throws {
        try await Desk.serving(nil, texts()) { desk, _ in
            for (arguments, decision) in Self.bare {
                let today = arguments.contains("TODAY") ? "$HOST --connect $SERVER" : ""
                let outcome = await desk(
                    "\(today) --next \(arguments.replacing("TODAY", with: "")) --anchors @root.pem --host $HOST -f json"
                )
                let document = try outcome.json
                let result = document["results"].array.last ?? document
                let word = ["accept": "pass", "reject": "fail"][result["verdict"].text ?? ""] ?? "unknown"
                #expect("\(word) \(result["reason"]["id"].text ?? "")" == decision, "\(arguments): \(outcome)")
            }
        }
    }
}

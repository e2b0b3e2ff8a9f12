import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI
@testable import PinChecking

/// `--client`: what one client or several make of a chain and of the sources they are given. What each decides is proven by the vectors
/// of SemanticsTests.
@Suite(.endsSomeTime) struct ClientTests {
    /// What a leaf says beside its name.
    private static func leaf(_ change: (inout CertificateTemplate) -> Void) -> LabCertificate {
        try! pki.interA.issue(CertificateTemplate.leaf(StandardPKI.serverName).with(change))
    }

    /// A leaf that says where its issuer is, and one that lives longer than Apple allows.
    private static let placed = leaf { $0 = $0.withIssuerPlaces(["http://ca.example/inter.cer"]) }
    private static let lasting = leaf {
        $0 = $0.valid(from: LabClock.now - LabClock.day, to: LabClock.now + 899 * LabClock.day)
    }

    private static func native(_ name: String, _ pins: String...) -> String {
        let hashes = pins.map { "\"\($0)\"" }.joined(separator: ", ")
        return "\"\(name)\": {\"includeSubdomains\": true, \"publicKeyHashes\": [\(hashes)]}"
    }

    private static let parent =
        "\"example.com\": {\"TSKIncludeSubdomains\": true, \"TSKPublicKeyHashes\": [\"$LEAF64\", \"$JUNK64\"]}"
    private static let mismatch = "\"TSKPublicKeyHashes\": [\"$JUNK64\", \"$ROGUE64\"]"

    private static func domains(_ body: String) -> String { "{\"TSKPinnedDomains\": {\(body)}}" }

    private static func kit(_ settings: String = "", more: String = "") -> String {
        AppText.trustKit("$ROGUE64", "$JUNK64", settings: settings, of: "example.com", more: more)
    }

    private static let texts: [String: String] = [
        "placed.pem": placed.pem, "lasting.pem": lasting.pem + pki.interA.pem, "alone.pem": lasting.pem,
        "next.csr": pem(try! lasting.key.certificationRequest(for: "next"), label: "CERTIFICATE REQUEST"),
        "right.xml": AppText.android(AppText.domain(AppText.pinSet("$LEAF64"))),
        "wrong.xml": AppText.android(AppText.domain(AppText.pinSet("$JUNK64"))),
        "expired.xml": AppText.android(AppText.domain(AppText.pinSet("$JUNK64", until: "2001-01-01"))),
        "other.xml": AppText.android(AppText.domain(AppText.pinSet("$JUNK64"), for: "other.example")),
        "parent.xml": AppText.android(AppText.domain(AppText.pinSet("$JUNK64"), for: "example.com", below: true)),
        "trust.xml": AppText.android(AppText.base(AppText.anchors("system"))),
        "user.xml": AppText.android(AppText.base(AppText.anchors("user"))), "Pinner.kt": AppText.okHttp("$LEAF"),
        "Wrong.kt": AppText.okHttp("$JUNK"), "Other.kt": AppText.okHttp("$JUNK", of: "other.example"),
        "Two.kt": "CertificatePinner.Builder().add(\"$HOST\", \"$JUNK\")\n.add(\"*.example.com\", \"$LEAF\").build()\n",
        "Spare.kt": "val p = CertificatePinner.Builder().add(\"$HOST\", \"$LEAF\", SPARE).build()\n",
        "Leaf.plist": AppText.ats(AppText.pinnedDomains(leaf: ["$LEAF64"])),
        "Root.plist": AppText.ats(AppText.pinnedDomains(leaf: ["$TOP64"])),
        "both.plist": AppText.ats(AppText.pinnedDomains(leaf: ["$LEAF64"], cas: ["$TOP64"])),
        "mixed.plist": AppText.ats(AppText.pinnedDomains(leaf: ["$LEAF64"], cas: ["$JUNK64"])),
        "empty.plist": AppText.ats(AppText.pinnedDomains(leaf: [])), "ats.plist": AppText.ats(),
        "insecure.plist": AppText.ats("<key>NSAllowsArbitraryLoads</key><true/>"),
        "native.json": "{\(native("example.com", "$LEAF64", "$JUNK64")), \(native("$HOST", "$ROGUE64", "$JUNK64"))}",
        "short.json": "{\"example.com\":\n {\"publicKeyHashes\": [\"AAAA\"]}}",
        "one.json": "{\(native("$HOST", "$LEAF64"))}", "kit.json": kit(),
        "kit-expired.json": kit(", \"TSKExpirationDate\": \"2001-01-01\""),
        "kit-lenient.json": kit(", \"TSKEnforcePinning\": false"),
        "kit-exempt.json": kit(more: ", \"$HOST\": {\"kSKExcludeSubdomainFromParentPolicy\": true}"),
        "kit-user.json": trustKit(false), "kit-ignoring.json": trustKit(true),
        "exempt.json": domains("\(parent), \"$HOST\": {\"kSKExcludeSubdomainFromParentPolicy\": true}"),
        "exempt-pins.json": domains(
            "\(parent), \"$HOST\": {\"kSKExcludeSubdomainFromParentPolicy\": true, \(mismatch)}"),
        "documented.json": domains("\(parent), \"$HOST\": {\"TSKExcludeSubdomainFromParentPolicy\": true}"),
        "documented-pins.json": domains(
            "\(parent), \"$HOST\": {\"TSKExcludeSubdomainFromParentPolicy\": true, \(mismatch)}"),
        "upper.json": domains("\"API.example.com\": {\(mismatch)}"), "dot.json": domains("\"$HOST.\": {\(mismatch)}"),
        "reports.json": domains("\"$HOST\": {\"TSKReportUris\": [\"not a uri\"], \(mismatch)}"),
        "hosts": "$HOST $JUNK\n", "hosts-dot": "$HOST. $JUNK\n", "junk": "$JUNK\n", "text.cer": "no certificate",
        "pins/nsc.xml": AppText.android(AppText.base(AppText.anchors("system"))), "pins/a.txt": "sha256/AAAA\n",
        "Shop.app/Info.plist": AppText.ats(), "Shop.app/leaf.cer": "junk",
    ]

    private static func trustKit(_ isIgnoring: Bool) -> String {
        #"{"TSKIgnorePinningForUserDefinedTrustAnchors": \#(isIgnoring), "TSKPinnedDomains": {"$HOST": {"TSKPublicKeyHashes": ["#
            + #""$LEAF64", "$NEXT64"]}}}"#
    }

    /// The interceptor's chain, its root installed on the device by hand.
    private static let charles = "verify @rogue.pem --anchors @root.pem --extra-root @other.pem --host $HOST"
    private static let unfetched = "  hint: --intermediate gives the issuer, but it was not used "
    private static let chainMust = "the chain must hold its intermediate"
    private static let placedLeaf = "verify @placed.pem --anchors @root.pem --host $HOST --client"
    private static let lastingLeaf = "verify @lasting.pem --anchors @root.pem --host $HOST --client"
    private static let muteLeaf = "verify @leaf.pem --anchors @root.pem --host $HOST --client"
    private static let nextIs = "--host $HOST --anchors @root.pem --pins \(lasting.pin) --next"
    private static let covered = "data: two configurations cover $HOST: "

    private static let rows: [(line: String, end: String)] = [
        // A rule of one platform, and the way out.
        (
            "\(lastingLeaf) afnetworking",
            "fail lifetime-too-long: is valid for 900 days, more than 825 (a rule of Apple's platforms)"
        ), ("\(lastingLeaf) afnetworking", "fail: --client okhttp or curl"),
        ("\(lastingLeaf) okhttp,curl,generic", "pass pins-not-applied"),
        ("\(lastingLeaf) afnetworking,okhttp", "fail lifetime-too-long"),
        ("\(nextIs) @alone.pem --client afnetworking", "fail lifetime-too-long"),
        ("\(nextIs) @alone.pem --client okhttp", "pass"), ("\(nextIs) @next.csr --client afnetworking", "pass"),
        // An intermediate that is given counts where the platform would fetch it, and is said not to where it would not.
        (
            "\(placedLeaf) afnetworking --intermediate @inter.cer",
            "pass trusted-without-pins: intermediate-not-presented"
        ), ("\(placedLeaf) okhttp --intermediate @inter.cer", "fail unknown-issuer"),
        (
            "\(placedLeaf) afnetworking",
            "fail: would be fetched from http://ca.example/inter.cer; give it with --intermediate FILE"
        ), ("\(muteLeaf) afnetworking --intermediate @inter.cer", "fail unknown-issuer"),
        (
            "\(muteLeaf) okhttp --intermediate @inter.cer",
            "fail: \(unfetched)(no AIA: no device would fetch it): \(chainMust)\n"
        ),
        (
            "\(placedLeaf) okhttp,curl --intermediate @inter.cer",
            "fail: \(unfetched)(Android would not fetch it): \(chainMust)\n"
        ),
        (
            "\(placedLeaf) curl --intermediate @inter.cer",
            "fail: \(unfetched)(OpenSSL would not fetch it): \(chainMust)\n"
        ),
        (
            "\(placedLeaf) afnetworking --intermediate @other.pem",
            "fail:   hint: what --intermediate gives is not its issuer: \(chainMust)\n"
        ), ("\(muteLeaf) afnetworking", "fail:   hint: \(chainMust)\n"),
        ("\(placedLeaf) okhttp", "fail:   hint: \(chainMust)\n"),
        (
            "\(placedLeaf) afnetworking,okhttp",
            "fail:   hint: \(chainMust) (--intermediate FILE judges the chain with it)\n"
        ), ("VERIFY --intermediate @text.cer", "data: intermediate certificates"),
        // A client that cannot be set up.
        ("VERIFY --pins $LEAF --client trustkit", "data: TrustKit needs 2: add a backup pin"),
        (
            "VERIFY --pins $LEAF --client all",
            "data:   none    trustkit         1 pin is configured and TrustKit needs 2"
        ),
        (
            "VERIFY --pins $LEAF --client all -f junit",
            "data: name=\"trustkit\" … <error type=\"not-configured\" … warning client-not-set-up: "
        ), ("VERIFY --pins @one.json --client trustkit", "data: add a backup pin"),
        ("VERIFY --pins $JUNK --client alamofire:no-all-hosts", "usage: host=HOST"),
        // A root that was installed by hand fools apps without pins, but not those on Android.
        ("\(charles) --client afnetworking,alamofire", "pass trusted-without-pins"),
        ("\(charles) --client android", "fail unknown-issuer"),
        ("\(charles) --client okhttp:user-roots", "pass pins-not-applied"),
        ("\(charles) --pins $LEAF --client afnetworking", "fail pin-mismatch"),
        ("\(charles) --pins $LEAF --client generic", "fail pin-mismatch"),
        ("\(charles) --pins @kit-user.json --client trustkit", "fail pin-mismatch"),
        ("\(charles) --pins @kit-ignoring.json --client trustkit", "pass pins-not-applied"),
        // Each takes its own of a configuration.
        ("VERIFY --client nspinneddomains --pins @both.plist", "pass pin-matched"),
        ("VERIFY --client nspinneddomains --pins @mixed.plist", "fail pin-mismatch"),
        ("VERIFY --client nspinneddomains --pins @empty.plist", "fail pin-mismatch"),
        ("VERIFY --client trustkit --pins @kit.json", "fail pin-mismatch"),
        ("VERIFY --client trustkit --pins @kit-expired.json", "pass pins-not-applied: expired at 2001-01-01T00:00:00Z"),
        ("VERIFY --client trustkit --pins @kit-lenient.json", "pass mismatch-not-enforced"),
        (
            "VERIFY --client trustkit --pins @kit-lenient.json",
            "pass: for example.com and all names below it, not enforced"
        ), ("VERIFY --client trustkit --pins @kit-exempt.json", "pass pins-not-applied: is exempt from pinning"),
        ("VERIFY --client okhttp --pins @native.json", "pass pin-matched"),
        ("VERIFY --client trustkit --pins @native.json", "fail pin-mismatch"),
        ("VERIFY --client okhttp --pins @Two.kt", "pass pin-matched"),
        ("VERIFY --client okhttp --pins @Two.kt", "pass: for *.example.com"),
        ("VERIFY --client afnetworking --pins @short.json", "data: short.json:2: … has 3 bytes instead of 32"),
        ("verify @Spare.kt --pins @Spare.kt", "data: these were understood:\n# $HOST $LEAF\n"),
        ("pins --from @Spare.kt", "data: these were understood:\n# $HOST $LEAF\n"),
        // A dot at the end of a URL's host is another host to OkHttp.
        ("VERIFY --client okhttp --pins @hosts", "fail pin-mismatch"),
        (
            "verify @chain.pem --anchors @root.pem --host $HOST. --client okhttp --pins @hosts",
            "data: no configuration has an entry for $HOST."
        ), ("VERIFY --client okhttp --pins @hosts-dot", "data: has no dot at its end"),
        (
            "verify @chain.pem --anchors @root.pem --host $HOST. --client okhttp --pins @junk",
            "pass pins-not-applied: host-never-matches"
        ),
        // TrustKit's exemption has a spelling of its own, and it compares names as they are written.
        ("VERIFY --client trustkit --pins @exempt.json", "pass pins-not-applied"),
        ("VERIFY --client trustkit --pins @exempt-pins.json", "data"),
        ("VERIFY --client trustkit --pins @documented.json", "data: kSKExcludeSubdomainFromParentPolicy"),
        ("VERIFY --client trustkit --pins @documented-pins.json", "fail pin-mismatch"),
        ("lint @documented-pins.json", "fail: error: TrustKit has no key 'TSKExcludeSubdomainFromParentPolicy'"),
        ("VERIFY --client trustkit --pins @upper.json", "pass pins-not-applied"),
        ("lint @upper.json", "fail: error: 'API.example.com' pins no server as URLs name it"),
        ("VERIFY --client trustkit --pins @dot.json", "pass pins-not-applied"),
        ("VERIFY --client trustkit --pins @reports.json", "fail pin-mismatch"),
        ("lint @reports.json", "pass: 'not a uri' in TSKReportUris is not a URL"),
        // Alamofire's evaluators are for their hosts.
        ("VERIFY --client alamofire --pins @junk", "fail pin-mismatch"),
        ("VERIFY --client alamofire:host=www.example.com:host=$HOST --pins @junk", "fail pin-mismatch"),
        ("VERIFY --client alamofire:host=API.example.com --pins @junk", "fail client-error"),
        ("VERIFY --client alamofire:host=API.example.com:no-all-hosts --pins @junk", "pass pins-not-applied"),
        // Pins that bind all of an app decide whichever client is asked, and OkHttp compares them where it has no others.
        ("VERIFY --client okhttp --pins @Pinner.kt --pins @right.xml", "pass pin-matched"),
        ("VERIFY --client okhttp --pins @right.xml", "pass pin-matched"),
        ("VERIFY --client okhttp --pins @wrong.xml --pins $LEAF", "fail pin-mismatch"),
        ("VERIFY --client okhttp --pins @Pinner.kt --pins @wrong.xml", "fail pin-mismatch: system-pins"),
        ("VERIFY --client okhttp,android --pins @Pinner.kt --pins @wrong.xml", "fail pin-mismatch"),
        // A host that the configuration does not pin is the client's own affair.
        ("VERIFY --client okhttp --pins @Pinner.kt --pins @other.xml", "pass pin-matched"),
        // Of what is pinned for Apple's clients and for Android's, AFNetworking is asked about the former.
        ("VERIFY --client afnetworking --pins @Leaf.plist --pins @wrong.xml", "pass pin-matched"),
        // Without pins of its own a client takes the key wherever it is on the path; the system looks where it is listed.
        ("VERIFY --pins @Root.plist", "fail pin-mismatch"),
        ("VERIFY --client android --pins @parent.xml", "fail pin-mismatch"),
        // A bare hash is a pin, too.
        ("VERIFY --pins $LEAF64", "pass pin-matched: no backup"),
        // Two that say different things are no verdict, in either order and whoever is asked.
        ("VERIFY --client android --pins @expired.xml --pins @wrong.xml", covered),
        ("VERIFY --client android --pins @wrong.xml --pins @expired.xml", covered),
        ("VERIFY --client android --pins @trust.xml --pins @user.xml", covered),
        ("VERIFY --client android --pins @right.xml --pins @parent.xml", "data: give the one that the app ships"),
        ("VERIFY --client android --pins @parent.xml --pins @right.xml", "data: give the one that the app ships"),
        ("VERIFY --client android --pins @wrong.xml --pins @wrong.xml", "fail pin-mismatch"),
        ("VERIFY --client afnetworking --pins @ats.plist --pins @insecure.plist", covered),
        ("VERIFY --client curl --pins @insecure.plist --pins @ats.plist", covered),
        ("VERIFY --client trustkit --pins @kit-user.json --pins @native.json", "data"),
        ("VERIFY --client curl --pins @native.json --pins @kit-user.json", "data"),
        (
            "VERIFY --client okhttp --pins @Wrong.kt --pins @Pinner.kt",
            "data: Pinner.kt:1: a second source with a pinner, beside "
        ), ("VERIFY --client okhttp --pins @Pinner.kt --pins @hosts", "data"),
        // What an app says of trust does not stand for pins that are wrong; without a pin there is something to say.
        ("VERIFY --client afnetworking --pins @Shop.app", "data"), ("VERIFY --client android --pins @pins", "data"),
        ("VERIFY --client okhttp --pins @trust.xml", "pass pins-not-applied: pins nothing: no pin is compared"),
        (
            "VERIFY --client afnetworking --pins @trust.xml",
            "pass trusted-without-pins: pins nothing: no pin is compared"
        ),
    ]

    @Test(arguments: rows) func aClientDecides(line: String, end: String) async throws {
        try await Desk(Self.texts).expect(line, end)
    }

    @Test func everyEntryNamesThePlatformOfItsProcedure() throws {
        let pins = PinSet(
            [UInt8(7), 8].map { byte in
                Pin(.publicKey(SHA256Digest(bytes: [UInt8](repeating: byte, count: 32))!), origin: "test")
            })
        for entry in Client.all {
            let client = try ConfiguredClient(
                ClientInput(client: entry, afSecurityPolicy: AFSecurityPolicy(mode: .none), pins: pins))
            #expect(try client.procedure.get().platform?.family == entry.platform, "\(entry.name)")
        }
    }

    @Test func aRootOnApplesListIsASystemRootWhereverItIsFrom() async throws {
        // No leaf can be issued below a real root, so the root stands for one: without a purpose, as all of them are.
        let data = DeviceData.builtIn
        let device = try #require(data.devices.last { $0.platform == .apple })
        let listed = try #require(data.roots(of: device).first)
        let unlisted = try LabCertificate.selfSigned(
            CertificateTemplate.authority("Look-alike").with { $0.keyUsage = nil }
        ).der
        for (root, decision) in [(listed, "fail no-server-auth"), (unlisted, "pass trusted-without-pins")] {
            let desk = try Desk()
            try desk.files.write(root, to: "it.cer")
            await desk.expect("verify @it.cer --anchors @it.cer --client afnetworking", decision)
        }
    }

    @Test func anIntermediatePinIsEnoughForSomeAndNotForOthers() async throws {
        try await desk(
            "verify @next.pem --anchors @root.pem --host $HOST --pins $INTER --pins $JUNK "
                + "--client okhttp,curl,trustkit,nspinneddomains:key=leaf"
        ).expect(
            .fail, "  accept  okhttp                    public key pin matched at depth 1\n",
            "  reject  curl                      the leaf's public key is not pinned",
            "  nspinneddomains: the key of the CA at depth 1 is in NSPinnedLeafIdentities",
            "  pins: 2 configured, 1 on the chain (intermediate), 1 not in the chain",
            ending: "; also rejected by curl\n", errors: "curl: the pin is that of the CA at depth 1")
    }

    @Test func jsonListsEachClientWithItsSettingsAndWhatItIsTold() async throws {
        let desk = try Desk(Self.texts)
        func document(_ line: String) async throws -> JSONValue { try await desk(line + " -f json").json }
        let clients = try await document("VERIFY --pins $JUNK --pins $ROGUE --client afnetworking,trustkit:no-enforce")[
            "clients"
        ].array
        #expect(clients.map { $0["name"].text } == ["afnetworking", "trustkit"])
        #expect(clients.map { $0["verdict"].text } == ["reject", "accept"])
        #expect(clients.map { $0["disposition"].text }.first == "cancelAuthenticationChallenge")
        #expect(clients[0]["settings"]["validates_domain_name"].flag == true)
        #expect(clients[1]["settings"]["no_enforce"].flag == true)
        #expect(clients[1]["reason"]["id"].text == "mismatch-not-enforced")
        // Only clients on Apple's platforms answer a challenge.
        let three = try await document("VERIFY --client okhttp,curl,afnetworking")["clients"].array
        #expect(three.map { $0["disposition"].text } == [nil, nil, "useCredential"])
        // Pins of each of two clients are counted, and those of an Android app are no reserve of another client.
        let line = "VERIFY --pins @Other.kt --pins @right.xml --client okhttp"
        let report = try await document(line)
        #expect(report["reason"]["id"].text == "pins-not-applied")
        #expect(report["pins"]["matched"].array.compactMap { $0["depth"].number } == [0])
        await desk.expect(line, "pass:   pins: 1 configured, 1 matched (leaf)\n")
        await desk("VERIFY --pins @right.xml --pins $INTER --client okhttp").says(not: "not compare")
        let both = try await document("VERIFY --pins @root.cer --pins @wrong.xml")
        #expect(both["outlook"]["has_backup"].flag == false)
        #expect(both["clients"][0]["settings"]["mode"].text == "certificate")
    }

    @Test func aMachineWithoutRootsIsToldSo() async throws {
        let desk = try Desk()
        let store = ["SSL_CERT_DIR": try desk.files.makeDirectory("store")]
        let line = "verify @chain.pem --host $HOST"
        await desk.expect(line, "fail unknown-issuer", environment: store)
        await desk.expect(
            line, "fail: this machine has no trusted roots ($DIR/store and /nonexistent)", environment: store)
        try desk.write(pki.rootB.pem, to: "store/" + pki.rootB.hashedFileName)
        await desk(line, environment: store).expect(.fail, not: "no trusted roots")
    }

    /// The names of a leaf, what follows the chain, and the decision.
    @Test(arguments: [
        (["xn--bcher-kva.example"], "--host BÜCHER.example", "pass trusted-without-pins"),
        (["xn--bcher-kva.example"], "--host bücher。example", "pass trusted-without-pins"),
        (["xn--bcher-kva.example"], "--host bucher.example", "fail name-mismatch"),
        // A wildcard above a registry's suffix counts for nobody.
        (["*.co.uk", "shop.co.uk"], "--host shop.co.uk", "pass trusted-without-pins"),
        (["*.github.io"], "--host someone.github.io", "pass trusted-without-pins"),
        // A pattern of OkHttp's may be international.
        (["www.xn--bcher-kva.example"], "OKHTTP*.bücher.example", "fail pin-mismatch"),
        (["www.xn--bcher-kva.example"], "OKHTTP*.bucher.example", "pass pins-not-applied"),
    ]) func namesAreReadAsPeopleWriteThem(names: [String], arguments: String, end: String) async throws {
        let leaf = try pki.interA.issue(.leaf(subject: "names", names: names.map { GeneralName.dns($0) }))
        let pattern = "--host www.bücher.example --pins $JUNK --client okhttp:pattern="
        try await Desk(["names.pem": leaf.pem + pki.interA.pem]).expect(
            "verify @names.pem --anchors @root.pem " + arguments.replacing("OKHTTP", with: pattern), end)
    }

    @Test(arguments: [("nsc.xml", "android"), ("hosts", "okhttp")]) func anAddressIsPinnedAsText(
        source: String, client: String
    ) async throws {
        let server = try pki.interA.issue(.leaf(subject: "address", names: [.ip([203, 0, 113, 7])]))
        let texts = [
            "server.pem": server.pem + pki.interA.pem, "hosts": "203.0.113.7 $JUNK\n",
            "nsc.xml": AppText.android(AppText.domain(AppText.pinSet("$JUNK64"), for: "203.0.113.7")),
        ]
        try await Desk(texts).expect(
            "verify @server.pem --anchors @root.pem --pins @\(source) --client \(client) --host 203.0.113.7",
            "fail pin-mismatch")
    }
}

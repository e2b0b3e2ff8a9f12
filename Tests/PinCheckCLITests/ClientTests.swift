import Base
import LoopbackLab
import PinFormats
import Pinning
import Testing

@testable import PinCheckCLI
@testable import PinChecking

/// What clients make of a chain and of the sources they are given.
@Suite(.endsSomeTime) struct ClientTests {
    private static func leaf(_ change: (inout CertificateTemplate) -> Void) -> LabCertificate {
        try! pki.interA.issue(CertificateTemplate.leaf(host).with(change))
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

    private static func kit(_ settings: String = "", of name: String = "$HOST") -> String {
        AppText.trustKit(["$ROGUE64", "$JUNK64"], settings: settings, of: name)
    }

    private static func pinning(_ pin: String, for name: String = "$HOST", below: Bool = false) -> String {
        AppText.android(AppText.domain(AppText.pinSet(pin), for: name, below: below))
    }

    private static let texts: [String: String] = [
        "placed.pem": placed.pem, "lasting.pem": lasting.pem + pki.interA.pem,
        "expired.pem": pki.leafExp.pem + pki.interA.pem,
        "purpose.pem": leaf { $0.extendedKeyUsage = [.clientAuth] }.pem + pki.interA.pem,
        "old.pem": leaf { $0.digest = .sha1 }.pem + pki.interA.pem,
        "names.pem": try! pki.interA.issue(.leaf(subject: "names", names: names)).pem + pki.interA.pem,
        "right.xml": pinning("$LEAF64"), "wrong.xml": pinning("$JUNK64"),
        "expired.xml": AppText.android(AppText.domain(AppText.pinSet("$JUNK64", until: "2001-01-01"))),
        "other.xml": pinning("$JUNK64", for: "other.example"), "address.xml": pinning("$JUNK64", for: "203.0.113.7"),
        "parent.xml": pinning("$JUNK64", for: "example.com", below: true),
        "trust.xml": AppText.android(AppText.base(AppText.anchors("system"))),
        "user.xml": AppText.android(AppText.base(AppText.anchors("user"))), "Pinner.kt": AppText.okHttp("$LEAF"),
        "Wrong.kt": AppText.okHttp("$JUNK"), "Other.kt": AppText.okHttp("$JUNK", of: "other.example"),
        "Two.kt": "CertificatePinner.Builder().add(\"$HOST\", \"$JUNK\")\n.add(\"*.example.com\", \"$LEAF\").build()\n",
        "Spare.kt": "val p = CertificatePinner.Builder().add(\"$HOST\", \"$LEAF\", SPARE).build()\n",
        "Two.plist": AppText.ats(
            AppText.pinnedDomains(leaf: ["$JUNK64"]).replacing("<dict><key>$HOST", with: "<dict>\(parent)<key>$HOST")),
        "Leaf.plist": AppText.ats(AppText.pinnedDomains(leaf: ["$LEAF64"])), "ats.plist": AppText.ats(),
        "insecure.plist": AppText.ats("<key>NSAllowsArbitraryLoads</key><true/>"),
        "native.json": "{\(native("example.com", "$LEAF64", "$JUNK64")), \(native("$HOST", "$ROGUE64", "$JUNK64"))}",
        "kit-over.json": AppText.trustKit(["$LEAF64", "$JUNK64"], settings: ", \"TSKExpirationDate\": \"2001-01-01\""),
        "kit-expired.json": kit(", \"TSKExpirationDate\": \"2001-01-01\""),
        "kit-lenient.json": kit(", \"TSKEnforcePinning\": false", of: "example.com"),
        "kit-exempt.json": kit(of: "example.com").replacing(
            "]}}}", with: "]}, \"$HOST\": {\"kSKExcludeSubdomainFromParentPolicy\": true}}}"),
        "kit-user.json": trustKit(false), "kit-ignoring.json": trustKit(true),
        "kit-cloud.json": kit(of: "b.s3.eu-west-1.amazonaws.com"),
        "old.plist": AppText.ats(
            AppText.pinnedDomains(leaf: ["$LEAF64", "$NEXT64"])
                + "<key>NSExceptionDomains</key><dict><key>$HOST</key><dict>"
                + "<key>NSThirdPartyExceptionRequiresForwardSecrecy</key><false/></dict></dict>"),
        "documented.json": kit(", \"TSKExcludeSubdomainFromParentPolicy\": true"),
        "upper.json": kit(of: "API.example.com"), "reports.json": kit(", \"TSKReportUris\": [\"not a uri\"]"),
        "hosts": "$HOST $JUNK\n", "hosts-dot": "$HOST. $JUNK\n", "junk": "$JUNK\n", "text.cer": "no certificate",
        "pins/nsc.xml": AppText.android(AppText.base(AppText.anchors("system"))), "pins/a.txt": "sha256/AAAA\n",
        "Shop.app/Info.plist": AppText.ats(), "Shop.app/leaf.cer": "junk",
    ]

    private static let parent = AppText.pinnedDomains(leaf: ["$LEAF64"], of: "example.com").replacing(
        /^.*?(?=<key>example)|<.dict>$/, with: "")
    private static let names: [GeneralName] = [
        .dns("xn--bcher-kva.example"), .dns("www.xn--bcher-kva.example"), .ip([203, 0, 113, 7]),
    ]

    private static func trustKit(_ isIgnoring: Bool) -> String {
        #"{"TSKIgnorePinningForUserDefinedTrustAnchors": \#(isIgnoring), "TSKPinnedDomains": {"$HOST": {"TSKPublicKeyHashes": ["#
            + #""$LEAF64", "$NEXT64"]}}}"#
    }

    /// The interceptor's chain, its root installed on the device by hand.
    private static let charles = "verify @rogue.pem --anchors @root.pem --extra-root @other.pem --host $HOST"
    private static let unfetched =
        "fail unknown-issuer:   hint: --intermediate gives the issuer, but no such client would"
    private static let chainMust = "fail unknown-issuer: the chain must hold its intermediate"
    private static let placedLeaf = "verify @placed.pem --anchors @root.pem --host $HOST --client"
    private static let lastingLeaf = "verify @lasting.pem --anchors @root.pem --host $HOST --client"
    private static let muteLeaf = "verify @leaf.pem --anchors @root.pem --host $HOST --client"
    private static let dotted = "verify @chain.pem --anchors @root.pem --host $HOST. --client"
    private static let named = "verify @names.pem --anchors @root.pem"
    private static let unnamed =
        "verify @chain.pem --anchors @root.pem --client trustkit --pins $LEAF --pins $NEXT --host"
    private static let unregistered = "data: TrustKit does not take such a domain"
    private static let covered = "data: two configurations cover $HOST: "

    private static let rows = """
        // A rule of one platform, and the way out.
        \(lastingLeaf) afnetworking | fail lifetime-too-long: --client okhttp or curl
        // An intermediate that is given counts where the platform would fetch it, and is said not to where it would not.
        \(placedLeaf) afnetworking --intermediate @inter.cer | pass trusted-without-pins: intermediate-not-
        \(placedLeaf) afnetworking | fail unknown-issuer: from http://ca.example/inter.cer; give it with --inter
        \(muteLeaf) afnetworking --intermediate @inter.cer | \(unfetched)
        \(placedLeaf) okhttp,curl --intermediate @inter.cer | \(unfetched)
        \(placedLeaf) afnetworking --intermediate @other.pem | fail unknown-issuer: gives is not its issuer
        \(muteLeaf) afnetworking | \(chainMust)⏎
        \(placedLeaf) afnetworking,okhttp | \(chainMust) (--intermediate FILE judges the chain with it)⏎
        VERIFY --intermediate @text.cer | data: intermediate certificates
        VERIFY --pins $LEAF --client all | data:   none    trustkit         1 pin is configured and
        VERIFY --pins $LEAF --client all -f junit | data: <error type="not-configured" … warning client-not-set-up:
        VERIFY --pins $JUNK --client okhttp,trustkit | data pin-mismatch: "verdict" : "reject" … ; trustkit cannot be \
        set up:
        VERIFY --pins $JUNK --client alamofire:no-all-hosts | usage: host=HOST
        \(charles) --pins @kit-user.json --client trustkit | fail pin-mismatch
        \(charles) --pins @kit-ignoring.json --client trustkit | fail pin-mismatch: on a Mac TrustKit lets a chain
        \(charles) --pins @kit-ignoring.json --client trustkit --device macos-26 | fail pin-mismatch: judged as on iOS
        VERIFY --client trustkit --pins @kit-expired.json | pass pins-not-applied: expired at 2001-01-01T00:00:00Z
        VERIFY --client trustkit --pins @kit-over.json | pass pins-not-applied: 0 matched, 1 not in the chain⏎
        VERIFY --client trustkit --pins @kit-lenient.json | pass: example.com and all names below it, not enforced
        VERIFY --client trustkit --pins @kit-exempt.json | pass pins-not-applied: is exempt from pinning
        VERIFY --client okhttp --pins @native.json | pass pin-matched
        VERIFY --client trustkit --pins @native.json | fail pin-mismatch
        VERIFY --client nspinneddomains --pins @Two.plist | pass pin-matched
        VERIFY --client okhttp --pins @Two.kt | pass: for *.example.com
        pins --from @Spare.kt | data: these were understood:⏎# $HOST $LEAF⏎
        // A dot at the end of a URL's host is another host to OkHttp.
        \(dotted) okhttp --pins @hosts | data: no configuration has an entry for $HOST.
        VERIFY --client okhttp --pins @hosts-dot | data: has no dot at its end
        \(dotted) okhttp --pins @junk | pass pins-not-applied: host-never-matches
        // TrustKit's exemption has a spelling of its own.
        VERIFY --client trustkit --pins @documented.json | fail pin-mismatch
        lint @documented.json | fail: error: TrustKit has no key 'TSKExcludeSubdomainFromParentPolicy'
        lint @upper.json | fail: error: 'API.example.com' pins no server as URLs name it
        lint @reports.json | pass: 'not a uri' in TSKReportUris is not a URL
        // TrustKit takes no host without a suffix of its list, as a key of the file, for pins beside it, and where it is written.
        lint @kit-cloud.json | data: 'b.s3.eu-west-1.amazonaws.com' has no registered suffix
        \(unnamed) 192.0.2.7 | \(unregistered)
        pins @leaf.pem --host nas.local -f trustkit | data: 'nas.local' has no registered suffix
        lint @old.plist | pass: warning: 'NSThirdPartyExceptionRequiresForwardSecrecy' is a key of 2015
        VERIFY --client nspinneddomains --pins @old.plist --fail-on warn | pass pin-matched: judged as absent; write \
        NSExceptionReq
        // Alamofire's evaluators have settings of their own.
        VERIFY --client alamofire:accept-self-signed --pins $LEAF | usage: PublicKeysTrustEvaluator has no \
        acceptSelfSigned
        VERIFY --client alamofire:host=www.example.com:host=$HOST --pins @junk | fail pin-mismatch
        VERIFY --client alamofire:host=API.example.com:no-all-hosts --pins @junk | pass pins-not-applied
        // Pins that bind all of an app decide whichever client is asked, and OkHttp compares them where it has no others.
        VERIFY --client okhttp --pins @right.xml | pass pin-matched
        VERIFY --client okhttp --pins @Pinner.kt --pins @wrong.xml | fail pin-mismatch: system-pins
        // A host that the configuration does not pin is the client's own affair.
        VERIFY --client okhttp --pins @Pinner.kt --pins @other.xml | pass pin-matched
        // Of what is pinned for Apple's clients and for Android's, AFNetworking is asked about the former.
        VERIFY --client afnetworking --pins @Leaf.plist --pins @wrong.xml | pass pin-matched
        // Two that say different things are no verdict, in either order and whoever is asked.
        VERIFY --client android --pins @expired.xml --pins @wrong.xml | \(covered)
        VERIFY --client android --pins @trust.xml --pins @user.xml | \(covered)
        VERIFY --client android --pins @right.xml --pins @parent.xml | data: give the one that the app ships
        VERIFY --client android --pins @parent.xml --pins @right.xml | data: give the one that the app ships
        VERIFY --client android --pins @wrong.xml --pins @wrong.xml | fail pin-mismatch
        VERIFY --client afnetworking --pins @ats.plist --pins @insecure.plist | \(covered)
        VERIFY --client curl --pins @insecure.plist --pins @ats.plist | \(covered)
        VERIFY --pins @Wrong.kt --pins @Pinner.kt | data: Pinner.kt:1: a second source with a pinner, beside
        // What an app says of trust does not stand for pins that are wrong; without a pin there is something to say.
        VERIFY --client afnetworking --pins @Shop.app | data
        VERIFY --client android --pins @pins | data
        VERIFY --client okhttp --pins @trust.xml | pass pins-not-applied: pins nothing: no pin is compared
        // A pin that no client compares matches nothing, whatever is on the chain.
        VERIFY --client okhttp:pattern=www.example.org --pins $LEAF | pass pins-not-applied: 1 configured, 0 matched
        \(named) --host bücher。example | pass trusted-without-pins
        \(named) --host www.bücher.example --pins $JUNK --client okhttp:pattern=*.bücher.example | fail pin-mismatch
        \(named) --host www.bücher.example --pins $JUNK --client okhttp:pattern=*.bücher.example。 | pass pins-not-applied
        \(named) --host 203.0.113.7 --client android --pins @address.xml | fail pin-mismatch
        """

    @Test(arguments: table(rows)) func aClientDecides(row: [String]) async throws {
        try await Desk(Self.texts).expect(row[0], row[1])
    }

    /// What each client rejects, and by which reason, whatever else it does.
    private static let rejected: [(line: String, reason: String)] = [
        ("verify @rogue.pem --pins $ROGUE --pins $NEXT --host $HOST", "unknown-issuer"),
        ("verify @expired.pem --pins $LEAF --pins $NEXT --host $HOST", "expired"),
        ("verify @chain.pem --pins $LEAF --pins $NEXT --host www.example.org", "name-mismatch"),
        ("verify @purpose.pem --pins $INTER --pins $NEXT --host $HOST", "wrong-purpose"),
        ("verify @old.pem --pins $INTER --pins $NEXT --host $HOST", "weak-signature"),
        ("verify @chain.pem --pins $JUNK --pins $ROGUE --host $HOST", "pin-mismatch"),
    ]

    @Test(arguments: rejected) func everyClientRejects(line: String, reason: String) async throws {
        let names = Client.all.map(\.name)
        let clients = "--anchors @root.pem --client \(names.joined(separator: ",")) -f json"
        let outcome = try await Desk(Self.texts)("\(line) \(clients)").expect("fail \(reason)")
        let found = try outcome.json["clients"].array
        #expect(found.map { $0["name"].text } == names)
        for client in found {
            #expect(
                client["verdict"].text == "reject" && client["reason"]["id"].text == reason, "\(client.canonicalText)")
        }
    }

    @Test func everyEntryNamesThePlatformOfItsProcedure() throws {
        let pins = PinSet(
            [UInt8(7), 8].map { byte in
                Pin(.publicKey(SHA256Digest(bytes: [UInt8](repeating: byte, count: 32))!), at: .named("test"))
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

    @Test func jsonHasTheSettingsOfEachClientAndThePinsOfAll() async throws {
        let desk = try Desk(Self.texts)
        func document(_ line: String) async throws -> JSONValue { try await desk(line + " -f json").json }
        let kits = try await document("VERIFY --pins $JUNK --pins $ROGUE --client afnetworking,trustkit:no-enforce")
        #expect(kits["clients"][0]["settings"]["validates_domain_name"].flag == true)
        #expect(kits["clients"][1]["settings"]["no_enforce"].flag == true)
        // Pins of each of two clients are counted, and those of an Android app are no reserve of another client.
        let line = "VERIFY --pins @Other.kt --pins @right.xml --client okhttp"
        let report = try await document(line)
        #expect(report["reason"]["id"].text == "pins-not-applied")
        #expect(report["pins"]["matched"].array.compactMap { $0["depth"].number } == [0])
        await desk.expect(line, "pass:   pins: 1 configured, 1 matched (leaf)\n")
        await desk("VERIFY --pins @right.xml --pins $INTER --client okhttp").says(not: "not compare")
        let both = try await document("VERIFY --pins @root.cer --pins @wrong.xml")
        #expect(both["outlook"]["has_backup"].flag == false)
    }

    @Test func aMachineWithoutRootsIsToldSo() async throws {
        let desk = try Desk()
        let store = ["SSL_CERT_DIR": try desk.files.makeDirectory("store")]
        let line = "verify @chain.pem --host $HOST"
        let told = "fail unknown-issuer: this machine has no trusted roots ($DIR/store and /nonexistent)"
        await desk.expect(line, told, environment: store)
        try desk.write(pki.rootB.pem, to: "store/" + pki.rootB.hashedFileName)
        await desk.expect(line, "fail unknown-issuer", environment: store).says(not: "no trusted roots")
    }

    @Test func eachClientOfANameHasItsOwnSteps() async throws {
        let line = "VERIFY --client trustkit,trustkit:no-enforce --pins $LEAF --pins $JUNK --explain"
        let outcome = await (try Desk())(line)
        #expect(outcome.output.split(separator: "\n").count { $0.contains(" trust: ") } == 2, "\(outcome)")
    }
}

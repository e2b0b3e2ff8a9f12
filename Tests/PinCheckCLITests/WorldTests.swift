import LoopbackLab
import PinCheckCLI
import PinChecking
import Pinning
import Testing

/// What is said of tomorrow, read from verdicts on worlds that may come.
@Suite(.endsSomeTime) struct WorldTests {
    /// The one moment of a test, however long it takes.
    private let now = LabClock.now
    private let root, otherRoot, inter, interByOther, leaf: LabCertificate
    /// An intermediate in a root's place, which devices learn as a root of its own, and what is below.
    private let coming, comingByRoot, interBelow, leafBelow: LabCertificate

    init() throws {
        root = try .selfSigned(Self.valid(.authority("Root"), -300, 3_000))
        otherRoot = try .selfSigned(Self.valid(.authority("Other"), -300, 3_000))
        inter = try root.issue(Self.valid(.authority("Inter"), -300, 900))
        interByOther = try otherRoot.issue(Self.valid(.authority("Inter"), -300, 900), key: inter.key)
        leaf = try inter.issue(Self.valid(.leaf(host), -30, 60))
        coming = try .selfSigned(Self.valid(.authority("Coming"), -100, 4_000))
        comingByRoot = try root.issue(Self.valid(.authority("Coming"), -100, 2_000), key: coming.key)
        interBelow = try coming.issue(Self.valid(.authority("Below"), -100, 900))
        leafBelow = try interBelow.issue(Self.valid(.leaf(host), -30, 60))
    }

    private static func valid(_ template: CertificateTemplate, _ from: Int64, _ to: Int64) -> CertificateTemplate {
        template.valid(from: LabClock.now + from * LabClock.day, to: LabClock.now + to * LabClock.day)
    }

    private static func date(_ days: Int64) -> String {
        Timestamp(secondsSinceEpoch: LabClock.now + days * LabClock.day).date
    }

    private func desk() throws -> Desk {
        let desk = try Desk([
            "chain.pem": leaf.pem + inter.pem, "root.pem": root.pem,
            "both.pem": leaf.pem + inter.pem + interByOther.pem,
            "below.pem": leafBelow.pem + interBelow.pem + comingByRoot.pem,
        ])
        func named(_ name: String, _ from: Int64, _ to: Int64) throws -> LabCertificate {
            try inter.issue(Self.valid(.leaf(name), from, to))
        }
        for (name, certificate) in [
            ("h", leaf), ("inter", inter), ("www", try named("www.shop.example", -30, 360)),
            ("long", try named(host, -1, 899)), ("last", try named(host, -300, 20)), ("soon", try named(host, 30, 390)),
            ("late", try named(host, 70, 390)), ("next", try named(host, -1, 360)),
            ("after", try named(host, 350, 700)),
            ("box", try .selfSigned(CertificateTemplate.leaf("backup").valid(from: now, to: now + LabClock.day))),
        ] { try desk.files.write(certificate.der, to: name + ".cer") }
        for (name, algorithm) in [("weak", LabKey.Algorithm.rsa(bits: 1_024)), ("ed", .ed25519), ("p256", .p256)] {
            try desk.files.write(LabKey.generate(algorithm).publicKeyPEM, to: name + ".pub")
        }
        try desk.files.write(leaf.key.publicKeyPEM, to: "same.pub")
        let late = try LabCertificate.selfSigned(Self.valid(.authority("Other"), 200, 5_000), key: otherRoot.key)
        try desk.files.write(otherRoot.pem + late.pem, to: "twice.pem")
        try desk.files.write(AppText.okHttp(leaf.pin, of: "elsewhere.example"), to: "Pins.kt")
        let cas = """
            { name: "Lab", date: "\(Self.date(-1))", roots: [{ name: "Root", state: "in-use", until: "\(Self.date(20))",
              spki_sha256: "\(SHA256Digest(bytes: root.publicKeySHA256)!.hexadecimal)" }] }
            """
        _ = try DeviceLists.write(
            [("ios-12", [root]), ("ios-26", [root, coming]), ("android-9", [root]), ("android-17", [root, coming])],
            to: "learning.json", in: desk.files)
        _ = try DeviceLists.write(
            [("ios-12", [root]), ("android-9", [root, otherRoot])], cas: cas, to: "leaving.json", in: desk.files)
        _ = try DeviceLists.write([("android-9", [root, otherRoot])], to: "two.json", in: desk.files)
        let elsewhere = try root.issue(
            Self.valid(.authority("Elsewhere"), -30, 900).with { $0.permittedNames = [.dns("elsewhere.example")] })
        let flat = try root.issue(Self.valid(.authority("Flat", pathLength: 0), -30, 950))
        let unsigning = Self.valid(.authority("Unsigning"), -30, 900).with { $0.keyUsage = [.cRLSign] }
        for (name, certificate) in [
            ("elsewhere", elsewhere), ("flat", flat), ("unsigning", try root.issue(unsigning)),
            ("deep", try flat.issue(Self.valid(.authority("Deep"), -30, 900))),
        ] { try desk.files.write(certificate.der, to: name + ".cer") }
        func hash(_ certificate: LabCertificate) -> String { String(certificate.pin.dropFirst("sha256/".count)) }
        for (name, day) in [("in10", Self.date(10)), ("ended", Self.date(-8))] {
            let set = AppText.pinSet(hash(leaf), hash(coming), until: day)
            try desk.write(
                AppText.android(AppText.domain(set + AppText.anchors("@raw/root"))), to: "res/xml/\(name).xml")
        }
        for (name, day) in [("rn10", Self.date(10)), ("rnended", Self.date(-8))] {
            let hashes = "['\(hash(leaf))', '\(hash(coming))']"
            try desk.write("{'$HOST': {publicKeyHashes: \(hashes), expirationDate: '\(day)'}}", to: "\(name).json")
        }
        try desk.files.write(root.pem, to: "res/raw/root.pem")
        let lists = AppText.pinnedDomains(leaf: [hash(leaf), hash(coming)], cas: [hash(root)])
        try desk.write(AppText.ats(lists), to: "both.plist")
        return desk
    }

    private func filled(_ line: String) -> String {
        let pins = [
            ("DER", "\(SHA256Digest(bytes: leaf.sha256)!)"), ("L", leaf.pin), ("LB", leafBelow.pin), ("I", inter.pin),
            ("R", root.pin), ("R2", otherRoot.pin), ("B", coming.pin),
            ("BBBB", "sha256/BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB="),
            ("ENTRUST", "sha256/du6FkDdMcVQ3u8prumAo6t3i3G27uMP2EOhR8R0at/U="),
            ("YE", "sha256/sCkq5UWXjg+7mKu9lMhhYF5bGLsy7VI/UNW3tccdR7w="),
            ("THAWTE", "sha256/HXXQgxueCIU5TTLHob/bPbwcKOKw6DkfsTWYHbxbqTY="), ("IN10", Self.date(10)),
            ("AGO8", Self.date(-8)),
        ]
        let words = Dictionary(uniqueKeysWithValues: pins)
        // In one go: a hash may contain a word.
        return line.replacing(/\b[A-Z][A-Z0-9]*\b/) { words[String($0.output)] ?? String($0.output) }
    }

    /// What follows `VERIFY`, how it ends, and of each pin whether it is in use (`-`), a backup, or why it is none.
    private static let rows = """
        // A certificate that is compared whole is one of this host, in time, that the platform takes.
        --client afnetworking --pins @h.cer --pins @www.cer --min-pin-life 90d | \(short) | - name-mismatch
        --client afnetworking --mode public-key --pins @h.cer --pins @www.cer --min-pin-life 90d | \(short) | - \
        name-mismatch
        --client afnetworking --pins @h.cer --pins @long.cer --min-pin-life 90d | \(short) | - lifetime-too-long
        --client afnetworking --pins @h.cer --pins @last.cer --fail-on warn | warn breaks-at-renewal: no backup (pin 2 \
        ends on | - ends-before
        --client afnetworking --pins @h.cer --pins @soon.cer --min-pin-life 300d | pass pin-matched | - backup
        --client afnetworking --pins @h.cer --pins @late.cer --min-pin-life 300d | \(short) | - begins-after
        // Each is held against the end of the one before.
        --client afnetworking --pins @h.cer --pins @after.cer --pins @next.cer --min-pin-life 600d | pass pin-matched \
        | - backup backup
        // A file that nobody issued holds a backup key; a pin on the chain is none, and neither is what no key is behind.
        --client alamofire:evaluator=public-keys --pins @h.cer --pins @box.cer --min-pin-life 300d | pass pin-matched \
        | - backup
        --client okhttp --pins L --pins BBBB | pass pin-matched: placeholder-pin | - placeholder
        --client okhttp --pins L --pins BBBB --min-pin-life 300d | \(short) | - placeholder
        --client okhttp --pins L --pins $JUNK --min-pin-life 300d | pass pin-matched: backup: pin 2 | - backup
        // A key that is given has its own kind.
        --client okhttp --pins L --pins @ed.pub --min-pin-life 300d | \(short) | - handshake
        --client generic --pins L --pins @weak.pub --min-pin-life 300d | \(short) | - weak-key
        --client okhttp --pins L --pins @p256.pub --min-pin-life 300d | pass pin-matched | - backup
        --client okhttp --pins L --pins DER --min-pin-life 300d | \(short) | - hash-of-certificate
        // A key that is compared with CAs alone is that of an issuer to come.
        --client nspinneddomains:key=ca --pins I --pins $JUNK --min-pin-life 300d | pass pin-matched | - backup
        // Two equal pins are not two certificates of a chain that nobody has seen.
        --client afnetworking-2.5 --pins L --pins @same.pub --pins I --pins YE | pass pin-matched | - - - not-judged
        // Of two roots with a key the one that has begun counts.
        --anchors @twice.pem --client okhttp --pins L --pins R2 --min-pin-life 300d | pass pin-matched | - backup
        --client afnetworking --pins @inter.cer --min-pin-life 90d | \(short) | -
        --client afnetworking --pins @h.cer --pins $JUNK --mode certificate | pass pin-matched | - not-compared
        --client curl --pins $JUNK --pins $OTHER | fail pin-mismatch: "has_backup" : false | . .
        --client nspinneddomains:key=ca --pins I --pins @next.cer --min-pin-life 300d | \(short) | - not-compared
        // A CA that may not issue for this host, or not so far below, or nothing at all, is none.
        --client okhttp --pins L --pins @elsewhere.cer --min-pin-life 300d | \(short) | - name-constraint
        --client okhttp --pins L --pins @flat.cer --pins @deep.cer --min-pin-life 300d | pass pin-matched | - backup \
        path-too-long
        --client okhttp --pins L --pins @unsigning.cer --min-pin-life 300d | \(short) | - not-an-authority
        // Each list of pins ends by itself.
        --pins @both.plist --min-pin-life 300d | pass pin-matched | - backup -
        // A client that rejects has nothing in reserve.
        --client okhttp,curl --pins I --pins $JUNK -f json | fail pin-mismatch | - .
        // A CA's own path decides: iOS 13 has the root, iOS 26 has it no more.
        --and-system --device ios-13 --client trustkit --pins L --pins THAWTE --min-pin-life 300d | pass pin-matched | \
        - backup
        --and-system --device ios-26 --client trustkit --pins L --pins THAWTE --min-pin-life 300d | \(short) | - \
        untrusted-root
        --and-system --device ios-26 --client trustkit --pins L --pins ENTRUST --min-pin-life 300d | \(short) | - \
        distrusted
        // Gates hold after an end as well, for every client that follows and for the system beside the chosen one.
        --pins @res/xml/ended.xml --pins R --min-pin-life 60d | \(short): android compares no pin | - - .
        --pins @res/xml/in10.xml --client okhttp --fail-before 30d | fail pins-expire | - backup
        --client android:expires=IN10 --pins L --pins $JUNK --min-pin-life 60d | \(short) | - backup
        --client android:expires=IN10 --pins L --pins $JUNK --fail-before 30d | fail pins-expire | - backup
        --client android:expires=AGO8 --pins L --pins $JUNK --fail-before 30d | fail pins-expired | . .
        --client android:expires=AGO8 --pins L --pins $JUNK --min-pin-life 60d | \(short): its pins expired on | . .
        --client android:expires=AGO8 --pins L --pins $JUNK | pass pins-not-applied: the pins expired on | . .
        --client android:expires=AGO8 --pins L --pins $JUNK --fail-on warn | warn pins-expired | . .
        --client okhttp --pins @Pins.kt --min-pin-life 60d | \(short): okhttp compares no pin for $HOST: no pin is for
        // What builds OkHttp's pinner may drop the pins then.
        --client okhttp --pins @rn10.json --min-pin-life 60d | \(short) | - backup
        --client okhttp --pins @rnended.json | pass pin-matched: newer versions of react-native | - backup
        --client okhttp --pins @rnended.json --fail-before 30d | fail pins-expired | - backup
        --and-system --device ios-13,ios-14 --client nspinneddomains --pins L | pass pin-matched: nspinneddomains begins \
        with iOS 14: ios-13 compare no pin | -
        --client trustkit:no-enforce --pins $JUNK --pins $OTHER --min-pin-life 60d | \(short) | . .
        --pins @Pins.kt --pins R --min-pin-life 60d | pass pins-not-applied | -
        """

    private static let short = "fail pin-life-short"

    @Test(arguments: table(rows)) func aPinIsABackupIfAClientAcceptsItsWorld(row: [String]) async throws {
        let outcome = try await desk().expect("VERIFY " + filled(row[0]), row[1], at: now)
        #expect(Self.standings(try outcome.json) == (row.count > 2 ? row[2] : ""), "\(row[0]): \(outcome)")
    }

    private static func standings(_ report: JSONValue) -> String {
        report["outlook"]["pins"].array.map { pin in
            if pin["backup"].flag == true { return "backup" }
            return pin["why_no_backup"].text
                ?? (pin["depth"].isNull || report["outlook"]["pins_end"].isNull ? "." : "-")
        }.joined(separator: " ")
    }

    /// The clients that one pinned CA is enough for.
    private static let clients = Client.all.map(\.name).filter { !["curl", "afnetworking-2.5"].contains($0) }.map {
        $0 == "trustkit" ? "trustkit:no-enforce" : $0
    }

    /// A pinned intermediate ends with the leaf, since a CA changes it at any renewal; a root goes on.
    @Test func whatIsPinnedHoldsAsLongAsRenewalsKeepIt() async throws {
        let desk = try desk()
        for name in Self.clients {
            for (pins, life, end) in [
                ("I", 30, "pass pin-matched"), ("I", 90, Self.short), ("I --pins L", 90, Self.short),
                ("R", 300, "pass pin-matched"),
            ] {
                await desk.expect(
                    filled("VERIFY --client \(name) --pins \(pins) --min-pin-life \(life)d"), end, at: now)
            }
        }
    }

    /// A path that ends at an intermediate among the anchors goes on to their root after a renewal.
    @Test func theRootOfARenewalIsAnEnd() async throws {
        let short = try LabCertificate.selfSigned(Self.valid(.authority("Short"), -300, 500))
        let inter = try short.issue(Self.valid(.authority("Inter"), -300, 900))
        let leaf = try inter.issue(Self.valid(.leaf(host), -30, 60))
        let desk = try Desk(["chain.pem": leaf.pem + inter.pem, "own.pem": inter.pem + short.pem])
        let line = "verify @chain.pem --host $HOST --anchors @own.pem --pins \(inter.pin) --pins \(short.pin)"
        for client in Self.clients {
            for (life, end) in [(490, "pass pin-matched"), (510, Self.short)] {
                await desk.expect("\(line) --client \(client) --min-pin-life \(life)d", end, at: now)
            }
        }
    }

    @Test(arguments: [(2, "pass pin-matched"), (1, short)]) func aCertificateWithFewerTimestampsIsNoBackup(
        count: Int, end: String
    ) async throws {
        let logs = [LabLog(), LabLog()]
        let leaf = try inter.issue(Self.valid(.leaf(host), -30, 60), loggedBy: logs)
        let next = try inter.issue(Self.valid(.leaf(host), -1, 149), loggedBy: Array(logs.prefix(count)))
        let desk = try Desk(["chain.pem": leaf.pem + inter.pem])
        for (name, certificate) in [("leaf", leaf), ("next", next)] {
            try desk.files.write(certificate.der, to: name + ".cer")
        }
        _ = try DeviceLists.write([("ios-26", [root])], to: "lists.json", in: desk.files)
        let line = "verify @chain.pem --host $HOST --device-data @lists.json --device ios-26 --client alamofire"
        await desk.expect("\(line) --pins @leaf.cer --pins @next.cer --min-pin-life 90d", end, at: now)
    }

    /// An anchor that ends soon is told to all, and ends no pin of those that do not look at its dates.
    @Test(arguments: clients) func aRootThatEndsSoonIsToldToAll(client: String) async throws {
        let short = try LabCertificate.selfSigned(Self.valid(.authority("Short"), -300, 20))
        let inter = try short.issue(Self.valid(.authority("Inter"), -300, 900))
        let leaf = try inter.issue(Self.valid(.leaf(host), -30, 60))
        let below = try short.issue(Self.valid(.leaf(host), -30, 60), key: leaf.key)
        let desk = try Desk(["chain.pem": leaf.pem + inter.pem, "below.pem": below.pem, "short.pem": short.pem])
        let line = "--host $HOST --anchors @short.pem --pins \(leaf.pin) --pins $JUNK --client \(client)"
        await desk.expect("verify @chain.pem \(line) --fail-before 30d", "fail expires-soon", at: now)
        guard Client.all.contains(where: { $0.name == client && $0.platform == .android }) else { return }
        await desk.expect("verify @chain.pem \(line) --min-pin-life 300d", "pass pin-matched", at: now)
        for chain in ["@chain.pem", "@below.pem"] {
            await desk.expect("verify \(chain) \(line)", "pass pin-matched: works until \(Self.date(60))", at: now)
        }
    }

    @Test(arguments: [(40, 3_000, "intermediate-expiry"), (900, 40, "root-expiry"), (900, 3_000, "leaf-renewal")])
    func pinsEndWithTheFirstCertificate(days: Int64, rootDays: Int64, end: String) async throws {
        let root = try LabCertificate.selfSigned(Self.valid(.authority("Root"), -300, rootDays))
        let inter = try root.issue(Self.valid(.authority("Inter"), -300, days))
        let leaf = try inter.issue(Self.valid(.leaf(host), -30, 60))
        let desk = try Desk(["chain.pem": leaf.pem + inter.pem, "root.pem": root.pem])
        let line = "verify @chain.pem --host $HOST --anchors @root.pem --pins \(leaf.pin) -f json"
        await desk.expect(line, "pass pin-matched: \"pins_end\" : \"\(end)\"", at: now)
    }

    @Test(arguments: Client.all.map(\.name)) func aLeafThatIsTheOnlyAnchorHasNoRenewal(client: String) async throws {
        let line = "verify @chain.pem --host $HOST --anchors @h.cer --pins L --pins $JUNK --min-pin-life 300d"
        await (try desk()).expect(filled(line) + " --client " + client, Self.short, at: now)
    }

    private static let below = "verify @below.pem --host $HOST --device-data @learning.json --device "
    private static let leaving = "--host $HOST --device-data @leaving.json --device android-9 --client okhttp --pins R "

    private static let shipping = """
        --host $HOST --device-data @leaving.json --device ios-12 --client afnetworking --pins @root.pem \
        --mode certificate --fail-before 30d
        """

    @Test(arguments: [
        ("android-9 --client okhttp --pins R --min-pin-life 30d", short + ": pin-above-coming-root … Ship sha256/"),
        ("android-9 --client android --pins R --min-pin-life 30d", short + ": pin-above-coming-root"),
        ("ios-12 --client trustkit --pins R --pins $JUNK --min-pin-life 30d", short + ": pin-above-coming-root"),
        ("android-9 --client generic --pins R --min-pin-life 30d", short + ": pin 1 sits above Coming"),
        ("android-9 --client okhttp --pins R --pins B --min-pin-life 30d", "pass pin-matched"),
        ("ios-12 --client nspinneddomains --pins R --min-pin-life 30d", "pass pin-matched"),
        // Today's leaf holds until its renewal.
        ("android-9 --client okhttp --pins R --pins LB --min-pin-life 50d", "pass pin-matched"),
        ("android-9 --client okhttp --pins R --pins LB --min-pin-life 300d", short),
    ]) func aRootThatComesEndsThePinAboveIt(line: String, end: String) async throws {
        await (try desk()).expect(filled(Self.below + line), end, at: now)
    }

    @Test(arguments: [
        ("verify @chain.pem \(leaving) --fail-before 30d", "fail root-leaves: the CA leaves Root on"),
        ("verify @chain.pem \(leaving) --fail-before 10d", "pass pin-matched: \"pins_end\" : \"root-change\""),
        ("verify @chain.pem \(leaving) --min-pin-life 15d", "pass pin-matched"),
        ("verify @chain.pem \(leaving) --min-pin-life 25d", short),
        ("verify @both.pem \(leaving) --pins R2 --fail-before 30d", "pass pin-matched"),
        ("verify @both.pem \(leaving) --pins R2 --fail-before 10d", "pass pin-matched"),
        ("verify @both.pem \(leaving) --pins L --min-pin-life 300d", short),
        ("verify @chain.pem \(shipping)", "fail root-leaves"),
        ("verify @chain.pem \(shipping) --allow-invalid-certificates", "pass pin-matched"),
    ]) func aRootThatIsLeftIsAnEnd(line: String, end: String) async throws {
        await (try desk()).expect(filled(line), end, at: now)
    }

    /// Of the roots of two valid paths, a client is held to the one that ends its own path.
    @Test func aRootOnAnotherPathOfTheRunIsNoBackup() async throws {
        let desk = try desk()
        var ends: Set<ExitStatus> = []
        for pin in ["R", "R2"] {
            let line =
                "verify @both.pem --host $HOST --device-data @two.json --device android-9 --client okhttp --pins L"
            ends.insert(await desk(filled("\(line) --pins \(pin) --min-pin-life 300d"), at: now).status)
        }
        #expect(ends == [.pass, .fail])
    }

    @Test func aRootThatWasLeftIsNoneThatComes() async throws {
        let line = filled("verify @chain.pem \(Self.leaving)")
        await (try desk()).expect(line, "pass pin-matched: the CA left this one on", at: now + 25 * LabClock.day)
    }

    @Test func theHandshakeOfTodayIsThatOfTheBackup() async throws {
        let leaf = try pki.interA.issue(
            CertificateTemplate.leaf(host).with { $0.keyUsage = [.keyEncipherment] },
            key: .shared(.rsa(bits: 2048), label: "ats"))
        let settings = TLSServerSettings(presenting: [leaf, pki.interA]).with {
            $0.maximumVersion = .tls12
            $0.options["CipherString"] = "kRSA:@SECLEVEL=0"
        }
        try await Desk.serving(.tls(settings)) { desk, _ in
            let line = "CHECK --client android --pins \(leaf.pin) --pins $JUNK --min-pin-life 300d"
            await desk.expect(line, "pass pin-matched: backup: pin 2")
        }
    }

    @Test func anEndStaysReached() async throws {
        let later = now + 65 * LabClock.day
        let ended = await (try desk()).expect(
            filled("VERIFY --client curl:insecure --pins L --fail-before 30d"), "fail ended: ended on", at: later)
        let outlook = try ended.json["outlook"]
        #expect(outlook["no_pin_after"].text?.hasPrefix(Self.date(60)) == true)
        #expect(outlook["no_pin_after"].text == outlook["pins_match_until"].text)
        for line in ["VERIFY --min-pin-life 60d", "VERIFY --pins $LEAF --mode none --min-pin-life 60d"] {
            await (try desk()).expect(line, "usage: --min-pin-life is about pins, and none are compared")
        }
    }

    @Test func aPinIsMarkedByTheClientsThatMatchIt() async throws {
        let pins = "\"\(pki.junk.pin)\", \"$LEAF\""
        let desk = try Desk([
            "nsc.xml": AppText.android(AppText.domain(AppText.pinSet("$JUNK64"))),
            "Pins.kt": "val p = CertificatePinner.Builder().add(\"$HOST\", \(pins)).build()",
        ])
        let line = "VERIFY --pins @nsc.xml --pins @Pins.kt"
        let outcome = await desk.expect(line, "fail pin-mismatch: ← pin 3 (okhttp)")
        let matched = try outcome.json["pins"]["matched"].array
        #expect(matched.map { $0["clients"].array.map(\.text) } == [["okhttp"]])
        #expect(matched.map { $0["depth"].number } == [0])
    }
}

import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// How long a verdict lasts.
@Suite(.endsSomeTime) struct OutlookCommandTests {
    /// The one moment of a test, however long it takes.
    private let now = LabClock.now
    private let root: LabCertificate
    private let inter: LabCertificate
    private let shortInter: LabCertificate
    private let leaf: LabCertificate
    private static let spare = "sha256/IAFX7+5uJay/x5piRNd/bQON6t3swCtllbXwBbsTY3I="

    init() throws {
        func valid(_ template: CertificateTemplate, _ days: Int64) -> CertificateTemplate {
            template.valid(from: LabClock.now - 10 * LabClock.day, to: LabClock.now + days * LabClock.day)
        }
        root = try .selfSigned(valid(.authority("Root"), 3_000))
        inter = try root.issue(valid(.authority("Inter"), 400))
        shortInter = try root.issue(valid(.authority("Inter"), 10), key: inter.key)
        leaf = try inter.issue(valid(.leaf(host), 80))
    }

    private func desk(_ texts: [String: String] = [:], below inter: LabCertificate? = nil) throws -> Desk {
        let chain = ["chain.pem": leaf.pem + (inter ?? self.inter).pem, "root.pem": root.pem]
        let desk = try Desk(texts.merging(chain) { $1 })
        for (name, certificate) in ["leaf.cer": leaf, "inter.cer": self.inter, "root.cer": root] {
            try desk.files.write(certificate.der, to: name)
        }
        return desk
    }

    /// Runs `VERIFY` there with more arguments, in which `LEAF`, `INTER`, `TOP` and `SPARE` are pins.
    private func verify(_ arguments: String, below inter: LabCertificate? = nil) async throws -> Outcome {
        await (try desk(below: inter))("VERIFY " + filled(arguments), at: now)
    }

    private func bare(_ pin: String) -> String { String(pin.dropFirst(7)) }

    private func filled(_ text: String) -> String {
        let pins = [("LEAF", leaf.pin), ("INTER", inter.pin), ("TOP", root.pin), ("SPARE", Self.spare)]
        return pins.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    private func date(inDays days: Int64) -> String { Timestamp(secondsSinceEpoch: now + days * LabClock.day).date }

    /// What follows `VERIFY`, how it ends, and words of it; `DATE` is the end of the leaf.
    private static let limits = """
        --fail-before 81d | fail expires-soon: accepted, but CN=$HOST (depth 0) expires in 80 d, on DATE, less than \
        81d from now⏎
        // Every certificate of the path counts, also where the verdict names one.
        --fail-before 401d | fail expires-soon:   outlook: CN=Inter (depth 1) expires in 400 d
        --pins LEAF --min-pin-life 100d | fail pin-life-short: no configured pin is sure to match after DATE
        // A client that looks at the leaf alone is not helped by an authority, and the one that is worst off decides.
        --pins LEAF --pins INTER --client curl --min-pin-life 100d | fail pin-life-short: sure to match after DATE
        --pins LEAF --pins TOP --client okhttp,curl --min-pin-life 200d | fail pin-life-short: to match after DATE
        --pins @lists.plist --client nspinneddomains --min-pin-life 2000d | fail pin-life-short: to match after DATE
        --pins LEAF --client curl:insecure --fail-before 90d | fail expires-soon: from now; the client does not
        --pins @leaf.cer --pins SPARE --mode certificate | pass: 1 matched (leaf), 1 not compared⏎ … no backup
        """

    @Test(arguments: table(limits)) func limitsDecide(row: [String]) async throws {
        let pins = AppText.pinnedDomains(leaf: [bare(leaf.pin), bare(Self.spare)], cas: [bare(inter.pin)])
        let desk = try desk(["lists.plist": AppText.ats(pins)])
        await desk.expect("VERIFY " + filled(row[0]), row[1].replacing("DATE", with: date(inDays: 80)), at: now)
    }

    /// Without limits a warning comes two weeks before an end, or in the last third of a lifetime below six weeks.
    @Test(arguments: [
        (-300, 15, "pass"), (-300, 13, "warn expires-soon"), (-18, 12, "pass"), (-21, 9, "warn expires-soon"),
    ]) func theUsualLimitFitsTheLifetime(from: Int64, to: Int64, end: String) async throws {
        let dates = (now + from * LabClock.day, now + to * LabClock.day)
        let leaf = try root.issue(CertificateTemplate.leaf(host).valid(from: dates.0, to: dates.1))
        let desk = try Desk(["chain.pem": leaf.pem, "root.pem": root.pem])
        await desk.expect("VERIFY --fail-on warn", end, at: now)
    }

    @Test func certificateModeMindsPaths() async throws {
        let pinned = "--pins @leaf.cer --client afnetworking "
        try await verify(pinned + "--fail-before 30d", below: shortInter).expect(
            .fail, "accepted, but CN=Inter (depth 1) expires in 10 d, on \(date(inDays: 10))",
            not: "also sent, but not on this chain")
        let short = try await verify(pinned + "--fail-before 30d -f json", below: shortInter)
        let json = try short.expect("fail expires-soon").json
        #expect(json["outlook"]["valid_until"].text?.hasPrefix(date(inDays: 10)) == true)
        #expect(json["other_paths"].array.map { $0["clients"].array.map(\.text) } == [["afnetworking"]])
        let roles = json["other_paths"][0]["chain"].array.map { $0["role"].text }
        #expect(roles == ["leaf", "intermediate", "root"])
        // Only the pinned path counts where an invalid one would do.
        try await verify(
            pinned + "--allow-invalid-certificates --no-validate-domain-name --fail-before 30d", below: shortInter
        ).expect(.pass)
    }

    @Test func monitoringIsToldOfEveryCertificateThatIsNeeded() async throws {
        try await verify("--pins @leaf.cer -f nagios --warn-before 30d --fail-before 20d", below: shortInter).says(
            "days_0=80.00;30:;20:", "days_1=10.00;30:;20:", "days_2=3000.00;30:;20:", starting: "PINCHECK CRITICAL")
        let prometheus = try await verify("--pins @leaf.cer -f prometheus", below: shortInter).output
        #expect(prometheus.split(separator: "\n").count { $0.contains("not_after_timestamp_seconds{") } == 3)
    }

    @Test func pinsReachAsFarAsAPathThatIsFetched() async throws {
        let leaf = try inter.issue(
            .leaf(host).withIssuerPlaces(["http://ca.example/inter.cer"]).valid(
                from: now - LabClock.day, to: now + 80 * LabClock.day))
        let texts = ["chain.pem": leaf.pem, "root.pem": root.pem, "inter.pem": inter.pem]
        let desk = try Desk(texts)
        try desk.files.write(leaf.der, to: "leaf.cer")
        try desk.files.write(root.der, to: "root.cer")
        let line = "VERIFY --intermediate @inter.pem --pins @leaf.cer --pins @root.cer --mode certificate"
        let json = try await desk(line + " -f json --client afnetworking", at: now).json
        #expect(json["pins"]["matched"].array.compactMap { $0["depth"].number } == [0, 2])
        #expect(json["outlook"]["pins_end"].text == "root-expiry" && json["outlook"]["has_backup"].flag == false)
    }

    @Test func eachClientHasAnOutlookInTheDocument() async throws {
        let outlooks = try await verify("--pins LEAF --pins TOP --client okhttp,curl:insecure -f json").json["clients"]
            .array.map { $0["outlook"] }
        #expect(outlooks.map { $0["pins_end"].text } == ["root-expiry", "leaf-renewal"])
        #expect(outlooks[0]["valid_until"].text?.hasPrefix(date(inDays: 80)) == true)
        #expect(outlooks[1]["valid_until"].isNull)
    }

    @Test(arguments: ["", " --request /"]) func theKeyOfAnotherConnectionIsNoBackup(arguments: String) async throws {
        let leaf = CertificateTemplate.leaf(host).valid(from: now - LabClock.day, to: now + 80 * LabClock.day)
        let ecdsa = try root.issue(leaf)
        let rsa = try root.issue(leaf, key: try LabKey.shared(.rsa(bits: 2_048), label: "several outlooks"))
        var settings = TLSServerSettings([TLSIdentity([ecdsa]), TLSIdentity([rsa])])
        settings.application = .answers("HTTP/1.1 204 Done\r\n\r\n".bytes)
        try await Desk.serving(.tls(settings), ["root.pem": root.pem]) { desk, _ in
            let line =
                "CHECK --pins \(ecdsa.pin) --pins \(rsa.pin) --key-types rsa,ecdsa --min-pin-life 100d" + arguments
            await desk(line).expect(
                .fail, "no configured pin is sure to match after",
                "  1 address, accepted for too short a time; accepted, but no configured pin is sure", not: "consistent"
            )
            await desk(line + " -f json").says("\"id\" : \"pin-life-short\"", not: "\"backup\" : true")
            // A key that no connection shows is one.
            await desk(line + " -f json --pins \(Self.spare)").expect(
                .pass, "backup: pin 3\"", not: "\"has_backup\" : false")
        }
    }
}

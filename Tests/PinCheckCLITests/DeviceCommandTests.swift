import Foundation
import LoopbackLab
import PinChecking
import Pinning
import Testing
import X509

@testable import PinCheckCLI

/// `--device`: one chain, judged by each client on each device.
@Suite(.endsSomeTime) struct DeviceCommandTests {
    private let host = StandardPKI.serverName

    /// Runs a line where the lab's lists, or others, are in `data.json`.
    ///
    /// A leaf below an anchor that is public to the lab's devices has the timestamps that those ask for.
    private func desk(
        _ line: String, lists: [(name: String, roots: [LabCertificate])]? = nil, chain: [LabCertificate]? = nil,
        _ texts: [String: String] = [:], environment: [String: String] = [:], at time: Int64? = nil
    ) async throws -> Outcome {
        let presented = chain.map { ["chain.pem": $0.map(\.pem).joined()] } ?? [:]
        let desk = try Desk(texts.merging(presented) { $1 })
        _ = try DeviceLists.write(lists ?? DeviceLists.lab(pki), to: "data.json", in: desk.files)
        return await desk(
            line.replacing("JUDGE", with: "verify @chain.pem --host $HOST --device-data @data.json"),
            environment: environment, at: time)
    }

    private func lines(_ outcome: Outcome) -> [String] { outcome.output.split(separator: "\n").map(String.init) }

    /// The verdicts of a document: `okhttp on android-9: accept pin-matched`.
    private func verdicts(_ outcome: Outcome) throws -> [String] {
        try JSONValue(outcome.output)["clients"].array.map { client in
            "\(client["name"].text ?? "") on \(client["device"].text ?? "–"): "
                + "\(client["verdict"].text ?? "") \(client["reason"]["id"].text ?? "")"
        }
    }

    private static let both = " --client afnetworking,okhttp -f json"

    /// What is asked, the decision, and what each client decides on each device.
    private static let rows: [(line: String, decision: String, verdicts: [String])] = [
        (
            "JUDGE --device ios-12,android-9,android-17 --client okhttp,android,alamofire -f json",
            "fail unknown-issuer",
            [
                "alamofire on ios-12: reject unknown-issuer", "okhttp on android-9: accept pins-not-applied",
                "android on android-9: accept pins-not-applied", "okhttp on android-17: reject unknown-issuer",
                "android on android-17: reject unknown-issuer",
            ]
        ),
        // A root that an interceptor installed.
        (
            "verify @chain.pem --host $HOST --extra-root @root.pem --device ios-17,android-17 -f json "
                + "--client afnetworking,okhttp,android:user-roots", "fail unknown-issuer",
            [
                "afnetworking on ios-17: accept trusted-without-pins", "okhttp on android-17: reject unknown-issuer",
                "android on android-17: accept pins-not-applied",
            ]
        ),
        // Of all devices those on which the client runs.
        (
            "VERIFY --device all --client curl -f json", "pass trusted-without-pins",
            ["curl on mozilla: accept trusted-without-pins"]
        ),
        (
            "VERIFY --device system,android-9 --client curl,okhttp -f json", "pass pins-not-applied",
            [
                "curl on system: accept trusted-without-pins", "okhttp on system: accept pins-not-applied",
                "okhttp on android-9: accept pins-not-applied",
            ]
        ),
    ]

    @Test(arguments: rows.indices) func eachClientIsJudgedOnEachDevice(index: Int) async throws {
        let (line, decision, expected) = Self.rows[index]
        let outcome = try await desk(line).expect(decision)
        #expect(try verdicts(outcome) == expected)
    }

    @Test func theReportSaysWhichDevicesHaveTheRoot() async throws {
        let report = try JSONValue(await desk(Self.rows[0].line).output)
        let message = report["reason"]["message"].text
        #expect(message?.hasPrefix("alamofire on ios-12; okhttp, android on android-17: ") == true)
        #expect(
            report["notes"].array.first?["message"].text
                == "the root RootA is not on ios-12, android-17: it is on ios-13 and newer, on android-9 and older")
        #expect(report["devices"]["judged"].array.compactMap { $0["verdict"].text } == ["reject", "accept", "reject"])
        #expect(report["devices"]["source"].text == "a laboratory")
    }

    /// Devices of the program's own data: what the app pins decides with the rules of each version.
    @Test func aPrivateCAIsJudgedByTheRulesOfEachVersion() async throws {
        let long = try pki.interA.issue(
            CertificateTemplate.leaf(host).valid(
                from: LabClock.now - LabClock.day, to: LabClock.now + 899 * LabClock.day))
        let outcome = try await desk(
            "VERIFY --device ios12,iOS-13,ios26,android9,android-17" + Self.both, chain: [long, pki.interA]
        ).expect("fail lifetime-too-long", not: "root-not-everywhere")
        #expect(
            try verdicts(outcome) == [
                "afnetworking on ios-12: accept trusted-without-pins",
                "afnetworking on ios-13: reject lifetime-too-long", "afnetworking on ios-26: reject lifetime-too-long",
                "okhttp on android-9: accept pins-not-applied", "okhttp on android-17: accept pins-not-applied",
            ])
    }

    @Test func certificateTransparencyIsAskedForFromItsVersionOn() async throws {
        let lists = [(name: "ios-12", roots: [pki.rootA]), (name: "ios-13", roots: [pki.rootA])]
        let line = "JUDGE --device ios-12,ios-13 --client afnetworking -f json"
        #expect(
            try await verdicts(desk(line, lists: lists)) == [
                "afnetworking on ios-12: accept trusted-without-pins", "afnetworking on ios-13: reject too-few-scts",
            ])
        let logged = try pki.interA.issue(CertificateTemplate.leaf(host), loggedBy: (0..<4).map { _ in LabLog() })
        let accepted = try await desk(line, lists: lists, chain: [logged, pki.interA]).expect(
            "pass trusted-without-pins")
        #expect(try JSONValue(accepted.output)["reason"]["message"].text == "both devices accept")
    }

    @Test func anchorsStandInForTheRootsOfADeviceOrBesideThem() async throws {
        let line = "JUDGE --device ios-12,android-9 --anchors @root.pem" + Self.both
        let rogue = [pki.rogue, pki.rogueI]
        try await desk(line).expect("pass trusted-without-pins")
        try await desk(line, chain: rogue).expect("fail unknown-issuer")
        try await desk(line + " --and-system", chain: rogue).expect(
            "pass trusted-without-pins", "\"anchors and device\"")
    }

    @Test func aRootThatIsGivenIsTheSystemsWhereTheDeviceListsIt() async throws {
        let lists = [(name: "ios-13", roots: [pki.rootB]), (name: "ios-26", roots: [pki.rootA])]
        func judged(_ arguments: String) async throws -> [String] {
            try await verdicts(desk("JUDGE --device ios-13,ios-26 -f json " + arguments, lists: lists))
        }
        for given in ["--anchors @root.pem", "--extra-root @root.pem", "--anchors @root.pem --and-system"] {
            #expect(
                try await judged("--client afnetworking " + given) == [
                    "afnetworking on ios-13: accept trusted-without-pins",
                    "afnetworking on ios-26: reject too-few-scts",
                ], "\(given)")
        }
        // A pinned one, which the app makes its only anchor.
        #expect(
            try await judged("--client alamofire:accept-self-signed --mode certificate --pins @root.pem") == [
                "alamofire on ios-13: accept pin-matched", "alamofire on ios-26: reject too-few-scts",
            ])
    }

    @Test(arguments: ["ISRG Root X2", "GTS Root R1"]) func aLookalikeRootIsTrustedNowhere(name: String) async throws {
        let organization = name.hasPrefix("ISRG") ? "Internet Security Research Group" : "Google Trust Services LLC"
        let subject = DistinguishedName([
            .init(.country, Array("US".utf8), encoding: .printable),
            .init(.organization, Array(organization.utf8), encoding: .printable),
            .init(.commonName, Array(name.utf8), encoding: .printable),
        ])
        let lookAlike = try LabCertificate.selfSigned(.authority(subject))
        let lookAlikeSubject = try CertificateReader.certificate(der: lookAlike.der).subject
        let real = DeviceData.builtIn.certificates.first { der in
            (try? CertificateReader.certificate(der: der))?.subject == lookAlikeSubject
        }
        try #require(real != nil)
        let leaf = try lookAlike.issue(CertificateTemplate.leaf(host))
        for chain in [[leaf, lookAlike], [leaf]] {
            let outcome = try await desk(
                "verify @chain.pem --host $HOST --device all --client all -f json", chain: chain
            ).expect(.fail, not: "root-not-everywhere")
            let verdicts = try verdicts(outcome)
            #expect(verdicts.count > 60 && verdicts.allSatisfy { !$0.contains(": accept") }, "\(verdicts)")
        }
    }

    @Test func allDevicesAreJudgedByTheClientsOfPhones() async throws {
        for (arguments, clients) in [
            ("all --pins @root.pem", ["generic"]), ("mozilla", ["generic"]), ("all,mozilla", ["generic"]),
        ] {
            let outcome = try await desk("VERIFY -f json --device " + arguments)
            let judged = try JSONValue(outcome.output)["clients"].array.compactMap { $0["name"].text }
            #expect(Set(judged).isSuperset(of: clients), "\(arguments): \(outcome)")
        }
    }

    @Test func theMatrixIsATableOfNoMoreThanEightyColumns() async throws {
        let outcome = try await desk("JUDGE --device all --client afnetworking,nspinneddomains,okhttp").expect(.fail)
        let text = lines(outcome)
        let start = try #require(text.firstIndex { $0.hasPrefix("  5 devices, roots as read up to ") })
        let expected: [String] = [
            "  ios               afnetworking  nspinneddomains", "  ios-12            reject 1      reject 1",
            "  ios-13 to ios-26  reject 2      reject 2", "  android     okhttp", "  android-9   accept",
            "  android-17  reject 1",
            """
                1 unknown-issuer: the issuer of CN=InterA (depth 1) is neither presented nor trusted: CN=RootA; give the \
            root of that authority with --anchors if it is yours
            """,
            """
                2 too-few-scts: CN=leaf (depth 0) has SCTs of 0 logs, 3 are needed (Certificate Transparency, of which embedded SCTs alone are counted) (a rule of \
            Apple's platforms)
            """,
        ]
        #expect(Array(text[(start + 1)...].prefix(8)) == expected)
        let every = try await desk("verify @chain.pem --host $HOST --device all --client all")
        let table = lines(every).filter { line in ["ios", "android", "mozilla"].contains { line.hasPrefix("  " + $0) } }
        #expect(table.count >= 7 && table.allSatisfy { $0.count <= 80 })
    }

    /// What is said of devices, and what is not.
    @Test(arguments: [
        (
            "JUDGE --device ios-12,android-9 --anchors @root.pem",
            "\n  2 devices, by the anchors given, not their roots\n"
        ), ("VERIFY --device ios-12", "\n  device: ios-12, by the anchors given, not their roots\n"),
        ("JUDGE --device ios-12,android-9 --anchors @root.pem --and-system", "\n  2 devices, roots as read up to "),
        ("JUDGE --device android-9 --client okhttp", "\n  device: android-9, roots as read on 20"),
        (
            "JUDGE --device android-9 --client okhttp",
            "  okhttp on android-9: the chain is trusted; the pins do not apply: no pin is for \(StandardPKI.serverName)\n"
        ), ("MANY -f junit", "<testcase name=\"okhttp on android-9\""),
        ("MANY -f junit", "<testcase name=\"afnetworking on ios-12\""), ("MANY -f junit", "failures=\"1\""),
        ("MANY -f prometheus", "client=\"afnetworking\",device=\"ios-12\"} 0"),
        ("MANY -f prometheus", "client=\"okhttp\",device=\"android-9\"} 1"),
        ("MANY -f nagios", "afnetworking on ios-12: "),
        ("MANY --explain", "  okhttp on android-9: without settings of its own"),
    ]) func everyFormNamesTheDevice(line: String, words: String) async throws {
        let many = "JUDGE --device ios-12,android-9 --client afnetworking,okhttp"
        let outcome = try await desk(line.replacing("MANY", with: many)).says(words)
        if words.contains("by the anchors") { outcome.says(not: "root-not-everywhere", "is not on ios-12") }
    }

    @Test func severalConnectionsSayWhichDevicesTheyAreJudgedOn() async throws {
        try await Desk.serving { desk, _ in
            let line = "CHECK --key-types rsa,ecdsa --device "
            await desk(line + "ios-13,ios-17 --client afnetworking,alamofire").says(
                "\n  2 clients on 2 devices, by the anchors given, not their roots\n")
            await desk(line + "ios-13").says("\n  device: ios-13, by the anchors given, not their roots\n")
        }
    }

    @Test func dataThatCannotBeUsedIsNoVerdict() async throws {
        try await desk("VERIFY --device ios-12 --device-data /nonexistent/devices").expect(.noInput)
        let lists = """
            { source: "a laboratory", stores: [{ platform: "apple", version: "12", fetched: "2026-01-01",
              roots: ["bad.cer"] }] }
            """
        let texts = ["bad.cer": "\u{30}\u{2}\u{5}\u{0}", "lists.json": lists, "old.bin": "PCDD\u{1}\u{0}"]
        for (name, message) in [("old.bin", "is not JSON"), ("lists.json", "bad.cer: ")] {
            try await desk("VERIFY --device ios-12 --device-data @\(name)", texts).expect(.data, errors: message)
        }
    }

    @Test func oldDataIsAWarning() async throws {
        let line = "VERIFY --device android-9 -f json --fail-on warn"
        let later = LabClock.now + 3 * LabClock.year
        try await desk(line, at: later).says(not: "\"old-device-data\"")
        try await desk(line + " --and-system", at: later).says(
            "\"old-device-data\"", "days ago: give newer ones with --device-data, or use a newer pincheck")
    }

    @Test func policiesAndListsNameTheDevicesOfTheirTargets() async throws {
        let policy = """
            { hosts: { "$HOST": { connect: "$SERVER", device: ["ios-12", "android-9"],
              deviceData: "data.json", client: ["afnetworking", "okhttp"] } } }
            """
        try await Desk.serving { desk, _ in
            _ = try DeviceLists.write(DeviceLists.lab(pki), to: "data.json", in: desk.files)
            try desk.write(policy, to: "policy.json5")
            let outcome = await desk("--policy @policy.json5 -f json").expect("fail unknown-issuer")
            #expect(
                try verdicts(outcome) == [
                    "afnetworking on ios-12: reject unknown-issuer", "okhttp on android-9: accept pins-not-applied",
                ])
            try desk.write(policy.replacing("ios-12", with: "ios-7"), to: "wrong.json5")
            await desk("--policy @wrong.json5").expect(
                .data, errors: "wrong.json5", "there is no list of roots for 'ios-7', and next to it is ios-12")
            try desk.write("$HOST connect=$SERVER client=okhttp device=android-9,android-17\n", to: "targets.txt")
            #expect(await desk.decides("--targets @targets.txt --device-data @data.json") == "fail unknown-issuer")
        }
    }

    @Test(
        arguments: [
            ("", ["private-root"]), ("--client okhttp,curl", ["private-root"]),
            // What curl trusts here is this machine's own business.
            ("--client curl", []),
            // What was given is known.
            ("--anchors @root.pem", []), ("--anchors @root.pem --and-system", []),
            ("--device system", ["private-root"]),
        ] as [(String, [String])]) func anUnlistedRootIsWarnedOf(arguments: String, expected: [String]) async throws
    {
        let outcome = try await desk(
            "verify @chain.pem --host $HOST -f json " + arguments, environment: ["SSL_CERT_FILE": "$DIR/root.pem"]
        ).expect(.pass)
        #expect(try JSONValue(outcome.output)["warnings"].array.compactMap { $0["id"].text } == expected)
    }
}

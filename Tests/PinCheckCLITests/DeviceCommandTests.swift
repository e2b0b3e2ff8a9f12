import PinChecking
import Foundation
import LoopbackLab
import Pinning
import Testing
import X509

@testable import PinCheckCLI

/// `--device`: one chain, judged by each client on each device.
@Suite(.endsSomeTime) struct DeviceCommandTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    /// A leaf below an anchor that is public to the lab's devices has the timestamps that those ask for.
    private func verify(
        _ chain: [LabCertificate], _ arguments: [String], lists: [(name: String, roots: [LabCertificate])]? = nil,
        environment: [String: String] = [:]
    ) async throws -> Outcome {
        try await TemporaryDirectory.scoped { directory in
            let presented = try directory.write(chain.map(\.pem).joined(), to: "chain.pem")
            let file = try DeviceLists.write(lists ?? DeviceLists.lab(pki), in: directory)
            let root = try directory.write(pki.rootA.pem, to: "root.pem")
            let words = arguments.map { $0 == "DATA" ? file : $0 == "ROOT" ? root : $0 }
            return await pincheck(
                ["verify", presented, "--host", host] + words + clients(arguments), environment: environment)
        }
    }

    /// A client of each system that is named, where none is chosen.
    private func clients(_ arguments: [String]) -> [String] {
        guard let index = arguments.firstIndex(of: "--device"), !arguments.contains("--client") else { return [] }
        let devices = arguments[index + 1].lowercased()
        let known = [("ios", "afnetworking"), ("android", "okhttp")].filter { devices.contains($0.0) }
        return known.isEmpty ? [] : ["--client", known.map(\.1).joined(separator: ",")]
    }

    private func lines(_ outcome: Outcome) -> [String] { outcome.output.split(separator: "\n").map(String.init) }

    /// The verdicts of a document: `okhttp on android-9: accept pin-matched`.
    private func verdicts(_ outcome: Outcome) throws -> [String] {
        try JSONValue(outcome.output)["clients"].array.map { client in
            "\(client["name"].text ?? "") on \(client["device"].text ?? "–"): "
                + "\(client["verdict"].text ?? "") \(client["reason"]["id"].text ?? "")"
        }
    }

    // MARK: Roots

    @Test func aRootThatOnlySomeDevicesHaveTellsThemApart() async throws {
        let outcome = try await verify(
            [pki.leaf, pki.interA],
            [
                "--device", "ios-12,android-9,android-17", "--client", "okhttp,android,alamofire", "--device-data",
                "DATA",
            ] + ["--format", "json"]
        ).expect("fail unknown-issuer")
        #expect(
            try verdicts(outcome) == [
                "alamofire on ios-12: reject unknown-issuer", "okhttp on android-9: accept pins-not-applied",
                "android on android-9: accept pins-not-applied", "okhttp on android-17: reject unknown-issuer",
                "android on android-17: reject unknown-issuer",
            ])
        let report = try JSONValue(outcome.output)
        #expect(
            report["reason"]["message"].text.map {
                $0.hasPrefix("alamofire on ios-12; okhttp, android on android-17: ")
            } == true)
        #expect(
            report["notes"].array.first?["message"].text
                == "the root RootA is not on ios-12, android-17: it is on ios-13 and newer, on android-9 and older")
        #expect(report["devices"]["judged"].array.compactMap { $0["verdict"].text } == ["reject", "accept", "reject"])
        #expect(report["devices"]["source"].text == "a laboratory")
    }

    @Test func theMatrixIsATableOfNoMoreThanEightyColumns() async throws {
        let outcome = try await verify(
            [pki.leaf, pki.interA],
            ["--device", "all", "--client", "afnetworking,nspinneddomains,okhttp", "--device-data", "DATA"]
        ).expect(.fail)
        let text = lines(outcome)
        let start = try #require(text.firstIndex { $0.hasPrefix("  5 devices, roots as read up to ") })
        let expected: [String] = [
            "  ios     afnetworking  nspinneddomains", "  ios-12  reject 1      reject 1",
            "  ios-13  reject 2      reject 2", "  ios-26  reject 2      reject 2", "  android     okhttp",
            "  android-9   accept", "  android-17  reject 1",
            """
                1 unknown-issuer: the issuer of CN=InterA (depth 1) is neither presented nor trusted: CN=RootA; give the \
            root of that authority with --anchors if it is yours
            """,
            """
                2 too-few-scts: CN=leaf (depth 0) has SCTs of 0 logs, 3 are needed (Certificate Transparency, of which embedded SCTs alone are counted) (a rule of \
            Apple's platforms)
            """,
        ]
        #expect(Array(text[(start + 1)...].prefix(9)) == expected)
        let every = try await verify([pki.leaf, pki.interA], ["--device", "all", "--client", "all"])
        let table = lines(every).filter {
            $0.hasPrefix("  ios") || $0.hasPrefix("  android") || $0.hasPrefix("  mozilla")
        }
        #expect(table.count == 38)
        #expect(table.allSatisfy { $0.count <= 80 })
    }

    @Test func severalConnectionsSayWhichDevicesTheyAreJudgedOn() async throws {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "root.pem")
            try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
                let base = [
                    "\(host):\(server.port)", "--connect", "127.0.0.1", "--anchors", anchors, "--key-types",
                    "rsa,ecdsa", "--device",
                ]
                await pincheck(base + ["ios-13,ios-17", "--client", "afnetworking,alamofire"]).says(
                    "\n  2 clients on 2 devices, by the anchors given, not their roots\n")
                await pincheck(base + ["ios-13"]).says("\n  device: ios-13, by the anchors given, not their roots\n")
            }
        }
    }

    @Test func aSingleVerdictNamesItsDevice() async throws {
        let outcome = try await verify([pki.leaf, pki.interA], ["--device", "android-9", "--device-data", "DATA"])
            .expect(.pass)
        #expect(lines(outcome).contains { $0.hasPrefix("  device: android-9, roots as read on 20") })
        #expect(
            lines(outcome).last?.hasSuffix(
                "  okhttp on android-9: the chain is trusted; the pins do not apply: no pin is for \(host)") == true)
    }

    @Test func everyFormNamesTheDevice() async throws {
        let arguments = ["--device", "ios-12,android-9", "--device-data", "DATA"]
        let chain = [pki.leaf, pki.interA]
        try await verify(chain, arguments + ["--format", "junit"]).says(
            "<testcase name=\"okhttp on android-9: trust\"", "<testcase name=\"afnetworking on ios-12: trust\"",
            "tests=\"", "failures=\"1\"")
        try await verify(chain, arguments + ["--format", "prometheus"]).says(
            "client=\"afnetworking\",device=\"ios-12\"} 0", "client=\"okhttp\",device=\"android-9\"} 1")
        try await verify(chain, arguments + ["--format", "nagios"]).says("afnetworking on ios-12: ")
        try await verify(chain, arguments + ["--explain"]).says("  okhttp on android-9: without settings of its own")
    }

    // MARK: Rules

    /// Devices of the program's own data: what the app pins decides with the rules of each version.
    @Test func aPrivateCAIsJudgedByTheRulesOfEachVersion() async throws {
        let long = try pki.interA.issue(
            CertificateTemplate.leaf(host).valid(
                from: LabClock.now - LabClock.day, to: LabClock.now + 899 * LabClock.day))
        let outcome = try await verify(
            [long, pki.interA],
            ["--anchors", "ROOT", "--device", "ios12,iOS-13,ios26,android9,android-17", "--format", "json"]
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
        let outcome = try await verify(
            [pki.leaf, pki.interA], ["--device", "ios-12,ios-13", "--device-data", "DATA", "--format", "json"],
            lists: lists)
        #expect(
            try verdicts(outcome) == [
                "afnetworking on ios-12: accept trusted-without-pins", "afnetworking on ios-13: reject too-few-scts",
            ])
        let logs = (0..<4).map { _ in LabLog() }
        let logged = try pki.interA.issue(CertificateTemplate.leaf(host), loggedBy: logs)
        let accepted = try await verify(
            [logged, pki.interA], ["--device", "ios-12,ios-13", "--device-data", "DATA", "--format", "json"],
            lists: lists
        ).expect("pass trusted-without-pins")
        #expect(try JSONValue(accepted.output)["reason"]["message"].text == "both devices accept")
    }

    @Test func aRootThatAnInterceptorInstalledIsJudgedForEachDevice() async throws {
        let outcome = try await verify(
            [pki.leaf, pki.interA],
            [
                "--extra-root", "ROOT", "--device", "ios-17,android-17", "--client",
                "afnetworking,okhttp,android:user-roots",
            ] + ["--format", "json"])
        #expect(
            try verdicts(outcome) == [
                "afnetworking on ios-17: accept trusted-without-pins", "okhttp on android-17: reject unknown-issuer",
                "android on android-17: accept pins-not-applied",
            ])
    }

    @Test func anchorsStandInForTheRootsOfADeviceOrBesideThem() async throws {
        let arguments = [
            "--device", "ios-12,android-9", "--device-data", "DATA", "--anchors", "ROOT", "--format", "json",
        ]
        #expect(try await verify([pki.leaf, pki.interA], arguments).decision == "pass trusted-without-pins")
        try await verify([pki.rogue, pki.rogueI], arguments).expect("fail unknown-issuer")
        try await verify([pki.rogue, pki.rogueI], arguments + ["--and-system"]).expect(
            "pass trusted-without-pins", "\"anchors and device\"")
    }

    @Test func aRootThatIsGivenIsTheSystemsWhereTheDeviceListsIt() async throws {
        let lists = [(name: "ios-13", roots: [pki.rootB]), (name: "ios-26", roots: [pki.rootA])]
        let expected = [
            "afnetworking on ios-13: accept trusted-without-pins", "afnetworking on ios-26: reject too-few-scts",
        ]
        let devices = ["--device", "ios-13,ios-26", "--device-data", "DATA", "--format", "json"]
        for given in [["--anchors", "ROOT"], ["--extra-root", "ROOT"], ["--anchors", "ROOT", "--and-system"]] {
            let outcome = try await verify([pki.leaf, pki.interA], devices + given, lists: lists)
            #expect(try verdicts(outcome) == expected, "\(given)")
        }
        // A pinned one, which the app makes its only anchor.
        let pinned = try await verify(
            [pki.leaf, pki.interA],
            devices + ["--client", "alamofire:accept-self-signed", "--mode", "certificate", "--pins", "ROOT"],
            lists: lists)
        #expect(
            try verdicts(pinned) == [
                "alamofire on ios-13: accept pin-matched", "alamofire on ios-26: reject too-few-scts",
            ])
    }

    // MARK: Real roots

    private func realRoot(_ name: String) throws -> (der: [UInt8], holders: Set<String>) {
        let data = DeviceData.builtIn
        let root = try #require(
            data.certificates.first { der in (try? CertificateReader.certificate(der: der).commonName) == name })
        return (root, Set(data.devices(listing: root).map(\.name)))
    }

    @Test(arguments: ["ISRG Root X2", "GTS Root R1"]) func aCertificateWithTheNameOfARealRootIsTrustedNowhere(
        name: String
    ) async throws {
        let organization = name.hasPrefix("ISRG") ? "Internet Security Research Group" : "Google Trust Services LLC"
        let subject = DistinguishedName([
            .init(.country, Array("US".utf8), encoding: .printable),
            .init(.organization, Array(organization.utf8), encoding: .printable),
            .init(.commonName, Array(name.utf8), encoding: .printable),
        ])
        let (real, _) = try realRoot(name)
        let lookAlike = try LabCertificate.selfSigned(.authority(subject))
        #expect(
            try CertificateReader.certificate(der: real).subject
                == CertificateReader.certificate(der: lookAlike.der).subject)
        let leaf = try lookAlike.issue(CertificateTemplate.leaf(host))
        for chain in [[leaf, lookAlike], [leaf]] {
            let outcome = try await verify(chain, ["--device", "all", "--client", "all", "--format", "json"]).expect(
                .fail)
            let verdicts = try verdicts(outcome)
            #expect(verdicts.count > 60)
            #expect(verdicts.allSatisfy { !$0.contains(": accept") }, "\(verdicts)")
            #expect(!outcome.output.contains("root-not-everywhere"))
        }
    }

    // MARK: What is refused

    @Test func listsOfRootsThatPlayNoPartAreNotTold() async throws {
        let devices = ["--device", "ios-12,android-9", "--device-data", "DATA", "--anchors", "ROOT"]
        let instead = try await verify([pki.leaf, pki.interA], devices).says(
            not: "root-not-everywhere", "is not on ios-12")
        #expect(lines(instead).contains("  2 devices, by the anchors given, not their roots"), "\(instead)")
        let one = try await verify([pki.leaf, pki.interA], ["--device", "ios-12", "--anchors", "ROOT"])
        #expect(lines(one).contains("  device: ios-12, by the anchors given, not their roots"), "\(one)")
        let beside = try await verify([pki.leaf, pki.interA], devices + ["--and-system"])
        #expect(lines(beside).contains { $0.hasPrefix("  2 devices, roots as read up to ") }, "\(beside)")
    }

    @Test func allDevicesAreJudgedByTheClientsOfPhones() async throws {
        let all = try await verify(
            [pki.leaf, pki.interA], ["--device", "all", "--anchors", "ROOT", "--pins", "ROOT", "--format", "json"])
        let judged = try JSONValue(all.output)["clients"].array.compactMap { $0["name"].text }
        #expect(Set(judged) == ["generic"], "\(all)")
        for devices in ["mozilla", "all,mozilla"] {
            let named = try await verify(
                [pki.leaf, pki.interA], ["--device", devices, "--anchors", "ROOT", "--format", "json"])
            let clients = try JSONValue(named.output)["clients"].array.compactMap { $0["name"].text }
            #expect(clients.contains("generic"), "\(named)")
        }
    }

    @Test func ofAllDevicesThoseAreJudgedOnWhichAClientRuns() async throws {
        let chain = [pki.leaf, pki.interA]
        let all = try await verify(
            chain, ["--device", "all", "--client", "curl", "--anchors", "ROOT", "--format", "json"])
        #expect(try verdicts(all) == ["curl on mozilla: accept trusted-without-pins"])
        let system = try await verify(
            chain, ["--device", "system,android-9", "--client", "curl,okhttp", "--anchors", "ROOT", "--format", "json"])
        #expect(
            try verdicts(system).map { $0.prefix { $0 != ":" } } == [
                "curl on system", "okhttp on system", "okhttp on android-9",
            ])
    }

    @Test func dataThatCannotBeUsedIsNoVerdict() async throws {
        try await verify([pki.leaf], ["--device", "ios-12", "--device-data", "/nonexistent/devices"]).expect(.noInput)
        try await TemporaryDirectory.scoped { directory in
            let chain = try directory.write(pki.leaf.pem, to: "chain.pem")
            _ = try directory.write([0x30, 2, 5, 0], to: "ios-12-0.cer")
            let lists = """
                { source: "a laboratory", stores: [{ platform: "apple", version: "12", fetched: "2026-01-01",
                  roots: ["ios-12-0.cer"] }] }
                """
            for (bytes, message) in [
                (Array("PCDD".utf8) + [1, 0, 0xFF], "is not JSON, in which lists of devices are given"),
                (Array(lists.utf8), "ios-12-0.cer: "),
            ] {
                let data = try directory.write(bytes, to: "devices.json")
                await pincheck("verify", chain, "--device", "ios-12", "--device-data", data).expect(
                    .data, errors: message)
            }
        }
    }

    @Test func oldDataIsAWarning() async throws {
        let arguments = ["--device", "android-9", "--anchors", "ROOT", "--format", "json", "--fail-on", "warn"]
        try await TemporaryDirectory.scoped { directory in
            let chain = try directory.write((pki.leaf.pem + pki.interA.pem), to: "chain.pem")
            let root = try directory.write(pki.rootA.pem, to: "root.pem")
            let words = ["verify", chain] + arguments.map { $0 == "ROOT" ? root : $0 }
            await pincheck(words, at: LabClock.now + 3 * LabClock.year).says(not: "\"old-device-data\"")
            await pincheck(words + ["--and-system"], at: LabClock.now + 3 * LabClock.year).says(
                "\"old-device-data\"", "days ago: give newer ones with --device-data, or use a newer pincheck")
        }
    }

    // MARK: Policies and lists

    @Test func aPolicyNamesTheDevicesOfItsHosts() async throws {
        try await TemporaryDirectory.scoped { directory in
            _ = try DeviceLists.write(DeviceLists.lab(pki), in: directory)
            let settings = TLSServerSettings(presenting: [pki.leaf, pki.interA])
            try await LoopbackServer.serving(.tls(settings)) { server in
                let host = """
                    { hosts: { "\(host)": { connect: "\(server.address):\(server.port)", device: ["ios-12", "android-9"],
                      deviceData: "devices.json", client: ["afnetworking", "okhttp"] } } }
                    """
                let policy = try directory.write(host, to: "policy.json5")
                let outcome = await pincheck("check", "--policy", policy, "--format", "json").expect(
                    "fail unknown-issuer")
                #expect(
                    try verdicts(outcome) == [
                        "afnetworking on ios-12: reject unknown-issuer", "okhttp on android-9: accept pins-not-applied",
                    ])
                let wrong = try directory.write(
                    host.replacingOccurrences(of: "ios-12", with: "ios-7"), to: "wrong.json5")
                await pincheck("check", "--policy", wrong).expect(
                    .data, errors: "wrong.json5", "there is no list of roots for 'ios-7', and next to it is ios-12")
            }
        }
    }

    @Test func aListNamesTheDevicesOfATarget() async throws {
        try await TemporaryDirectory.scoped { directory in
            let data = try DeviceLists.write(DeviceLists.lab(pki), in: directory)
            let settings = TLSServerSettings(presenting: [pki.leaf, pki.interA])
            try await LoopbackServer.serving(.tls(settings)) { server in
                let list = try directory.write(
                    "\(host) connect=\(server.address):\(server.port) client=okhttp device=android-9,android-17\n",
                    to: "targets.txt")
                await pincheck("check", "--targets", list, "--device-data", data, "--format", "json").expect(
                    "fail unknown-issuer")
            }
        }
    }

    // MARK: The machine's own roots

    @Test func aRootOfThisMachineThatNoListKnowsIsWarnedOf() async throws {
        let chain = [pki.leaf, pki.interA]
        func warnings(_ arguments: [String]) async throws -> [String] {
            try await TemporaryDirectory.scoped { directory in
                let store = try directory.write(pki.rootA.pem, to: "store.pem")
                let outcome = try await verify(
                    chain, arguments + ["--format", "json"], environment: ["SSL_CERT_FILE": store]
                ).expect(.pass)
                return try JSONValue(outcome.output)["warnings"].array.compactMap { $0["id"].text }
            }
        }
        #expect(try await warnings([]) == ["private-root"])
        #expect(try await warnings(["--client", "okhttp,curl"]) == ["private-root"])
        // What curl trusts here is this machine's own business.
        #expect(try await warnings(["--client", "curl"]) == [])
        // What was given is known.
        #expect(try await warnings(["--anchors", "ROOT"]) == [])
        #expect(try await warnings(["--anchors", "ROOT", "--and-system"]) == [])
        #expect(try await warnings(["--device", "system"]) == ["private-root"])
    }
}

import Base
import LoopbackLab
import PinChecking
import Pinning
import Testing
import X509

@testable import PinCheckCLI

@Suite(.endsSomeTime) struct DeviceCommandTests {
    /// Runs a line where lists of devices are in `data.json`: `JUDGE` and `ROGUE` judge a chain by the lab's, `LATER` by lists of
    /// which the later has the root.
    private func desk(_ line: String, chain: [LabCertificate]? = nil, at time: Int64? = nil) async throws -> Outcome {
        let desk = try Desk(chain.map { ["chain.pem": $0.map(\.pem).joined()] } ?? [:])
        let later = [("ios-13", [pki.rootB]), ("ios-26", [pki.rootA])]
        let lists = line.contains("LATER") ? later : DeviceLists.lab(pki)
        _ = try DeviceLists.write(lists, to: "data.json", in: desk.files)
        let judge = "--host $HOST --device-data @data.json --device"
        return await desk(
            line.replacing(/JUDGE|LATER/, with: "verify @chain.pem \(judge)").replacing(
                "ROGUE", with: "verify @rogue.pem \(judge)"), at: time)
    }

    /// The verdicts of a document: `okhttp/android-9`, with a `!` and the reason behind a rejection.
    private func verdicts(_ outcome: Outcome) throws -> [String] {
        try outcome.json["clients"].array.map { client in
            "\(client["name"].text ?? "")/\(client["device"].text ?? "–")"
                + (client["verdict"].text == "accept" ? "" : "!\(client["reason"]["id"].text ?? "")")
        }
    }

    private static let both = "--client afnetworking,okhttp"
    private static let listed = "afnetworking/ios-13 afnetworking/ios-26!too-few-scts"
    private static let several = "JUDGE ios-12,android-9,android-17 --client okhttp,android,alamofire"

    private static let rows = """
        \(several) | alamofire/ios-12!unknown-issuer okhttp/android-9 android/android-9 \
        okhttp/android-17!unknown-issuer android/android-17!unknown-issuer
        // A root that an interceptor installed.
        verify @chain.pem --host $HOST --extra-root @root.pem --device ios-17,android-17 --client \
        afnetworking,okhttp,android:user-roots | afnetworking/ios-17 okhttp/android-17!unknown-issuer android/android-17
        // Of all devices those on which the client runs.
        VERIFY --device all --client curl | curl/mozilla
        VERIFY --device system,android-9 --client curl,okhttp | curl/system okhttp/system okhttp/android-9
        // Anchors stand in for the roots of a device, or beside them.
        JUDGE ios-12,android-9 --anchors @root.pem \(both) | afnetworking/ios-12 okhttp/android-9
        ROGUE ios-12,android-9 --anchors @root.pem \(both) | afnetworking/ios-12!unknown-issuer \
        okhttp/android-9!unknown-issuer
        ROGUE ios-12,android-9 --anchors @root.pem --and-system \(both) | afnetworking/ios-12 okhttp/android-9
        // A root that is given is the system's where the device lists it, also a pinned one that the app makes its only anchor.
        LATER ios-13,ios-26 --client afnetworking --anchors @root.pem | \(listed)
        LATER ios-13,ios-26 --client afnetworking --extra-root @root.pem | \(listed)
        LATER ios-13,ios-26 --client afnetworking --anchors @root.pem --and-system | \(listed)
        LATER ios-13,ios-26 --client alamofire:accept-self-signed --mode certificate --pins @root.pem | \
        alamofire/ios-13 alamofire/ios-26!too-few-scts
        """

    @Test(arguments: table(rows)) func eachClientIsJudgedOnEachDevice(row: [String]) async throws {
        let outcome = try await desk(row[0] + " -f json").expect(row[1].contains("!") ? .fail : .pass)
        let found = try verdicts(outcome)
        #expect(found.joined(separator: " ") == row[1])
    }

    @Test func theReportSaysWhichDevicesHaveTheRoot() async throws {
        let report = try await desk(Self.several + " -f json").json
        let message = report["reason"]["message"].text
        #expect(message?.hasPrefix("alamofire on ios-12; okhttp, android on android-17: ") == true)
        #expect(
            report["notes"].array.first?["message"].text
                == "the root RootA is not on ios-12, android-17: it is on ios-13, ios-26, on android-9")
        #expect(report["devices"]["judged"].array.compactMap { $0["verdict"].text } == ["reject", "accept", "reject"])
        #expect(report["devices"]["source"].text == "a laboratory")
    }

    @Test func aLookalikeRootIsTrustedNowhere() async throws {
        let name: [(OID, String)] = [
            (.country, "US"), (.organization, "Internet Security Research Group"), (.commonName, "ISRG Root X2"),
        ]
        let subject = DistinguishedName(name.map { .init($0.0, Array($0.1.utf8), tag: 0x13) })
        let lookAlike = try LabCertificate.selfSigned(.authority(subject))
        let lookAlikeSubject = try CertificateReader.certificate(der: lookAlike.der).subject
        let real = DeviceData.builtIn.certificates.first { der in
            (try? CertificateReader.certificate(der: der))?.subject == lookAlikeSubject
        }
        try #require(real != nil)
        let leaf = try lookAlike.issue(.leaf(host))
        for chain in [[leaf, lookAlike], [leaf]] {
            let outcome = try await desk(
                "verify @chain.pem --host $HOST --device all --client all -f json", chain: chain
            ).expect(.fail, not: "root-not-everywhere")
            let verdicts = try verdicts(outcome)
            #expect(verdicts.count > 60 && verdicts.allSatisfy { $0.contains("!") }, "\(verdicts)")
        }
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
            let found = try verdicts(outcome)
            #expect(found == ["afnetworking/ios-12!unknown-issuer", "okhttp/android-9"])
            try desk.write(policy.replacing("ios-12", with: "ios-7"), to: "wrong.json5")
            await desk.expect(
                "--policy @wrong.json5",
                "data: wrong.json5 … there is no list of roots for 'ios-7', and next to it is ios-12")
            try desk.write("$HOST connect=$SERVER client=okhttp device=android-9,android-17\n", to: "targets.txt")
            await desk.expect("--targets @targets.txt --device-data @data.json", "fail unknown-issuer")
        }
    }

    @Test(arguments: [
        ("--client okhttp,curl", ["private-root"]), ("--device system", ["private-root"]),
        // What curl trusts here is this machine's own business, and what was given is known.
        ("--client curl", []), ("--anchors @root.pem --and-system", []),
    ]) func anUnlistedRootIsWarnedOf(arguments: String, expected: [String]) async throws {
        let outcome = await (try Desk())(
            "verify @chain.pem --host $HOST -f json " + arguments, environment: ["SSL_CERT_FILE": "$DIR/root.pem"]
        ).expect(.pass)
        #expect(try outcome.json["warnings"].ids == expected)
    }

    @Test func dataThatCannotBeUsedIsNoVerdict() async throws {
        let desk = try Desk(["old.bin": "PCDD\u{1}\u{0}"])
        await desk.expect("VERIFY --device ios-12 --device-data @old.bin", "data: old.bin:1: is not JSON")
        _ = try DeviceLists.write([("ios-99", [pki.rootA])], to: "own.json", in: desk.files)
        await desk("devices ios-99 --device-data @own.json").expect(.pass, "  RootA", errors: "")
        await desk.expect("devices ios-17 --device-data @own.json", "usage: next to it is ios-99")
    }

    @Test func oldDataIsAWarning() async throws {
        let line = "VERIFY --device android-9 -f json --fail-on warn"
        let years = LabClock.now + 3 * LabClock.year
        try await desk(line, at: years).says(not: "\"old-device-data\"")
        try await desk(line + " --and-system", at: years).says(
            "\"old-device-data\"", "days ago: give newer ones with --device-data, or use a newer pincheck")
        let date = DeviceData.builtIn.date.secondsSinceEpoch + 181 * 86_400
        await pincheck("devices", at: date).expect(
            .pass, errors: "Warning: the lists of roots are from 2026-07-19, 181 days ago: ")
    }

    /// `pincheck devices`; the list itself is in ``GoldenTests``.
    @Test func theListAndTheRootsOfADeviceAreShown() async throws {
        let date = DeviceData.builtIn.date.secondsSinceEpoch
        let document = try await pincheck("devices", "--format", "json", at: date).expect(.pass).json
        let devices = document["devices"].array
        #expect(devices.count == 24 && document["data"]["is_stale"].flag == false)
        #expect(devices[1]["name"].text == "ios-12" && devices[1]["alias"].text == "macos-10.14")
        #expect(devices[1]["root_count"].number == 174 && devices[1]["roots"].isNull)
        let one = try await pincheck("devices", "ios-17", "--format", "json", at: date).json
        #expect(one["devices"][0]["roots"].array.count == 169)
        #expect(one["devices"][0]["tls"]["suites"].array.last?.text == "000A")
        let outcome = await pincheck("devices", "macos-14", at: date).expect(
            .pass, "169\n      roots",
            "\n  96bcec06264976f37460779acf28c5a7cfe8a3c0aae11a8ffcee05c0bddf08c6\n      ends 2035-06-04  ISRG Root X1\n",
            starting: "ios-17, macos-14: iOS 17, iPadOS 17, ")
        #expect(outcome.output.split(separator: "\n").allSatisfy { TerminalText.cells($0) <= 80 })
    }
}

/// Root stores of devices as `--device-data` takes them.
enum DeviceLists {
    /// Devices of a laboratory: `rootA` is not on all of them, `rootB` on all but the first.
    static func lab(_ pki: StandardPKI) -> [(name: String, roots: [LabCertificate])] {
        [
            ("ios-12", [pki.rootB]), ("ios-13", [pki.rootA, pki.rootB]), ("ios-26", [pki.rootA, pki.rootB]),
            ("android-9", [pki.rootA, pki.rootB]), ("android-17", [pki.rootB]),
        ]
    }

    /// Writes lists that were read ten days ago, with their certificates beside them.
    static func write(
        _ lists: [(name: String, roots: [LabCertificate])], cas: String = "", to name: String = "devices.json",
        in files: TemporaryDirectory
    ) throws -> String {
        var stores: [String] = []
        for (device, roots) in lists {
            let version = device.drop { $0 != "-" }.dropFirst()
            let names = try roots.enumerated().map { index, root in
                let file = "\(device)-\(index).cer"
                try files.write(root.der, to: file)
                return "\"\(file)\""
            }
            let day = Timestamp(secondsSinceEpoch: LabClock.now - 10 * LabClock.day).date
            stores.append(
                """
                { platform: "\(device.hasPrefix("ios") ? "apple" : "aosp")", version: "\(version)", fetched: "\(day)",
                  url: "https://lists.example", roots: [\(names.joined(separator: ", "))] }
                """)
        }
        let stored = stores.joined(separator: ", ")
        return try files.write("{ source: \"a laboratory\", stores: [\(stored)], public_cas: [\(cas)] }", to: name)
    }
}

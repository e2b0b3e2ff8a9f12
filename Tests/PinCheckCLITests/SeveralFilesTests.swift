import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// The files of an app that name each other: each is read as the device reads it, or refused, and none is written over.
@Suite(.endsSomeTime) struct SeveralFilesTests {
    let pki: StandardPKI
    private static let stranger = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

    init() throws { pki = try .shared() }

    private func configuration(_ anchors: String, pin: String = stranger, domain: String? = nil) -> String {
        """
        <network-security-config><domain-config>
        <domain includeSubdomains="true">\(domain ?? StandardPKI.serverName)</domain>
        <trust-anchors>\(anchors)</trust-anchors>
        <pin-set><pin digest="SHA-256">\(pin)</pin></pin-set></domain-config></network-security-config>
        """
    }

    private func verify(_ files: TemporaryDirectory, _ arguments: [String]) async throws -> Outcome {
        let chain = try files.write(pki.leaf.pem + pki.interA.pem, to: "chain.pem")
        return await pincheck(["verify", chain, "--host", StandardPKI.serverName, "-f", "json"] + arguments)
    }

    @Test func anAnchorOnTheWayToARootIsNotTheEndOfThePath() async throws {
        try await TemporaryDirectory.scoped { files in
            _ = try files.write(pki.interA.pem, to: "inter.pem")
            _ = try files.write(pki.rootA.pem, to: "root.pem")
            func decision(_ inter: String, _ root: String, pin: String = Self.stranger) async throws -> String {
                let text = configuration(
                    "<certificates src=\"@raw/inter\"\(inter)/><certificates src=\"@raw/root\"\(root)/>", pin: pin)
                let path = try files.write(text, to: "network_security_config.xml")
                return try await verify(files, ["--client", "android", "--pins", path]).decision
            }
            #expect(try await decision(" overridePins=\"true\"", "") == "fail pin-mismatch")
            let root = PinText64.spki(of: pki.rootA)
            #expect(try await decision("", "", pin: root) == "pass pin-matched")
            #expect(try await decision("", " overridePins=\"true\"") == "pass pins-not-applied")
        }
    }

    @Test func twoConfigurationsThatDisagreeAreNotMadeIntoAThird() async throws {
        try await TemporaryDirectory.scoped { files in
            let own = PinText64.spki(of: pki.leaf)
            let system = "<certificates src=\"system\"/>"
            let exact = try files.write(configuration(system, pin: own), to: "a.xml")
            let domain = String(StandardPKI.serverName.drop { $0 != "." }.dropFirst())
            let parent = try files.write(configuration(system, domain: domain), to: "b.xml")
            let anchors = ["--anchors", try files.write(pki.rootA.pem, to: "anchors.pem"), "--client", "android"]
            #expect(try await verify(files, anchors + ["--pins", exact]).decision == "pass pin-matched")
            #expect(try await verify(files, anchors + ["--pins", parent]).decision == "fail pin-mismatch")
            for pair in [[exact, parent], [parent, exact]] {
                let outcome = try await verify(files, anchors + ["--pins", pair[0], "--pins", pair[1]])
                #expect(outcome.status == .data, "\(outcome.output)")
                #expect(outcome.errors.contains("give the one that the app ships"), "\(outcome.errors)")
            }
        }
    }

    @Test func aWordOfDistrustInAFileOfTheAppsOwnIsNotPassedOver() async throws {
        try await TemporaryDirectory.scoped { files in
            _ = try files.write(pki.rootA.pem(TrustSettings(rejected: [.serverAuth])), to: "root.pem")
            let text = configuration("<certificates src=\"@raw/root\"/>", pin: PinText64.spki(of: pki.leaf))
            let path = try files.write(text, to: "network_security_config.xml")
            let outcome = try await verify(files, ["--client", "android", "--pins", path])
            #expect(outcome.status == .data && outcome.errors.contains("OpenSSL's trust settings"), "\(outcome.errors)")
            let list = try files.write(
                """
                {"source": "lab", "licence": "", "stores": [
                {"platform": "aosp", "version": "14", "fetched": "2026-01-01", "url": "https://a.example",
                "roots": ["root.pem"]}]}
                """, to: "devices.json")
            let device = try await verify(
                files, ["--client", "okhttp", "--device", "android-14", "--device-data", list])
            #expect(device.status == .data && device.errors.contains("trust settings"), "\(device.errors)")
        }
    }

    @Test func ofTwoFilesOfOneNameNoneIsTaken() async throws {
        try await TemporaryDirectory.scoped { files in
            _ = try files.write(pki.rootA.pem, to: "root.pem")
            _ = try files.write(pki.rootB.pem, to: "root.crt")
            let text = configuration("<certificates src=\"@raw/root\"/>")
            let path = try files.write(text, to: "network_security_config.xml")
            let outcome = try await verify(files, ["--client", "android", "--pins", path])
            #expect(outcome.status == .data, "\(outcome.output)")
            #expect(outcome.errors.contains("@raw/root is 'root.crt' as well as 'root.pem'"), "\(outcome.errors)")
        }
    }

    @Test func whatAConfigurationNamesIsNotWrittenOver() async throws {
        try await TemporaryDirectory.scoped { files in
            let root = try files.write(pki.rootA.pem, to: "root.pem")
            let text = configuration("<certificates src=\"@raw/root\"/>", pin: PinText64.spki(of: pki.leaf))
            let path = try files.write(text, to: "network_security_config.xml")
            for output in [["-o", root], ["-f", "junit=\(root)"], ["-f", "jsonl=\(root)"]] {
                let outcome = try await verify(files, ["--client", "android", "--pins", path] + output)
                #expect(outcome.status == .usage, "\(output): \(outcome.errors)")
                #expect(outcome.errors.contains("is read in this run"), "\(outcome.errors)")
            }
            #expect(await pincheck("lint", path, "-f", "json=\(root)").status == .usage)
            #expect(try String(contentsOfFile: root, encoding: .utf8) == pki.rootA.pem)
        }
    }

    @Test func whatAnAppSaysOfTrustDoesNotStandForPinsThatAreWrong() async throws {
        let plist = "<plist><dict><key>NSAppTransportSecurity</key><dict/></dict></plist>"
        let trust = """
            <network-security-config><base-config><trust-anchors><certificates src="system"/></trust-anchors>
            </base-config></network-security-config>
            """
        try await TemporaryDirectory.scoped { files in
            let anchors = ["--anchors", try files.write(pki.rootA.pem, to: "anchors.pem")]
            _ = try files.makeDirectory("Shop.app")
            _ = try files.write(plist, to: "Shop.app/Info.plist")
            _ = try files.write([1, 2, 3], to: "Shop.app/leaf.cer")
            _ = try files.makeDirectory("pins")
            _ = try files.write(trust, to: "pins/network_security_config.xml")
            _ = try files.write("sha256/AAAA\n", to: "pins/pins.txt")
            for (source, client) in [("Shop.app", "afnetworking"), ("pins", "android")] {
                let options = anchors + ["--client", client, "--pins", files.path + "/" + source]
                #expect(try await verify(files, options).status == .data)
            }
            // Without a pin there is something to say, whichever client is asked.
            for client in ["okhttp", "android", "afnetworking"] {
                let outcome = try await verify(
                    files, anchors + ["--client", client, "--pins", files.path + "/pins/network_security_config.xml"])
                #expect(outcome.status == .pass, "\(outcome)")
                #expect(outcome.output.contains("pins nothing: no pin is compared"), "\(outcome)")
            }
        }
    }

    @Test func anInfoPlistIsReadHoweverItSpellsItsKeys() async throws {
        let plist = """
            <plist><dict><key>NSAppTransportSecurity</key><dict><key>NSPinned&#68;omains</key><dict>
            <key>\(StandardPKI.serverName)</key><dict><key>NSPinnedLeafIdentities</key><array><dict>
            <key>SPKI-SHA256-BASE64</key><string>\(Self.stranger)</string></dict></array></dict></dict></dict></dict></plist>
            """
        try await TemporaryDirectory.scoped { files in
            _ = try files.makeDirectory("Shop.app")
            _ = try files.write(pki.leaf.der, to: "Shop.app/leaf.cer")
            let anchors = ["--anchors", try files.write(pki.rootA.pem, to: "anchors.pem")]
            func decide(_ bytes: [UInt8]) async throws -> Outcome {
                _ = try files.write(bytes, to: "Shop.app/Info.plist")
                return try await verify(
                    files, anchors + ["--client", "nspinneddomains", "--pins", "\(files.path)/Shop.app"])
            }
            #expect(try await decide(Array(plist.utf8)).decision == "fail pin-mismatch")
            let wide = try #require(plist.replacing("&#68;", with: "D").data(using: .utf16))
            #expect(try await decide(Array(wide)).decision != "pass trusted-without-pins")
            #expect(try await decide([]).status == .data)
            #expect(try await decide((0..<60).map { UInt8(truncatingIfNeeded: $0 &* 37) }).status == .data)
        }
    }
}

/// The pin of a certificate of the lab as configurations have it.
private enum PinText64 {
    static func spki(of certificate: LabCertificate) -> String {
        Data(certificate.key.publicKeySHA256).base64EncodedString()
    }
}

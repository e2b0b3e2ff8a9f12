import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// What an app has beside what one client reads of it: links, files for some devices, and pins by which the system decides.
@Suite(.endsSomeTime) struct WholeAppTests {
    let pki: StandardPKI
    private let stranger = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

    init() throws { pki = try .shared() }

    private func verify(_ files: TemporaryDirectory, _ arguments: [String], as form: String = "json") async throws
        -> Outcome
    {
        let chain = try files.write(pki.leaf.pem + pki.interA.pem, to: "chain.pem")
        let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
        return await pincheck(
            ["verify", chain, "--host", StandardPKI.serverName, "--anchors", anchors, "-f", form] + arguments)
    }

    private func warnings(_ outcome: Outcome) throws -> [String] {
        try JSONValue(outcome.output)["warnings"].array.compactMap { $0["id"].text }
    }

    private func android(_ pin: String, of host: String = StandardPKI.serverName) -> String {
        """
        <network-security-config><domain-config><domain>\(host)</domain>
        <pin-set><pin digest="SHA-256">\(pin)</pin></pin-set></domain-config></network-security-config>
        """
    }

    private func apple(_ pin: String) -> String {
        """
        <plist><dict><key>NSAppTransportSecurity</key><dict><key>NSPinnedDomains</key><dict>
        <key>\(StandardPKI.serverName)</key><dict><key>NSPinnedLeafIdentities</key><array><dict>
        <key>SPKI-SHA256-BASE64</key><string>\(pin)</string></dict></array></dict></dict></dict></dict></plist>
        """
    }

    @Test func aLinkedCertificateInABundleIsAPin() async throws {
        try await TemporaryDirectory.scoped { files in
            _ = try files.makeDirectory("Shop.app")
            _ = try files.makeDirectory("Shop.app/certificates")
            _ = try files.write(
                "<plist><dict><key>NSAppTransportSecurity</key><dict/></dict></plist>", to: "Shop.app/Info.plist")
            _ = try files.write(pki.rogue.der, to: "Shop.app/certificates/api.der")
            #expect(symlink("certificates/api.der", files.path + "/Shop.app/api.cer") == 0)
            // A bundle has links to itself, too.
            #expect(symlink(".", files.path + "/Shop.app/Current") == 0)
            let outcome = try await verify(files, ["--pins", files.path + "/Shop.app"])
            #expect(outcome.decision == "fail pin-mismatch", "\(outcome)")
        }
    }

    @Test func aResourceThatSomeDevicesTakeFromElsewhereIsNotJudgedForAll() async throws {
        try await TemporaryDirectory.scoped { files in
            for directory in ["res", "res/xml", "res/xml-v31", "res/raw", "res/raw-de"] {
                _ = try files.makeDirectory(directory)
            }
            let manifest = try files.write(
                """
                <manifest xmlns:android="http://schemas.android.com/apk/res/android">
                <application android:networkSecurityConfig="@xml/n"/></manifest>
                """, to: "AndroidManifest.xml")
            let pin = Data(pki.leaf.key.publicKeySHA256).base64EncodedString()
            _ = try files.write(android(pin), to: "res/xml/n.xml")
            let options = ["--client", "android", "--pins", manifest]
            #expect(try await verify(files, options).decision == "pass pin-matched")
            _ = try files.write(android(stranger), to: "res/xml-v31/other.xml")
            #expect(try await verify(files, options).decision == "pass pin-matched")
            _ = try files.write(android(stranger), to: "res/xml-v31/n.xml")
            let outcome = try await verify(files, options)
            #expect(outcome.status == .data && outcome.errors.contains("'xml-v31' for some devices"), "\(outcome)")
        }
    }

    @Test func pinsThatBindAllOfAnAppDecideWhicheverClientIsAsked() async throws {
        try await TemporaryDirectory.scoped { files in
            let pin = Data(pki.leaf.key.publicKeySHA256).base64EncodedString()
            let right = try files.write(android(pin), to: "right.xml")
            let wrong = try files.write(android(stranger), to: "wrong.xml")
            let kotlin = try files.write(
                "CertificatePinner.Builder().add(\"\(StandardPKI.serverName)\", \"sha256/\(pin)\").build()\n",
                to: "Pinner.kt")
            for client in ["okhttp", "okhttp,android", "okhttp:target-sdk=23"] {
                let options = ["--pins", kotlin, "--client", client, "--pins"]
                let pinned = try await verify(files, options + [right])
                #expect(pinned.status == .pass)
                let rejected = try await verify(files, options + [wrong])
                #expect(rejected.decision == "fail pin-mismatch", "\(client): \(rejected)")
                #expect(rejected.output.contains("\"client\" : \"android\""))
                #expect(rejected.output.contains("system-pins") == (client != "okhttp,android"), "\(rejected)")
            }
            // OkHttp itself compares the pins where it has no others.
            let same = try await verify(files, ["--pins", right, "--client", "okhttp"])
            #expect(same.decision == "pass pin-matched")
            let beside = ["--pins", wrong, "--pins", "sha256/\(pin)", "--client", "okhttp"]
            #expect(try await verify(files, beside).decision == "fail pin-mismatch")
            // A host that the configuration does not pin is the client's own affair.
            let other = try files.write(android(stranger, of: "other.example"), to: "other.xml")
            let alone = try await verify(files, ["--pins", kotlin, "--pins", other, "--client", "okhttp"])
            #expect(alone.decision == "pass pin-matched")
            #expect(!alone.output.contains("\"client\" : \"android\""))
        }
    }

    @Test func pinsOfEachOfTwoClientsAreCounted() async throws {
        try await TemporaryDirectory.scoped { files in
            let pin = Data(pki.leaf.key.publicKeySHA256).base64EncodedString()
            let system = try files.write(android(pin), to: "android.xml")
            let kotlin = try files.write(
                "CertificatePinner.Builder().add(\"other.example\", \"sha256/\(stranger)\").build()\n", to: "Pinner.kt")
            let options = ["--pins", kotlin, "--pins", system, "--client", "okhttp"]
            let report = try JSONValue(try await verify(files, options).output)
            #expect(report["reason"]["id"].text == "pins-not-applied")
            #expect(report["pins"]["matched"].array.compactMap { $0["depth"].number } == [0])
            #expect(try await verify(files, options, as: "nagios").output.contains("pins_matched=1;"))
            let text = try await verify(files, options, as: "text")
            #expect(text.output.contains("  pins: 1 configured, 1 matched (leaf)\n"), "\(text)")
            // The one compares what the other does not: nothing is left out.
            let authority = Data(pki.interA.key.publicKeySHA256).base64EncodedString()
            let beside = try await verify(
                files, ["--pins", system, "--pins", "sha256/\(authority)", "--client", "okhttp"], as: "text")
            #expect(!(beside.output + beside.errors).contains("not compare"), "\(beside)")
        }
    }

    @Test func pinsOfAnAndroidAppAreNoReserveOfAnotherClient() async throws {
        try await TemporaryDirectory.scoped { files in
            let pin = Data(pki.leaf.key.publicKeySHA256).base64EncodedString()
            let root = try files.write(pki.rootA.der, to: "root.cer")
            let system = try files.write(android(stranger), to: "android.xml")
            let both = try JSONValue(try await verify(files, ["--pins", root, "--pins", system]).output)
            #expect(both["outlook"]["has_backup"].flag == false)
            #expect(both["clients"].array.first?["settings"]["mode"].text == "certificate")
            // Of what is pinned for Apple's clients and for Android's, AFNetworking is asked about the former.
            let domains = try files.write(apple(pin), to: "Info.plist")
            let app = try JSONValue(
                try await verify(files, ["--pins", domains, "--pins", system, "--client", "afnetworking"]).output)
            #expect(app["reason"]["id"].text == "pin-matched" && app["outlook"]["has_backup"].flag == false)
            // Alone they are what the question is about.
            #expect(try await verify(files, ["--pins", system]).decision == "fail pin-mismatch")
        }
    }

    @Test func pinnedDomainsOfAnAppDecideWhicheverClientIsAsked() async throws {
        try await TemporaryDirectory.scoped { files in
            _ = try files.makeDirectory("Shop.app")
            _ = try files.write(pki.rootA.der, to: "Shop.app/root.cer")
            let app = ["--pins", files.path + "/Shop.app", "--client"]
            _ = try files.write(apple(stranger), to: "Shop.app/Info.plist")
            for client in ["afnetworking", "alamofire", "nspinneddomains"] {
                let outcome = try await verify(files, app + [client])
                #expect(outcome.status == .fail, "\(outcome)")
            }
            _ = try files.write(
                apple(Data(pki.leaf.key.publicKeySHA256).base64EncodedString()), to: "Shop.app/Info.plist")
            for client in ["afnetworking", "alamofire", "nspinneddomains"] {
                let outcome = try await verify(files, app + [client])
                #expect(outcome.status == .pass, "\(outcome)")
            }
            // Without pins of its own a client takes the key wherever it is on the path; the system looks where it is listed.
            let places = try files.write(
                apple(Data(pki.rootA.key.publicKeySHA256).base64EncodedString()), to: "Info.plist")
            #expect(try await verify(files, ["--pins", places]).decision == "fail pin-mismatch")
        }
    }

    @Test func keysOfAnInfoPlistThatCountForNothingAreNamed() async throws {
        try await TemporaryDirectory.scoped { files in
            for (body, words) in [
                ("<key>NSPinnedDomains</key><dict/>", "put it into NSAppTransportSecurity"),
                ("<key>TSKPinnedDomains</key><dict/>", "put it into TSKConfiguration"),
                ("<key>NSAppTransportSecurity-iphoneos</key><dict/>", "is for some devices"),
                ("<key>NSAppTransportSecurity~ipad</key><dict/>", "is for some devices"),
            ] {
                let path = try files.write(
                    "<plist><dict><key>CFBundleName</key><string>x</string>\(body)"
                        + "<key>NSAppTransportSecurity</key><dict/></dict></plist>", to: "Info.plist")
                let outcome = await pincheck("lint", path, "-f", "json")
                let found = try JSONValue(outcome.output)["findings"].array.filter { $0["id"].text == "unknown-key" }
                #expect(found.first?["message"].text?.contains(words) == true, "\(outcome)")
                let checked = try await verify(files, ["--pins", path])
                #expect(try warnings(checked).contains("nothing-pinned"), "\(checked)")
            }
        }
    }
}

import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// What people paste and pipe, and what they are told of it.
@Suite(.endsSomeTime) struct PastedInputTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    @Test func anAddressWithAPortIsRefusedWithTheWayToGiveIt() async throws {
        let ask = [host, "--addresses", "-"]
        for (text, word) in [("192.0.2.1:8443\n", "192.0.2.1:8443"), ("[2001:db8::1]:8443\n", "[2001:db8::1]:8443")] {
            let outcome = await pincheck(ask, input: Array(text.utf8)).expect(.data)
            let words = "line 1: '\(word)' is not an address: give one with a port by --connect"
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
        #expect(await pincheck(ask, input: []).status == .noInput)
    }

    @Test func aPolicyCanComeFromStandardInput() async throws {
        try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
            let text = "{ hosts: { \"\(host)\": { connect: \"127.0.0.1:\(server.port)\" } } }"
            await pincheck("snapshot", "--policy", "-", input: Array(text.utf8)).expect(.pass, pki.leaf.pin)
            #expect(await pincheck("check", "--policy", "-", input: Array("{ hosts: {} }".utf8)).status == .noInput)
            #expect(await pincheck("check", "--policy", "-").status == .noInput)
        }
    }

    @Test func bothCommandsTakeBothWordsForAWarning() async throws {
        try await TemporaryDirectory.scoped { files in
            let pins = try files.write("\(pki.leaf.pin)\n", to: "pins.txt")
            for word in ["warn", "warning"] {
                #expect(await pincheck("lint", pins, "--fail-on", word).status == .fail)
                let path = try files.write(pki.leaf.pem + pki.interA.pem, to: "chain.pem")
                let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
                let verify = ["verify", path, "--anchors", anchors, "--host", host, "--pins", pins]
                #expect(await pincheck(verify + ["--fail-on", word]).status == .warn)
            }
        }
    }

    @Test func anEmptyListAndAnArchiveThatIsNoneAreNamed() async throws {
        try await TemporaryDirectory.scoped { files in
            let empty = try files.write("{\"api.example.com\":[]}", to: "pins.json")
            #expect(await pincheck("lint", empty).output.contains("'api.example.com' is an empty list"))
            let archive = try files.write("no archive", to: "App.ipa")
            #expect(await pincheck("lint", archive).output.contains("is not a zip archive, which a file named .ipa is"))
        }
    }

    @Test func aTextFileThatNobodyLoadsIsMentioned() async throws {
        try await TemporaryDirectory.scoped { files in
            let app = files.path + "/Shop.app"
            try FileManager.default.createDirectory(atPath: app, withIntermediateDirectories: true)
            try files.write("<?xml version=\"1.0\"?><plist version=\"1.0\"><dict/></plist>", to: "Shop.app/Info.plist")
            try files.write(pki.rootA.der, to: "Shop.app/a.cer")
            try files.write(pki.rootB.pem, to: "Shop.app/b.pem")
            await pincheck("lint", app).says("or is named .pem: 'b.pem'")
        }
    }

    // MARK: SARIF

    @Test func everyResultHasAPlace() async throws {
        let outcome = await pincheck("lint", pki.leaf.pin, "--format", "sarif")
        let log = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        let results = try #require((log?["runs"] as? [[String: Any]])?.first?["results"] as? [[String: Any]])
        #expect(!results.isEmpty)
        for result in results {
            let location = try #require((result["locations"] as? [[String: Any]])?.first)
            #expect((location["logicalLocations"] as? [Any])?.isEmpty == false)
        }
    }
}

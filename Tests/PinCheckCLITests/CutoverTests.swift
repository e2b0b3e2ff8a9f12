import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// Comparing servers with a baseline that knows the target at other addresses, and in other company.
@Suite(.endsSomeTime) struct CutoverTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    /// Two servers, and a baseline of the first.
    private func scoped(
        _ body: (_ old: LoopbackServer, _ new: LoopbackServer, TemporaryDirectory, _ baseline: String) async throws ->
            Void
    ) async throws {
        let chain = [pki.leaf, pki.interA]
        try await TemporaryDirectory.scoped { files in
            try await LoopbackServer.serving(.presenting(chain)) { old in
                try await LoopbackServer.serving(.presenting(chain), address: "127.0.0.2") { new in
                    let baseline = files.path + "/baseline.json"
                    await pincheck("snapshot", host, "--connect", old.place, "-o", baseline).expect(.pass)
                    try await body(old, new, files, baseline)
                }
            }
        }
    }

    private func change(_ outcome: Outcome) throws -> [String: Any] {
        let document = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        return try #require(document?["change"] as? [String: Any])
    }

    @Test func aNewAddressIsComparedWithWhatTheOldOnesServed() async throws {
        try await scoped { old, new, _, baseline in
            let ask = ["diff", baseline, host, "--connect", new.place]
            await pincheck(ask).expect(
                .pass, "  unchanged since \(baseline), where \(old.place) is recorded\n",
                errors: "Note: '\(baseline)' also records \(host):443 at \(old.place), which was not compared")
            try new.present(TLSServerSettings(presenting: [pki.leaf2, pki.interA]))
            let other = await pincheck(ask + ["--format", "json"]).expect(.changed)
            let change = try change(other)
            #expect(change["compared_with"] as? String == old.place)
            let rekeyed = try #require((change["classes"] as? [[String: Any]])?.first)
            #expect(rekeyed["id"] as? String == "rekeyed")
            // The words apart, each fact by itself.
            let before = try #require(rekeyed["old_certificate"] as? [String: Any])
            let after = try #require(rekeyed["new_certificate"] as? [String: Any])
            #expect(before["spki_sha256"] as? String == pki.leaf.pin)
            #expect(after["spki_sha256"] as? String == pki.leaf2.pin)
            #expect((after["not_after"] as? String)?.hasSuffix("Z") == true)
        }
    }

    @Test func theWholeBaselineLeavesNothingOut() async throws {
        try await scoped { _, _, _, baseline in #expect(await pincheck("diff", baseline).errors.isEmpty) }
    }

    @Test func aDifferenceThatIsRecordedIsNoWarningInADiff() async throws {
        try await scoped { old, new, files, _ in
            try new.present(TLSServerSettings(presenting: [pki.leaf2, pki.interA]))
            let baseline = files.path + "/both.json"
            let both = ["--connect", old.place, "--connect", new.place]
            #expect(await pincheck(["snapshot", host] + both + ["-o", baseline]).status == .pass)
            await pincheck("diff", baseline).expect(
                .pass, ending: "\nPASS  \(host):443  2 addresses: not judged; as recorded\n", errors: "", not: "WARN")
        }
    }

    @Test func aPolicyNamesTheTargetsAndWhatJudgesThem() async throws {
        try await scoped { old, _, files, baseline in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let policy = try files.write(
                """
                { hosts: { "\(host)": { connect: "\(old.place)", anchors: "\(anchors)", pins: "\(pki.leaf2.pin)" } } }
                """, to: "policy.json5")
            let taken = await pincheck("snapshot", "--policy", policy).expect(.pass)
            #expect(taken.output == (try String(contentsOfFile: baseline, encoding: .utf8)))
            await pincheck("diff", baseline, "--policy", policy).expect(
                .fail, "  unchanged since \(baseline)\n", "no configured pin is on the chain")
        }
    }
}

extension LoopbackServer {
    /// The address and port.
    fileprivate var place: String { "\(address):\(port)" }
}

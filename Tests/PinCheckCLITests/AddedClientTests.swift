import LoopbackLab
@testable import PinCheckCLI
@testable import PinChecking
import PinFormats
import Pinning
import Testing

/// A client that nothing but its own entry knows goes through every command, as one that is added to the registry would.
@Suite(.endsSomeTime) struct AddedClientTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    /// Accepts a valid chain whose leaf's key is pinned.
    private struct LeafClient: ClientProcedure {
        let pins: PinSet?
        let isLenient: Bool
        var platform: Platform? { .android() }

        func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
            PinComparison([.keys(of: pins, at: .leaf)], isEnforced: !isLenient)
        }

        func evaluate(_ run: inout ProcedureRun) -> Verdict {
            let result = run.evaluate(run.serverPolicy)
            let matches = pins?.publicKeyMatches(on: result.builtChain).filter { $0.depth == 0 } ?? []
            let reason: Verdict.Reason =
                result.validPaths.isEmpty
                ? .untrusted(result.failures)
                : matches.first.map { .pinMatched($0) }
                    ?? (isLenient ? .mismatchNotEnforced : .pinsFallShort("the lab client knows another leaf"))
            let step = TraceStep(
                number: 1, id: "pins", status: matches.isEmpty ? .fail : .pass,
                detail: matches.isEmpty ? "the lab client knows another leaf" : "the lab client knows the leaf")
            return Verdict(
                reason: reason, disposition: .useCredential, trace: [step], builtChain: result.builtChain,
                restsOn: result.validPaths, matches: matches, warnings: [])
        }
    }

    private static let entry = Client(
        name: "lab-client", summary: "the client of a test",
        settings: [.init("lenient", .flag, "a mismatch is only reported")], platform: .android, notation: .base64,
        make: { LeafClient(pins: $0.pins, isLenient: $0.client.isSet("lenient")) })

    /// Runs a command line where the client is in the registry.
    private func run(_ arguments: [String]) async -> Outcome {
        await Client.$added.withValue([Self.entry]) { await pincheck(arguments) }
    }

    private func files(_ body: (TemporaryDirectory, [String]) async throws -> Void) async throws {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pki.leaf.pem + pki.interA.pem, to: "chain.pem")
            let anchors = try files.write(pki.rootA.pem, to: "root.pem")
            _ = try files.write(pki.leaf.der, to: "leaf.cer")
            _ = try files.write(pki.interA.der, to: "inter.cer")
            try await body(files, ["verify", chain, "--host", host, "--anchors", anchors])
        }
    }

    @Test func itIsListedAndUnknownWithoutItsEntry() async {
        await run(["clients"]).says("lab-client", "the client of a test", "lenient")
        #expect(await !pincheck("clients").output.contains("lab-client"))
        #expect(await pincheck("verify", "x", "--client", "lab-client").status == .usage)
    }

    @Test func itJudgesAChainWithItsSettings() async throws {
        try await files { files, verify in
            let right = verify + ["--pins", "\(files.path)/leaf.cer", "-f", "json"]
            let wrong = verify + ["--pins", "\(files.path)/inter.cer", "-f", "json"]
            #expect(await run(right + ["--client", "lab-client"]).decision == "pass pin-matched")
            let mismatch = await run(wrong + ["--client", "lab-client"]).expect("fail pin-mismatch")
            #expect(try JSONValue(mismatch.output)["reason"]["message"].text == "the lab client knows another leaf")
            #expect(await run(wrong + ["--client", "lab-client:lenient"]).decision == "pass mismatch-not-enforced")
            #expect(await run(wrong + ["--client", "lab-client:severe"]).status == .usage)
            let all = try JSONValue(await run(right + ["--client", "all"]).output)
            #expect(all["clients"].array.contains { $0["name"].text == "lab-client" })
        }
    }

    @Test(arguments: ["text", "brief", "json", "jsonl", "nagios", "prometheus", "junit", "github", "html"])
    func everyFormNamesIt(form: String) async throws {
        try await files { files, verify in
            await run(verify + ["--pins", "\(files.path)/inter.cer", "--client", "okhttp,lab-client", "-f", form])
                .expect(.fail, told: "lab-client")
        }
    }

    @Test func itHasAnOutlookAndBackupsOfItsOwn() async throws {
        try await files { files, verify in
            let pins = verify + ["--pins", "\(files.path)/leaf.cer", "--client", "lab-client"]
            let outlook = try JSONValue(await run(pins + ["-f", "json"]).output)["clients"].array[0]["outlook"]
            #expect(outlook["pins_end"].text == "leaf-renewal")
            #expect(await run(pins + ["--min-pin-life", "3650d", "-f", "json"]).decision == "fail pin-life-short")
        }
    }

    @Test func devicesRunIt() async throws {
        try await files { files, verify in
            await run(
                verify + [
                    "--pins", "\(files.path)/leaf.cer", "--client", "lab-client", "--device", "android-17,android-9",
                ]
            ).expect(.pass, "lab-client")
            await run(verify + ["--client", "lab-client", "--device", "ios-26"]).expect(.usage)
        }
    }

    @Test func serversPoliciesListsSnapshotsAndWhatComesNextAreJudgedByIt() async throws {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "root.pem")
            _ = try files.write(pki.leaf.der, to: "leaf.cer")
            let next = try files.write(pki.interA.issue(.leaf(host)).pem + pki.interA.pem, to: "next.pem")
            try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
                let place = "127.0.0.1:\(server.port)"
                let check = [host, "--connect", place, "--anchors", anchors, "--pins", "\(files.path)/leaf.cer"]
                #expect(await run(check + ["--client", "lab-client", "-f", "json"]).decision == "pass pin-matched")
                let policy = try files.write(
                    """
                    {"defaults": {"anchors": "root.pem", "pins": "leaf.cer", "client": "lab-client", "connect": "\(place)"},
                    "hosts": {"\(host)": {}}}
                    """, to: "policy.json")
                #expect(await run(["--policy", policy, "-f", "json"]).decision == "pass pin-matched")
                let list = try files.write("\(host) connect=\(place) client=lab-client pins=leaf.cer\n", to: "list")
                await run(["--targets", list, "--anchors", anchors, "-f", "jsonl"]).expect("pass pin-matched")
                let baseline = "\(files.path)/baseline.json"
                #expect(await run(["snapshot", host, "--connect", place, "-o", baseline]).status == .pass)
                let diff = ["diff", baseline, "--anchors", anchors, "--pins", "\(files.path)/leaf.cer"]
                await run(diff + ["--client", "lab-client", "-f", "json"]).expect(.pass, "lab-client")
                await run(
                    ["--next", next, "--host", host, "--anchors", anchors, "--pins", "\(files.path)/leaf.cer"] + [
                        "--client", "lab-client", "-f", "json",
                    ]
                ).expect("fail pin-mismatch")
                await run(["lint", "\(files.path)/leaf.cer", "--client", "lab-client"]).expect(.pass, errors: "")
                #expect(await run(["lint", "\(files.path)/leaf.cer", "--client", "lab"]).status == .usage)
            }
        }
    }
}

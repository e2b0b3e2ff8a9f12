import LoopbackLab
import PinFormats
import Pinning
import Testing

@testable import PinCheckCLI
@testable import PinChecking

/// A client that nothing but its own entry knows goes through every command, as one that is added to the registry would.
@Suite(.endsSomeTime) struct AddedClientTests {
    private struct LeafClient: ClientProcedure {
        let pins: PinSet?
        let isLenient: Bool
        var platform: Platform? { .android() }

        func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
            PinComparison([.init(pins, at: .leaf)], isEnforced: !isLenient)
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
                restsOn: result.validPaths, matches: matches)
        }
    }

    private static let entry = Client(
        name: "lab-client", summary: "the client of a test",
        settings: [.init("lenient", nil, "a mismatch is only reported")], configurations: [.trustKit: .mostSpecific],
        namedBy: [.trustKit], platform: .android, pinForm: .hash(.base64),
        make: { LeafClient(pins: $0.pins, isLenient: $0.client.isSet("lenient")) })

    private func run(_ texts: [String: String] = [:], _ body: @Sendable (Desk) async throws -> Void) async throws {
        try await Client.$added.withValue([Self.entry]) { try await body(Desk(texts)) }
    }

    @Test func itIsListedAndUnknownWithoutItsEntry() async throws {
        try await run { desk in await desk("clients").says("lab-client", "the client of a test", "lenient") }
        await pincheck("clients").says(not: "lab-client")
        await pincheck("verify", "x", "--client", "lab-client").expect(.usage)
    }

    @Test func itJudgesAChainWithItsSettings() async throws {
        try await run { desk in
            await desk.expect("VERIFY --pins @leaf.cer --client lab-client", "pass pin-matched")
            let wrong = "VERIFY --pins @inter.cer --client lab-client"
            await desk(wrong + " -f json").expect(
                "fail pin-mismatch", "\"message\" : \"the lab client knows another leaf\"")
            await desk.expect(wrong + ":lenient", "pass mismatch-not-enforced")
            await desk(wrong + ":severe").expect(.usage)
            await desk("VERIFY --pins @leaf.cer --client all -f json").says("\"name\" : \"lab-client\"")
        }
    }

    @Test func aConfigurationOfItsChoosesItOnItsDevicesAndItsRemedyHasItsNotation() async throws {
        let texts = [
            "right.json": AppText.trustKit(["$LEAF64", "$JUNK64"]),
            "wrong.json": AppText.trustKit(["$JUNK64", "$OTHER64"]),
        ]
        try await run(texts) { desk in
            await desk.expect("VERIFY --pins @right.json", "pass: trustkit … lab-client")
            let onAndroid = await desk("VERIFY --pins @wrong.json --device android-17 -f json")
            onAndroid.expect("fail pin-mismatch")
            let judges = try onAndroid.json["clients"].array.map { $0["name"].text }
            #expect(judges == ["lab-client"])
            await desk("VERIFY --pins @right.json --device ios-26").says(not: "lab-client")
            let next = "--next @next.pem --host $HOST --anchors @root.pem --pins @wrong.json --device android-17"
            await desk.expect(next, "fail pin-mismatch: ship $NEXT64")
            // A rule of TrustKit's on what a pin must be is a rule for whoever reads its configuration.
            await desk("lint @leaf.cer --client lab-client --fail-on warning").says("one key is pinned")
        }
    }

    /// The mistakes in a table of clients: rows without a value that others of the row need, or with a taken one.
    private func mistakes(in rows: [Client]) -> [String] {
        var mistakes = rows.flatMap { row in
            row.namedBy.filter { row.configurations[$0] == nil }.map {
                "\(row.name) is named by \($0.rawValue), which it does not read"
            }
        }
        for row in rows where row.platform == nil {
            let needsPlatform = !row.namedBy.isEmpty || row.bindsAppBy != nil || row.loader != nil
            if needsPlatform { mistakes.append("\(row.name) needs a platform") }
        }
        for (index, row) in rows.enumerated() {
            for other in rows.prefix(index) {
                let isRival =
                    other.platform == row.platform
                    && (other.framework ?? "", other.loader) == (row.framework ?? "", row.loader)
                let kinds = isRival ? other.namedBy.intersection(row.namedBy).map(\.rawValue).sorted() : []
                var shared = kinds.map { "the configuration \($0)" }
                if other.name == row.name { shared.append("a name") }
                if other.looseSet == row.looseSet, row.looseSet != nil { shared.append("a set of pins") }
                mistakes += shared.map { "\(other.name) and \(row.name) both claim \($0)" }
            }
        }
        return mistakes
    }

    @Test func noRowOfTheTableLacksAPlatformOrClaimsAnothersConfiguration() {
        #expect(mistakes(in: Client.table + [Self.entry]) == [])
        #expect(mistakes(in: [Self.entry, Self.entry]).count == 2)
    }

    @Test func itHasAnOutlookAndDevicesOfItsOwn() async throws {
        try await run { desk in
            let line = "VERIFY --pins @leaf.cer --client lab-client"
            let clients = try await desk(line + " -f json").json["clients"]
            #expect(clients[0]["outlook"]["pins_end"].text == "leaf-renewal")
            await desk.expect(line + " --min-pin-life 3650d", "fail pin-life-short")
            await desk(line + " --device android-17,android-9").expect(.pass, "lab-client")
            await desk(line + " --device ios-26").expect(.usage)
        }
    }

    @Test func serversPoliciesListsSnapshotsAndWhatComesNextAreJudgedByIt() async throws {
        let policy = """
            {"defaults": {"anchors": "root.pem", "pins": "leaf.cer", "client": "lab-client", "connect": "$SERVER"},
            "hosts": {"$HOST": {}}}
            """
        let texts = ["policy.json": policy, "list": "$HOST connect=$SERVER client=lab-client pins=leaf.cer\n"]
        try await Client.$added.withValue([Self.entry]) {
            try await Desk.serving(nil, texts) { desk, _ in
                let client = "--pins @leaf.cer --client lab-client"
                for line in ["CHECK \(client)", "--policy @policy.json", "--targets @list --anchors @root.pem"] {
                    await desk.expect(line, "pass pin-matched")
                }
                await desk("snapshot $HOST --connect $SERVER -o @base.json").expect(.pass)
                await desk.expect("diff @base.json --anchors @root.pem -f json \(client)", "pass: lab-client")
                let next = "--next @next.pem --host $HOST --anchors @root.pem \(client)"
                await desk.expect(next, "fail pin-mismatch")
                await desk("lint @leaf.cer @junk.cer --client lab-client").expect(.pass, errors: "")
                await desk("lint @leaf.cer --client lab").expect(.usage)
            }
        }
    }
}

import LoopbackLab
import Pinning
import TLSProbe
import Testing
import X509

@testable import PinCheckCLI
@testable import PinChecking

/// `--timeout` is for a target in all, and what there was no time for is said.
@Suite(.timeLimit(.minutes(5))) struct TargetDeadlineTests {
    /// Runs where each address of this machine, of which so many are given, is a server that says nothing.
    private func silently(_ line: String, addresses count: Int = 1) async throws -> Outcome {
        try await LoopbackServer.serving(.tarpit, address: "0.0.0.0") { server in
            let list = (1...count).map { "127.0.1.\($0)" }.joined(separator: ";")
            return await (try Desk(port: server.port))(line, input: list).expect(.unreachable)
        }
    }

    @Test func silentAddressesHaveOneTimeoutTogether() async throws {
        let outcome = try await silently("$HOST:$PORT --addresses - --timeout 0.5", addresses: 200).says(
            "  200 addresses: 200 without a verdict; handshake: '127.0.1.1:",
            ending: " (127.0.1.1); and 1 more: no-time\n")
        let lines = outcome.output.split(separator: "\n").filter { $0.hasPrefix("UNREACHABLE  ") }
        #expect(lines.count == 201)
        #expect(lines.count { $0.contains("did not complete the TLS handshake in time") } == 64 + 1)
        #expect(lines.count { $0.contains("connect: no time was left to connect to '127.0.1.") } == 136)
    }

    @Test func theAddressesOfATargetOfPinsHaveOneTimeoutTogether() async throws {
        let addresses = (1...70).map { " --connect 127.0.1.\($0)" }.joined()
        let output = try await silently("pins $HOST:$PORT --timeout 0.5 --retries 0" + addresses).output
        #expect(output.ranges(of: "did not complete the TLS handshake in time").count == 64)
        #expect(output.ranges(of: "no time was left to connect to").count == 6, "\(output)")
    }

    @Test func variantsAndRetriesAreWithinTheSameTimeout() async throws {
        let line = "$HOST:$PORT --addresses - --timeout 0.5 --thorough --retries 9 -f json"
        let outcome = try await silently(line, addresses: 70).says(
            #""consistent" : null"#, #""came" : "unknown""#, not: #""verdict" : "accept""#, #""came" : "chain""#)
        #expect(outcome.output.ranges(of: #""id" : "no-time""#).count > 6)
    }

    @Test func aTimeoutIsGivenAsItWasAskedForAfterRetries() async throws {
        try await Desk.serving(.presenting([pki.leaf], delivery: .closes(afterBytes: 100))) { desk, _ in
            await desk("$SERVER --timeout 0.3 --retries 100").expect(.unreachable)
        }
        for arguments in ["--retries 100", "--connect 127.0.0.1 --connect 127.0.0.2"] {
            try await silently("$SERVER --timeout 0.3 " + arguments).says("raise --timeout (0.3 s)")
        }
    }

    @Test(arguments: [false, true]) func whatThereWasNoTimeToJudgeIsNotAccepted(hasQuestion: Bool) async throws {
        try await LoopbackServer.serving(.presenting(served)) { server in
            let request = ProbeRequest(to: .address(IPAddress("127.0.0.1")!), port: server.port)
            let question = HTTPRequest(try HTTPPath("/"), host: try ServerName(host), port: 443)
            let endpoint = CheckEndpoint(
                target: "\(host):\(server.port)", targetPort: Int(server.port), urlHost: .dns(host), host: host,
                referenceName: .unchecked, request: request,
                exchange: hasQuestion ? CheckExchange(question, expecting: nil) : nil)
            let verifier = OpenSSLPathVerifier(trustStore: TrustStore(anchors: []))
            let device = JudgedDevice(
                device: nil, trust: .anchors, verifier: verifier, verifierWithInstalledRoots: verifier)
            let client = try ConfiguredClient(
                ClientInput(client: .generic, afSecurityPolicy: AFSecurityPolicy(mode: .none), pins: nil))
            let policy = HostPolicy(SettingsPolicy(devices: [device]), clients: [client], pins: nil)
            let check = Check(endpoints: [endpoint, endpoint], policy: policy, retries: 0)
            let now = { @Sendable in Timestamp(secondsSinceEpoch: LabClock.now) }
            var checker = Checker(in: Environment(variables: [:], now: now, connectionLimit: 64))
            checker.judgingLimit = { _ in .seconds(-1) }
            let results = await checker.check(check).results()
            await checker.shutdown()
            #expect(results.count == 2)
            #expect(results.allSatisfy { $0.outcome == .unreachable && $0.reason.id == "no-time" })
            #expect(results.allSatisfy(\.clients.isEmpty) && results.last?.consistency?.accepted == 0)
            #expect(results.allSatisfy { ($0.answer != nil) == hasQuestion && $0.answer?.result == nil })
            #expect(await server.connections(ended: 2).map(\.applicationOpening) == [[], []])
        }
    }

    @Test func theTimeForJudgingIsTheThreadsOwn() {
        #expect(!JudgingTime(limit: .seconds(1_000)).isUsedUp)
        #expect(JudgingTime(limit: .seconds(-1)).isUsedUp)
        #expect(JudgingTime(limit: .zero).isUsedUp)
        let short = JudgingTime(limit: .milliseconds(5))
        var rounds = 0
        while !short.isUsedUp { short.counting { for _ in 0..<1_000 { rounds += 1 } } }
        #expect(rounds > 0)
    }

    /// What came of an offer of RSA to a server without such a key, by its answer: an alert, or 0 for the end of the connection.
    @Test(
        arguments: [
            (nil, "none"), (40, "none"), (71, "none"), (80, "unknown"), (43, "unknown"), (70, "unknown"),
            (0, "unknown"),
        ] as [(UInt8?, String)]) func aKeyTypeIsAbsentIfTheServerSaysSo(alert: UInt8?, came: String) async throws
    {
        let settings = TLSServerSettings(presenting: served).with {
            $0.refusal = alert.map { $0 == 0 ? [] : [21, 3, 3, 0, 2, 2, $0] }
        }
        try await Desk.serving(.tls(settings)) { desk, _ in
            let line = "$HOST:$PORT --connect 127.0.0.1 --anchors @root.pem "
            let report = try await desk(line + "--key-types rsa,ecdsa -f json").json
            let last = report["results"].array.last ?? report
            let parts = last["consistency"]["coverage"].array.map {
                "\($0["part"].text ?? "") \($0["came"].text ?? "")"
            }
            #expect(parts == ["ordinary chain", "RSA \(came)", "ECDSA chain"])
            for flags in ["--key-types rsa,ecdsa", "--thorough"] {
                let outcome = await desk(line + flags)
                if came == "none" {
                    outcome.expect(
                        .pass, "  note: no certificate with an RSA key\n", ending: "  1 address, accepted; consistent\n"
                    )
                } else {
                    outcome.expect(
                        .unreachable, "  1 address, without a verdict; ",
                        ending: "; leave RSA out: --key-types ecdsa (127.0.0.1, RSA)\n", not: "offers no certificate")
                }
            }
            await desk(line + "--key-types rsa,ecdsa --pins $JUNK").expect(.fail)
        }
    }

    @Test func aKeyTypeIsUnknownWhereNoConnectionGivesAChain() async throws {
        try await Desk.serving(.script([21, 3, 3, 0, 2, 2, 40])) { desk, _ in
            await desk("$HOST:$PORT --connect 127.0.0.1 --key-types rsa -f json").expect(
                .unreachable, #""came" : "unknown""#, not: #""came" : "none""#)
        }
        let settings = TLSServerSettings(presenting: served).with { $0.refusal = [] }
        try await Desk.serving(.tls(settings)) { desk, _ in
            await desk("pins CHECK --key-types rsa -f okhttp").expect(
                .unreachable, "// \(host):443, RSA: ", errors: "Error: \(host):443, RSA: ")
        }
    }
}

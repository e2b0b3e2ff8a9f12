import LoopbackLab
import PinCheckCLI
import Testing

/// `pincheck check` against servers on loopback; what it says of the usual ones is in ``GoldenTests``, which names it sends in
/// ``AddressInURLTests``.
@Suite(.endsSomeTime) struct CheckCommandTests {
    private static let pki = try! StandardPKI.shared()
    private static let chain = [pki.leaf, pki.interA]

    @Test func severalTargetsAreReportedInTheirOrderAndTheWorstCounts() async throws {
        let slow = ServerBehavior.presenting(Self.chain, delivery: .drips(bytes: 100, everyMilliseconds: 5))
        try await Desk.serving(slow) { desk, _ in
            try await LoopbackServer.serving(.presenting([Self.pki.junk])) { wrong in
                let line =
                    "$SERVER 127.0.0.1:\(wrong.port) $SERVER --verify-name $HOST --sni $HOST --anchors @root.pem --jobs "
                for jobs in ["512", "1"] {
                    let words = await desk(line + jobs).expect(.fail).output.split(separator: "\n").map { $0.prefix(4) }
                    #expect(words.filter { $0 == "PASS" || $0 == "FAIL" } == ["PASS", "FAIL", "PASS"])
                }
                await desk(line + "2 -f json").expect(
                    .fail, "\"results\" : [", ending: "\n  }\n}\n", starting: "{\n  \"schema\" : \"pincheck/1\",\n")
            }
        }
    }

    @Test(
        arguments: [
            (ServerBehavior.script([], waitsForClient: false), "handshake: "), (.plainHTTP, "does not speak TLS"),
            (.garbage(), "handshake: "), (.alert(40), "alert "),
        ] as [(ServerBehavior, String)]) func aServerWithoutAChainIsUnreachable(behavior: ServerBehavior, words: String)
        async throws
    {
        try await Desk.serving(behavior) { desk, _ in
            for format in ["text", "json"] {
                #expect(isPlain(await desk("$SERVER -f \(format)").expect(.unreachable, words, errors: "").output))
            }
        }
    }

    @Test func theTimeoutHoldsOverAllAttempts() async throws {
        try await Desk.serving(.script([], stalls: true)) { desk, _ in
            let clock = ContinuousClock()
            let start = clock.now
            await desk("$SERVER --timeout 1 --retries 100").expect(.unreachable, "handshake: ")
            #expect(start.duration(to: clock.now) >= .seconds(1))
        }
        _ = try await RefusingPort.scoped { refusing in
            await pincheck("127.0.0.1:\(refusing.port)", "--timeout", "30", "--retries", "2").says("connection refused")
        }
    }

    @Test(arguments: [LoopbackLab.TLSVersion.tls12, .tls13]) func aServerThatAsksForAClientCertificateIsStillJudged(
        version: LoopbackLab.TLSVersion
    ) async throws {
        let settings = TLSServerSettings(presenting: Self.chain).with {
            $0.clientCertificate = .required
            $0.maximumVersion = version
        }
        try await Desk.serving(.tls(settings)) { desk, _ in
            await desk("CHECK -f json").expect(.pass, "\"client_certificate_requested\" : true")
        }
    }

    @Test func aGreatDealThatNobodyNeedsFitsTheScreen() async throws {
        try await Desk.serving(.presenting(Self.chain + LabCertificate.strangers(60))) { desk, _ in
            let outcome = await desk("CHECK --pins $LEAF").expect(
                .pass, "CN=Stranger 0, CN=Stranger 1, CN=Stranger 2 and 57 more")
            #expect(outcome.output.split(separator: "\n").count == 8)
        }
        let names = (0..<10_000).map { GeneralName("host-\($0).example.com") }
        let leaf = try Self.pki.interA.issue(.leaf(subject: "many", names: names))
        try await Desk.serving(.presenting([leaf, Self.pki.interA])) { desk, _ in
            let outcome = await desk("CHECK").expect(.fail, "host-5.example.com and 9994 more")
            #expect(outcome.output.count < 2_000)
        }
    }
}

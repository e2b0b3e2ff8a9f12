import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// `pincheck check` against servers on loopback.
@Suite(.endsSomeTime) struct CheckCommandTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    /// Runs with a server of the given behaviour and a file with the root of the standard world.
    private func serving<Value: Sendable>(
        _ behavior: ServerBehavior? = nil, _ body: (_ place: String, _ anchors: String) async throws -> Value
    ) async throws -> Value {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            return try await LoopbackServer.serving(behavior ?? .presenting([pki.leaf, pki.interA])) { server in
                try await body("127.0.0.1:\(server.port)", anchors)
            }
        }
    }

    @Test func rightWrongAndMissingPinsEndIn0And1And0() async throws {
        try await serving { place, anchors in
            let base = [host, "--connect", place, "--anchors", anchors]
            #expect(await decision(base + ["--pins", pki.leaf.pin]) == "pass pin-matched")
            #expect(await decision(base + ["--pins", pki.junk.pin]) == "fail pin-mismatch")
            #expect(await decision(base) == "pass trusted-without-pins")
            #expect(await decision([host, "--connect", place]) == "fail unknown-issuer")
            #expect(await pincheck(["check"] + base).status == .pass)
        }
    }

    @Test func theNameIsSentWhereItIsTheTargetOrGivenForSNI() async throws {
        let settings = TLSServerSettings(presenting: [pki.junk]).with {
            $0.identitiesByName = [host: [TLSIdentity([pki.leaf, pki.interA])]]
        }
        try await serving(.tls(settings)) { place, anchors in
            for arguments in [
                [host, "--connect", place], ["https://\(place)/", "--host", host, "--sni", host],
                ["https://\(place)/path", "--header", "Host: \(host)", "--sni", host],
                [place, "--sni", host, "--verify-name", host], [host, "--connect-to", "\(host):443:\(place)"],
                [host, "--connect", place, "--host", host],
            ] { await pincheck(arguments + ["--anchors", anchors]).expect(.pass, "SNI \(host)") }
            await pincheck(host, "--connect", place, "--anchors", anchors, "--no-sni").expect(.fail, "no SNI")
            await pincheck("https://\(place)/", "--anchors", anchors).expect(.fail, "no SNI")
        }
    }

    @Test func aWrongNameSaysWhichNameWasCheckedAndWhetherSNIWasSent() async throws {
        try await serving { place, anchors in
            await pincheck("www.example.org", "--connect", place, "--anchors", anchors).expect(
                .fail, "is not valid for www.example.org; it is valid for \(host); the SNI was www.")
            await pincheck(place, "--anchors", anchors).says(
                "is not valid for 127.0.0.1; it is valid for \(host); this address serves CN=leaf to clients "
                    + "that send no SNI: give --host or --sni\n")
        }
    }

    @Test func everyAddressIsAnEndpointWithAVerdictOfItsOwn() async throws {
        try await serving { place, anchors in
            try await RefusingPort.scoped { refusing in
                let outcome = await pincheck(
                    host, "--connect", place, "--connect", "127.0.0.1:\(refusing.port)", "--anchors", anchors
                ).expect(.unreachable)
                let lines = outcome.output.split(separator: "\n")
                #expect(lines.contains { $0.hasPrefix("  \(place)") && $0.hasSuffix("✓ A") }, "\(outcome.output)")
                let refused = lines.first { $0.hasPrefix("  UNREACHABLE  127.0.0.1:\(refusing.port): connect: ") }
                #expect(refused?.contains("connection refused") == true, "\(outcome.output)")
                #expect(
                    lines.last
                        == "UNREACHABLE  \(host):443  2 addresses: 1 accepted, 1 without a verdict; nothing to compare")
            }
        }
    }

    @Test func severalTargetsAreReportedInTheirOrderAndTheWorstCounts() async throws {
        let slow = ServerBehavior.presenting(
            [pki.leaf, pki.interA], delivery: .drips(bytes: 100, everyMilliseconds: 5))
        try await serving(slow) { slowPlace, anchors in
            try await LoopbackServer.serving(.presenting([pki.junk])) { wrong in
                for (format, jobs) in [("text", "512"), ("text", "1"), ("json", "2")] {
                    let outcome = await pincheck(
                        [slowPlace, "127.0.0.1:\(wrong.port)", slowPlace, "--verify-name", host, "--sni", host] + [
                            "--anchors", anchors, "--jobs", jobs, "--format", format,
                        ]
                    ).expect(.fail)
                    if format == "text" {
                        let words = outcome.output.split(separator: "\n").map { $0.prefix(4) }
                        #expect(words.filter { $0 == "PASS" || $0 == "FAIL" } == ["PASS", "FAIL", "PASS"])
                    } else {
                        #expect(outcome.output.contains("\"results\" : ["))
                        #expect(outcome.output.hasPrefix("{\n  \"schema\" : \"pincheck/1\",\n"))
                        #expect(outcome.output.hasSuffix("\n  }\n}\n"))
                    }
                }
            }
        }
    }

    @Test(
        arguments: [
            ("closes at once", ServerBehavior.script(.init([], waitsForClient: false)), "handshake: "),
            ("speaks HTTP", .plainHTTP, "does not speak TLS"), ("speaks nonsense", .garbage(), "handshake: "),
            ("sends an alert", .alert(40), "alert "),
        ] as [(String, ServerBehavior, String)]) func aServerWithoutAChainIsUnreachable(
            what: String, behavior: ServerBehavior, words: String
        ) async throws
    {
        try await serving(behavior) { place, _ in
            for format in ["text", "json"] {
                let outcome = await pincheck(place, "--format", format).expect(.unreachable, words, errors: "")
                #expect(isPlain(outcome.output))
            }
        }
    }

    @Test func theTimeoutHoldsOverAllAttempts() async throws {
        try await serving(.script(.init([], ending: .stalls))) { place, _ in
            let clock = ContinuousClock()
            let start = clock.now
            await pincheck(place, "--timeout", "1", "--retries", "100").expect(.unreachable, "handshake: ")
            #expect(start.duration(to: clock.now) >= .seconds(1))
        }
        _ = try await RefusingPort.scoped { refusing in
            await pincheck("127.0.0.1:\(refusing.port)", "--timeout", "30", "--retries", "2").says("connection refused")
        }
    }

    @Test func anOldServerIsReachedOnlyWhenAsked() async throws {
        let settings = TLSServerSettings(presenting: [pki.leaf, pki.interA]).with { $0.maximumVersion = .tls10 }
        try await serving(.tls(settings)) { place, anchors in
            let base = [host, "--connect", place, "--anchors", anchors]
            await pincheck(base).expect(.unreachable, "--min-tls 1.0")
            let old = await pincheck(base + ["--min-tls", "1.0"]).expect(.pass)
            #expect(old.output.contains("TLSv1 ") || old.output.contains("TLSv1.0 "))
        }
    }

    @Test func aServerThatAsksForAClientCertificateIsStillJudged() async throws {
        for version in [LoopbackLab.TLSVersion.tls12, .tls13] {
            let settings = TLSServerSettings(presenting: [pki.leaf, pki.interA]).with {
                $0.clientCertificate = .required
                $0.maximumVersion = version
            }
            _ = try await serving(.tls(settings)) { place, anchors in
                await pincheck(host, "--connect", place, "--anchors", anchors, "--format", "json").expect(
                    .pass, "\"client_certificate_requested\" : true")
            }
        }
    }

    @Test func aNameThatOnlyLooksLikeOneIsRejectedNotSkipped() async throws {
        _ = try await serving { place, anchors in
            await pincheck(place, "--anchors", anchors, "--verify-name", "*.example.com").expect(.fail, "no SNI")
        }
    }

    @Test func anInterceptorWhoseRootIsTrustedIsCaughtByCertificateMode() async throws {
        try await TemporaryDirectory.scoped { files in
            let store = ["SSL_CERT_FILE": try files.write(pki.rootA.pem + pki.rootB.pem, to: "store.pem")]
            let pin = try files.write(pki.rootA.der, to: "root.cer")
            try await LoopbackServer.serving(.presenting([pki.rogue, pki.rogueI])) { server in
                let base = [host, "--connect", "127.0.0.1:\(server.port)"]
                #expect(await pincheck(base, environment: store).status == .pass)
                #expect(await decision(base + ["--pins", pin], environment: store) == "fail pin-mismatch")
                // Sending the pinned certificate along proves nothing.
                let injected = ServerBehavior.presenting([pki.rogue, pki.rogueI, pki.leaf])
                try await LoopbackServer.serving(injected) { server in
                    let base = [host, "--connect", "127.0.0.1:\(server.port)", "--pins", pki.leaf.pin]
                    await pincheck(base, environment: store).expect(
                        .fail, "also sent, but not on this chain: CN=leaf", errors: "Warning: ")
                }
            }
        }
    }

    @Test func sixtyCertificatesThatNobodyNeedsChangeNothing() async throws {
        try await serving(.presenting([pki.leaf, pki.interA] + LabCertificate.strangers(60))) { place, anchors in
            let outcome = await pincheck(host, "--connect", place, "--anchors", anchors, "--pins", pki.leaf.pin).expect(
                .pass, "CN=Stranger 0, CN=Stranger 1, CN=Stranger 2 and 57 more")
            #expect(outcome.output.split(separator: "\n").count == 8)
        }
    }

    @Test func aServerWithThousandsOfNamesFitsTheScreen() async throws {
        let names = (0..<10_000).map { GeneralName("host-\($0).example.com") }
        let leaf = try pki.interA.issue(.leaf(subject: "many", names: names))
        try await serving(.presenting([leaf, pki.interA])) { place, anchors in
            let outcome = await pincheck(host, "--connect", place, "--anchors", anchors).expect(
                .fail, "host-5.example.com and 9994 more")
            #expect(outcome.output.count < 2_000)
        }
    }

    @Test func theDemoEndsWell() async {
        let outcome = await pincheck("demo", "--color", "never").expect(.pass, "All as it should be.", errors: "")
        #expect(isPlain(outcome.output))
    }
}

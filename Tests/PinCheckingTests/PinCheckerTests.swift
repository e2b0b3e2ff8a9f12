import LoopbackLab
import Pinning
import Testing
import X509

@testable import PinChecking
@testable import TLSProbe

/// The library as a program of somebody else's uses it.
@Suite(.timeLimit(.minutes(10))) struct PinCheckerTests {
    let host = "api.example.com"

    private func withFiles(_ body: (_ anchors: String, _ leaf: String) async throws -> Void) async throws {
        let files = try TemporaryDirectory()
        try await body(try files.write(pki.rootA.pem, to: "anchors.pem"), try files.write(pki.leaf.pem, to: "leaf.pem"))
    }

    @Test func aServerAndItsChainGetTheSameAnswer() async throws {
        try await withFiles { anchors, leaf in
            let checker = try PinChecker(pins: [leaf], clients: [.okhttp, .curl], anchors: [anchors])
            try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
                let online = try await checker.check("\(host):\(server.port)", connectingTo: "127.0.0.1")
                let offline = try checker.check(chain: [pki.leaf.der, pki.interA.der], for: host)
                for result in [online, offline] {
                    #expect(result.outcome == .accepted)
                    #expect(result.reason.id == "pin-matched")
                    #expect(result.clients.map(\.isAccepted) == [true, true])
                    #expect(result.presented.map(\.der) == [pki.leaf.der, pki.interA.der])
                }
            }
        }
    }

    @Test func devicesDecideByTheirRulesAndAreNamed() async throws {
        try await withFiles { anchors, _ in
            let long = try pki.interA.issue(
                CertificateTemplate.leaf(host).valid(
                    from: LabClock.now - LabClock.day, to: LabClock.now + 899 * LabClock.day))
            let checker = try PinChecker(
                clients: [.afnetworking, .okhttp], anchors: [anchors], devices: ["ios-12", "ios-13", "android-9"],
                now: { Timestamp(secondsSinceEpoch: LabClock.now) })
            let result = try checker.check(chain: [long.der, pki.interA.der], for: host)
            #expect(result.outcome == .rejected)
            #expect(
                result.reason.description == "afnetworking on ios-13: CN=api.example.com (depth 0) is valid for 900 "
                    + "days, more than 825 (a rule of Apple's platforms)")
            #expect(result.clients.map(\.device) == ["ios-12", "ios-13", "android-9"])
            #expect(result.clients.map(\.isAccepted) == [true, false, true])
            #expect(throws: Problem.self) { try PinChecker(clients: [.curl], devices: ["ios-12"]) }
        }
    }

    @Test func withoutClientsThePinsChooseThem() throws {
        let files = try TemporaryDirectory()
        let pin = "\(try CertificateReader.certificate(der: pki.leaf.der).publicKey.spkiSHA256)"
        let source = try files.write(
            "val pinner = CertificatePinner.Builder().add(\"\(host)\", \"\(pin)\").build()\n", to: "Api.kt")
        let cases: [(pins: [String], clients: [String])] = [
            ([], ["generic"]), ([pin], ["generic"]), ([pin, source], ["okhttp", "generic"]),
            ([try files.write(pki.leaf.der, to: "leaf.cer")], ["afnetworking"]),
        ]
        for (pins, clients) in cases {
            let result = try PinChecker(pins: pins).check(chain: [pki.leaf.der], for: host)
            #expect(result.clients.map(\.name) == clients)
        }
    }

    @Test func threeHundredChecksAtOnceShareLoopsAndTurns() async throws {
        try await DeadPort.refusing { port in
            try await withThrowingTaskGroup(of: CheckResult.self) { group in
                for _ in 0..<300 { group.addTask { try await PinChecker().check("127.0.0.1:\(port)") } }
                for try await result in group {
                    #expect(result.outcome == .unreachable && result.reason.id == "refused" && result.clients.isEmpty)
                }
            }
        }
    }

    @Test(arguments: [1, 2]) func aTurnThatIsGivenBackIsTheNextOnes(turns: Int) async throws {
        let shared = SharedConnections(atOnce: turns)
        let environment = Environment(
            variables: [:], now: { Timestamp(secondsSinceEpoch: LabClock.now) }, connectionLimit: 1)
        try await DeadPort.refusing { port in
            let target = CheckTarget(try Target("127.0.0.1:\(port)"), CheckRequest())
            let check = try Check.unjudged([target])[0]
            try await withThrowingTaskGroup { group in
                for _ in 0..<5 { group.addTask { _ = try await shared.check(check, in: environment) } }
                try await group.waitForAll()
            }
        }
    }

    @Test func aCheckThatIsCancelledIsNoOutcome() async throws {
        try await LoopbackServer.serving(.tarpit) { server in
            let check = Task { try await PinChecker().check("127.0.0.1:\(server.port)", timeout: .seconds(600)) }
            while server.connections.isEmpty { await Task.yield() }
            check.cancel()
            await #expect(throws: CancellationError.self) { try await check.value }
        }
    }

    @Test func chainsAreJudgedAtTheTimeTheClockTells() async throws {
        try await withFiles { anchors, leaf in
            let later = Timestamp(secondsSinceEpoch: LabClock.now + 20 * 365 * LabClock.day)
            let checker = try PinChecker(pins: [leaf], anchors: [anchors], now: { later })
            let result = try checker.check(chain: [pki.leaf.der, pki.interA.der], for: host)
            #expect(result.outcome == .rejected && result.time == later)
            #expect(result.reason.id == "expired")
        }
    }

    @Test func configurationErrorsAreThrownBeforeThereIsAHost() throws {
        func kind(_ body: () throws -> Void) -> Problem.Kind? { #expect(throws: Problem.self) { try body() }?.kind }
        #expect(kind { _ = try PinChecker(pins: ["sha256/AAAA"]) } == .data)
        #expect(kind { _ = try PinChecker(pins: ["/nowhere/pin.pem"]) } == .noInput)
        #expect(kind { _ = try PinChecker(anchors: ["/nowhere"]) } == .noInput)
        #expect(kind { _ = try Client("okhttpd") } == .usage)
        #expect(kind { _ = try PinChecker(clients: []) } == .usage)
        let checker = try PinChecker()
        #expect(kind { _ = try checker.check(chain: [], for: host) } == .data)
        #expect(kind { _ = try checker.check(chain: [[1]], for: host) } == .data)
    }

    @Test func everyClientThatHasANameOfItsOwnIsTheOneOfThatName() throws {
        let named: [Client] = [
            .afnetworking, .alamofire, .trustkit, .okhttp, .android, .nspinneddomains, .curl, .generic,
        ]
        #expect(
            named.map(\.name) == [
                "afnetworking", "alamofire", "trustkit", "okhttp", "android", "nspinneddomains", "curl", "generic",
            ])
        #expect(Client.all.first == .afnetworking)
        #expect(try Client("trustkit:no-enforce") != .trustkit)
    }
}

/// The keys of a server that is asked for keys of several types.
@Suite struct KeySourceTests {
    private func connection(_ variant: Variant, _ result: Result<Handshake, ProbeError>) throws -> CheckedConnection {
        let request = ProbeRequest(to: .address(IPAddress("127.0.0.1")!), port: 443)
        let endpoint = CheckEndpoint(
            target: "a.example:443", targetPort: 443, urlHost: .dns("a.example"), host: "a.example",
            referenceName: .unchecked, request: request)
        return CheckedConnection(
            endpoint: endpoint, variant: variant, result: result, time: Timestamp(secondsSinceEpoch: LabClock.now))
    }

    private func sources(_ connections: [CheckedConnection]) throws -> [KeySource] {
        var policies = Policies(environment: [:])
        let policy = try policies.policy(CheckRequest.Judging().unpinned, for: .unchecked)
        let judged = connections.map { connection in
            var connection = connection
            connection.judged = connection.served.map {
                policy.judge($0.presented, for: .unchecked, at: connection.time, on: $0)
            }
            return connection
        }
        let target = CheckedTarget(judged, by: policy, compared: AddressComparison(of: judged))
        return KeySource.all(of: target, keyTypes: [.rsa, .ecdsa])
    }

    @Test func aTypeThatWasNotAnsweredIsUnreachableAndOneThatIsNotServedIsAbsent() throws {
        let failure = Result<Handshake, ProbeError>.failure(
            ProbeError(.connect, .noTimeLeft(timeout: .seconds(1)), target: "a.example"))
        let ordinary = try connection(.ordinary, .success(StagedHandshakeTests.handshake()))
        let both = try sources([ordinary, connection(.keyType(.rsa), failure), connection(.keyType(.ecdsa), failure)])
        #expect(both.map(\.keyType) == [nil, .rsa, .ecdsa])
        #expect(both[0].absentKeyTypes.isEmpty)
        let one = try sources([ordinary, connection(.keyType(.ecdsa), .success(StagedHandshakeTests.handshake()))])
        #expect(one.map(\.keyType) == [nil])
        #expect(one[0].absentKeyTypes == [.rsa])
        let none = try sources([connection(.ordinary, failure), connection(.keyType(.rsa), failure)])
        #expect(none.map(\.keyType) == [nil] && none[0].absentKeyTypes.isEmpty)
    }
}

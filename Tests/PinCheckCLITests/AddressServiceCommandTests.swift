import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// `pincheck check` with the addresses that a service over HTTP gives.
@Suite(.timeLimit(.minutes(5))) struct AddressServiceCommandTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    private func response(_ body: String) -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }

    /// Runs with an edge for the host on 127.0.0.2 and a file with the root of the standard world.
    private func serving<Value: Sendable>(_ body: (_ edge: LoopbackServer, _ anchors: String) async throws -> Value)
        async throws -> Value
    {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            return try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA]), address: "127.0.0.2") { edge in
                try await body(edge, anchors)
            }
        }
    }

    @Test func theAddressesOfAnHTTPDNSServiceAreChecked() async throws {
        try await serving { edge, anchors in
            try await LoopbackServer.serving(.script(.init(response("127.0.0.2,60")))) { service in
                await pincheck(
                    "\(host):\(edge.port)", "--httpdns", "http://127.0.0.1:\(service.port)/d?dn={name}&ttl=1",
                    "--anchors", anchors, "--pins", pki.leaf.pin
                ).expect(.pass, "PASS  \(host):\(edge.port) → 127.0.0.2  ", "SNI \(host)")
                let opening = try #require(await service.connections(ended: 1).first).opening
                #expect(String(decoding: opening, as: UTF8.self).hasPrefix("GET /d?dn=\(host)&ttl=1 HTTP/1.1\r\n"))
            }
        }
    }

    @Test func aServiceThatFailsLeavesNoVerdict() async throws {
        for (answer, words) in [
            ("0", "the name has no usable address"),
            ("\u{1B}[31m", "its answer cannot be used: line 1: '\\u{1B}[31m' is not an address"),
        ] {
            try await LoopbackServer.serving(.script(.init(response(answer)))) { service in
                let outcome = await pincheck(host, "--httpdns", "http://127.0.0.1:\(service.port)/{name}").expect(
                    .unreachable, "resolve: cannot resolve '\(host)'", words,
                    "the HTTPDNS service 127.0.0.1:\(service.port)",
                    ending: "  no address was found, so nothing was judged\n")
                #expect(isPlain(outcome.output))
            }
        }
    }

    @Test func aServiceThatIsNotThereIsNotTakenForTheTarget() async throws {
        try await RefusingPort.scoped { refusing in
            let outcome = await pincheck(host, "--httpdns", "http://127.0.0.1:\(refusing.port)/{name}").expect(
                .unreachable)
            let words = "the HTTPDNS service 127.0.0.1:\(refusing.port): cannot connect to"
            #expect(outcome.output.contains(words), "\(outcome.output)")
            #expect(outcome.output.contains("check the service, or give the address with --connect"))
            #expect(!outcome.output.contains("check the port"))
        }
    }

    @Test func aServiceOverTLSIsTrustedByTheSystemAlone() async throws {
        let root = try LabCertificate.selfSigned(.authority("Resolvers"))
        let leaf = try root.issue(.leaf(subject: "resolver", names: [GeneralName("127.0.0.1")]))
        let json =
            #"{"Status":0,"Question":[{"name":"\#(host).","type":1}],"Answer":[{"type":1,"TTL":9,"data":"127.0.0.2"}]}"#
        let settings = TLSServerSettings(presenting: [leaf]).with { $0.application = .answers(response(json)) }
        try await TemporaryDirectory.scoped { files in
            let store = try files.write(root.pem, to: "system.pem")
            try await serving { edge, anchors in
                try await LoopbackServer.serving(.tls(settings)) { service in
                    let arguments = [
                        "\(host):\(edge.port)", "-4", "--anchors", anchors, "--doh",
                        "https://127.0.0.1:\(service.port)/resolve",
                    ]
                    await pincheck(arguments, environment: ["SSL_CERT_FILE": store]).expect(.pass)
                    await pincheck(arguments).expect(.unreachable, "its certificate is not trusted: ")
                    let seen = await service.connections(ended: 2)
                    #expect(seen.map(\.applicationBytesReceived).filter { $0 > 0 }.count == 1)
                    #expect(await edge.connections(ended: 1).count == 1)
                }
            }
        }
    }

    @Test func aServiceIsAskedForNamesOnly() async throws {
        try await serving { edge, anchors in
            try await LoopbackServer.serving(.tarpit) { service in
                await pincheck(
                    "127.0.0.2:\(edge.port)", "--verify-name", host, "--httpdns",
                    "http://127.0.0.1:\(service.port)/{name}", "--anchors", anchors
                ).expect(.pass)
                #expect(service.connections.isEmpty)
            }
        }
    }

    @Test func aServiceThatIsSilentIsLeftAtTheDeadlineOfTheTarget() async throws {
        try await LoopbackServer.serving(.tarpit) { service in
            let clock = ContinuousClock()
            let began = clock.now
            let outcome = await pincheck(
                host, "--httpdns", "http://127.0.0.1:\(service.port)/{name}", "--timeout", "1", "--thorough"
            ).expect(.unreachable)
            #expect(began.duration(to: clock.now) >= .seconds(1))
            let words = "the HTTPDNS service 127.0.0.1:\(service.port) took too long: check the service"
            #expect(outcome.output.contains(words), "\(outcome.output)")
        }
    }
}

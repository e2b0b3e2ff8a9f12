import LoopbackLab
import PinCheckCLI
import Testing

/// `pincheck check` with the addresses that a service over HTTP gives; how it is asked is proven by `AddressResolverTests`.
@Suite(.timeLimit(.minutes(5))) struct AddressServiceCommandTests {
    private static let pki = try! StandardPKI.shared()
    private let host = StandardPKI.serverName

    private func response(_ body: String) -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }

    /// Runs beside a service, `$SERVER`, and an edge for the host on 127.0.0.2.
    private func serving(
        _ service: ServerBehavior,
        _ body: (Desk, _ service: LoopbackServer, _ edge: LoopbackServer) async throws -> Void
    ) async throws {
        let chain = [Self.pki.leaf, Self.pki.interA]
        try await LoopbackServer.serving(.presenting(chain), address: "127.0.0.2") { edge in
            try await Desk.serving(service, [:]) { try await body($0, $1, edge) }
        }
    }

    @Test func theAddressesOfAnHTTPDNSServiceAreChecked() async throws {
        try await serving(.script(response("127.0.0.2,60"))) { desk, service, edge in
            await desk("$HOST:\(edge.port) --httpdns http://$SERVER/d?dn={name}&ttl=1 --anchors @root.pem --pins $LEAF")
                .expect(.pass, "PASS  \(host):\(edge.port) → 127.0.0.2  ", "SNI \(host)")
            let opening = try #require(await service.connections(ended: 1).first).opening
            #expect(String(decoding: opening, as: UTF8.self).hasPrefix("GET /d?dn=\(host)&ttl=1 HTTP/1.1\r\n"))
        }
    }

    @Test(arguments: [
        ("0", "the name has no usable address"),
        ("\u{1B}[31m", "its answer cannot be used: line 1: '\\u{1B}[31m' is not an address"),
    ]) func aServiceThatFailsLeavesNoVerdict(answer: String, words: String) async throws {
        try await Desk.serving(.script(response(answer))) { desk, _ in
            let outcome = await desk("$HOST --httpdns http://$SERVER/{name}").expect(
                .unreachable, "resolve: cannot resolve '\(host)'", words, desk.expand("the HTTPDNS service $SERVER"),
                ending: "  no address was found, so nothing was judged\n")
            #expect(isPlain(outcome.output))
        }
    }

    @Test func aServiceThatIsNotThereIsNotTakenForTheTarget() async throws {
        _ = try await RefusingPort.scoped { refusing in
            await pincheck(host, "--httpdns", "http://127.0.0.1:\(refusing.port)/{name}").expect(
                .unreachable, "the HTTPDNS service 127.0.0.1:\(refusing.port): cannot connect to",
                "check the service, or give the address with --connect", not: "check the port")
        }
    }

    @Test func aServiceOverTLSIsTrustedByTheSystemAlone() async throws {
        let root = try LabCertificate.selfSigned(.authority("Resolvers"))
        let leaf = try root.issue(.leaf(subject: "resolver", names: [GeneralName("127.0.0.1")]))
        let json =
            #"{"Status":0,"Question":[{"name":"\#(host).","type":1}],"Answer":[{"type":1,"TTL":9,"data":"127.0.0.2"}]}"#
        let settings = TLSServerSettings(presenting: [leaf]).with { $0.application = .answers(response(json)) }
        try await serving(.tls(settings)) { desk, service, edge in
            try desk.write(root.pem, to: "system.pem")
            let line = "$HOST:\(edge.port) -4 --anchors @root.pem --doh https://$SERVER/resolve"
            await desk(line, environment: ["SSL_CERT_FILE": "$DIR/system.pem"]).expect(.pass)
            await desk(line).expect(.unreachable, "its certificate is not trusted: ")
            let seen = await service.connections(ended: 2)
            #expect(seen.count { $0.applicationBytesReceived > 0 } == 1)
            #expect(await edge.connections(ended: 1).count == 1)
        }
    }

    @Test func aServiceIsAskedForNamesOnlyAndLeftAtTheDeadlineOfTheTarget() async throws {
        try await serving(.tarpit) { desk, service, edge in
            await desk("127.0.0.2:\(edge.port) --verify-name $HOST --httpdns http://$SERVER/{name} --anchors @root.pem")
                .expect(.pass)
            #expect(service.connections.isEmpty)
            let clock = ContinuousClock()
            let began = clock.now
            await desk("$HOST --httpdns http://$SERVER/{name} --timeout 1 --thorough").expect(
                .unreachable, desk.expand("the HTTPDNS service $SERVER took too long: check the service"))
            #expect(began.duration(to: clock.now) >= .seconds(1))
            _ = try #require(service.connections.first)
        }
    }
}

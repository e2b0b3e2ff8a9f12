import LoopbackLab
@testable import PinCheckCLI
import Pinning
import Testing
import TLSProbe

/// `check --verbose`: what is being done, as it is done.
@Suite(.endsSomeTime) struct VerboseTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    /// What a check writes to standard error, in a network in which the server has the name and the address given here.
    private func said(by arguments: String..., port: UInt16) async -> [String] {
        let errors = OutputBuffer()
        var context = Context(
            console: Console(output: OutputBuffer().stream(), errors: errors.stream()),
            environment: ["SSL_CERT_FILE": "/nonexistent", "SSL_CERT_DIR": "/nonexistent"],
            now: { Timestamp(secondsSinceEpoch: LabClock.now) }, readStandardInput: { [] })
        let address = IPAddress("203.0.113.7")!
        context.network = StagedNetwork(
            names: [host: [address]], ports: [PeerAddress(ip: address, port: 443): port],
            loopback: IPAddress("127.0.0.1")!)
        _ = await PinCheck.run(arguments: arguments, in: context)
        return errors.text.split(separator: "\n").map(String.init)
    }

    @Test func lookupsConnectionsAndHandshakesAreTold() async throws {
        try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
            let lines = await said(by: host, "--verbose", port: server.port)
            let told = lines.filter { $0.hasPrefix("* ") }
            let wanted = [
                "* \(host):443: connecting (SNI \(host), TLS 1.2 to 1.3)", "* looking up \(host) (IPv6)",
                "* \(host) (IPv4): 203.0.113.7", "* \(host):443: connected to 203.0.113.7:443",
            ]
            for line in wanted { #expect(told.contains(line), "\(told)") }
            let last = told.suffix(2)
            #expect(
                last.first?.contains(/handshake done in [0-9]+ ms: TLSv1\.3 TLS_[A-Z0-9_]+, 2 certificates$/) == true)
            #expect(last.last == "* \(host):443: judging the chain")
            #expect(await said(by: host, port: server.port).allSatisfy { !$0.hasPrefix("* ") })
        }
    }

    @Test func everyRoundIsTold() async throws {
        try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
            let lines = await said(by: host, "--verbose", "--key-types", "rsa,ecdsa", port: server.port)
            for type in ["rsa", "ecdsa"] {
                #expect(
                    lines.contains { $0.contains("connecting") && $0.contains("\(type) certificates alone") },
                    "\(lines)")
            }
        }
        let lines = await said(by: "127.0.0.1:1", "--verbose", "--retries", "2", port: 1)
        for count in 1...2 { #expect(lines.contains("* 127.0.0.1:1: trying again (\(count) of 2)"), "\(lines)") }
        #expect(lines.count { $0.contains("connecting") } == 3)
    }
}

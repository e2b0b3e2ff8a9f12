import LoopbackLab
import Base
import PinCheckCLI
import Pinning
import Synchronization
import Testing

/// Downloads through proxies, by address, and with a client certificate.
@Suite(.endsSomeTime) struct FetchConnectionTests: FetchTesting {
    let pki: StandardPKI

    init() throws { pki = try .shared() }

    private func settings(_ answer: @escaping @Sendable (String) -> Responder.Answer) -> TLSServerSettings {
        TLSServerSettings(presenting: [pki.leaf, pki.interA]).with { $0.application = .responds(Responder(answer)) }
    }

    @Test(arguments: [("http", ProxySettings.Speech.http), ("socks5h", .socks5)]) func aProxyLearnsNothingOfTheRequest(
        scheme: String, speech: ProxySettings.Speech
    ) async throws {
        let settings = ProxySettings(speech, to: settings(ranges(document, cutAfter: 50_000)))
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            try await LoopbackServer.serving(.proxy(settings)) { server in
                func fetch(_ pin: String) async -> Outcome {
                    await pincheck(
                        "fetch", "https://\(host)/a.bin", "-o", self.path(files, "a.bin"), "--anchors", anchors,
                        "--pins", pin, "--proxy", "\(scheme)://127.0.0.1:\(server.port)", "--header",
                        "Cookie: secret=1", "--explain")
                }
                #expect(await fetch(pki.rogue.pin).status == .fail)
                #expect(await server.connections(ended: 1).last?.applicationBytesReceived == 0)
                #expect(await fetch(pki.leaf.pin).status == .unreachable)
                let outcome = await fetch(pki.leaf.pin).says("  through \(scheme)://127.0.0.1:\(server.port)")
                #expect(outcome.status == .pass && bytes(files, "a.bin") == document, "\(outcome)")
                let seen = await server.connections(ended: 3)
                #expect(seen.allSatisfy { $0.proxiedPlaces == ["\(host):443"] })
                #expect(String(decoding: seen[2].applicationOpening, as: UTF8.self).contains("Cookie: secret=1\r\n"))
            }
        }
    }

    @Test func aDocumentThatEndsWithTheConnectionIsWholeBehindAProxyWithTLS() async throws {
        let text = Array("to the end".utf8)
        let own = try pki.interA.issue(.leaf("127.0.0.1"))
        let proxy = ProxySettings(.http, to: settings { _ in Responder.Answer("HTTP/1.1 200 OK", text) }).with {
            $0.tls = TLSServerSettings(presenting: [own, pki.interA])
        }
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let environment = ["SSL_CERT_FILE": anchors, "SSL_CERT_DIR": "/nonexistent"]
            try await LoopbackServer.serving(.proxy(proxy)) { server in
                await pincheck(
                    ["fetch", "https://\(host)/a", "-o", self.path(files, "a"), "--anchors", anchors] + [
                        "--proxy", "https://127.0.0.1:\(server.port)",
                    ], environment: environment
                ).expect(.pass)
                #expect(bytes(files, "a") == text)
            }
        }
    }

    @Test func aProxyThatRefusesIsSaidToBeTheProxy() async throws {
        let refusing = ProxySettings(.http, to: settings(ranges(document))).with {
            $0.answer = .refusal(Array("HTTP/1.1 403 Not here\r\n\r\n".utf8))
        }
        _ = try await LoopbackServer.serving(.proxy(refusing)) { server in
            await pincheck("fetch", "https://\(host)/", "--proxy", "http://127.0.0.1:\(server.port)").expect(
                .unreachable, "", errors: "the proxy", "403")
        }
    }

    @Test func anAddressInTheURLIsAskedForTheNameOfHost() async throws {
        try await serving(ranges(document)) { server, fetch, files in
            let outcome = await pincheck(
                "fetch", "https://127.0.0.1:\(server.port)/a.bin", "--host", host, "-o", self.path(files, "a.bin"),
                "--anchors", fetch.anchors, "--pins", fetch.pin)
            #expect(outcome.status == .pass && bytes(files, "a.bin") == document, "\(outcome)")
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(seen.serverName == nil)
            #expect(String(decoding: seen.applicationOpening, as: UTF8.self).contains("\r\nHost: \(host)\r\n"))
            await fetch("/a.bin", "-o", self.path(files, "b.bin"), "--connect", "127.0.0.1").expect(.pass)
            #expect(await server.connections(ended: 2).last?.serverName == host)
        }
    }

    @Test func aClientCertificateGoesToTheFirstServerAlone() async throws {
        let client = try pki.interA.issue(.leaf("client.example.com"))
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let both = try files.write(try client.pem + client.key.privateKeyPEM(), to: "both.pem")
            let whole = ranges(document)
            let asking: (inout TLSServerSettings) -> Void = { $0.clientCertificate = .requested }
            let there = settings(whole).with(asking)
            try await LoopbackServer.serving(.tls(there)) { target in
                let place = "https://other.example.com:\(target.port)/a.bin"
                let here = settings { _ in Responder.Answer("HTTP/1.1 307 There\nLocation: \(place)\nContent-Length: 0")
                }.with { $0.clientCertificate = .required }
                try await LoopbackServer.serving(.tls(here)) { server in
                    await pincheck(
                        "fetch", "https://\(host):\(server.port)/", "-o", self.path(files, "a.bin"), "--cert", both,
                        "--anchors", anchors, "--resolve", "\(host):\(server.port):127.0.0.1", "--resolve",
                        "other.example.com:\(target.port):127.0.0.1", "--no-validate-domain-name", "--pins",
                        pki.leaf.pin
                    ).expect(.pass)
                    #expect(await server.connections(ended: 1).first?.clientCertificate == client.der)
                    let seen = try #require(await target.connections(ended: 1).first)
                    #expect(seen.completedHandshake && seen.clientCertificate == nil)
                }
            }
        }
    }
}

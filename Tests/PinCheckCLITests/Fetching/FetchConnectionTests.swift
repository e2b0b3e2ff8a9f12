import LoopbackLab
import Base
import PinCheckCLI
import Pinning
import Testing

/// Downloads through proxies, by address, and with a client certificate.
@Suite(.endsSomeTime) struct FetchConnectionTests: FetchTesting {
    @Test(arguments: [("http", ProxySettings.Speech.http), ("socks5h", .socks5)]) func aProxyLearnsNothingOfTheRequest(
        scheme: String, speech: ProxySettings.Speech
    ) async throws {
        let settings = ProxySettings(speech, to: settings(ranges(document, cutAfter: 50_000)))
        try await Desk.serving(.proxy(settings)) { desk, server in
            let line =
                "fetch https://$HOST/a.bin -o @a.bin --anchors @root.pem --proxy \(scheme)://$SERVER "
                + "--header 'Cookie: secret=1' --explain --pins "
            await desk(line + "$ROGUE").expect(.fail)
            #expect(await server.connections(ended: 1).last?.applicationBytesReceived == 0)
            await desk(line + "$LEAF").expect(.unreachable)
            await desk(line + "$LEAF").expect(.pass, desk.expand("  through \(scheme)://$SERVER"))
            #expect(bytes(desk.files, "a.bin") == document)
            let seen = await server.connections(ended: 3)
            #expect(seen.allSatisfy { $0.proxiedPlaces == ["\(host):443"] })
            #expect(String(decoding: seen[2].applicationOpening, as: UTF8.self).contains("Cookie: secret=1\r\n"))
        }
    }

    @Test func aDocumentThatEndsWithTheConnectionIsWholeBehindAProxyWithTLS() async throws {
        let text = Array("to the end".utf8)
        let own = try pki.interA.issue(.leaf("127.0.0.1"))
        let proxy = ProxySettings(.http, to: settings { _ in Responder.Answer("HTTP/1.1 200 OK", text) }).with {
            $0.tls = TLSServerSettings(presenting: [own, pki.interA])
        }
        try await Desk.serving(.proxy(proxy)) { desk, _ in
            let environment = ["SSL_CERT_FILE": "$DIR/root.pem", "SSL_CERT_DIR": "/nonexistent"]
            let line = "fetch https://$HOST/a -o @a --anchors @root.pem --proxy https://$SERVER"
            await desk(line, environment: environment).expect(.pass)
            #expect(bytes(desk.files, "a") == text)
        }
    }

    @Test func aProxyThatRefusesIsSaidToBeTheProxy() async throws {
        let refusing = ProxySettings(.http, to: settings(ranges(document))).with {
            $0.answer = .refusal(Array("HTTP/1.1 403 Not here\r\n\r\n".utf8))
        }
        try await Desk.serving(.proxy(refusing)) { desk, _ in
            await desk("fetch https://$HOST/ --proxy http://$SERVER").expect(
                .unreachable, "", errors: "the proxy", "403")
        }
    }

    @Test func anAddressInTheURLIsAskedForTheNameOfHost() async throws {
        try await Desk.serving(.tls(settings(ranges(document)))) { desk, server in
            await desk("fetch https://$SERVER/a.bin --host $HOST \(kept) --pins $LEAF").expect(.pass)
            #expect(bytes(desk.files, "a.bin") == document)
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(seen.serverName == nil)
            #expect(String(decoding: seen.applicationOpening, as: UTF8.self).contains("\r\nHost: \(host)\r\n"))
            await desk("fetch https://$HOST:$PORT/b.bin --connect 127.0.0.1 --anchors @root.pem -o @b.bin").expect(
                .pass)
            #expect(await server.connections(ended: 2).last?.serverName == host)
        }
    }

    @Test func aClientCertificateGoesToTheFirstServerAlone() async throws {
        let client = try pki.interA.issue(.leaf("client.example.com"))
        let texts = ["both.pem": try client.pem + client.key.privateKeyPEM()]
        let there = settings(ranges(document)).with { $0.clientCertificate = .requested }
        try await LoopbackServer.serving(.tls(there)) { target in
            let place = "other.example.com:\(target.port)"
            let here = settings { _ in
                Responder.Answer("HTTP/1.1 307 There\nLocation: https://\(place)/a.bin\nContent-Length: 0")
            }.with { $0.clientCertificate = .required }
            try await Desk.serving(.tls(here), texts) { desk, server in
                await desk(
                    "fetch https://$HOST:$PORT/ \(kept) --cert @both.pem --resolve \(place):127.0.0.1 "
                        + "--no-validate-domain-name --pins $LEAF"
                ).expect(.pass)
                #expect(await server.connections(ended: 1).first?.clientCertificate == client.der)
                let seen = try #require(await target.connections(ended: 1).first)
                #expect(seen.completedHandshake && seen.clientCertificate == nil)
            }
        }
    }
}

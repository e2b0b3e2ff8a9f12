import Base
import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// Answers that are odd, late or none: how they end is proven of `HTTPHandler`, here is what is said.
@Suite(.endsSomeTime) struct FetchAnswerTests: FetchTesting {
    @Test(arguments: [
        (
            "SSH-2.0-OpenSSH", Responder.Answer.Ending.goodbye, ExitStatus.unreachable,
            "does not begin with a status line of HTTP/1"
        ), ("HTTP/1.1 200 OK\nContent-Length: 10", .goodbye, .unreachable, "ended before the answer was complete"),
        ("HTTP/1.1 200 OK", .goodbye, .pass, "0 B in "), ("", .silence, .unreachable, "did not answer in time"),
    ]) func anAnswerThatIsNoDocumentIsSaidToBeNone(
        head: String, ending: Responder.Answer.Ending, status: ExitStatus, words: String
    ) async throws {
        try await serving({ _ in head.isEmpty ? Responder.Answer([], ending) : Responder.Answer(head, [], ending) }) {
            _, fetch, files in
            let outcome = await fetch("--timeout \(ending == .silence ? 2 : 60)").expect(status, words)
            #expect(bytes(files, "a.bin") == (outcome.status == .pass ? [] : nil))
        }
    }

    @Test func anAddressForAnotherHostIsSaidToBeUnused() async throws {
        try await serving(ranges("abc".bytes)) { _, fetch, files in
            await fetch("--resolve apj.example.com:443:127.0.0.1").expect(
                .pass, told: "Note: the address given for 'apj.example.com' was not used: check its name")
        }
    }

    @Test func theHashDecides() async throws {
        try await serving(ranges("abc".bytes)) { _, fetch, files in
            let right = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            await fetch("--sha256 \(right)").expect(.pass)
            await fetch("--sha256 \(String(right.reversed()))", to: "b").expect(
                .answer, "the SHA-256 is not the one expected, but \(right)")
            #expect(bytes(files, "b") == nil && bytes(files, "b.part") == nil)
        }
    }
}

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
            #expect(await server.connections(ended: 1).last?.applicationOpening.isEmpty == true)
            await desk(line + "$LEAF").expect(.unreachable)
            await desk(line + "$LEAF").expect(.pass, desk.expand("  through \(scheme)://$SERVER"))
            #expect(bytes(desk.files, "a.bin") == document)
            let seen = await server.connections(ended: 3)
            #expect(seen.allSatisfy { $0.proxiedPlaces == ["\(host):443"] })
            #expect(seen[2].request.contains("Cookie: secret=1\r\n"))
        }
    }

    @Test func aDocumentThatEndsWithTheConnectionIsWholeBehindAProxyWithTLS() async throws {
        let text = "to the end".bytes
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

    @Test func anAddressInTheURLIsAskedForTheNameOfHost() async throws {
        try await Desk.serving(.tls(settings(ranges(document)))) { desk, server in
            await desk("fetch https://$SERVER/a.bin --host $HOST \(kept) --pins $LEAF").expect(.pass)
            #expect(bytes(desk.files, "a.bin") == document)
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(seen.serverName == nil)
            #expect(seen.request.contains("\r\nHost: \(host)\r\n"))
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

protocol FetchTesting: Sendable {}

struct Fetching {
    let desk: Desk

    /// Fetches a document by the name of the server, with more arguments.
    func callAsFunction(
        _ arguments: String = "", path: String = "/a.bin", to name: String? = "a.bin", pins: String = "--pins $LEAF"
    ) async -> Outcome {
        let file = name.map { "-o @\($0)" } ?? ""
        let place = "$HOST:$PORT\(path) --resolve $HOST:$PORT:127.0.0.1"
        return await desk("fetch https://\(place) --anchors @root.pem \(pins) \(file) \(arguments)")
    }

    @discardableResult func whole(
        of document: [UInt8] = fetchedDocument, _ arguments: String = "", at place: SourceLocation = #_sourceLocation
    ) async -> Outcome {
        let outcome = await self(arguments).expect(.pass, at: place)
        let bytes = try? BoundedFile.bytes(at: desk.files.path + "/a.bin", limit: 1 << 20)
        #expect(bytes == document, "\(outcome)", sourceLocation: place)
        return outcome
    }
}

/// Bytes of which none stands where another could.
let fetchedDocument: [UInt8] = (0..<80_000).map { UInt8(truncatingIfNeeded: ($0 / 2) >> ($0 % 2 == 0 ? 8 : 0)) }

extension FetchTesting {
    var document: [UInt8] { fetchedDocument }

    /// What a line of a ``Desk`` needs to reach its server by name and to keep the document as `a.bin`.
    var kept: String { "--resolve $HOST:$PORT:127.0.0.1 --anchors @root.pem -o @a.bin" }

    func settings(_ answer: @escaping @Sendable (String) -> Responder.Answer, chain: [LabCertificate]? = nil)
        -> TLSServerSettings
    { TLSServerSettings(presenting: chain ?? served).with { $0.application = Responder(answer) } }

    @discardableResult func serving<Value: Sendable>(
        _ answer: @escaping @Sendable (String) -> Responder.Answer,
        _ body: (_ server: LoopbackServer, _ fetch: Fetching, _ files: TemporaryDirectory) async throws -> Value
    ) async throws -> Value {
        try await Desk.serving(.tls(settings(answer))) { desk, server in
            try await body(server, Fetching(desk: desk), desk.files)
        }
    }

    func ranges(_ document: [UInt8], tag: String = "\"v1\"", cutAfter limit: Int? = nil)
        -> @Sendable (String) -> Responder.Answer
    {
        { request in
            let lines = request.split(separator: "\r\n").map(String.init)
            let start = lines.first { $0.hasPrefix("Range: bytes=") }.flatMap { Int($0.dropFirst(13).dropLast()) }
            let isSame = lines.contains("If-Range: \(tag)")
            guard let start, isSame else {
                let head = "HTTP/1.1 200 OK\nContent-Length: \(document.count)\nETag: \(tag)"
                let count = min(limit ?? document.count, document.count)
                return Responder.Answer(head, document.prefix(count), count < document.count ? .cut : .goodbye)
            }
            let rest = document.dropFirst(start)
            let end = limit.map { min(rest.count, $0) } ?? rest.count
            return Responder.Answer(
                "HTTP/1.1 206 Partial\nETag: \(tag)\nContent-Length: \(rest.count)\n"
                    + "Content-Range: bytes \(start)-\(document.count - 1)/\(document.count)", rest.prefix(end),
                end < rest.count ? .cut : .goodbye)
        }
    }

    func path(_ files: TemporaryDirectory, _ name: String) -> String { "\(files.path)/\(name)" }

    func bytes(_ files: TemporaryDirectory, _ name: String) -> [UInt8]? {
        try? BoundedFile.bytes(at: self.path(files, name), limit: 1 << 20)
    }
}

import LoopbackLab
import Machine
import PinCheckCLI
import Pinning
import Synchronization
import Testing

/// Downloads, as whole command lines.
@Suite(.endsSomeTime) struct FetchCommandTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName
    /// Bytes of which none stands where another could.
    let document = (0..<40_000).flatMap { [UInt8($0 >> 8 & 255), UInt8($0 & 255)] }

    init() throws {
        pki = try .shared()
    }

    /// Runs with a server, a command line up to its URL's path that accepts it, and a directory with the root in it.
    private func serving<Value: Sendable>(
        chain: [LabCertificate]? = nil,
        _ answer: @escaping @Sendable (String) -> Responder.Answer,
        _ body: (_ server: LoopbackServer, _ fetch: Fetching, _ files: TemporaryDirectory) async throws -> Value
    ) async throws -> Value {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let settings = TLSServerSettings(presenting: chain ?? [pki.leaf, pki.interA]).with {
                $0.application = .responds(Responder(answer))
            }
            return try await LoopbackServer.serving(.tls(settings)) { server in
                try await body(
                    server,
                    Fetching(host: host, port: server.port, anchors: anchors, pin: pki.leaf.pin),
                    files
                )
            }
        }
    }

    /// A command line that fetches from the loopback server.
    private struct Fetching {
        let host: String
        let port: UInt16
        let anchors: String
        let pin: String

        func callAsFunction(_ path: String, pins: [String]? = nil, _ arguments: String...) async -> Outcome {
            await pincheck(
                [
                    "fetch", "https://\(host):\(port)\(path)", "--resolve", "\(host):\(port):127.0.0.1", "--anchors",
                    anchors,
                ] + (pins ?? [pin]).flatMap { ["--pins", $0] } + arguments
            )
        }
    }

    /// A server that has the document, with ranges.
    private func ranges(_ document: [UInt8], tag: String = "\"v1\"", cutAfter limit: Int? = nil)
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
                    + "Content-Range: bytes \(start)-\(document.count - 1)/\(document.count)",
                rest.prefix(end),
                end < rest.count ? .cut : .goodbye
            )
        }
    }

    private func path(_ files: TemporaryDirectory, _ name: String) -> String { "\(files.path)/\(name)" }

    private func bytes(_ files: TemporaryDirectory, _ name: String) -> [UInt8]? {
        try? BoundedFile.bytes(at: self.path(files, name), limit: 1 << 20)
    }

    // MARK: The verdict first

    @Test func aDocumentIsThereOnceItIsWhole() async throws {
        try await serving(ranges(document)) { server, fetch, files in
            let path = self.path(files, "a.bin")
            let outcome = await fetch("/a.bin", "-o", path)
            #expect(outcome.status == .pass, "\(outcome)")
            #expect(outcome.output.contains("PASS  https://\(host):\(server.port)/a.bin  78.1 KiB in "))
            #expect(bytes(files, "a.bin") == document)
            #expect(bytes(files, "a.bin.part") == nil && bytes(files, "a.bin.part.record") == nil)
            let json = try JSONValue(await fetch("/a.bin", "-o", path, "--format", "json").output)
            #expect(json["bytes"].number == document.count && json["exit"]["name"].text == "PASS")
            #expect(json["hops"].array.first?["report"]["verdict"].text == "accept")
        }
    }

    @Test func aServerThatIsNotAcceptedIsAskedNothing() async throws {
        try await serving(ranges(document)) { server, fetch, files in
            let path = self.path(files, "a.bin")
            let outcome = await fetch("/a.bin", pins: [pki.rogue.pin], "-o", path, "--header", "Cookie: secret=1")
            #expect(
                outcome.status == .fail && outcome.output.contains("no configured pin is on the chain"),
                "\(outcome)"
            )
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(seen.completedHandshake && seen.applicationBytesReceived == 0 && seen.receivedCloseNotify)
            #expect(bytes(files, "a.bin") == nil && bytes(files, "a.bin.part") == nil)
        }
    }

    @Test func theDocumentAloneGoesToStandardOutput() async throws {
        let text = Array("line one\nline two\n".utf8)
        try await serving(ranges(text)) { _, fetch, _ in
            let outcome = await fetch("/a.txt")
            #expect(
                outcome.output == "line one\nline two\n" && outcome.errors.hasPrefix("PASS  https://"),
                "\(outcome)"
            )
            #expect(await fetch("/a.txt", "--quiet").errors.isEmpty)
        }
    }

    @Test func whatTheUserGivesIsSentAndNothingElse() async throws {
        try await serving(ranges(document)) { server, fetch, files in
            let outcome = await fetch(
                "/a?b=c",
                "-o",
                self.path(files, "a"),
                "--header",
                "Authorization: Bearer x",
                "--header",
                "Host: other.example:99",
                "--verify-name",
                host
            )
            #expect(outcome.status == .pass, "\(outcome)")
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(
                String(decoding: seen.applicationOpening, as: UTF8.self) == """
                    GET /a?b=c HTTP/1.1\r\nHost: other.example:99\r\nUser-Agent: pincheck\r\nAccept: */*\r\n\
                    Authorization: Bearer x\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n
                    """
            )
            #expect(seen.applicationProtocol == nil)
        }
    }

    // MARK: Going on

    @Test func aDownloadThatBreaksOffGoesOn() async throws {
        try await serving(ranges(document, cutAfter: 30_000)) { _, fetch, files in
            let path = self.path(files, "a.bin")
            let first = await fetch("/a.bin", "-o", path)
            #expect(first.status == .unreachable && first.output.contains("30000 bytes of it are kept"), "\(first)")
            #expect(first.output.contains("  the same command goes on with \(path).part\n"))
            #expect(bytes(files, "a.bin.part") == Array(document.prefix(30_000)) && bytes(files, "a.bin") == nil)
            #expect(await fetch("/a.bin", "-o", path).status == .unreachable)
            let last = await fetch("/a.bin", "-o", path)
            #expect(last.status == .pass && last.output.contains("58.6 KiB were there"), "\(last)")
            #expect(bytes(files, "a.bin") == document && bytes(files, "a.bin.part") == nil)
        }
        try await serving(ranges(document, cutAfter: 30_000)) { server, fetch, files in
            // With a retry it goes on by itself, as long as more comes.
            let outcome = await fetch("/a.bin", "-o", self.path(files, "a.bin"), "--retries", "1")
            #expect(outcome.status == .pass && bytes(files, "a.bin") == document, "\(outcome)")
            #expect(await server.connections(ended: 3).count == 3)
        }
    }

    @Test func everyInterruptedDownloadOfADirectoryGoesOn() async throws {
        try await serving(ranges(document, cutAfter: 50_000)) { server, fetch, files in
            for name in ["a.bin", "b.bin"] { _ = await fetch("/\(name)", "-o", self.path(files, name)) }
            _ = try files.write("nothing", to: "c.bin.part")
            let outcome = await pincheck(
                "fetch",
                "--resume-all",
                self.path(files, ""),
                "--resolve",
                "\(host):\(server.port):127.0.0.1",
                "--anchors",
                self.path(files, "anchors.pem"),
                "--pins",
                pki.leaf.pin
            )
            #expect(outcome.status == .pass, "\(outcome)")
            #expect(bytes(files, "a.bin") == document && bytes(files, "b.bin") == document)
            let nothing = await pincheck("fetch", "--resume-all", self.path(files, ""))
            #expect(
                nothing.status == .noInput && nothing.errors.contains("no download was interrupted in"),
                "\(nothing)"
            )
        }
    }

    @Test func anotherDocumentIsFetchedFromTheBeginning() async throws {
        let other = document.map { ~$0 }
        let isChanged = Atomic(false)
        let (old, new) = (ranges(document, cutAfter: 30_000), ranges(other, tag: "\"v2\""))
        try await serving({ isChanged.load(ordering: .relaxed) ? new($0) : old($0) }) { _, fetch, files in
            let path = self.path(files, "a.bin")
            #expect(await fetch("/a.bin", "-o", path).status == .unreachable)
            isChanged.store(true, ordering: .relaxed)
            let outcome = await fetch("/a.bin", "-o", path)
            #expect(outcome.status == .pass && bytes(files, "a.bin") == other, "\(outcome)")
            #expect(outcome.output.contains("  note: the document changed since it was begun"))
        }
    }

    @Test func whatCannotBeToldFromAnotherIsFetchedAnew() async throws {
        let document = document
        try await serving({ request in
            request.contains("Range:")
                ? Responder.Answer("HTTP/1.1 500 Asked for a part")
                : Responder.Answer(
                    "HTTP/1.1 200 OK\nETag: W/\"weak\"\nContent-Length: \(document.count)",
                    document.prefix(request.contains("/cut") ? 10_000 : document.count),
                    .cut
                )
        }) { _, fetch, files in
            let first = await fetch("/cut", "-o", self.path(files, "a.bin"))
            #expect(first.status == .unreachable && !first.output.contains("goes on"), "\(first)")
            let outcome = await fetch("/a.bin", "-o", self.path(files, "a.bin"))
            #expect(outcome.status == .pass && bytes(files, "a.bin") == document, "\(outcome)")
        }
    }

    @Test(arguments: [
        ("bytes 0-79999/80000", "answer wrong-range"), ("bytes 30001-79999/80000", "answer wrong-range"),
        ("bytes 30000-79999/79999", "answer wrong-range"), ("octets 30000-79999/80000", "answer wrong-range"),
        ("bytes 30000-29999/80000", "answer wrong-range"), ("bytes */80000", "answer wrong-range"),
        ("", "answer wrong-range"), ("bytes 30000-79999/80000", "pass complete"),
        ("bytes 30000-79999/*", "pass complete"),
    ])
    func aServerThatLiesAboutRangesIsCaught(range: String, decision: String) async throws {
        let document = document
        try await serving({ request in
            guard request.contains("Range: bytes=30000-") else {
                let head = "HTTP/1.1 200 OK\nContent-Length: \(document.count)\nETag: \"v1\""
                return Responder.Answer(head, document.prefix(30_000), .cut)
            }
            let field = range.isEmpty ? "" : "\nContent-Range: \(range)"
            return Responder.Answer("HTTP/1.1 206 Part\nContent-Length: 50000" + field, document.dropFirst(30_000))
        }) { _, fetch, files in
            _ = await fetch("/a.bin", "-o", self.path(files, "a.bin"))
            let outcome = await fetch("/a.bin", "-o", self.path(files, "a.bin"), "--format", "json")
            #expect(outcome.decision == decision, "\(outcome)")
            #expect(bytes(files, "a.bin.part") == (outcome.status == .pass ? nil : Array(document.prefix(30_000))))
            #expect(bytes(files, "a.bin") == (outcome.status == .pass ? document : nil))
        }
    }

    @Test func aWholeFileThatWasNotNamedYetIsNotAskedForAgain() async throws {
        let document = document
        try await serving({ request in
            request.contains("Range: bytes=80000-")
                ? Responder.Answer("HTTP/1.1 416 No\nContent-Range: bytes */80000\nContent-Length: 0\nETag: \"v1\"")
                : Responder.Answer("HTTP/1.1 200 OK\nContent-Length: 90000\nETag: \"v1\"", document, .cut)
        }) { server, fetch, files in
            #expect(await fetch("/a.bin", "-o", self.path(files, "a.bin")).status == .unreachable)
            let record = "pincheck download 1\nurl https://\(host):\(server.port)/a.bin\netag \"v1\"\nlength 80000\n"
            _ = try files.write(record, to: "a.bin.part.record")
            let outcome = await fetch("/a.bin", "-o", self.path(files, "a.bin"))
            #expect(outcome.status == .pass && bytes(files, "a.bin") == document, "\(outcome)")
        }
    }

    // MARK: Redirects

    private func redirecting(_ places: [String: String]) -> @Sendable (String) -> Responder.Answer {
        let whole = ranges(document)
        return { request in
            let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            guard let place = places[path] else { return whole(request) }
            return Responder.Answer("HTTP/1.1 302 Found\nLocation: \(place)\nContent-Length: 0")
        }
    }

    @Test(arguments: [
        ("/one", "pass complete"), ("/up", "pass complete"), ("/round", "answer too-many-redirects"),
        ("/plain", "fail plain-redirect"), ("/file", "answer bad-redirect"), ("/nowhere", "answer unexpected-status"),
    ])
    func redirectsAreFollowedAsFarAsTheyMayBe(path: String, decision: String) async throws {
        let places = [
            "/one": "/two?a b", "/up": "x/../../deep/./a.bin#there", "/round": "/round", "/plain": "http://\(host)/",
            "/file": "file:///etc/passwd",
        ]
        let redirecting = redirecting(places)
        try await serving({ request in
            request.contains("/nowhere")
                ? Responder.Answer("HTTP/1.1 302 Found\nContent-Length: 0") : redirecting(request)
        }) { server, fetch, files in
            let outcome = await fetch(path, "-o", self.path(files, "a.bin"), "--format", "json", "--max-redirs", "3")
            #expect(outcome.decision == decision, "\(outcome)")
            #expect(bytes(files, "a.bin") == (outcome.status == .pass ? document : nil))
            let asked = server.connections.map { String(decoding: $0.applicationOpening, as: UTF8.self) }
            if path == "/one" { #expect(asked.last?.hasPrefix("GET /two?a%20b HTTP/1.1\r\n") == true) }
            if path == "/up" { #expect(asked.last?.hasPrefix("GET /deep/a.bin HTTP/1.1\r\n") == true) }
        }
    }

    @Test func aRedirectIsJudgedByThePinsForItsHost() async throws {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let other = try pki.interA.issue(.leaf("other.example.com"))
            let whole = ranges(document)
            let there = TLSServerSettings(presenting: [other, pki.interA]).with {
                $0.application = .responds(Responder(whole))
            }
            try await LoopbackServer.serving(.tls(there)) { target in
                let place = "https://other.example.com:\(target.port)/a.bin"
                let here = TLSServerSettings(presenting: [pki.leaf, pki.interA]).with {
                    $0.application = .responds(
                        Responder { _ in Responder.Answer("HTTP/1.1 307 There\nLocation: \(place)\nContent-Length: 0") }
                    )
                }
                try await LoopbackServer.serving(.tls(here)) { server in
                    func policy(_ pins: String?) -> String {
                        let rest = pins.map { ", \"other.example.com:\(target.port)\": { pins: [\"\($0)\"] }" } ?? ""
                        return "{ hosts: { \"\(host)\": { pins: [\"\(pki.leaf.pin)\"] }\(rest) } }"
                    }
                    func fetch(_ pins: String?, _ more: String...) async throws -> Outcome {
                        let file = try files.write(policy(pins), to: "policy.json5")
                        return await pincheck(
                            [
                                "fetch", "https://\(host):\(server.port)/", "-o", self.path(files, "a.bin"), "--policy",
                                file,
                                "--resolve", "\(host):\(server.port):127.0.0.1", "--resolve",
                                "other.example.com:\(target.port):127.0.0.1", "--anchors", anchors, "--header",
                                "Authorization: Basic eDp5", "--format", "json",
                            ] + more
                        )
                    }
                    let unpinned = try await fetch(nil)
                    #expect(unpinned.decision == "fail unpinned-redirect", "\(unpinned)")
                    #expect(target.connections.isEmpty)
                    let rejected = try await fetch(pki.leaf.pin)
                    try #require(rejected.decision == "fail pin-mismatch", "\(rejected)")
                    #expect(await target.connections(ended: 1).last?.applicationBytesReceived == 0)
                    let accepted = try await fetch(other.pin)
                    try #require(accepted.decision == "pass complete", "\(accepted)")
                    #expect(bytes(files, "a.bin") == document)
                    // What proves who asks stays with the first.
                    let asked = try #require(await target.connections(ended: 2).last?.applicationOpening)
                    #expect(!String(decoding: asked, as: UTF8.self).contains("Authorization"))
                    let followed = try await fetch(nil, "--follow-unpinned")
                    #expect(followed.decision == "pass complete", "\(followed)")
                }
            }
        }
    }

    // MARK: Odd answers

    @Test(arguments: [
        ("HTTP/1.1 404 Gone\nContent-Length: 0", Responder.Answer.Ending.goodbye, "answer unexpected-status"),
        ("HTTP/1.1 204 Nothing", .goodbye, "answer unexpected-status"),
        ("SSH-2.0-OpenSSH", .goodbye, "unreachable broken-off"),
        ("HTTP/1.1 200 OK\nContent-Length: 5\nContent-Length: 6", .goodbye, "unreachable broken-off"),
        ("HTTP/1.1 200 OK\nContent-Length: -1", .goodbye, "unreachable broken-off"),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked", .goodbye, "unreachable broken-off"),
        ("HTTP/1.1 200 OK\nContent-Length: 10", .goodbye, "unreachable broken-off"),
        ("HTTP/1.1 200 OK\nContent-Length: 10", .cut, "unreachable broken-off"),
        ("HTTP/1.1 200 OK", .cut, "unreachable broken-off"), ("HTTP/1.1 200 OK", .goodbye, "pass complete"),
        ("HTTP/1.1 101 Switch", .goodbye, "unreachable broken-off"),
    ])
    func anAnswerThatIsNoDocumentIsSaidToBeNone(
        head: String,
        ending: Responder.Answer.Ending,
        decision: String
    ) async throws {
        try await serving({ _ in Responder.Answer(head, [], ending) }) { _, fetch, files in
            let outcome = await fetch("/a.bin", "-o", self.path(files, "a.bin"), "--format", "json")
            #expect(outcome.decision == decision, "\(outcome)")
            #expect(bytes(files, "a.bin") == (outcome.status == .pass ? [] : nil))
        }
    }

    @Test func headsAndChunksWithoutEndAreGivenUp() async throws {
        let endless: [[UInt8]] = [
            Array("HTTP/1.1 200 OK\r\n".utf8) + Array(String(repeating: "A: b\r\n", count: 100_000).utf8),
            Array(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 40_000).utf8),
            Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;".utf8)
                + [UInt8](repeating: 97, count: 900_000),
        ]
        for bytes in endless {
            try await serving({ _ in Responder.Answer(bytes, .silence) }) { _, fetch, files in
                let outcome = await fetch("/a.bin", "-o", self.path(files, "a.bin"), "--format", "json")
                #expect(outcome.decision == "unreachable broken-off", "\(outcome)")
            }
        }
    }

    @Test func aSilentServerIsLeft() async throws {
        try await serving({ _ in Responder.Answer([], .silence) }) { _, fetch, files in
            let outcome = await fetch("/a.bin", "-o", self.path(files, "a.bin"), "--timeout", "2")
            #expect(outcome.status == .unreachable && outcome.output.contains("the server did not answer in time"))
        }
        let head = "HTTP/1.1 200 OK\nContent-Length: 100"
        try await serving({ _ in Responder.Answer(head, [1, 2, 3], .silence) }) { _, fetch, files in
            let outcome = await fetch("/a.bin", "-o", self.path(files, "a.bin"), "--speed-time", "1")
            #expect(outcome.status == .unreachable && outcome.output.contains("too little for 1 s"), "\(outcome)")
        }
    }

    @Test func aChunkedDocumentIsPutTogether() async throws {
        let document = document
        try await serving({ _ in
            let chunks = stride(from: 0, to: document.count, by: 7_000).map {
                document[$0..<min($0 + 7_000, document.count)]
            }
            let body = chunks.flatMap { (chunk: ArraySlice<UInt8>) -> [UInt8] in
                Array("\(String(chunk.count, radix: 16));x=y\r\n".utf8) + Array(chunk) + [13, 10]
            }
            return Responder.Answer(
                "HTTP/1.1 200 OK\nTransfer-Encoding: chunked",
                body + Array("0\r\nA: b\r\n\r\n".utf8)
            )
        }) { _, fetch, files in
            #expect(await fetch("/a.bin", "-o", self.path(files, "a.bin")).status == .pass)
            #expect(bytes(files, "a.bin") == document)
        }
    }

    @Test func theHashDecides() async throws {
        try await serving(ranges(Array("abc".utf8))) { _, fetch, files in
            let right = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            #expect(await fetch("/", "-o", self.path(files, "a"), "--sha256", right).status == .pass)
            let wrong = await fetch(
                "/",
                "-o",
                self.path(files, "b"),
                "--sha256",
                String(right.reversed()),
                "--format",
                "json"
            )
            #expect(wrong.decision == "answer wrong-hash" && bytes(files, "b") == nil && bytes(files, "b.part") == nil)
        }
    }

    @Test func twoRunsDoNotWriteOneFile() async throws {
        let document = document
        try await serving({ _ in
            Responder.Answer("HTTP/1.1 200 OK\nETag: \"v1\"\nContent-Length: 90000", document, .silence)
        }) { server, fetch, files in
            let path = self.path(files, "a.bin")
            async let first = fetch("/a.bin", "-o", path, "--speed-time", "3")
            while bytes(files, "a.bin.part")?.count != document.count { await Task.yield() }
            let second = await fetch("/a.bin", "-o", path)
            #expect(second.status == .inputOutput && second.output.contains("another run is writing it"), "\(second)")
            #expect(server.connections.count == 1)
            #expect(await first.status == .unreachable)
        }
    }

    @Test(arguments: [
        (["https://a.example/", "-O"], "names no file"), (["https://a.example/..", "-O"], "names no file"),
        (["http://a.example/x"], "is not of https"), ([], "no URL is given"),
        (["https://a.example/x", "-O", "-o", "y"], "both"),
        (["https://a.example/x", "https://a.example/y"], "one on standard output"),
        (["https://a.example/x", "--sha256", "abc"], "is no SHA-256"),
        (["https://a.example/x", "--header", "Range: bytes=0-"], "is pincheck's own"),
        (["https://a.example/x", "--header", "A\u{0A}B: c"], "is none"),
        (["https://a.example/x", "-o", "/tmp"], "directory"),
        (["https://a.example/x", "--alpn", "h2"], "HTTP/1.1"), (["https://a b/x"], "percent-encoded"),
    ])
    func whatCannotBeMeantIsRefused(arguments: [String], words: String) async {
        let outcome = await pincheck(["fetch"] + arguments)
        #expect([.usage, .inputOutput].contains(outcome.status), "\(outcome)")
        #expect((outcome.errors + outcome.output).contains(words), "\(outcome)")
    }

    @Test func theHeadIsShownAlone() async throws {
        try await serving({ _ in Responder.Answer("HTTP/1.1 200 OK\nContent-Length: 5\nX: a\u{9B}2J") }) {
            server,
            fetch,
            _ in
            let outcome = await fetch("/a.bin", "--head")
            #expect(
                outcome.status == .pass && outcome.output.hasPrefix("HTTP/1.1 200 OK\nContent-Length: 5\n"),
                "\(outcome)"
            )
            #expect(!outcome.output.contains("\u{9B}"))
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(String(decoding: seen.applicationOpening, as: UTF8.self).hasPrefix("HEAD /a.bin HTTP/1.1\r\n"))
        }
    }
}

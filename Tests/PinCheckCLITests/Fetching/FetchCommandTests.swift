import LoopbackLab
import Machine
import PinCheckCLI
import Pinning
import Synchronization
import Testing

/// Downloads, as whole command lines.
@Suite(.endsSomeTime) struct FetchCommandTests: FetchTesting {
    let pki: StandardPKI

    init() throws {
        pki = try .shared()
    }

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

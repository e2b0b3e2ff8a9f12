import Foundation
import LoopbackLab
import Base
@testable import PinCheckCLI
import PinChecking
import Pinning
import Synchronization
import Testing

/// Downloads, as whole command lines.
@Suite(.endsSomeTime) struct FetchCommandTests: FetchTesting {
    @Test func aDocumentIsThereOnceItIsWhole() async throws {
        try await serving(ranges(document)) { server, fetch, files in
            await fetch("/a.bin", to: "a.bin").expect(.pass, "PASS  https://\(host):\(server.port)/a.bin  78.1 KiB in ")
            #expect(bytes(files, "a.bin") == document)
            #expect(bytes(files, "a.bin.part") == nil && bytes(files, "a.bin.part.record") == nil)
        }
    }

    @Test func aServerThatIsNotAcceptedIsAskedNothing() async throws {
        try await serving(ranges(document)) { server, fetch, files in
            await fetch("/a.bin", pins: [pki.rogue.pin], to: "a.bin", "--header", "Cookie: secret=1").expect(
                .fail, "no configured pin is on the chain")
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
                outcome.output == "line one\nline two\n" && outcome.errors.hasPrefix("PASS  https://"), "\(outcome)")
            #expect(await fetch("/a.txt", "--quiet").errors.isEmpty)
        }
    }

    @Test(arguments: ["other.example:99", "other.example"]) func whatTheUserGivesIsSentAndNothingElse(name: String)
        async throws
    {
        try await serving(ranges(document)) { server, fetch, files in
            await fetch(
                "/a?b=c", to: "a", "--header", "Authorization: Bearer x", "--header", "Host: " + name, "--verify-name",
                host
            ).expect(.pass)
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(
                String(decoding: seen.applicationOpening, as: UTF8.self) == """
                    GET /a?b=c HTTP/1.1\r\nHost: \(name)\r\nUser-Agent: pincheck\r\nAccept: */*\r\n\
                    Authorization: Bearer x\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n
                    """)
            #expect(seen.applicationProtocol == nil)
        }
    }

    @Test(
        arguments: [
            (0, nil, 0.0, "0 B"), (1_023, 2_048, 0, "1023 B of 2.0 KiB"),
            (1 << 20, 1 << 30, Double(1 << 20), "1.0 MiB of 1.0 GiB, 1.0 MiB/s, 17 min 03 s left"),
            (1 << 20, nil, 2_000, "1.0 MiB, 2.0 KiB/s"), (100, 100, 100, "100 B of 100 B, 100 B/s"),
            (1, 9_000_000_000_000_000_000, 1, "1 B of 7993.6 PiB, 1 B/s"), (0, .max, 300, "0 B of 8192.0 PiB, 300 B/s"),
            (.max, .max, 1e300, "8192.0 PiB of 8192.0 PiB, 888.2 PiB/s"),
        ] as [(Int, Int?, Double, String)]) func progressSaysHowFarItIsHowFastAndHowLongStill(
            count: Int, total: Int?, rate: Double, text: String
        )
    { #expect(DownloadProgress.text(count: count, total: total, rate: rate) == text) }

    @Test func noNumberOfAServerIsTooLargeToBeShown() {
        #expect(readableTime(.seconds(Int64.max)) == "2562047788015215 h 30 min")
        #expect(readableTime(.milliseconds(4_290)) == "4.2 s" && readableTime(.seconds(62)) == "1 min 02 s")
    }

    @Test func aTerminalGetsNothingThatMeansSomethingToIt() async throws {
        let text = "line\r\n\u{1B}]0;title\u{7}\u{9B}2J\tZürich\n"
        try await serving(ranges(Array(text.utf8))) { server, fetch, _ in
            let place = "\(fetch.host):\(fetch.port)"
            for output in [[], ["-o", "-"], ["-o", "/dev/stdout"]] {
                let arguments = [
                    "fetch", "https://\(place)/a", "--resolve", "\(place):127.0.0.1", "--anchors", fetch.anchors,
                ]
                let outcome = await pincheck(arguments + output, isTerminal: true).expect(.pass)
                #expect(outcome.output == "line\n\\u{1B}]0;title\\u{7}\\u{9B}2J\tZürich\n")
                #expect(await pincheck(arguments + output).output == text)
            }
        }
    }

    @Test func aPipeOrADeviceGetsTheBytesAsTheyCome() async throws {
        try await serving(ranges(Array("abc".utf8))) { _, fetch, files in
            let outcome = await fetch("/a.bin", "-o", "/dev/null")
            #expect(outcome.status == .pass && FileKind(at: "/dev/null") == .special, "\(outcome)")
            #expect(FileKind(at: "/dev/null.part") == .absent)
            let file = await fetch("/a.bin", "-o", "/dev/stdout")
            #expect(file.output == "abc" && file.errors.hasPrefix("PASS  "), "\(file)")
            if FileKind(at: "/dev/full") == .special {
                await fetch("/a.bin", "-o", "/dev/full").expect(.inputOutput, "cannot write '/dev/full'")
            }
            let pipe = self.path(files, "pipe")
            try #require(mkfifo(pipe, 0o600) == 0)
            await fetch("/a.bin", "-o", pipe).expect(.inputOutput, errors: "this pipe has no reader")
            #expect(FileKind(at: pipe) == .pipe)
        }
    }

    @Test func anEncodingIsLeftAsItIsAndSaid() async throws {
        try await serving({ _ in
            Responder.Answer("HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: 3", [31, 139, 8])
        }) { _, fetch, files in
            let outcome = await fetch("/a.gz", to: "a.gz").says("  note: the server sent it as gzip, which it still is")
            #expect(outcome.status == .pass && bytes(files, "a.gz") == [31, 139, 8], "\(outcome)")
        }
    }

    @Test func theFilesOfAnUnfinishedDownloadAreNoOtherFiles() async throws {
        try await serving(ranges(document)) { server, fetch, files in
            let url = "https://\(host):\(server.port)/"
            for suffix in [".part", ".part.record"] {
                _ = try files.write(pki.rootA.pem, to: "r.crt" + suffix)
                let read = self.path(files, "r.crt" + suffix)
                await pincheck("fetch", url, "--anchors", read, "-o", self.path(files, "r.crt")).expect(
                    .usage, errors: "is read in this run")
                #expect(bytes(files, "r.crt" + suffix) == Array(pki.rootA.pem.utf8))
            }
            #expect(server.connections.isEmpty)
        }
    }

    @Test func aPasswordInAURLIsNotShown() async {
        await pincheck("fetch", "https://user:secret@host.example/x").expect(
            .usage, errors: "@host.example/x", not: "secret")
        await pincheck("fetch", "https://a.example/x", "-o", "/tmp").expect(.inputOutput, told: "directory")
    }

    @Test func aPortInTheURLWinsOverTheDefaultPort() async throws {
        try await serving(ranges(document)) { server, fetch, files in
            func get(_ authority: String) async -> Outcome {
                await pincheck(
                    "fetch", "https://\(authority)/", "--port", "\(server.port)", "--resolve",
                    "\(host):\(server.port):127.0.0.1", "--connect-to", "\(host):443:127.0.0.1:1", "--anchors",
                    self.path(files, "anchors.pem"), "--pins", pki.leaf.pin, "-o", self.path(files, "a.bin"))
            }
            let named = await get("\(host):443")
            #expect(named.status == .unreachable && server.connections.isEmpty, "\(named)")
            #expect(bytes(files, "a.bin") == nil)
            let other = await get(host)
            #expect(other.status == .pass && bytes(files, "a.bin") == document, "\(other)")
        }
    }
}

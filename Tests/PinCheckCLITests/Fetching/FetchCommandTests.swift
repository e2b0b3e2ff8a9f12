import Base
import Foundation
import LoopbackLab
import PinChecking
import Pinning
import Synchronization
import Testing

@testable import PinCheckCLI

@Suite(.endsSomeTime) struct FetchCommandTests: FetchTesting {
    @Test func aServerThatIsNotAcceptedIsAskedNothing() async throws {
        try await serving(ranges(document)) { server, fetch, files in
            await fetch("--header 'Cookie: secret=1'", pins: "--pins $ROGUE").expect(
                .fail, "no configured pin is on the chain")
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(seen.completedHandshake && seen.applicationOpening.isEmpty && seen.receivedCloseNotify)
            #expect(bytes(files, "a.bin") == nil && bytes(files, "a.bin.part") == nil)
        }
    }

    @Test(arguments: ["other.example:99", "other.example"]) func onlyWhatIsGivenIsSent(name: String) async throws {
        try await serving(ranges(document)) { server, fetch, files in
            await fetch(
                "--header 'Authorization: Bearer x' --header 'Host: \(name)' --verify-name $HOST", path: "/a?b=c"
            ).expect(.pass)
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(
                seen.request == """
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
        try await serving(ranges(text.bytes)) { server, fetch, _ in
            for output in ["", "-o -", "-o /dev/stdout"] {
                let words = fetch.desk.words(
                    "fetch https://$HOST:$PORT/a --resolve $HOST:$PORT:127.0.0.1 --anchors @root.pem " + output)
                let outcome = await pincheck(words, isTerminal: true).expect(.pass)
                #expect(outcome.output == "line\n\\u{1B}]0;title\\u{7}\\u{9B}2J\tZürich\n")
                #expect(await pincheck(words).output == text)
            }
        }
    }

    @Test func aPipeOrADeviceGetsTheBytesAsTheyCome() async throws {
        try await serving(ranges("abc".bytes)) { _, fetch, files in
            let outcome = await fetch("-o /dev/null", to: nil)
            #expect(outcome.status == .pass && FileKind(at: "/dev/null") == .special, "\(outcome)")
            #expect(FileKind(at: "/dev/null.part") == .absent)
            let file = await fetch("-o /dev/stdout", to: nil)
            #expect(file.output == "abc" && file.errors.hasPrefix("PASS  "), "\(file)")
            if FileKind(at: "/dev/full") == .special {
                await fetch("-o /dev/full", to: nil).expect(.inputOutput, "cannot write '/dev/full'")
            }
            let pipe = self.path(files, "pipe")
            try #require(mkfifo(pipe, 0o600) == 0)
            await fetch(to: "pipe").expect(.inputOutput, errors: "this pipe has no reader")
            #expect(FileKind(at: pipe) == .pipe)
        }
    }

    @Test func anEncodingIsLeftAsItIsAndSaid() async throws {
        try await serving({ _ in
            Responder.Answer("HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: 3", [31, 139, 8])
        }) { _, fetch, files in
            let outcome = await fetch(path: "/a.gz", to: "a.gz").says(
                "  note: the server sent it as gzip, which it still is")
            #expect(outcome.status == .pass && bytes(files, "a.gz") == [31, 139, 8], "\(outcome)")
        }
    }

    @Test func theFilesOfAnUnfinishedDownloadAreNoOtherFiles() async throws {
        try await serving(ranges(document)) { server, fetch, files in
            for suffix in [".part", ".part.record"] {
                try files.write(pki.rootA.pem, to: "r.crt" + suffix)
                await fetch.desk("fetch https://$HOST:$PORT/ --anchors @r.crt\(suffix) -o @r.crt").expect(
                    .usage, errors: "is read in this run")
                #expect(bytes(files, "r.crt" + suffix) == pki.rootA.pem.bytes)
            }
            #expect(server.connections.isEmpty)
        }
    }

    @Test func aPortInTheURLWinsOverTheDefaultPort() async throws {
        try await serving(ranges(document)) { server, fetch, files in
            func get(_ authority: String) async -> Outcome {
                await fetch.desk(
                    "fetch https://\(authority)/ --port $PORT --connect-to $HOST:443:127.0.0.1:1 \(kept) --pins $LEAF")
            }
            let named = await get("$HOST:443")
            #expect(named.status == .unreachable && server.connections.isEmpty, "\(named)")
            #expect(bytes(files, "a.bin") == nil)
            let other = await get("$HOST")
            #expect(other.status == .pass && bytes(files, "a.bin") == document, "\(other)")
        }
    }
}

@Suite(.endsSomeTime) struct FetchRedirectTests: FetchTesting {
    private func redirecting(_ places: [String: String]) -> @Sendable (String) -> Responder.Answer {
        let whole = ranges(document)
        return { request in
            let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            guard let place = places[path] else { return whole(request) }
            return Responder.Answer("HTTP/1.1 302 Found\nLocation: \(place)\nContent-Length: 0")
        }
    }

    @Test(arguments: [
        ("/one", ExitStatus.pass, "78.1 KiB"), ("/up", .pass, "78.1 KiB"),
        ("/round", .answer, "redirects more than 3 times"), ("/plain", .fail, "/, without TLS"),
        ("/file", .answer, "which is not an http or https URL"), ("/nowhere", .answer, "the server answers 302 Found"),
    ]) func redirectsAreFollowedAsFarAsTheyMayBe(path: String, status: ExitStatus, words: String) async throws {
        let places = [
            "/one": "/two?a b", "/up": "x/../../deep/./a.bin#there", "/round": "/round", "/plain": "http://\(host)/",
            "/file": "file:///etc/passwd",
        ]
        let redirecting = redirecting(places)
        try await serving({ request in
            request.contains("/nowhere")
                ? Responder.Answer("HTTP/1.1 302 Found\nContent-Length: 0") : redirecting(request)
        }) { server, fetch, files in
            let outcome = await fetch("--max-redirs 3", path: path).expect(status, words)
            #expect(bytes(files, "a.bin") == (outcome.status == .pass ? document : nil))
            let asked = server.connections.map(\.request)
            if path == "/one" { #expect(asked.last?.hasPrefix("GET /two?a%20b HTTP/1.1\r\n") == true) }
            if path == "/up" { #expect(asked.last?.hasPrefix("GET /deep/a.bin HTTP/1.1\r\n") == true) }
        }
    }

    @Test func whatCameFromOneHostIsNotGoneOnWithFromAnother() async throws {
        let place = Mutex("")
        let leaf = try pki.interA.issue(.leaf("other.test"))
        let answers = ranges(document, cutAfter: 30_000)
        try await LoopbackServer.serving(.tls(settings(answers, chain: [leaf, pki.interA]))) { second in
            try await serving({ request in
                guard request.hasPrefix("GET /a ") else { return answers(request) }
                return Responder.Answer("HTTP/1.1 302 There\nContent-Length: 0\nLocation: \(place.withLock { $0 })", [])
            }) { server, fetch, files in
                func run(_ last: String) async -> Outcome {
                    place.withLock { $0 = last }
                    return await fetch("--resolve other.test:\(second.port):127.0.0.1 --pins \(leaf.pin)", path: "/a")
                }
                let own = "https://\(host):\(server.port)/b"
                await run(own).expect(.unreachable)
                await run("https://other.test:\(second.port)/b").says("30000 bytes of it are kept")
                await run(own).says("30000 bytes of it are kept")
                #expect(await second.connections(ended: 1).allSatisfy { !$0.request.contains("Range:") })
            }
        }
    }

    /// An entity tag tells versions of one document apart, not documents.
    @Test func aDocumentIsNotGoneOnWithFromAnotherOnes() async throws {
        let other = document.map { ~$0 }
        let hasMoved = Mutex(false)
        let (first, second) = (ranges(document, cutAfter: 30_000), ranges(other))
        try await serving({ request in
            guard request.hasPrefix("GET /a.bin ") else { return second(request) }
            return hasMoved.withLock { $0 }
                ? Responder.Answer("HTTP/1.1 302 There\nContent-Length: 0\nLocation: /b") : first(request)
        }) { _, fetch, files in
            await fetch().expect(.unreachable)
            hasMoved.withLock { $0 = true }
            await fetch().expect(.pass)
            #expect(bytes(files, "a.bin") == other)
            await fetch("--connect 127.0.0.1:1").expect(.usage, "is fetched from one address")
        }
    }

    @Test func aURLThatNoPolicyNamesIsNotFetchedWithoutPins() async throws {
        try await Desk.serving(.tls(settings(ranges(document)))) { desk, _ in
            for (entry, place) in [("elsewhere.test", "$HOST:$PORT"), ("$HOST:1", "$HOST:$PORT"), ("$HOST", "$SERVER")]
            {
                try desk.write("{ hosts: { '\(entry)': { pins: ['$LEAF'] } } }", to: "policy.json5")
                let line = "fetch https://\(place)/a.bin \(kept) --policy @policy.json5 --host $HOST"
                await desk(line).expect(.usage, errors: " is not in the policy ")
                #expect(bytes(desk.files, "a.bin") == nil)
                await desk(line + " --pins $LEAF").expect(.pass)
                try FileManager.default.removeItem(atPath: path(desk.files, "a.bin"))
            }
            // A limit of the policy holds here, too.
            try desk.write("{ hosts: { '$HOST': { pins: '$LEAF', failBefore: '9999d' } } }", to: "policy.json5")
            await desk("fetch https://$HOST:$PORT/a.bin \(kept) --policy @policy.json5").expect(.fail, "9999d")
            #expect(bytes(desk.files, "a.bin") == nil)
        }
    }

    @Test func aRedirectIsJudgedByThePinsForItsHost() async throws {
        let other = try pki.interA.issue(.leaf("other.example.com"))
        try await LoopbackServer.serving(.tls(settings(ranges(document), chain: [other, pki.interA]))) { target in
            let place = "other.example.com:\(target.port)"
            let here = settings { _ in
                Responder.Answer("HTTP/1.1 307 There\nLocation: https://\(place)/a.bin\nContent-Length: 0")
            }
            try await Desk.serving(.tls(here)) { desk, _ in
                func fetch(_ pin: String?, client: String = "") async throws -> Outcome {
                    let rest = pin.map { ", '\(place)': { pins: ['\($0)'] }" } ?? ""
                    try desk.write("{ \(client)hosts: { '$HOST': { pins: ['$LEAF'] }\(rest) } }", to: "policy.json5")
                    return await desk(
                        "fetch https://$HOST:$PORT/ \(kept) --policy @policy.json5 --resolve \(place):127.0.0.1 "
                            + "--header 'Authorization: Basic eDp5'")
                }
                try await fetch(nil).expect(.fail, "whose host has no pins")
                #expect(target.connections.isEmpty)
                // Who is told of a host that was never named is told how it came to be asked.
                try await fetch("$LEAF").expect(
                    .fail, "no configured pin is on the chain", starting: desk.expand("  307  https://$HOST:$PORT/\n"))
                #expect(await target.connections(ended: 1).last?.applicationOpening.isEmpty == true)
                try await fetch(other.pin).expect(.pass)
                #expect(bytes(desk.files, "a.bin") == document)
                // What proves who asks stays with the first.
                let asked = try #require(await target.connections(ended: 2).last?.applicationOpening)
                #expect(!String(decoding: asked, as: UTF8.self).contains("Authorization"))
                // A pin that is not why it is accepted is none.
                try await fetch("$OTHER", client: "defaults: { client: 'trustkit:no-enforce' }, ").expect(
                    .fail, "whose host has no pins")
                #expect(await target.connections(ended: 3).last?.applicationOpening.isEmpty == true)
            }
        }
    }
}

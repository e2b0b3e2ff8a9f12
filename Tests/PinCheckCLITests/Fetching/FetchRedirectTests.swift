import Foundation
import LoopbackLab
import Base
import PinCheckCLI
import Pinning
import Synchronization
import Testing

/// Redirects, each of which is judged anew.
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
        ("/file", .answer, "which is no http or https URL"), ("/nowhere", .answer, "the server answers 302 Found"),
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
            let outcome = await fetch(path, to: "a.bin", "--max-redirs", "3").expect(status, words)
            #expect(bytes(files, "a.bin") == (outcome.status == .pass ? document : nil))
            let asked = server.connections.map { String(decoding: $0.applicationOpening, as: UTF8.self) }
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
                    return await fetch(
                        "/a", pins: [pki.leaf.pin, leaf.pin], to: "a", "--resolve",
                        "other.test:\(second.port):127.0.0.1")
                }
                let own = "https://\(host):\(server.port)/b"
                #expect(await run(own).status == .unreachable)
                await run("https://other.test:\(second.port)/b").says("30000 bytes of it are kept")
                await run(own).says("30000 bytes of it are kept")
                #expect(
                    await second.connections(ended: 1).allSatisfy {
                        !String(decoding: $0.applicationOpening, as: UTF8.self).contains("Range:")
                    })
            }
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
                #expect(await target.connections(ended: 1).last?.applicationBytesReceived == 0)
                try await fetch(other.pin).expect(.pass)
                #expect(bytes(desk.files, "a.bin") == document)
                // What proves who asks stays with the first.
                let asked = try #require(await target.connections(ended: 2).last?.applicationOpening)
                #expect(!String(decoding: asked, as: UTF8.self).contains("Authorization"))
                // A pin that is not why it is accepted is none.
                try await fetch("$OTHER", client: "defaults: { client: 'trustkit:no-enforce' }, ").expect(
                    .fail, "whose host has no pins")
                #expect(await target.connections(ended: 3).last?.applicationBytesReceived == 0)
            }
        }
    }
}

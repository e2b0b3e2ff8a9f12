import Foundation
import LoopbackLab
import Base
import PinCheckCLI
import Pinning
import Synchronization
import Testing

/// Redirects, each of which is judged anew.
@Suite(.endsSomeTime) struct FetchRedirectTests: FetchTesting {
    let pki: StandardPKI

    init() throws { pki = try .shared() }

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
            let outcome = await fetch(path, "-o", self.path(files, "a.bin"), "--max-redirs", "3").expect(status, words)
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
        let other = TLSServerSettings(presenting: [leaf, pki.interA]).with {
            $0.application = .responds(Responder(answers))
        }
        try await LoopbackServer.serving(.tls(other)) { second in
            try await serving({ request in
                guard request.hasPrefix("GET /a ") else { return answers(request) }
                return Responder.Answer("HTTP/1.1 302 There\nContent-Length: 0\nLocation: \(place.withLock { $0 })", [])
            }) { server, fetch, files in
                func run(_ last: String) async -> Outcome {
                    place.withLock { $0 = last }
                    return await fetch(
                        "/a", pins: [pki.leaf.pin, leaf.pin], "-o", path(files, "a"), "--resolve",
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
        try await serving(ranges(document)) { server, fetch, files in
            for (entry, url) in [
                ("elsewhere.test", "https://\(host):\(server.port)/a.bin"),
                ("\(host):1", "https://\(host):\(server.port)/a.bin"), (host, "https://127.0.0.1:\(server.port)/a.bin"),
            ] {
                let text = #"{ hosts: { "\#(entry)": { pins: ["\#(pki.leaf.pin)"] } } }"#
                let policy = try files.write(text, to: "policy.json5")
                let given = [
                    "fetch", url, "-o", path(files, "a.bin"), "--resolve", "\(host):\(server.port):127.0.0.1",
                    "--anchors", fetch.anchors, "--policy", policy, "--host", host,
                ]
                let outcome = await pincheck(given).says(errors: " is not in the policy ")
                #expect(outcome.status == .usage && bytes(files, "a.bin") == nil, "\(outcome)")
                #expect(await pincheck(given + ["--pins", pki.leaf.pin]).status == .pass)
                try FileManager.default.removeItem(atPath: path(files, "a.bin"))
            }
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
                    func policy(_ pins: String?, _ client: String) -> String {
                        let rest = pins.map { ", \"other.example.com:\(target.port)\": { pins: [\"\($0)\"] }" } ?? ""
                        return "{ \(client)hosts: { \"\(host)\": { pins: [\"\(pki.leaf.pin)\"] }\(rest) } }"
                    }
                    func fetch(_ pins: String?, client: String = "") async throws -> Outcome {
                        let file = try files.write(policy(pins, client), to: "policy.json5")
                        return await pincheck([
                            "fetch", "https://\(host):\(server.port)/", "-o", self.path(files, "a.bin"), "--policy",
                            file, "--resolve", "\(host):\(server.port):127.0.0.1", "--resolve",
                            "other.example.com:\(target.port):127.0.0.1", "--anchors", anchors, "--header",
                            "Authorization: Basic eDp5",
                        ])
                    }
                    try await fetch(nil).expect(.fail, "whose host has no pins")
                    #expect(target.connections.isEmpty)
                    let rejected = try await fetch(pki.leaf.pin)
                    // Who is told of a host that was never named is told how it came to be asked.
                    let line = "  307  https://\(host):\(server.port)/\n"
                    try #require(rejected.status == .fail && rejected.output.hasPrefix(line), "\(rejected)")
                    #expect(rejected.output.contains("no configured pin is on the chain"), "\(rejected)")
                    #expect(await target.connections(ended: 1).last?.applicationBytesReceived == 0)
                    let accepted = try await fetch(other.pin)
                    try #require(accepted.status == .pass, "\(accepted)")
                    #expect(bytes(files, "a.bin") == document)
                    // What proves who asks stays with the first.
                    let asked = try #require(await target.connections(ended: 2).last?.applicationOpening)
                    #expect(!String(decoding: asked, as: UTF8.self).contains("Authorization"))
                    // A pin that is not why it is accepted is none.
                    let client = "defaults: { client: 'trustkit:no-enforce' }, "
                    try await fetch(pki.rootB.pin, client: client).expect(.fail, "whose host has no pins")
                    #expect(await target.connections(ended: 3).last?.applicationBytesReceived == 0)
                }
            }
        }
    }
}

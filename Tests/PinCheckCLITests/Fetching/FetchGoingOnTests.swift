import Base
import Foundation
import LoopbackLab
import PinCheckCLI
import Pinning
import Synchronization
import Testing

@Suite(.endsSomeTime) struct FetchGoingOnTests: FetchTesting {
    /// A server that breaks off after 30,000 bytes, and what it gives to who asks for the rest.
    private func begun(_ rest: Responder.Answer) -> @Sendable (String) -> Responder.Answer {
        let whole = ranges(document, cutAfter: 30_000)
        return { $0.contains("Range: bytes=30000-") ? rest : whole($0) }
    }

    @Test func aDownloadThatBreaksOffGoesOn() async throws {
        try await serving(ranges(document, cutAfter: 30_000)) { _, fetch, files in
            let path = self.path(files, "a.bin")
            await fetch().expect(
                .unreachable, "30000 bytes of it are kept", "  the same command goes on with \(path).part\n")
            #expect(bytes(files, "a.bin.part") == Array(document.prefix(30_000)) && bytes(files, "a.bin") == nil)
            await fetch().expect(.unreachable)
            await fetch().expect(.pass, "58.6 KiB were there")
            #expect(bytes(files, "a.bin") == document)
            #expect(bytes(files, "a.bin.part") == nil && bytes(files, "a.bin.part.record") == nil)
        }
        try await serving(ranges(document, cutAfter: 30_000)) { server, fetch, files in
            await fetch.whole("--retries 1")
            #expect(await server.connections(ended: 3).count == 3)
        }
    }

    @Test func whatAnotherServerSentIsNoPartOfTheDocument() async throws {
        // In the first connection somebody is in between, whom the pins would have caught.
        let forged = "EVIL".bytes + document.dropFirst(4)
        let isForged = Atomic(true)
        let (evil, good) = (ranges(forged, cutAfter: 30_000), ranges(document))
        try await serving({ isForged.load(ordering: .relaxed) ? evil($0) : good($0) }) { server, fetch, files in
            let other = "--pins sha256/\(String(repeating: "A", count: 43))="
            for (index, first) in ["", other + " --pins $LEAF"].enumerated() {
                isForged.store(true, ordering: .relaxed)
                await fetch(to: "\(index).bin", pins: first).expect(.unreachable)
                // Of what no pin was for nothing is kept.
                #expect(bytes(files, "\(index).bin.part") == (first.isEmpty ? nil : Array(forged.prefix(30_000))))
                isForged.store(false, ordering: .relaxed)
                let outcome = await fetch(to: "\(index).bin")
                #expect(outcome.status == .pass && bytes(files, "\(index).bin") == document, "\(outcome)")
                #expect(outcome.output.contains("  note: what an earlier run left is") == !first.isEmpty, "\(outcome)")
            }
            let asked = await server.connections(ended: 4).map(\.request)
            #expect(asked.count == 4 && !asked.contains { $0.contains("Range:") })
        }
    }

    @Test func aLengthThatWasSaidOfAnotherAnswerDoesNotCount() async throws {
        let isFirst = Atomic(true)
        try await serving({ _ in
            if isFirst.exchange(false, ordering: .relaxed) {
                return Responder.Answer("HTTP/1.1 200 OK\nContent-Length: 100", document.prefix(50), .cut)
            }
            let chunk = "\(String(document.count, radix: 16))\r\n".bytes + document + "\r\n0\r\n\r\n".bytes
            return Responder.Answer("HTTP/1.1 200 OK\nTransfer-Encoding: chunked", chunk)
        }) { _, fetch, files in await fetch.whole("--retries 1") }
    }

    @Test func aServerThatGivesAByteAtATimeIsAskedNoMoreOftenThanRetriesSay() async throws {
        try await serving(ranges(document, cutAfter: 1)) { server, fetch, files in
            await fetch("--retries 2").expect(.unreachable)
            #expect(await server.connections(ended: 3).count == 3)
            #expect(bytes(files, "a.bin.part")?.count == 3)
        }
    }

    @Test func theRecordOfADownloadIsWrittenThroughNoLink() async throws {
        let place = Mutex("")
        try await serving({ _ in
            // Once pincheck has looked at the directory and asks.
            place.withLock { path in
                _ = try? FileManager.default.createSymbolicLink(
                    atPath: "\(path)/a.bin.part.record", withDestinationPath: "\(path)/elsewhere")
            }
            return Responder.Answer("HTTP/1.1 200 OK\nETag: \"v1\"\nContent-Length: \(document.count)", document)
        }) { _, fetch, files in
            place.withLock { $0 = files.path }
            try files.write("mine", to: "elsewhere")
            await fetch.whole()
            #expect(bytes(files, "elsewhere") == "mine".bytes)
        }
    }

    @Test(
        .enabled(if: geteuid() == 0, "nobody else can give a file away"),
        arguments: ["a.bin.part", "a.bin.part.record"]) func anothersPartIsLeft(name: String) async throws
    {
        try await serving(ranges(document, cutAfter: 30_000)) { _, fetch, files in
            await fetch().expect(.unreachable)
            try #require(chown(self.path(files, name), 65_534, 65_534) == 0)
            await fetch().expect(.inputOutput)
            #expect(bytes(files, "a.bin") == nil)
            #expect(bytes(files, "a.bin.part")?.count == 30_000)
        }
    }

    @Test(arguments: ["a.bin.part", "a.bin.part.record"]) func anotherNamesPartIsLeft(name: String) async throws {
        try await serving(ranges(document, cutAfter: 30_000)) { _, fetch, files in
            await fetch().expect(.unreachable)
            try FileManager.default.linkItem(atPath: self.path(files, name), toPath: self.path(files, "copy"))
            let copy = bytes(files, "copy")
            await fetch().expect(.inputOutput, "\(name)' is not of a download")
            #expect(bytes(files, "a.bin") == nil && bytes(files, "copy") == copy)
        }
    }

    @Test func aPartThatIsExchangedIsNotTheDocument() async throws {
        let place = Mutex("")
        let rest = ranges(document, cutAfter: 50_000)
        try await serving({ request in
            let part = place.withLock { $0 }
            if request.contains("Range:") {
                _ = try? FileManager.default.removeItem(atPath: part)
                _ = FileManager.default.createFile(atPath: part, contents: Data("EVIL".utf8))
            }
            return rest(request)
        }) { _, fetch, files in
            place.withLock { $0 = self.path(files, "a.bin.part") }
            await fetch().expect(.unreachable)
            await fetch().expect(.inputOutput)
            #expect(bytes(files, "a.bin") == nil)
        }
    }

    @Test func anotherDocumentIsFetchedFromTheBeginning() async throws {
        let other = document.map { ~$0 }
        let isChanged = Atomic(false)
        let (old, new) = (ranges(document, cutAfter: 30_000), ranges(other, tag: "\"v2\""))
        try await serving({ isChanged.load(ordering: .relaxed) ? new($0) : old($0) }) { _, fetch, files in
            await fetch().expect(.unreachable)
            isChanged.store(true, ordering: .relaxed)
            await fetch.whole(of: other).says("  note: what an earlier run left is of another document")
        }
    }

    @Test func whatCannotBeToldFromAnotherIsFetchedAnew() async throws {
        try await serving({ request in
            request.contains("Range:")
                ? Responder.Answer("HTTP/1.1 500 Asked for a part")
                : Responder.Answer(
                    "HTTP/1.1 200 OK\nETag: W/\"weak\"\nContent-Length: \(document.count)",
                    document.prefix(request.contains("/cut") ? 10_000 : document.count), .cut)
        }) { _, fetch, files in
            await fetch(path: "/cut").expect(.unreachable, not: "goes on")
            await fetch.whole()
        }
    }

    @Test(arguments: [
        ("bytes 0-79999/80000", ExitStatus.answer), ("bytes 30001-79999/80000", .answer),
        ("bytes 30000-79999/79999", .answer), ("bytes */80000", .answer), ("", .answer),
        ("bytes 30000-79999/80000", .pass), ("bytes 30000-79999/*", .answer), ("bytes 30000-79998/80000", .answer),
    ]) func aServerThatLiesAboutRangesIsCaught(range: String, status: ExitStatus) async throws {
        let field = range.isEmpty ? "" : "\nContent-Range: \(range)"
        let head = "HTTP/1.1 206 Part\nETag: \"v1\"\nContent-Length: 50000" + field
        try await serving(begun(Responder.Answer(head, document.dropFirst(30_000)))) { _, fetch, files in
            _ = await fetch()
            let outcome = await fetch().expect(status)
            #expect(bytes(files, "a.bin.part") == (outcome.status == .pass ? nil : Array(document.prefix(30_000))))
            #expect(bytes(files, "a.bin") == (outcome.status == .pass ? document : nil))
        }
    }

    @Test(arguments: [
        "X-Nothing: 1", "ETag: \"v1\"\nContent-Encoding: gzip",
        "ETag: \"v1\"\nContent-Type: multipart/byteranges; boundary=a",
    ]) func aPartThatIsNotCertainlyOfTheSameDocumentIsNotAdded(fields: String) async throws {
        let (document, other) = (document, document.map { ~$0 })
        let isBegun = Atomic(false)
        try await serving({ request in
            let whole = "HTTP/1.1 200 OK\nContent-Length: 80000\nETag: "
            guard request.contains("Range: bytes=30000-") else {
                return isBegun.exchange(true, ordering: .relaxed)
                    ? Responder.Answer(whole + "\"v2\"", other)
                    : Responder.Answer(whole + "\"v1\"", document.prefix(30_000), .cut)
            }
            let head = "HTTP/1.1 206 Part\nContent-Length: 50000\nContent-Range: bytes 30000-79999/80000\n"
            return Responder.Answer(head + fields, other.dropFirst(30_000))
        }) { _, fetch, files in
            await fetch().expect(.unreachable)
            await fetch.whole(of: other).says("  note: what an earlier run left is of another document")
        }
    }

    @Test(arguments: ["Content-Length: 50001", "Transfer-Encoding: chunked", "Connection: close"])
    func aPartThatIsLongerThanItsRangeIsNotAdded(length: String) async throws {
        let rest = Array(document.dropFirst(30_000)) + [0]
        let body = length.hasSuffix("chunked") ? "c351\r\n".bytes + rest + "\r\n0\r\n\r\n".bytes : rest
        let head = "HTTP/1.1 206 Part\nETag: \"v1\"\nContent-Range: bytes 30000-79999/80000\n" + length
        try await serving(begun(Responder.Answer(head, body))) { _, fetch, files in
            _ = await fetch()
            await fetch().expect(.answer, "another part than")
            let kept = try #require(bytes(files, "a.bin.part"))
            #expect(kept.count >= 30_000 && document.starts(with: kept) && bytes(files, "a.bin") == nil)
        }
    }

    @Test func whatIsNotOfADownloadStaysAsItIs() async throws {
        try await serving(ranges(document)) { server, fetch, files in
            try files.write("mine", to: "a.part")
            try files.write("mine", to: "b.part.record")
            try files.write("mine", to: "c.part")
            try files.write("mine", to: "c.part.record")
            try files.write("mine", to: "target")
            try FileManager.default.createSymbolicLink(
                atPath: self.path(files, "d.part.record"), withDestinationPath: self.path(files, "target"))
            for (name, place) in [
                ("a", "a.part"), ("b", "b.part.record"), ("c", "c.part.record"), ("d", "d.part.record"),
            ] {
                await fetch(to: name).expect(.inputOutput, "\(place)' is not of a download of pincheck: move it away")
                #expect(bytes(files, place) == "mine".bytes && bytes(files, name) == nil)
            }
            #expect(bytes(files, "b.part") == nil && bytes(files, "c.part") == "mine".bytes)
            #expect(server.connections.isEmpty)
            // Nothing is taken away for a document that does not come.
            try files.write("", to: "f.part")
            let broken = await fetch("--pins $ROGUE --connect 127.0.0.1:1", to: "f")
            #expect(
                broken.status != .pass && bytes(files, "f.part") == [] && bytes(files, "f.part.record") == nil,
                "\(broken)")
            // A run that was ended before it had anything left nothing.
            try files.write("", to: "e.part")
            await fetch(to: "e").expect(.pass)
            #expect(bytes(files, "e") == document)
        }
    }

    @Test func aFileKeepsItsPermissionsFromTheFirstByteOn() async throws {
        try await serving(ranges(document, cutAfter: 50_000)) { _, fetch, files in
            let path = self.path(files, "a.bin")
            func mode(_ path: String) throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            }
            try files.write("old", to: "a.bin")
            try FileManager.default.setAttributes([.posixPermissions: 0o4700], ofItemAtPath: path)
            await fetch().expect(.unreachable)
            #expect(try mode(path + ".part") == 0o700 && bytes(files, "a.bin") == "old".bytes)
            // Its URL may be as secret.
            #expect(try mode(path + ".part.record") == 0o600)
            // Also one that was there, and one that takes its place.
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + ".part.record")
            await fetch("--proxy http://127.0.0.1:1").expect(.unreachable)
            #expect(try mode(path + ".part.record") == 0o600)
            await fetch(path: "/a.bin?token=1").expect(.unreachable)
            #expect(try mode(path + ".part.record") == 0o600)
            await fetch(path: "/a.bin?token=1").expect(.pass).says(not: "token")
            #expect(try mode(path) == 0o700 && bytes(files, "a.bin") == document)
        }
    }

    @Test func aWholeFileThatWasNotNamedYetIsNotAskedForAgain() async throws {
        try await serving({ request in
            request.contains("Range: bytes=80000-")
                ? Responder.Answer("HTTP/1.1 416 No\nContent-Range: bytes */80000\nContent-Length: 0\nETag: \"v1\"")
                : Responder.Answer("HTTP/1.1 200 OK\nContent-Length: 90000\nETag: \"v1\"", document, .cut)
        }) { _, fetch, files in
            await fetch().expect(.unreachable)
            let record = String(decoding: try #require(bytes(files, "a.bin.part.record")), as: UTF8.self)
            try files.write(record.replacing("length 90000", with: "length 80000"), to: "a.bin.part.record")
            await fetch.whole()
        }
    }

    @Test func twoRunsDoNotWriteOneFile() async throws {
        try await serving({ _ in
            Responder.Answer("HTTP/1.1 200 OK\nETag: \"v1\"\nContent-Length: 90000", document, .silence)
        }) { server, fetch, files in
            let first = Task { await fetch() }
            while bytes(files, "a.bin.part")?.count != document.count { await Task.yield() }
            await fetch().expect(.inputOutput, "another run is writing it")
            #expect(server.connections.count == 1)
            first.cancel()
            await first.value.expect(.unreachable)
        }
    }
}

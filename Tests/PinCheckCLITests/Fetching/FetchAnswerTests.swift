import LoopbackLab
import Base
import PinCheckCLI
import Pinning
import Synchronization
import Testing

/// Answers that are odd, late or none.
@Suite(.endsSomeTime) struct FetchAnswerTests: FetchTesting {
    let pki: StandardPKI

    init() throws { pki = try .shared() }

    @Test(arguments: [
        ("HTTP/1.1 404 Gone\nContent-Length: 0", Responder.Answer.Ending.goodbye, ExitStatus.answer),
        ("HTTP/1.1 204 Nothing", .goodbye, .answer), ("SSH-2.0-OpenSSH", .goodbye, .unreachable),
        ("HTTP/1.1 200 OK\nContent-Length: 5\nContent-Length: 6", .goodbye, .unreachable),
        ("HTTP/1.1 200 OK\nContent-Length: -1", .goodbye, .unreachable),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked", .goodbye, .unreachable),
        ("HTTP/1.1 200 OK\nContent-Length: 10", .goodbye, .unreachable),
        ("HTTP/1.1 200 OK\nContent-Length: 10", .cut, .unreachable), ("HTTP/1.1 200 OK", .cut, .unreachable),
        ("HTTP/1.1 200 OK", .goodbye, .pass), ("HTTP/1.1 101 Switch", .goodbye, .unreachable),
    ]) func anAnswerThatIsNoDocumentIsSaidToBeNone(head: String, ending: Responder.Answer.Ending, status: ExitStatus)
        async throws
    {
        try await serving({ _ in Responder.Answer(head, [], ending) }) { _, fetch, files in
            let outcome = await fetch("/a.bin", "-o", self.path(files, "a.bin"))
            #expect(outcome.status == status, "\(outcome)")
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
                let outcome = await fetch("/a.bin", "-o", self.path(files, "a.bin"))
                #expect(outcome.status == .unreachable, "\(outcome)")
            }
        }
    }

    @Test func aSilentServerIsLeft() async throws {
        try await serving({ _ in Responder.Answer([], .silence) }) { _, fetch, files in
            let outcome = await fetch("/a.bin", "-o", self.path(files, "a.bin"), "--timeout", "2")
            #expect(outcome.status == .unreachable && outcome.output.contains("the server did not answer in time"))
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
                "HTTP/1.1 200 OK\nTransfer-Encoding: chunked", body + Array("0\r\nA: b\r\n\r\n".utf8))
        }) { _, fetch, files in
            #expect(await fetch("/a.bin", "-o", self.path(files, "a.bin")).status == .pass)
            #expect(bytes(files, "a.bin") == document)
        }
    }

    @Test func theHashDecides() async throws {
        try await serving(ranges(Array("abc".utf8))) { _, fetch, files in
            let right = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            #expect(await fetch("/", "-o", self.path(files, "a"), "--sha256", right).status == .pass)
            let wrong = await fetch("/", "-o", self.path(files, "b"), "--sha256", String(right.reversed()))
            #expect(
                wrong.status == .answer && wrong.output.contains("the document has the SHA-256 \(right)"), "\(wrong)")
            #expect(bytes(files, "b") == nil && bytes(files, "b.part") == nil)
        }
    }
}

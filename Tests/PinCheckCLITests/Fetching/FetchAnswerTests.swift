import LoopbackLab
import Base
import PinCheckCLI
import Testing

/// Answers that are odd, late or none: how they end is proven of `HTTPHandler`, here is what is said.
@Suite(.endsSomeTime) struct FetchAnswerTests: FetchTesting {
    @Test(arguments: [
        (
            "HTTP/1.1 404 Gone\nContent-Length: 0", Responder.Answer.Ending.goodbye, ExitStatus.answer,
            "answers 404 Gone"
        ), ("HTTP/1.1 204 Nothing", .goodbye, .answer, "answers 204 Nothing"),
        ("SSH-2.0-OpenSSH", .goodbye, .unreachable, "does not begin with a status line of HTTP/1"),
        ("HTTP/1.1 200 OK\nContent-Length: 5\nContent-Length: 6", .goodbye, .unreachable, "is not HTTP/1"),
        ("HTTP/1.1 200 OK\nContent-Length: 10", .goodbye, .unreachable, "ended before the answer was complete"),
        ("HTTP/1.1 200 OK", .cut, .unreachable, "ended before the answer was complete"),
        ("HTTP/1.1 200 OK", .goodbye, .pass, "0 B in "), ("", .silence, .unreachable, "did not answer in time"),
    ]) func anAnswerThatIsNoDocumentIsSaidToBeNone(
        head: String, ending: Responder.Answer.Ending, status: ExitStatus, words: String
    ) async throws {
        try await serving({ _ in head.isEmpty ? Responder.Answer([], ending) : Responder.Answer(head, [], ending) }) {
            _, fetch, files in
            let outcome = await fetch("/a.bin", to: "a.bin", "--timeout", ending == .silence ? "2" : "60").expect(
                status, words)
            #expect(bytes(files, "a.bin") == (outcome.status == .pass ? [] : nil))
        }
    }

    @Test func theHashDecides() async throws {
        try await serving(ranges(Array("abc".utf8))) { _, fetch, files in
            let right = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            #expect(await fetch("/", to: "a", "--sha256", right).status == .pass)
            await fetch("/", to: "b", "--sha256", String(right.reversed())).expect(
                .answer, "the document has the SHA-256 \(right)")
            #expect(bytes(files, "b") == nil && bytes(files, "b.part") == nil)
        }
    }
}

import LoopbackLab
import Synchronization
import Testing

@testable import TLSProbe

final class Keeper: HTTPReceiver {
    let head = Mutex<HTTPResponse?>(nil)
    private let bytes = Mutex<[UInt8]>([])
    private let limit: Int

    init(limit: Int = .max) { self.limit = limit }

    var body: [UInt8] { bytes.withLock { $0 } }

    func receive(_ head: HTTPResponse) -> Bool {
        self.head.withLock { $0 = head }
        return true
    }

    func receive(_ more: UnsafeRawBufferPointer) -> Bool {
        bytes.withLock { bytes in
            bytes += more
            return bytes.count < limit
        }
    }
}

func exchange(to keeper: Keeper? = nil, patience: Duration? = .seconds(30)) throws -> HTTPExchange {
    HTTPExchange(HTTPRequest(try HTTPLocation("https://api.example.com/a?b=c")), for: keeper, patience: patience)
}

func server(
    _ application: Responder, delivery: ServerBehavior.Delivery = .immediate,
    _ change: (inout TLSServerSettings) -> Void = { _ in }
) -> ServerBehavior {
    let settings = TLSServerSettings(presenting: served).with { $0.application = application }
    return .tls(settings.with(change), delivery: delivery)
}

func probing<Value: Sendable>(
    _ behavior: ServerBehavior, timeout: Duration = .seconds(60),
    _ body: (Prober, ProbeRequest, LoopbackServer) async throws -> Value
) async throws -> Value {
    try await LoopbackServer.serving(behavior) { server in
        let request = try ProbeRequest(server) { $0.timeout = timeout }
        return try await withProber { prober in try await body(prober, request, server) }
    }
}

/// How the transfer from a server that is accepted ends, and what the server saw.
func fetch(
    _ behavior: ServerBehavior, to keeper: Keeper? = nil, timeout: Duration = .seconds(60),
    patience: Duration? = .seconds(30)
) async throws -> (end: Result<HTTPResponse, HTTPError>, seen: ConnectionObservation) {
    let exchange = try exchange(to: keeper, patience: patience)
    return try await probing(behavior, timeout: timeout) { prober, request, server in
        let end = try await prober.probe(request) { _ in ((), exchange: exchange) }.response
        #expect(prober.attempts.isEmpty)
        return (try #require(end), try #require(await server.connections(ended: 1).first))
    }
}

/// The document that a request brings: it ends where its framing says, whatever a server does.
@Suite(.timeLimit(.minutes(5))) struct HTTPAnswerTests {
    typealias Ending = Responder.Answer.Ending

    private static let fine = "HTTP/1.1 200 Fine\n"
    private static let bare = "HTTP/1.1 200 Fine"
    private static let four = fine + "Content-Length: 4"
    private static let chunked = fine + "Transfer-Encoding: chunked"
    private static let hints = "HTTP/1.1 103 Hints\n\n"
    private static let tooLong = HTTPError.tooLong(limit: HTTPHeadReader.limit)

    private func answer(_ head: String, _ body: some Sequence<UInt8>, _ ending: Ending = .goodbye) -> Responder {
        let answer = Responder.Answer(head, Array(body), ending)
        return Responder { _ in answer }
    }

    /// A head, what follows it, how the connection ends, and the error; without one the document is `abcd` or its first part.
    private static let answers: [(String, String, Ending, HTTPError?)] = [
        (four, "abcd", .cut, nil), (four, "abc", .cut, .cutOff), (four, "abc", .goodbye, .cutOff),
        ("\(fine)Content-Length: 2", "abcd", .goodbye, nil), (bare, "abcd", .goodbye, nil),
        (bare, "abcd", .cut, .cutOff), ("HTTP/1.0 200 Fine", "abcd", .goodbye, nil), (bare, "", .cut, .cutOff),
        ("\(four)\nContent-Length: 4", "abcd", .goodbye, .malformed), ("\(four), 4", "abcd", .goodbye, .malformed),
        ("\(four)\nTransfer-Encoding: chunked", "abcd", .goodbye, .malformed),
        ("\(fine)Content-Length: 99999999999999999999", "abcd", .goodbye, .malformed),
        ("\(fine)Transfer-Encoding: gzip, chunked", "abcd", .goodbye, .malformed),
        ("\(fine)Transfer-Encoding: gzip\nTransfer-Encoding: chunked", "abcd", .goodbye, .malformed),
        ("\(fine)Transfer-Encoding: identity", "abcd", .goodbye, .malformed),
        ("\(four)\nA: \(String(repeating: "b", count: 90_000))", "abcd", .cut, tooLong),
        ("HTTP/1.0 200 Fine\nTransfer-Encoding: chunked", "abcd", .goodbye, .malformed),
        ("RTSP/1.0 200 Fine\nContent-Length: 4", "abcd", .goodbye, .notHTTP),
        ("HTTP/1.1 103 Hints\nA: b\n\nICE/1.0 200 Fine\nContent-Length: 4", "abcd", .goodbye, .notHTTP),
        ("HTTP/1.1 100 Wait\n\n\(hints)RTSP/1.0 200 Fine\nContent-Length: 4", "abcd", .goodbye, .notHTTP),
        ("HTTP/1.1 101 Other\nUpgrade: h2c", "", .goodbye, .malformed),
        ("HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Hints\nLink: x\n\n\(four)", "abcd", .cut, nil),
        // Chunks are taken as they are or not at all.
        (chunked, "4\r\nabcd\r\n0\r\n\r\n", .goodbye, nil),
        (chunked, "4;x=\"y\"\r\nabcd\r\n0\r\nA: b\r\nC: d\r\n\r\n", .goodbye, nil),
        (chunked, "0004\r\nabcd\r\n0\r\n\r\n", .goodbye, nil),
        (chunked, "5\r\nabcd\r\n0\r\n\r\n", .goodbye, .malformed),
        (chunked, "4\r\nabcde\r\n0\r\n\r\n", .goodbye, .malformed),
        (chunked, "g\r\nabcd\r\n0\r\n\r\n", .goodbye, .malformed),
        (chunked, "-4\r\nabcd\r\n0\r\n\r\n", .goodbye, .malformed),
        (chunked, "ffffffffffffffffff\r\nabcd\r\n0\r\n\r\n", .goodbye, .malformed),
        (chunked, "4\r\nabcd\r\n", .goodbye, .cutOff), (chunked, "4\r\nabcd\r\n0\r\n", .goodbye, .cutOff),
        (chunked, "4\r\nab", .goodbye, .cutOff),
        // Heads without a body, and interim ones.
        ("HTTP/1.1 204 None", "garbage", .goodbye, nil),
        ("HTTP/1.1 304 Same\nContent-Length: 9", "garbage", .goodbye, nil),
        ("\(String(repeating: hints, count: 64))\(fine)Content-Length: 0", "", .goodbye, nil),
        ("\(String(repeating: hints, count: 65))\(fine)Content-Length: 0", "", .goodbye, tooLong),
    ]

    @Test(arguments: answers) func anAnswerEndsWhereItsFramingSays(
        head: String, body: String, ending: Ending, error: HTTPError?
    ) async throws {
        let keeper = Keeper()
        #expect(try await fetch(server(answer(head, body.utf8, ending)), to: keeper).end.failure == error)
        guard error == nil else { return }
        let status = head.hasPrefix("HTTP/1.1 204") ? 204 : head.hasPrefix("HTTP/1.1 304") ? 304 : 200
        let count = status > 200 || head.hasSuffix(": 0") ? 0 : head.hasSuffix(": 2") ? 2 : 4
        #expect(keeper.head.withLock { $0?.status } == status)
        #expect(keeper.body == Array("abcd".utf8.prefix(count)))
    }

    @Test(arguments: [
        ("", "A: b\n", tooLong), ("Transfer-Encoding: chunked\n\n1;", "a", .tooMuchOverhead),
        ("Transfer-Encoding: chunked\n\n0\n", "A: b\n", .tooMuchOverhead),
    ]) func headsAndChunksWithoutEndAreGivenUp(start: String, rest: String, error: HTTPError) async throws {
        let text = Self.fine + start + String(repeating: rest, count: 900_000 / rest.count)
        let bytes = text.replacing("\n", with: "\r\n").bytes
        let endless = Responder { _ in Responder.Answer(bytes, .silence) }
        #expect(try await fetch(server(endless), to: Keeper()).end.failure == error)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 Fine\r\nContent-Length: 4\r\n\r\nabcd", true, nil),
        ("HTTP/1.1 200 Fine\r\n\r\nabcd", false, nil),
        ("HTTP/1.1 200 Fine\r\nContent-Length: 5\r\n\r\nabcd", false, HTTPError.cutOff),
        ("220 ready\r\n", false, .notHTTP), ("", false, .closedEarly(received: 0)), ("", true, .deadlineExceeded),
    ]) func withoutTLSToo(text: String, stalls: Bool, error: HTTPError?) async throws {
        let keeper = Keeper()
        let exchange = try exchange(to: keeper)
        let timeout = Duration.seconds(error == .deadlineExceeded ? 1 : 60)
        try await probing(.script(text.bytes, stalls: stalls), timeout: timeout) { prober, request, _ in
            #expect(await prober.exchangePlainly(request, exchange).failure == error)
            #expect(prober.attempts.isEmpty)
        }
        if error == nil { #expect(keeper.body == "abcd".bytes) }
    }

    @Test func aServerThatTalksForEverBeforeItAnswersIsLeft() async throws {
        let tickets = server(answer(Self.fine + "Content-Length: 3", "abc".utf8)) { $0.options["NumTickets"] = "20000" }
        // What comes before anything is asked for has a limit of its own.
        let ends = [HTTPError.tlsFailure(TLSConnection.tooTalkative), .tooLong(limit: TLSHandler.heldLimit)]
        let ofText = [HTTPError.notHTTP, .spokeFirst, .tooLong(limit: TLSHandler.heldLimit)]
        let greeting = Responder.greets("220 ready\r\n".bytes)
        for (behavior, ends) in [
            (tickets, ends), (server(.greets([], .renewsKeys)), ends), (server(.floods), ofText),
            (server(greeting), ofText),
            (server(.answers([0], .repeats([UInt8](repeating: 0, count: 16_384)))), [.notHTTP]),
        ] {
            let failure = try #require(try await fetch(behavior).end.failure)
            #expect(ends.contains(failure), "\(failure)")
        }
    }

    @Test func aServerThatSendsARecordForEachByteIsLeft() async throws {
        let head = "HTTP/1.1 200 Fine\r\nContent-Length: 1000000000\r\n\r\n".bytes
        let keeper = Keeper()
        let end = try await fetch(server(.answers(head, .repeats([0x78]))), to: keeper).end
        guard case .tlsFailure(let reason)? = end.failure else { return #expect(Bool(false), "\(end)") }
        #expect(reason.hasPrefix("the server sent ") && reason.hasSuffix(" of data in them"), "\(reason)")
        // An honest answer may come in small records, a short one in the smallest.
        #expect(keeper.body.count > 1_000)
    }

    @Test func recordsMayBePaddedToTheirMost() async throws {
        let chunks = (0..<100).map { _ in "1\r\nx\r\n" }.joined() + "0\r\n\r\n"
        let keeper = Keeper()
        let behavior = server(answer(Self.chunked, chunks.utf8)) {
            $0.options["RecordPadding"] = "16384"
            $0.options["NumTickets"] = "8"
        }
        #expect(try await fetch(behavior, to: keeper).end.failure == nil)
        #expect(keeper.body == [UInt8](repeating: 0x78, count: 100))
    }

    @Test(arguments: versions) func itComesOverTheConnectionThatWasJudged(version: ServerVersion) async throws {
        let document = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
        let keeper = Keeper()
        let behavior = server(answer(Self.fine + "Content-Length: 300000\nA: b", document)) {
            $0.maximumVersion = version
        }
        let (end, seen) = try await fetch(behavior, to: keeper)
        #expect(end.failure == nil && keeper.body == document)
        let head = try #require(keeper.head.withLock { $0 })
        #expect(head.time > .zero)
        #expect(head.status == 200 && head.statusLine == "HTTP/1.1 200 Fine" && head.value(of: "a") == "b")
        #expect(seen.clientHellos == 1 && seen.receivedCloseNotify)
        #expect(
            String(decoding: seen.applicationOpening, as: UTF8.self) == """
                GET /a?b=c HTTP/1.1\r\nHost: api.example.com\r\nUser-Agent: pincheck\r\nAccept: */*\r\n\
                Connection: close\r\n\r\n
                """)
    }

    @Test func whoWantsNoMoreLeaves() async throws {
        let behavior = server(answer(Self.fine + "Content-Length: 10", [1, 2, 3], .silence))
        let (end, seen) = try await fetch(behavior, to: Keeper(limit: 1))
        #expect(end.failure == .stopped && seen.receivedCloseNotify)
    }

    @Test func aServerThatDoesNotAnswerIsLeftAtTheDeadlineAndASlowOneLater() async throws {
        let clock = ContinuousClock()
        for start in ["", "HTTP/1.1 200 OK\r\nServer: ", "HTTP/1.1 100 Wait\r\n\r\n"] {
            let began = clock.now
            let end = try await fetch(server(.answers(start.bytes, .silence)), timeout: .seconds(1)).end
            #expect(end.failure == .deadlineExceeded && clock.now - began >= .seconds(1))
        }
        let slow = server(answer(Self.fine + "Content-Length: 10", [1], .silence))
        #expect(try await fetch(slow, to: Keeper(), patience: .seconds(2)).end.failure == .tooSlow(.seconds(2)))
    }

    @Test func theHeadIsAllThatIsWaitedFor() async throws {
        for start in ["", "HTTP/1.1 200 OK\r\nContent-Le"] {
            let end = try await fetch(server(.answers(start.bytes))).end
            #expect(end.failure == .closedEarly(received: start.utf8.count))
        }
        // Where the head is all that is wanted, the rest is not waited for.
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".bytes
        for rest in [.silence, .repeats([UInt8](repeating: 0x78, count: 16_384))] as [Ending] {
            let (end, seen) = try await fetch(server(.answers(head, rest)))
            #expect(try end.get().status == 200)
            // A server that never stops sending does not come to the goodbye.
            #expect(seen.receivedCloseNotify || rest != .silence)
        }
    }

    /// Damaged answers over connections of all kinds: each comes to an end, and what is called whole is.
    @Test(arguments: Seeds.sample(16)) func whateverTheServerDoesItEnds(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let document = (0..<2_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        var bytes = "HTTP/1.1 200 Fine\r\nA: b\r\n".bytes
        if Bool.random(using: &generator) {
            bytes += "Transfer-Encoding: chunked\r\n\r\n".bytes
            var rest = document[...]
            while !rest.isEmpty {
                let chunk = rest.prefix(Int.random(in: 1...700, using: &generator))
                bytes += "\(String(chunk.count, radix: 16))\r\n".bytes + chunk + [13, 10]
                rest = rest.dropFirst(chunk.count)
            }
            bytes += "0\r\n\r\n".bytes
        } else {
            bytes += "Content-Length: \(document.count)\r\n\r\n".bytes + document
        }
        let isDamaged = Bool.random(using: &generator)
        if isDamaged { bytes = bytes.damaged(most: 3, length: 1, texts: ["\n", "\r", " ", "1"], using: &generator) }
        let ending = [Ending.goodbye, .cut, .silence].randomElement(using: &generator) ?? .cut
        let isHostile = Bool.random(using: &generator)
        let place = Int.random(in: 0...5_000, using: &generator)
        let delivery = isHostile ? ServerBehavior.Delivery.hostile(at: place, using: &generator) : .immediate
        let application = Responder.answers(bytes, ending)
        let keeper = Keeper()
        let exchange = try exchange(to: keeper, patience: .seconds(1))
        let behavior = server(application, delivery: delivery)
        try await probing(behavior, timeout: .seconds(isHostile ? 2 : 60)) { prober, request, _ in
            let end = try? await prober.probe(request) { _ in ((), exchange: exchange) }.response
            #expect(prober.attempts.isEmpty)
            let what = "\(delivery), \(ending), damaged: \(isDamaged)"
            if case .success = end, !isDamaged { #expect(keeper.body == document, "\(what)") }
            if !isDamaged, !isHostile { #expect(end?.failure == nil && end != nil, "\(what)") }
        }
    }
}

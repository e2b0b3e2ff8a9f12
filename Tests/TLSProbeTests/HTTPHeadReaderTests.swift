import LoopbackLab
import Testing

@testable import TLSProbe

/// The heads of answers, whatever pieces they come in.
@Suite struct HTTPHeadReaderTests {
    typealias Step = HTTPHeadReader.Step

    private static func complete(_ status: Int, _ line: String) -> Step {
        .complete(status: status, statusLine: Array(line.utf8))
    }

    private static let notHTTP = Step.failed(.notHTTP)

    /// What a server sends, and what it is.
    private static let answers: [(String, Step)] = [
        ("HTTP/1.1 200 OK\r\n\r\n", complete(200, "HTTP/1.1 200 OK")),
        ("HTTP/1.0 404 Not Found\r\nServer: x\r\n\r\nbody", complete(404, "HTTP/1.0 404 Not Found")),
        ("HTTP/1.1 503 \r\n\r\n", complete(503, "HTTP/1.1 503 ")),
        // Neither a reason phrase nor the blank before it, as some servers write it.
        ("HTTP/1.1 204\r\n\r\n", complete(204, "HTTP/1.1 204")),
        ("HTTP/1.1 204\r\r\n\r\n", complete(204, "HTTP/1.1 204\r")),
        // A line may end without a carriage return (RFC 9112, 2.2).
        ("HTTP/1.1 200 OK\nA: b\n\n", complete(200, "HTTP/1.1 200 OK")),
        ("HTTP/1.1 200 OK\r\nA: b\r\n\n", complete(200, "HTTP/1.1 200 OK")),
        ("HTTP/1.1 999 \u{1B}[31m\u{202E}\r\n\r\n", complete(999, "HTTP/1.1 999 \u{1B}[31m\u{202E}")),
        // Interim answers.
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n\r\n", complete(201, "HTTP/1.1 201 Created")),
        (
            "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 102\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
            complete(200, "HTTP/1.1 200 OK")
        ), ("HTTP/1.1 101 Switching Protocols\r\n\r\n", complete(101, "HTTP/1.1 101 Switching Protocols")),
        // What goes on.
        ("", .incomplete), ("HTTP/1.1 20", .incomplete), ("HTTP/1.1 200 OK\r\n", .incomplete),
        ("HTTP/1.1 200 OK\r\nA: b\r\n\r", .incomplete), ("HTTP/1.1 200 OK\r\n\r\r\n", .incomplete),
        ("HTTP/1.1 100 Continue\r\n\r\n", .incomplete),
        // What is none.
        ("220 mail.example.com ESMTP\r\n", notHTTP), ("http/1.1 200 OK\r\n\r\n", notHTTP),
        ("HTTP/2 200\r\n\r\n", notHTTP), ("HTTP/2.0 200 OK\r\n\r\n", notHTTP), ("ICY 200 OK\r\n\r\n", notHTTP),
        ("HTTP/1.1  200 OK\r\n\r\n", notHTTP), ("HTTP/1.1\t200 OK\r\n\r\n", notHTTP), ("HTTP/1.1\r\n\r\n", notHTTP),
        ("HTTP/1.1 20 OK\r\n\r\n", notHTTP), ("HTTP/1.1 2000 OK\r\n\r\n", notHTTP),
        ("HTTP/1.1 099 OK\r\n\r\n", notHTTP), ("HTTP/1.1 20x OK\r\n\r\n", notHTTP),
        ("HTTP/1.1 +20 OK\r\n\r\n", notHTTP), ("HTTP/1.1 20\r\n\r\n", notHTTP), ("HTTP/1.x 200 OK\r\n\r\n", notHTTP),
        ("\r\nHTTP/1.1 200 OK\r\n\r\n", notHTTP), (" HTTP/1.1 200 OK\r\n\r\n", notHTTP), ("\u{0}", notHTTP),
        ("HTTP/1.1 100 Continue\r\n\r\nnonsense", notHTTP),
        ("HTTP/1.1 100 Continue\r\n\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", notHTTP),
    ]

    /// Reads pieces one after the other, up to the first that says more than that it goes on.
    private static func read(_ pieces: some Sequence<ArraySlice<UInt8>>) -> Step {
        var reader = HTTPHeadReader()
        for piece in pieces {
            let step = reader.read(piece)
            if step != .incomplete { return step }
        }
        return .incomplete
    }

    @Test(arguments: answers) func aHeadIsWhatItIsInWhateverPiecesItComes(text: String, expected: Step) {
        let bytes = Array(text.utf8)
        #expect(Self.read([bytes[...]]) == expected)
        #expect(Self.read(bytes.indices.map { bytes[$0...$0] }) == expected)
        for place in bytes.indices {
            #expect(Self.read([bytes[..<place], bytes[place...]]) == expected, "at \(place)")
        }
    }

    @Test func bytesThatAreNoTextAreKept() {
        let line = Array("HTTP/1.1 200 ".utf8) + [0xFF, 0x00, 0x80]
        #expect(Self.read([(line + Array("\r\n\r\n".utf8))[...]]) == .complete(status: 200, statusLine: line))
    }

    @Test(arguments: [
        ("HTTP/1.1 200 ", "x", HTTPHeadReader.statusLineLimit), ("HTTP/1.1 200 OK\r\n", "x", HTTPHeadReader.limit),
        ("HTTP/1.1 200 OK\r\n", "A: b\r\n", HTTPHeadReader.limit),
        ("", "HTTP/1.1 100 Continue\r\n\r\n", HTTPHeadReader.limit),
        ("HTTP/1.1 200 OK\r\n", "\r", HTTPHeadReader.limit),
    ]) func whatHasNoEndIsLeftAtItsLimit(start: String, rest: String, limit: Int) {
        var reader = HTTPHeadReader()
        var step = reader.read(start.utf8)
        let piece = Array(String(repeating: rest, count: 100).utf8)
        while step == .incomplete { step = reader.read(piece) }
        #expect(step == .failed(.tooLong(limit: limit)))
        #expect(reader.count <= HTTPHeadReader.limit + 1)
    }

    @Test func theLongestStatusLineIsTaken() {
        let line = Array("HTTP/1.1 200 ".utf8)
        let longest = line + [UInt8](repeating: 0x78, count: HTTPHeadReader.statusLineLimit - line.count)
        #expect(Self.read([(longest + [10, 10])[...]]) == .complete(status: 200, statusLine: longest))
        #expect(
            Self.read([(longest + [0x78, 10, 10])[...]]) == .failed(.tooLong(limit: HTTPHeadReader.statusLineLimit)))
    }

    /// Damaged heads in random pieces: the pieces make no difference, and nothing is an answer that has no status line.
    @Test(arguments: Seeds.sample(200)) func damagedHeadsAreTheSameInAllPieces(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var bytes = Array(Self.answers[Int.random(in: 0..<Self.answers.count, using: &generator)].0.utf8)
        for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert([10, 13, 32, 0x48].randomElement(using: &generator) ?? 10, at: place)
            default: bytes.removeLast(bytes.count - place)
            }
        }
        let whole = Self.read([bytes[...]])
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Int.random(in: 1...9, using: &generator))
            pieces.append(bytes[start..<end])
            start = end
        }
        #expect(Self.read(pieces) == whole)
        if case .complete(let status, let line) = whole {
            #expect(line.starts(with: Array("HTTP/1.".utf8)))
            #expect(String(decoding: line[9..<12], as: UTF8.self) == "\(status)")
            #expect(status == 101 || status >= 200)
        }
    }
}

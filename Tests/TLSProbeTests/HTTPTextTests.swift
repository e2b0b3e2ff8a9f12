import LoopbackLab
import Pinning
import Testing

@testable import TLSProbe

/// The heads of answers, whatever pieces they come in.
@Suite struct HTTPHeadReaderTests {
    typealias Step = HTTPHeadReader.Step

    private static func complete(_ status: Int, _ line: String) -> Step {
        .complete(status: status, statusLine: line.bytes)
    }

    private static let notHTTP = Step.failed(.notHTTP)

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
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n\r\n", complete(201, "HTTP/1.1 201 Created")),
        (
            "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 102\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
            complete(200, "HTTP/1.1 200 OK")
        ), ("HTTP/1.1 101 Switching Protocols\r\n\r\n", complete(101, "HTTP/1.1 101 Switching Protocols")),
        ("", .incomplete), ("HTTP/1.1 20", .incomplete), ("HTTP/1.1 200 OK\r\n", .incomplete),
        ("HTTP/1.1 200 OK\r\nA: b\r\n\r", .incomplete), ("HTTP/1.1 200 OK\r\n\r\r\n", .incomplete),
        ("HTTP/1.1 100 Continue\r\n\r\n", .incomplete), ("220 mail.example.com ESMTP\r\n", notHTTP),
        ("http/1.1 200 OK\r\n\r\n", notHTTP), ("HTTP/2 200\r\n\r\n", notHTTP), ("HTTP/2.0 200 OK\r\n\r\n", notHTTP),
        ("ICY 200 OK\r\n\r\n", notHTTP), ("HTTP/1.1  200 OK\r\n\r\n", notHTTP), ("HTTP/1.1\t200 OK\r\n\r\n", notHTTP),
        ("HTTP/1.1\r\n\r\n", notHTTP), ("HTTP/1.1 20 OK\r\n\r\n", notHTTP), ("HTTP/1.1 2000 OK\r\n\r\n", notHTTP),
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
        let bytes = text.bytes
        #expect(Self.read([bytes[...]]) == expected)
        #expect(Self.read(bytes.indices.map { bytes[$0...$0] }) == expected)
        for place in bytes.indices {
            #expect(Self.read([bytes[..<place], bytes[place...]]) == expected, "at \(place)")
        }
    }

    @Test func bytesThatAreNoTextAreKept() {
        let line = "HTTP/1.1 200 ".bytes + [0xFF, 0x00, 0x80]
        #expect(Self.read([(line + "\r\n\r\n".bytes)[...]]) == .complete(status: 200, statusLine: line))
    }

    @Test(arguments: [
        ("HTTP/1.1 200 ", "x", HTTPHeadReader.statusLineLimit), ("HTTP/1.1 200 OK\r\n", "x", HTTPHeadReader.limit),
        ("HTTP/1.1 200 OK\r\n", "A: b\r\n", HTTPHeadReader.limit),
        ("", "HTTP/1.1 100 Continue\r\n\r\n", HTTPHeadReader.limit),
        ("HTTP/1.1 200 OK\r\n", "\r", HTTPHeadReader.limit),
    ]) func whatHasNoEndIsLeftAtItsLimit(start: String, rest: String, limit: Int) {
        var reader = HTTPHeadReader()
        var step = reader.read(start.utf8)
        let piece = String(repeating: rest, count: 100).bytes
        while step == .incomplete { step = reader.read(piece) }
        #expect(step == .failed(.tooLong(limit: limit)))
        #expect(reader.count <= HTTPHeadReader.limit + 1)
    }

    @Test func theLongestStatusLineIsTaken() {
        let line = "HTTP/1.1 200 ".bytes
        let longest = line + [UInt8](repeating: 0x78, count: HTTPHeadReader.statusLineLimit - line.count)
        #expect(Self.read([(longest + [10, 10])[...]]) == .complete(status: 200, statusLine: longest))
        #expect(
            Self.read([(longest + [0x78, 10, 10])[...]]) == .failed(.tooLong(limit: HTTPHeadReader.statusLineLimit)))
    }

    /// Damaged heads in random pieces: the pieces make no difference, and nothing is an answer that has no status line.
    @Test(arguments: Seeds.sample(200)) func damagedHeadsAreTheSameInAllPieces(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let answer = Array(try #require(Self.answers.randomElement(using: &generator)).0.utf8)
        let bytes = answer.damaged(length: 1, texts: ["\n", "\r", " ", "H"], using: &generator)
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
            #expect(line.starts(with: "HTTP/1.".bytes))
            #expect(String(decoding: line[9..<12], as: UTF8.self) == "\(status)")
            #expect(status == 101 || status >= 200)
        }
    }
}

@Suite struct HTTPLocationTests {
    /// The examples of RFC 3986, 5.4, of which those without an http URL are refused.
    @Test(arguments: [
        ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"), ("g?y", "/b/c/g?y"),
        ("#s", "/b/c/d;p?q"), ("g#s", "/b/c/g"), ("g?y#s", "/b/c/g?y"), (";x", "/b/c/;x"), ("g;x", "/b/c/g;x"),
        ("g;x?y#s", "/b/c/g;x?y"), ("", "/b/c/d;p?q"), (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"), ("../", "/b/"),
        ("../g", "/b/g"), ("../..", "/"), ("../../", "/"), ("../../g", "/g"), ("../../../g", "/g"),
        ("../../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."), (".g", "/b/c/.g"),
        ("g..", "/b/c/g.."), ("..g", "/b/c/..g"), ("./../g", "/b/g"), ("./g/.", "/b/c/g/"), ("g/./h", "/b/c/g/h"),
        ("g/../h", "/b/c/h"), ("g;x=1/./y", "/b/c/g;x=1/y"), ("g;x=1/../y", "/b/c/y"), ("g?y/./x", "/b/c/g?y/./x"),
        ("g?y/../x", "/b/c/g?y/../x"), ("g#s/./x", "/b/c/g"), ("g#s/../x", "/b/c/g"),
    ]) func referencesAreResolvedAsTheStandardHasIt(reference: String, path: String) throws {
        let base = try HTTPLocation("http://a/b/c/d;p?q")
        #expect(try base.following(reference).description == "http://a" + path)
        let secure = try HTTPLocation("https://a:8443/b/c/d;p?q")
        #expect(try secure.following(reference).description == "https://a:8443" + path)
    }

    @Test(arguments: [
        ("//g", "https://g/"), ("//g:99?y", "https://g:99/?y"), ("http://g/x#y", "http://g/x"),
        ("HTTPS://G.example:443/X", "https://g.example/X"), ("https://g?a=b", "https://g/?a=b"),
        ("/x?u=https://other/", "https://a.example/x?u=https://other/"),
        ("x?u=https://other/", "https://a.example/dir/x?u=https://other/"),
        ("/a b\"<>", "https://a.example/a%20b%22%3C%3E"), ("/\u{E4}", "https://a.example/%C3%A4"),
        ("/%2e%2E/x", "https://a.example/%2e%2E/x"), ("./g:h", "https://a.example/dir/g:h"),
        ("/g:h", "https://a.example/g:h"), ("//[::1]/x", "https://[::1]/x"), ("/a//b", "https://a.example/a//b"),
    ]) func aReferenceMayLeadToAnotherServer(reference: String, result: String) throws {
        #expect(try HTTPLocation("https://a.example/dir/page").following(reference).description == result)
    }

    @Test(arguments: [
        (["g:h", "http:g", "file:///etc/passwd", "ftp://g/", "javascript:alert(1)"], "is not an http or https URL"),
        (["https://u:p@g/", "//u@g/"], "holds a user name"), (["https://", "///path"], "names no host"),
        (
            ["0", "x", "65536", "+443", "-1", "", "٣"].map { "https://g:\($0)/" },
            "has no port from 1 to 65535 behind its colon"
        ),
    ]) func whatIsNoPlaceToAskAtIsRefused(references: [String], fact: String) throws {
        let base = try HTTPLocation("https://a.example/")
        for reference in references {
            #expect(throws: Problem.self) { try base.following(reference) }.map {
                #expect($0.reason.prefix { $0 != ":" } == fact)
            }
        }
    }

    @Test func originsAreOfOneSchemeHostAndPort() throws {
        let base = try HTTPLocation("https://a.example/x")
        #expect(try base.hasOrigin(of: HTTPLocation("https://A.example:443/y?z")))
        for other in ["http://a.example/x", "http://a.example:443/x", "https://a.example:444/x", "https://b.example/x"]
        { #expect(try !base.hasOrigin(of: HTTPLocation(other))) }
    }

    @Test(
        arguments: [
            ("bytes 0-0/1", 0, 0, 1), ("bytes 5-9/10", 5, 9, 10), ("BYTES 5-9/*", 5, 9, nil),
            ("bytes */10", nil, nil, 10),
        ] as [(String, Int?, Int?, Int?)]) func rangesAreRead(text: String, first: Int?, last: Int?, total: Int?) throws
    {
        let range = try #require(ContentRange(text))
        #expect(range.bytes?.lowerBound == first && range.bytes?.upperBound == last && range.total == total)
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes 5-9", "bytes 5-9/", "bytes 9-5/10", "bytes 5-10/10", "bytes */*", "bytes -5/10",
        "bytes 5-/10", "bytes 5-9/10/11", "bytes  5-9/10", "bytes 5-9/-1", "bytes +5-9/10", "items 5-9/10",
        "bytes 5-9/99999999999999999999", "bytes 0x5-9/10", "bytes 5-9/10 ",
    ]) func whatContradictsItselfIsNoRange(text: String) { #expect(ContentRange(text) == nil) }
}

/// What a request says: the header of its host, and its path.
@Suite struct HTTPRequestTests {
    @Test(arguments: [
        ("api.example.com", 443, "api.example.com"), ("api.example.com", 8443, "api.example.com:8443"),
        ("203.0.113.7", 443, "203.0.113.7"), ("2001:db8::1", 443, "[2001:db8::1]"),
        ("2001:db8::1", 8443, "[2001:db8::1]:8443"),
    ]) func theHostHeaderHasThePortUnlessItIsTheUsualOne(host: String, port: Int, expected: String) throws {
        #expect(try HTTPRequest(HTTPPath("/"), host: ServerName(host), port: port).authority == expected)
    }

    @Test(arguments: [
        ("", "is not a path"), ("health", "is not a path"), ("https://example.com/", "is not a path"),
        ("*", "is not a path"), ("/a b", "has a character"), ("/a\r\nX: y", "has a character"),
        ("/\u{0}", "has a character"), ("/é", "has a character"), ("/\"", "has a character"),
        ("/\u{7F}", "has a character"), ("/a#b", "has a fragment"),
        ("/" + String(repeating: "a", count: 8_000), "is longer than 8000 bytes"),
    ]) func aTextThatIsNoPathIsRefused(text: String, expected: String) {
        let error = #expect(throws: Problem.self) { try HTTPPath(text) }
        #expect(error?.description.hasPrefix(expected) == true, "\(error as Any)")
    }
}

@Suite struct DownloadRecordTests {
    private func head(_ fields: [(String, String)]) -> HTTPResponse {
        HTTPResponse(status: 200, fields: fields.compactMap { HTTPField($0.0, $0.1) })
    }

    @Test func aRecordIsReadAsItWasWritten() {
        let record = DownloadRecord(
            url: "https://dl.example.com/a?b=c", entityTag: "\"v 1\"", total: 80_000, acceptance: "00ff")
        #expect(DownloadRecord(bytes: record.bytes) == record && record.isResumable)
        let least = DownloadRecord(url: "https://dl.example.com/")
        #expect(DownloadRecord(bytes: least.bytes) == least && !least.isResumable)
    }

    @Test(arguments: [
        "", "pincheck download 1\n", "pincheck download 2\nurl https://a.example/\n", "url https://a.example/\n",
        "pincheck download 1\nurl ftp://a.example/\n", "pincheck download 1\nurl\n",
        "pincheck download 1\nurl https://a.example/\netag\n", "\u{0}", "<html>",
    ]) func anythingElseIsNoRecord(text: String) { #expect(DownloadRecord(bytes: text.bytes) == nil) }

    @Test func aRecordThatWasTamperedWithSendsNoLineOfItsOwn() throws {
        let text = "pincheck download 1\nurl https://a.example/\netag \"a\r\nCookie: b\"\nlength -1\n"
        let record = DownloadRecord(bytes: text.bytes)
        #expect(record.map { $0.entityTag == nil && $0.total == nil } ?? true)
        #expect(DownloadRecord(bytes: [0xFF] + "pincheck download 1\n".bytes) == nil)
    }

    @Test(
        arguments: [
            ([("ETag", "\"a\"")], "\"a\""), ([("ETag", "W/\"a\"")], nil), ([("ETag", "a")], nil),
            ([("ETag", "\"")], nil), ([("ETag", "\"a\""), ("etag", "\"b\"")], nil), ([("Last-Modified", "x")], nil),
            ([], nil), ([("ETag", "\"a\""), ("Content-Encoding", "gzip")], nil),
            ([("ETag", "\"a\""), ("Content-Encoding", "identity"), ("content-encoding", "gzip")], nil),
            ([("ETag", "\"a\""), ("Content-Encoding", "identity")], "\"a\""),
        ] as [([(String, String)], String?)]) func onlyAStrongTagCounts(fields: [(String, String)], tag: String?)
    {
        let record = DownloadRecord(head(fields), url: "https://a.example/", acceptance: "00")
        #expect(record.entityTag == tag && record.isResumable == (tag != nil))
        #expect(!DownloadRecord(head(fields), url: "https://a.example/", acceptance: nil).isResumable)
    }

    @Test func aDocumentIsTheSameOnlyWhereItSaysSo() {
        let tagged = DownloadRecord(url: "https://a.example/", entityTag: "\"a\"")
        #expect(tagged.isOf(head([("ETag", "\"a\"")])) && !tagged.isOf(head([])))
        #expect(!tagged.isOf(head([("ETag", "\"b\"")])))
        #expect(!tagged.isOf(head([("ETag", "\"a\""), ("etag", "\"a\"")])))
    }
}

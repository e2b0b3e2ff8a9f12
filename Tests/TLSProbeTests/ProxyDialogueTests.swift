import Pinning
import Testing

@testable import TLSProbe

struct ProxyDialogueTests {
    private let name = ProbeRequest.Destination.resolve(host: "api.example.com")

    private func proxy(_ kind: Proxy.Kind, user: (String, String)? = nil) throws -> Proxy {
        let credentials = try user.map { user in
            try #require(ProxyCredentials(user: user.0.bytes, password: user.1.bytes, for: kind))
        }
        return Proxy(kind, host: .dns("proxy.example"), port: 3_128, credentials: credentials, origin: "--proxy")
    }

    private func dialogue(
        _ kind: Proxy.Kind, to destination: ProbeRequest.Destination? = nil, port: UInt16 = 443,
        user: (String, String)? = nil
    ) throws -> ProxyDialogue { ProxyDialogue(with: try proxy(kind, user: user), to: destination ?? name, port: port) }

    private func steps(_ dialogue: ProxyDialogue, reading bytes: [UInt8], inPiecesOf size: Int = .max) -> (
        steps: [ProxyDialogue.Step], rest: [UInt8]
    ) {
        var dialogue = dialogue
        var steps: [ProxyDialogue.Step] = []
        var position = 0
        while position < bytes.count {
            let end = size < bytes.count - position ? position + size : bytes.count
            let (step, count) = dialogue.read(bytes[position..<end])
            position += count
            switch step {
            case .incomplete: continue
            case .send: steps.append(step)
            case .established, .failed: return (steps + [step], Array(bytes[position...]))
            }
        }
        return (steps, [])
    }

    @Test func aNameAddressAndPortAreWrittenAsCONNECTHasThem() throws {
        #expect(
            String(decoding: try dialogue(.http).opening, as: UTF8.self)
                == "CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com:443\r\nUser-Agent: pincheck\r\n\r\n")
        let address = IPAddress("2001:db8::1")!
        let opening = try dialogue(.https, to: .address(address), port: 8_443, user: ("Aladdin", "open sesame")).opening
        let text = String(decoding: opening, as: UTF8.self)
        #expect(text.hasPrefix("CONNECT [2001:db8::1]:8443 HTTP/1.1\r\n"))
        // The example of RFC 7617.
        #expect(text.contains("\r\nProxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"))
    }

    @Test func aWayThroughSOCKSIsAskedForByNameOrAddress() throws {
        let user = [1, 4] + "user".bytes + [3] + "pwd".bytes
        let byName: [UInt8] = [5, 1, 0, 3, 15] + "api.example.com".bytes + [1, 187]
        let reply: [UInt8] = [5, 0, 0, 1, 10, 0, 0, 1, 0, 80]
        let plain = try dialogue(.socks5h)
        #expect(plain.opening == [5, 1, 0])
        #expect(steps(plain, reading: [5, 0] + reply).steps == [.send(byName), .established])
        let known = try dialogue(.socks5h, user: ("user", "pwd"))
        #expect(known.opening == [5, 2, 0, 2])
        #expect(steps(known, reading: [5, 2, 1, 0] + reply).steps == [.send(user), .send(byName), .established])
        let address = IPAddress("192.0.2.7")!
        let numbered = try dialogue(.socks5, to: .address(address), port: 1)
        #expect(steps(numbered, reading: [5, 0]).steps == [.send([5, 1, 0, 1, 192, 0, 2, 7, 0, 1])])
        let sixteen = try dialogue(.socks5, to: .address(IPAddress("2001:db8::1")!))
        let bytes: [UInt8] = [0x20, 1, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1]
        #expect(steps(sixteen, reading: [5, 0]).steps == [.send([5, 1, 0, 4] + bytes + [1, 187])])
    }

    @Test func aPasswordThatAProxyRepeatsIsHidden() throws {
        let line = "HTTP/1.1 502 Aladdin:open sesame, open sesame\u{301} QWxhZGRpbjpvcGVuIHNlc2FtZQ== b3BlbiBzZXNhbWU="
        let dialogue = try dialogue(.http, user: ("Aladdin", "open sesame"))
        let step = steps(dialogue, reading: (line + "\r\n\r\n").bytes).steps.last
        #expect(step == .failed(.status(502, line: "HTTP/1.1 502 Aladdin:…, …\u{301} … …")))
    }

    @Test(arguments: [1, 2, 3, 7, .max]) func theAnswerIsTheSameInWhateverPiecesItComes(size: Int) throws {
        let hello: [UInt8] = [22, 3, 3, 0, 1, 0]
        let answer = "HTTP/1.1 200 Fine\r\nContent-Length: 5\r\nVia: x\r\n\r\n".bytes
        let (http, afterHTTP) = steps(try dialogue(.http), reading: answer + hello, inPiecesOf: size)
        #expect(http == [.established] && afterHTTP == hello)
        for address in [[1, 1, 2, 3, 4], [3, 4] + "name".bytes, [4] + [UInt8](repeating: 9, count: 16)] as [[UInt8]] {
            let (socks, rest) = steps(
                try dialogue(.socks5h, user: ("u", "")), reading: [5, 2, 1, 0, 5, 0, 0] + address + [0, 80] + hello,
                inPiecesOf: size)
            #expect(socks.last == .established && socks.count == 3 && rest == hello)
        }
    }

    private static let refusals: [(Proxy.Kind, Bool, [UInt8], ProxyFailure)] = [
        (.http, false, "HTTP/1.1 403 Forbidden\r\n\r\n".bytes, .status(403, line: "HTTP/1.1 403 Forbidden")),
        (.http, false, "HTTP/1.0 407 No\r\n\r\n".bytes, .credentialsMissing),
        (.http, true, "HTTP/1.0 407 No\r\n\r\n".bytes, .credentialsRefused),
        (.http, false, "HTTP/1.0 401 Unauthorized\r\n\r\n".bytes, .credentialsMissing),
        (.http, true, "HTTP/1.0 401 Unauthorized\r\n\r\n".bytes, .credentialsRefused),
        (.http, false, "HTTP/1.1 101 Other\r\n\r\n".bytes, .status(101, line: "HTTP/1.1 101 Other")),
        (.http, false, "HELO proxy\r\n".bytes, .foreign), (.http, false, [5, 0], .foreign),
        (.http, false, [21, 3, 1], .foreign),
        (.http, false, ("HTTP/1.1 200 " + String(repeating: "x", count: 9_000)).bytes, .tooLong(limit: 8_000)),
        (
            .http, false, ("HTTP/1.1 200 x\r\n" + String(repeating: "X: y\r\n", count: 11_000)).bytes,
            .tooLong(limit: HTTPHeadReader.limit)
        ), (.socks5, false, "HTTP/1.1 400 Bad\r\n".bytes, .foreign), (.socks5, false, [4, 90], .foreign),
        (.socks5, false, [5, 1], .foreign), (.socks5, false, [5, 0xff], .credentialsMissing),
        (.socks5, false, [5, 2], .credentialsMissing), (.socks5, true, [5, 0xff], .credentialsRefused),
        (.socks5, true, [5, 2, 1, 1], .credentialsRefused), (.socks5, false, [5, 0, 4], .foreign),
        (.socks5, false, [5, 0, 5, 5], .reply(5)), (.socks5, false, [5, 0, 5, 200], .reply(200)),
        (.socks5, false, [5, 0, 5, 0, 0, 2, 1], .foreign),
    ]

    @Test(arguments: 0..<refusals.count) func whatIsNoWayThroughSaysWhy(index: Int) throws {
        let (kind, hasUser, bytes, expected) = Self.refusals[index]
        for size in [1, .max] {
            let last = steps(try dialogue(kind, user: hasUser ? ("u", "p") : nil), reading: bytes, inPiecesOf: size)
                .steps.last
            #expect(last == .failed(expected), "\(bytes.prefix(40))")
        }
    }

    @Test func halfAnAnswerIsNoWayThrough() throws {
        let answers: [(Proxy.Kind, [UInt8])] = [
            (.http, "HTTP/1.1 200 OK\r\nX: y\r\n\r\n".bytes), (.socks5h, [5, 0, 5, 0, 0, 3, 2, 65, 65, 0, 80]),
        ]
        for (kind, answer) in answers {
            for length in 0..<answer.count {
                let found = steps(try dialogue(kind), reading: Array(answer.prefix(length))).steps
                #expect(
                    !found.contains(.established) && !found.contains { if case .failed = $0 { true } else { false } })
            }
            #expect(steps(try dialogue(kind), reading: answer).steps.last == .established)
        }
    }

    @Test func aUserIsTakenAsTheProxyCanBeToldOf() {
        func isFit(_ user: String, _ password: String, _ kind: Proxy.Kind) -> Bool {
            ProxyCredentials(user: user.bytes, password: password.bytes, for: kind) != nil
        }
        let long = String(repeating: "x", count: 256)
        #expect(isFit("", "", .http) && isFit("a", "b:c", .http) && isFit(long, long, .https))
        #expect(!isFit("a:b", "", .http) && !isFit("a\n", "", .http) && !isFit("a", "\u{7f}", .https))
        #expect(isFit("a:b", "\n", .socks5) && !isFit("", "x", .socks5) && !isFit(long, "", .socks5h))
        #expect(!isFit("a", long, .socks5))
    }

    @Test func nothingPrintsAUser() throws {
        let proxy = try proxy(.http, user: ("alice", "secret"))
        let request = ProbeRequest(to: name, proxy: proxy)
        var dumped = ""
        dump(request, to: &dumped)
        for text in ["\(request)", String(reflecting: request), dumped, proxy.url] {
            #expect(!text.contains("alice") && !text.contains("secret"))
        }
        #expect(proxy.url == "http://proxy.example:3128")
    }
}

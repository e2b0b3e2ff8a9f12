internal import COpenSSL

/// The proxy's side of a conversation, which becomes that of the server behind it.
final class ProxyConversation: Conversation {
    private enum Stage { case greeting, authentication, request, passed, over }

    private let settings: ProxySettings
    private let makeServer: () -> any Conversation
    private let log: ServerLog
    private let index: Int
    private var stage: Stage
    private var input: [UInt8] = []
    private var output: [UInt8] = []
    private var server: (any Conversation)?
    private var hasEnded = false

    var isFinished: Bool { hasEnded || server?.isFinished == true }

    /// A proxy that notes what it is asked for in the record `index` of `log`.
    init(_ settings: ProxySettings, log: ServerLog, index: Int, server: @escaping () -> any Conversation) {
        (self.settings, self.log, self.index) = (settings, log, index)
        makeServer = server
        stage = settings.speech == .http ? .request : .greeting
    }

    func begin() {}

    func receive(_ bytes: ArraySlice<UInt8>) {
        if let server { return server.receive(bytes) }
        input += bytes
        while server == nil, stage != .over, step() {}
        if let server, !input.isEmpty {
            server.receive(input[...])
            input = []
        }
    }

    func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output + (server?.takeOutput() ?? [])
    }

    /// Reads one message; `false` where it is not there in full.
    private func step() -> Bool {
        switch stage {
        case .greeting: readGreeting()
        case .authentication: readAuthentication()
        case .request: settings.speech == .http ? readConnect() : readRequest()
        case .passed, .over: false
        }
    }

    private func answer(_ success: [UInt8]) {
        switch settings.answer {
        case .passage: output += success
        case .passageSaying(let bytes): output += bytes
        case .refusal(let bytes): return refuse(bytes)
        case .silence(let bytes):
            output += bytes
            stage = .over
            return
        }
        stage = .passed
        let server = makeServer()
        server.begin()
        self.server = server
    }

    private func refuse(_ bytes: [UInt8]) {
        output += bytes
        stage = .over
        hasEnded = true
    }

    // MARK: HTTP

    private func readConnect() -> Bool {
        let end: [UInt8] = [13, 10, 13, 10]
        guard let last = input.indices.first(where: { input[$0...].starts(with: end) }) else { return false }
        let lines = String(decoding: input[..<last], as: UTF8.self).split(separator: "\r\n").map(String.init)
        input.removeFirst(last + end.count)
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3, words[0] == "CONNECT" else {
            refuse(Array("HTTP/1.1 405 Method Not Allowed\r\n\r\n".utf8))
            return true
        }
        note(String(words[1]))
        let authorization = lines.first { $0.lowercased().hasPrefix("proxy-authorization: ") }
        if let user = settings.user, authorization != "Proxy-Authorization: " + Self.basic(user) {
            refuse(Array("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n".utf8))
        } else {
            answer(Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8))
        }
        return true
    }

    private static func basic(_ user: (name: String, password: String)) -> String {
        let bytes = Array("\(user.name):\(user.password)".utf8)
        var encoded = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let length = Int(EVP_EncodeBlock(&encoded, bytes, Int32(bytes.count)))
        return "Basic " + String(decoding: encoded.prefix(length), as: UTF8.self)
    }

    // MARK: SOCKS

    private func take(_ count: Int) -> [UInt8]? {
        guard input.count >= count else { return nil }
        defer { input.removeFirst(count) }
        return Array(input.prefix(count))
    }

    private func readGreeting() -> Bool {
        guard input.count > 1, let message = take(2 + Int(input[1])) else { return false }
        let wanted: UInt8 = settings.user == nil ? 0 : 2
        guard message[0] == 5, message.dropFirst(2).contains(wanted) else {
            refuse([5, 0xff])
            return true
        }
        output += [5, wanted]
        stage = settings.user == nil ? .request : .authentication
        return true
    }

    private func readAuthentication() -> Bool {
        guard input.count > 1, input.count > 2 + Int(input[1]),
            let message = take(3 + Int(input[1]) + Int(input[2 + Int(input[1])]))
        else { return false }
        let name = message[2..<2 + Int(message[1])]
        let password = message[(3 + Int(message[1]))...]
        let isUser = settings.user.map { name.elementsEqual($0.name.utf8) && password.elementsEqual($0.password.utf8) }
        guard isUser == true else {
            refuse([1, 1])
            return true
        }
        output += [1, 0]
        stage = .request
        return true
    }

    private func readRequest() -> Bool {
        guard input.count > 4 else { return false }
        let length =
            switch input[3] {
            case 1: 4
            case 4: 16
            default: 1 + Int(input[4])
            }
        guard let message = take(4 + length + 2) else { return false }
        let address = message[4..<4 + length]
        let port = Int(message[4 + length]) << 8 | Int(message[5 + length])
        let host =
            switch message[3] {
            case 1: address.map(String.init).joined(separator: ".")
            case 4: "[" + address.map { String($0, radix: 16) }.joined(separator: " ") + "]"
            default: String(decoding: address.dropFirst(), as: UTF8.self)
            }
        note("\(host):\(port)")
        answer([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        return true
    }

    private func note(_ place: String) { log.update(index) { $0.proxiedPlaces.append(place) } }
}

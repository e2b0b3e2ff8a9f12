import Base

/// A proxy that leads to the same server for every requested destination.
package struct ProxySettings: Changeable {
    package enum Speech {
        case http
        case socks5
    }

    package enum Answer: Hashable {
        case passage
        /// Bytes after which the proxy closes its side.
        case refusal([UInt8])
        /// Bytes after which the proxy stays silent; no bytes if it never answers.
        case silence(after: [UInt8])
    }

    package var speech: Speech
    package var server: TLSServerSettings
    package var answer = Answer.passage
    /// The only user; `nil` if the proxy is open to all.
    package var user: (name: String, password: String)?
    /// The settings of the proxy's own TLS, if clients speak to it with TLS.
    package var tls: TLSServerSettings?

    package init(_ speech: Speech, to server: TLSServerSettings) { (self.speech, self.server) = (speech, server) }
}

/// The proxy's part of a connection, before the server behind it takes over.
struct Proxy {
    private let settings: ProxySettings
    private let stream: any ByteStream
    private let record: ConnectionRecord
    private(set) var input: [UInt8] = []

    init(_ settings: ProxySettings, over stream: any ByteStream, _ record: @escaping ConnectionRecord) {
        self.settings = settings
        self.stream = stream
        self.record = record
    }

    mutating func letsThrough() -> Bool {
        guard let success = settings.speech == .http ? readConnect() : readSOCKS() else { return false }
        switch settings.answer {
        case .passage:
            stream.write(success)
            return true
        case .refusal(let bytes): stream.write(bytes)
        case .silence(let bytes):
            stream.write(bytes)
            while !stream.read().isEmpty {}
        }
        return false
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
        while input.count < count {
            let more = stream.read()
            guard !more.isEmpty else { return nil }
            input += more
        }
        defer { input.removeFirst(count) }
        return Array(input.prefix(count))
    }

    private func refuse(_ bytes: [UInt8]) -> [UInt8]? {
        stream.write(bytes)
        return nil
    }

    private func note(_ place: String) { record { $0.proxiedPlaces.append(place) } }

    /// Reads a CONNECT request; returns the answer if it is granted, else `nil`.
    private mutating func readConnect() -> [UInt8]? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard let byte = take(1) else { return nil }
            head += byte
        }
        let lines = String(utf8: head).split(separator: "\r\n").map(String.init)
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3, words[0] == "CONNECT" else {
            return refuse("HTTP/1.1 405 Method Not Allowed\r\n\r\n".bytes)
        }
        note(String(words[1]))
        let authorization = lines.first { $0.lowercased().hasPrefix("proxy-authorization: ") }
        if let (name, password) = settings.user,
            authorization != "Proxy-Authorization: Basic " + Base64.text(of: "\(name):\(password)".bytes)
        {
            return refuse("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n".bytes)
        }
        return "HTTP/1.1 200 Connection established\r\n\r\n".bytes
    }

    /// Reads a greeting and a request of SOCKS 5 (RFC 1928, RFC 1929); returns the answer if it is granted, else `nil`.
    private mutating func readSOCKS() -> [UInt8]? {
        let wanted: UInt8 = settings.user == nil ? 0 : 2
        guard let greeting = take(2), let methods = take(Int(greeting[1])) else { return nil }
        guard greeting[0] == 5, methods.contains(wanted) else { return refuse([5, 0xff]) }
        stream.write([5, wanted])
        if let user = settings.user {
            guard let start = take(2), let name = take(Int(start[1])), let length = take(1),
                let password = take(Int(length[0]))
            else { return nil }
            guard name.elementsEqual(user.name.utf8), password.elementsEqual(user.password.utf8) else {
                return refuse([1, 1])
            }
            stream.write([1, 0])
        }
        guard let head = take(4), let host = takeHost(kind: head[3]), let port = take(2) else { return nil }
        note("\(host):\(Int(port[0]) << 8 | Int(port[1]))")
        return [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    }

    private mutating func takeHost(kind: UInt8) -> String? {
        switch kind {
        case 1: take(4).map { $0.map(String.init).joined(separator: ".") }
        case 4: take(16).map { "[" + $0.map { String($0, radix: 16) }.joined(separator: " ") + "]" }
        default: take(1).flatMap { take(Int($0[0])) }.map { String(utf8: $0) }
        }
    }
}

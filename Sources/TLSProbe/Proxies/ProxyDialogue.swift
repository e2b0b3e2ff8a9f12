import Base
import Pinning

/// The dialogue with a proxy until it is connected to the server: bytes in, bytes out, without sockets.
package struct ProxyDialogue {
    package enum Step: Hashable {
        case incomplete
        case send([UInt8])
        /// The proxy has connected: all bytes from here on are the server's.
        case established
        case failed(ProxyFailure)
    }

    private enum State {
        case connect(HTTPHeadReader)
        case socks(SOCKSDialogue)
    }

    let opening: [UInt8]
    private let credentials: ProxyCredentials?
    private var state: State

    package init(with proxy: Proxy, to destination: ProbeRequest.Destination, port: UInt16) {
        credentials = proxy.credentials
        guard proxy.kind.isSOCKS else {
            opening = Self.connect(to: destination, port, proxy.credentials)
            state = .connect(HTTPHeadReader())
            return
        }
        let dialogue = SOCKSDialogue(to: destination, port: port, credentials: proxy.credentials)
        opening = dialogue.greeting
        state = .socks(dialogue)
    }

    /// Takes bytes of the proxy; returns the next step and the number of bytes used.
    package mutating func read(_ bytes: some Collection<UInt8>) -> (step: Step, count: Int) {
        switch state {
        case .connect(var reader):
            let before = reader.count
            let step = reader.read(bytes)
            state = .connect(reader)
            return (answer(step), reader.count - before)
        case .socks(var dialogue):
            let (step, count) = dialogue.read(bytes)
            state = .socks(dialogue)
            return (step, count)
        }
    }

    private func answer(_ step: HTTPHeadReader.Step) -> Step {
        switch step {
        case .incomplete: .incomplete
        // Some proxies, as tinyproxy, answer a wrong password with 401, an origin server's status (RFC 9110, 15.5.2).
        case .complete(407, _), .complete(401, _):
            .failed(credentials != nil ? .credentialsRefused : .credentialsMissing)
        case .complete(200..<300, _): .established
        case .complete(let status, let line): .failed(.status(status, line: text(of: Array(line))))
        case .failed(.tooLong(let limit)): .failed(.tooLong(limit: limit))
        case .failed: .failed(.foreign)
        }
    }

    private func text(of line: [UInt8]) -> String {
        String(utf8: credentials?.hidden(in: line) ?? line)
    }

    /// The request for a tunnel (RFC 9110, 9.3.6); neither a name nor base64 can end a line.
    private static func connect(
        to destination: ProbeRequest.Destination, _ port: UInt16, _ credentials: ProxyCredentials?
    ) -> [UInt8] {
        let place = ProbeRequest(to: destination, port: port).target
        var lines = ["CONNECT \(place) HTTP/1.1", "Host: \(place)", "User-Agent: pincheck"]
        if let credentials {
            lines.append(
                "Proxy-Authorization: Basic "
                    + Base64.text(of: credentials.user + ":".bytes + credentials.password))
        }
        return (lines + ["", ""]).joined(separator: "\r\n").bytes
    }
}

/// The client's part of SOCKS 5 (RFC 1928), with names and passwords (RFC 1929).
struct SOCKSDialogue {
    static let version: UInt8 = 5
    private static let noAuthentication: UInt8 = 0
    private static let userAndPassword: UInt8 = 2

    private enum Expected { case method, acknowledgement, reply }

    private let request: [UInt8]
    private let credentials: ProxyCredentials?
    private var expected = Expected.method
    private var message: [UInt8] = []

    init(to destination: ProbeRequest.Destination, port: UInt16, credentials: ProxyCredentials?) {
        self.credentials = credentials
        let place: [UInt8]
        switch destination {
        case .address(let address): place = [address.isIPv6 ? 4 : 1] + address.bytes
        // The length of a name fits into one byte: the longest name has 253.
        case .resolve(let host, _): place = [3, UInt8(clamping: host.utf8.count)] + host.utf8.prefix(255)
        }
        request = [Self.version, 1, 0] + place + [UInt8(port >> 8), UInt8(port & 0xff)]
    }

    /// The first message: the ways to authenticate.
    var greeting: [UInt8] {
        let methods = [Self.noAuthentication] + (credentials == nil ? [] : [Self.userAndPassword])
        return [Self.version, UInt8(methods.count)] + methods
    }

    /// Takes bytes to the end of a message, or of `bytes`.
    mutating func read(_ bytes: some Collection<UInt8>) -> (step: ProxyDialogue.Step, count: Int) {
        var count = 0
        for byte in bytes {
            count += 1
            message.append(byte)
            let step =
                switch expected {
                case .method: readMethod()
                case .acknowledgement: readAcknowledgement()
                case .reply: readReply()
                }
            guard step == .incomplete else {
                message = []
                return (step, count)
            }
        }
        return (.incomplete, count)
    }

    private mutating func readMethod() -> ProxyDialogue.Step {
        guard message[0] == Self.version else { return .failed(.foreign) }
        guard message.count == 2 else { return .incomplete }
        switch message[1] {
        case Self.noAuthentication:
            expected = .reply
            return .send(request)
        case Self.userAndPassword:
            guard let credentials else { return .failed(.credentialsMissing) }
            expected = .acknowledgement
            let parts = [credentials.user, credentials.password]
            return .send([1] + parts.flatMap { [UInt8(clamping: $0.count)] + $0.prefix(255) })
        case 0xff: return .failed(credentials == nil ? .credentialsMissing : .credentialsRefused)
        default: return .failed(.foreign)
        }
    }

    private mutating func readAcknowledgement() -> ProxyDialogue.Step {
        guard message.count == 2 else { return .incomplete }
        guard message[1] == 0 else { return .failed(.credentialsRefused) }
        expected = .reply
        return .send(request)
    }

    private func readReply() -> ProxyDialogue.Step {
        guard message[0] == Self.version else { return .failed(.foreign) }
        guard message.count > 1 else { return .incomplete }
        guard message[1] == 0 else { return .failed(.reply(message[1])) }
        guard message.count > 4 else { return .incomplete }
        // The address and port from which the proxy connected are not used.
        let length: Int
        switch message[3] {
        case 1: length = 4
        case 3: length = 1 + Int(message[4])
        case 4: length = 16
        default: return .failed(.foreign)
        }
        return message.count < 4 + length + 2 ? .incomplete : .established
    }
}

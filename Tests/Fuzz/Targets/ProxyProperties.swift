import Pinning
import TLSProbe

/// What holds for answers of proxies.
enum ProxyProperties {
    /// Reads `bytes` as the answers of each kind of proxy, at once and byte by byte.
    static func check(_ bytes: [UInt8]) throws(Violation) {
        for kind in Proxy.Kind.allCases {
            for hasUser in [false, true] {
                let whole = try conversation(kind, hasUser, bytes, inPiecesOf: .max)
                let single = try conversation(kind, hasUser, bytes, inPiecesOf: 1)
                try Violation.unless(whole.steps == single.steps, "\(kind): other steps byte by byte")
                try Violation.unless(
                    whole.isFailure || whole.count == single.count, "\(kind): another end byte by byte")
            }
        }
    }

    private static func conversation(_ kind: Proxy.Kind, _ hasUser: Bool, _ bytes: [UInt8], inPiecesOf size: Int)
        throws(Violation) -> (steps: [ProxyDialogue.Step], count: Int, isFailure: Bool)
    {
        let proxy = Proxy(
            kind, host: .dns("proxy.example"), port: 1_080,
            credentials: hasUser ? ProxyCredentials(user: [97], password: [98], for: kind) : nil, origin: "")
        var dialogue = ProxyDialogue(with: proxy, to: .resolve(host: "api.example.com"), port: 443)
        var steps: [ProxyDialogue.Step] = []
        var position = 0
        while position < bytes.count {
            let end = size < bytes.count - position ? position + size : bytes.count
            let (step, count) = dialogue.read(bytes[position..<end])
            try Violation.unless(
                (1...end - position).contains(count), "\(kind): \(count) of \(end - position) bytes read")
            position += count
            switch step {
            case .incomplete: break
            case .send(let message):
                try Violation.unless(message.count <= 600, "\(kind): a message of \(message.count) bytes")
                steps.append(step)
            case .established: return (steps + [step], position, false)
            case .failed(let failure):
                let error = ProbeError(.proxy, .proxy(failure), target: "api.example.com:443", proxy: proxy.url)
                let text = "\(error)"
                try Violation.unless(text.utf8.count <= 2_000, "a message of \(text.utf8.count) bytes")
                try Violation.unless(
                    !text.unicodeScalars.contains { $0.value < 0x20 }, "a control character in a message")
                return (steps + [step], position, true)
            }
            try Violation.unless(steps.count <= 2, "\(kind): \(steps.count) messages sent")
        }
        return (steps, position, false)
    }
}

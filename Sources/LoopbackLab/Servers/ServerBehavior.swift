package struct ServerBehavior {
    enum Service {
        case tls(TLSServerSettings)
        case proxy(ProxySettings)
        case script([UInt8], waitsForClient: Bool, stalls: Bool)
    }

    let service: Service
    var delivery = Delivery.immediate
    /// The delivery on all connections after the first; `nil` means the same as on the first.
    var afterwards: Delivery?
    /// `true` if a connection must end before the next one begins, as on small devices.
    package var isSerial = false

    package static func tls(
        _ settings: TLSServerSettings, delivery: Delivery = .immediate, afterwards: Delivery? = nil
    ) -> Self {
        Self(service: .tls(settings), delivery: delivery, afterwards: afterwards)
    }

    /// A proxy with a server behind it; `delivery` counts the bytes of both.
    package static func proxy(_ settings: ProxySettings, delivery: Delivery = .immediate) -> Self {
        Self(service: .proxy(settings), delivery: delivery)
    }

    /// Sends bytes, and then closes its side or stays silent.
    package static func script(
        _ bytes: [UInt8], waitsForClient: Bool = true, stalls: Bool = false, delivery: Delivery = .immediate
    ) -> Self {
        Self(service: .script(bytes, waitsForClient: waitsForClient, stalls: stalls), delivery: delivery)
    }

    /// Closes the connection right after accepting it (FIN).
    package static let closes = script([], waitsForClient: false)
    package static let resets = script([], delivery: .resets(afterBytes: 0))
    /// Accepts, reads, and never answers.
    package static let tarpit = script([], stalls: true)

    /// The delivery of sent bytes; its numbers count the bytes on the wire of a whole connection.
    package enum Delivery: Hashable {
        case immediate
        /// Stops sending after so many bytes and keeps the connection open.
        case stalls(afterBytes: Int)
        /// Closes the sending side (FIN) after so many bytes.
        case closes(afterBytes: Int)
        case resets(afterBytes: Int)
        /// Sends `afterBytes` at once, then `bytes` at a time with pauses between them.
        case drips(bytes: Int = 1, everyMilliseconds: Int = 2, afterBytes: Int = 0)
        /// Sends one byte of urgent data (TCP out-of-band, not in the stream) after so many, then goes on or stalls.
        case urges(afterBytes: Int, thenStalls: Bool)
    }

    package static func presenting(_ chain: [LabCertificate], delivery: Delivery = .immediate) -> Self {
        .tls(TLSServerSettings(presenting: chain), delivery: delivery)
    }

    package static let plainHTTP = script(
        Array(
            """
            HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\nConnection: close\r\n\r
            <html><body>The plain HTTP request was not understood</body></html>\r\n
            """.utf8))
    package static let smtp = greeting("220 mail.example.com ESMTP ready\r\n")
    package static let ssh = greeting("SSH-2.0-OpenSSH_9.7\r\n")

    private static func greeting(_ text: String) -> Self {
        script(Array(text.utf8), waitsForClient: false, stalls: true)
    }

    /// Random bytes, the same for each `seed`; the first is never a TLS content type.
    package static func garbage(count: Int = 1_024, seed: UInt64 = 1) -> Self {
        var generator = SeededGenerator(seed: seed)
        var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        bytes[0] |= 0x80
        return .script(bytes)
    }

    /// The fatal TLS alert with this number (RFC 8446, 6) in answer to the ClientHello; 40 is handshake_failure.
    package static func alert(_ description: UInt8) -> Self { .script([21, 3, 3, 0, 2, 2, description]) }

    /// A handshake record of 65,535 bytes, four times the limit of TLS (RFC 8446, 5.1).
    package static var oversizedRecord: ServerBehavior {
        .script([22, 3, 3, 0xff, 0xff] + zeros(0xffff))
    }
}

extension ServerBehavior.Delivery {
    /// A random delivery that disturbs a handshake from the byte `position` on.
    package static func hostile(at position: Int, using generator: inout SeededGenerator) -> Self {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: .stalls(afterBytes: position)
        case 1: .urges(afterBytes: position, thenStalls: true)
        case 2: .urges(afterBytes: position, thenStalls: false)
        case 3: .drips(bytes: 1, everyMilliseconds: 20, afterBytes: position)
        case 4: .closes(afterBytes: position)
        default: .resets(afterBytes: position)
        }
    }
}

import Base

/// A byte stream to the client: a socket, or TLS over it.
protocol ByteStream: AnyObject {
    /// `true` if written bytes still reach the client.
    var isSending: Bool { get }
    var hasInput: Bool { get }

    /// Waits for the next bytes and returns them; none at the end.
    func read() -> [UInt8]

    func write(_ bytes: [UInt8])

    /// Closes the sending side in order; reading goes on.
    func finish()
}

/// An accepted connection that sends bytes as its delivery says; it blocks, and one thread uses it.
final class Connection: ByteStream {
    private let descriptor: Int32
    private let delivery: ServerBehavior.Delivery
    private let record: ConnectionRecord
    private var delivered = 0
    private var isReset = false
    private(set) var isSending = true

    init(_ descriptor: Int32, delivery: ServerBehavior.Delivery, record: @escaping ConnectionRecord) {
        self.descriptor = descriptor
        self.delivery = delivery
        self.record = record
        cutOffIfDue()
    }

    var hasInput: Bool { Descriptor.wait(for: POLLIN, on: descriptor, milliseconds: 0) }

    func read() -> [UInt8] {
        let bytes = isReset ? [] : Sockets.receive(descriptor)
        if bytes.isEmpty { isSending = false }
        record { $0.opening += bytes.prefix(ConnectionObservation.openingLimit - $0.opening.count) }
        return Array(bytes)
    }

    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while isSending, !rest.isEmpty {
            if case .drips(_, let interval, let start) = delivery, delivered > 0, delivered >= start {
                // Polling for no event returns early if either side ends the connection.
                _ = Descriptor.wait(for: 0, on: descriptor, milliseconds: Int32(interval))
            }
            let count = Sockets.transmit(rest.prefix(allowance), to: descriptor)
            guard count >= 0 else { return isSending = false }
            delivered += count
            rest = rest.dropFirst(count)
            cutOffIfDue()
        }
    }

    /// Closes only the sending side: otherwise late bytes of the client cause a reset, and it can lose the last bytes.
    func finish() {
        if isSending { shutdown(descriptor, Int32(SHUT_WR)) }
        isSending = false
    }

    private var allowance: Int {
        switch delivery {
        case .immediate: .max
        case .stalls(let limit), .closes(let limit), .resets(let limit): limit - delivered
        case .drips(let bytes, _, let start): delivered < start ? start - delivered : bytes
        case .urges(let place, _): delivered < place ? place - delivered : .max
        }
    }

    private func cutOffIfDue() {
        guard isSending else { return }
        switch delivery {
        case .stalls(let limit) where delivered >= limit: isSending = false
        case .closes(let limit) where delivered >= limit: finish()
        case .resets(let limit) where delivered >= limit:
            Sockets.resetOnClose(descriptor)
            (isSending, isReset) = (false, true)
        case .urges(let place, let stalls) where delivered == place:
            // 22 is TLS's content type for handshakes; the byte counts as delivered, so that it is sent only once.
            _ = Sockets.transmit([22], to: descriptor, flags: Int32(MSG_OOB))
            delivered += 1
            isSending = !stalls
        default: break
        }
    }
}

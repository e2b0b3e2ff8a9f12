internal import Base

/// What a conversation is held over: the socket, or TLS over it.
protocol ByteStream: AnyObject {
    /// Whether anything that is written still reaches the client.
    var isSending: Bool { get }
    /// Whether something has come that was not read.
    var hasInput: Bool { get }

    /// What comes next, waiting for it; nothing at the end.
    func read() -> [UInt8]

    func write(_ bytes: [UInt8])

    /// Ends the sending side in order; it can be read on.
    func finish()
}

/// One accepted connection: its socket, and how bytes are delivered to it.
///
/// Used by one thread only, which it blocks.
final class Connection: ByteStream {
    private let descriptor: Int32
    private let delivery: ServerBehavior.Delivery
    private let record: ConnectionRecord
    private var delivered = 0
    private var isReset = false
    private(set) var isSending = true

    init(_ descriptor: Int32, delivery: ServerBehavior.Delivery, record: @escaping ConnectionRecord) {
        (self.descriptor, self.delivery, self.record) = (descriptor, delivery, record)
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
                // Ended from either side, the wait is over.
                _ = Descriptor.wait(for: 0, on: descriptor, milliseconds: Int32(interval))
            }
            let count = Sockets.transmit(rest.prefix(allowance), to: descriptor)
            guard count >= 0 else { return isSending = false }
            delivered += count
            rest = rest.dropFirst(count)
            cutOffIfDue()
        }
    }

    /// Bytes that are still on their way from the client would turn into a reset if both sides were closed at once, and the client might
    /// then lose what it was sent last.
    func finish() {
        if isSending { shutdown(descriptor, Int32(SHUT_WR)) }
        isSending = false
    }

    /// How many more bytes may be sent at once.
    private var allowance: Int {
        switch delivery {
        case .immediate: .max
        case .stalls(let limit), .closes(let limit), .resets(let limit): limit - delivered
        case .drips(let bytes, _, let start): delivered < start ? start - delivered : bytes
        case .urges(let place, _): delivered < place ? place - delivered : .max
        }
    }

    /// Does what the delivery wants after the last byte that it lets through.
    private func cutOffIfDue() {
        guard isSending else { return }
        switch delivery {
        case .stalls(let limit) where delivered >= limit: isSending = false
        case .closes(let limit) where delivered >= limit: finish()
        case .resets(let limit) where delivered >= limit:
            Sockets.resetOnClose(descriptor)
            (isSending, isReset) = (false, true)
        case .urges(let place, let stalls) where delivered == place:
            // A content type of TLS; it counts as delivered, so that it is sent once.
            _ = Sockets.transmit([22], to: descriptor, flags: Int32(MSG_OOB))
            delivered += 1
            isSending = !stalls
        default: break
        }
    }
}

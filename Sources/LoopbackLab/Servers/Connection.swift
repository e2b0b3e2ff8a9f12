/// One accepted connection: its socket, its conversation, and what is still to be delivered.
///
/// Used by one thread only.
final class Connection {
    private let descriptor: Int32
    private let conversation: any Conversation
    private let delivery: ServerBehavior.Delivery
    private let log: ServerLog
    private let index: Int
    private var outgoing: [UInt8] = []
    private var delivered = 0
    private var nextDrip: Int64 = 0
    private var hasFinishedSending = false
    private var hasUrged = false
    private(set) var isClosed = false

    /// Takes over `descriptor`, which must not block.
    init(
        takingOwnershipOf descriptor: Int32, conversation: any Conversation, delivery: ServerBehavior.Delivery,
        log: ServerLog, index: Int
    ) {
        (self.descriptor, self.conversation, self.delivery) = (descriptor, conversation, delivery)
        (self.log, self.index) = (log, index)
    }

    /// Starts the conversation at the time `now`, in milliseconds of the loop's clock.
    func begin(now: Int64) {
        conversation.begin()
        deliver(now: now)
    }

    /// What to poll for, at the time `now`.
    func interest(now: Int64) -> pollfd {
        let wantsToWrite = !outgoing.isEmpty && allowance > 0 && nextDrip <= now
        let events = Int16(POLLIN) | (wantsToWrite ? Int16(POLLOUT) : 0)
        return pollfd(fd: descriptor, events: events, revents: 0)
    }

    /// When the next drip is due, `nil` when nothing waits for the clock.
    var deadline: Int64? { outgoing.isEmpty || nextDrip == 0 || allowance == 0 ? nil : nextDrip }

    /// Reads and writes what poll found possible.
    func handle(_ events: Int16, now: Int64, buffer: inout [UInt8]) {
        if events & Int16(POLLIN | POLLHUP | POLLERR) != 0 { read(into: &buffer) }
        if !isClosed { deliver(now: now) }
    }

    /// Closes the socket, as a reset when `reset` is true.
    func close(reset: Bool = false) {
        guard !isClosed else { return }
        isClosed = true
        if reset { Sockets.resetOnClose(descriptor) } else { Sockets.finish(descriptor) }
        closeDescriptor(descriptor)
        log.end(index)
    }

    private func read(into buffer: inout [UInt8]) {
        switch Sockets.receive(descriptor, into: &buffer) {
        case .moved(0), .broken: close()
        case .moved(let count):
            log.update(index) {
                $0.opening += buffer.prefix(min(count, ConnectionObservation.openingLimit - $0.opening.count))
                $0.bytesReceived += count
            }
            conversation.receive(buffer[..<count])
        case .wouldBlock: break
        }
    }

    /// How many more bytes may be sent at once.
    private var allowance: Int {
        switch delivery {
        case .immediate: .max
        case .stalls(let limit), .closes(let limit), .resets(let limit): max(0, limit - delivered)
        case .drips(let bytes, _, let start): delivered < start ? start - delivered : bytes
        case .urges(let place, let stalls): hasUrged ? (stalls ? 0 : .max) : max(0, place - delivered)
        }
    }

    private func deliver(now: Int64) {
        guard !hasFinishedSending else { return }
        // A bounded number of rounds: a client that takes a flood as fast as it comes must not keep the loop from its
        // other connections, and from the request to stop.
        for _ in 0..<64 {
            if outgoing.isEmpty { outgoing = conversation.takeOutput() }
            if allowance == 0 { cutOff() }
            if allowance == 0 || isClosed || hasFinishedSending { return }
            if outgoing.isEmpty { return conversation.isFinished ? finishSending() : () }
            if nextDrip > now { return }
            switch Sockets.transmit(descriptor, outgoing.prefix(allowance)) {
            case .moved(let count):
                delivered += count
                outgoing.removeFirst(count)
                if case .drips(_, let interval, let start) = delivery, delivered >= start {
                    nextDrip = now + Int64(interval)
                }
            case .wouldBlock: return
            case .broken: return close()
            }
        }
        // What is left makes the loop come back.
        if outgoing.isEmpty { outgoing = conversation.takeOutput() }
        if outgoing.isEmpty, conversation.isFinished { finishSending() }
    }

    /// Does what the delivery wants after its last byte.
    private func cutOff() {
        switch delivery {
        case .closes: finishSending()
        case .resets: close(reset: true)
        case .urges:
            if !hasUrged { Sockets.urge(descriptor) }
            hasUrged = true
        case .stalls, .immediate, .drips: break
        }
    }

    /// Closes the sending side and goes on reading until the client has closed its own.
    ///
    /// Closing both at once would turn bytes that are still on their way from the client into a reset, and the client might then lose
    /// what it was sent last.
    private func finishSending() {
        hasFinishedSending = true
        Sockets.finishSending(descriptor)
    }
}

/// close(2), by a name that ``Connection/close(reset:)`` does not hide.
private func closeDescriptor(_ descriptor: Int32) { close(descriptor) }

/// One side of a conversation with a client, apart from sockets: bytes in, bytes out.
protocol Conversation: AnyObject {
    /// Whether nothing more will be said once ``takeOutput()`` is empty: the sending side can be closed.
    var isFinished: Bool { get }

    /// Starts, before the client has said anything.
    func begin()

    func receive(_ bytes: ArraySlice<UInt8>)

    /// Hands over what is to be said next and forgets it. Asked again each time it was sent.
    func takeOutput() -> [UInt8]
}

/// A conversation of fixed bytes, or of none.
final class ScriptedConversation: Conversation {
    private var output: [UInt8] = []
    private var script: ServerBehavior.Script?
    private(set) var isFinished = false

    /// Follows `script`; without one it only listens.
    init(_ script: ServerBehavior.Script?) { self.script = script }

    func begin() { if script?.waitsForClient == false { play() } }

    func receive(_ bytes: ArraySlice<UInt8>) { play() }

    func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    private func play() {
        guard let script else { return }
        output = script.bytes
        isFinished = script.ending == .closes
        self.script = nil
    }
}

/// Answers requests of a test's own making.
package final class Responder: Sendable, Hashable {
    package struct Answer: Sendable {
        /// How the server's side of the connection ends.
        package enum Ending: Sendable {
            /// By close_notify.
            case goodbye
            /// The connection is closed without it.
            case cut
            /// It does not: nothing more is sent.
            case silence
        }

        package var bytes: [UInt8]
        package var ending: Ending

        package init(_ bytes: [UInt8], _ ending: Ending = .goodbye) { (self.bytes, self.ending) = (bytes, ending) }

        /// An answer of a head, the line breaks of which are made right, and a body.
        package init(_ head: String, _ body: some Sequence<UInt8> = [], _ ending: Ending = .goodbye) {
            let head = head.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
            self.init(Array((head + "\r\n\r\n").utf8) + Array(body), ending)
        }
    }

    private let answer: @Sendable (String) -> Answer

    /// A responder that answers by `answer`, which is handed the head of a request.
    package init(_ answer: @escaping @Sendable (String) -> Answer) { self.answer = answer }

    func answer(to request: String) -> Answer { answer(request) }

    package static func == (left: Responder, right: Responder) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

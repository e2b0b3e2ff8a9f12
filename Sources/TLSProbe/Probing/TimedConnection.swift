import Base
import NIOCore
import NIOPosix
import Pinning
import Synchronization

/// The connection of one attempt, from the name to the channel's handlers, with a deadline that no server can move.
///
/// A server's work in time counts even if a busy loop is late. Sendable because only the loop uses it after `init`.
final class TimedConnection: @unchecked Sendable {
    private let request: ProbeRequest
    private let prober: Prober
    private let watch = ProbeWatch.current
    private let work = TargetWork.current ?? TargetWork()
    private var tell: ((Result<any Channel, any Error>?) -> Void)?
    private var alarm: NIOScheduledCallback?
    private var resolver: SystemResolver?
    /// The channels that were made: happy eyeballs may try several addresses at a time.
    private(set) var channels: [any Channel] = []
    private var timeout = TimeAmount.zero
    private var readSize: Int?
    /// The time when the deadline passed while a connection waited in the event loop's queue.
    private var lateSince: NIODeadline?
    private var isLate: Bool { lateSince != nil }
    private(set) var phase: ProbeError.Phase
    private(set) var deadline = NIODeadline.now()
    private(set) var started = NIODeadline.now()
    private(set) var firstConnect: NIODeadline?
    /// The time when the event loop noticed the connection.
    private(set) var connected: NIODeadline?

    /// The longest wait of a kernel's result in the queue, far more than a working loop needs.
    private static let longestQueue = TimeAmount.seconds(60)
    /// The shortest time in the queue that is added to the deadline, unless it is less than 1/64 of the timeout.
    private static let shortestQueue = TimeAmount.milliseconds(10)
    private var shortestQueue: TimeAmount { max(Self.shortestQueue, .nanoseconds(timeout.nanoseconds / 64)) }
    /// The time between looks at the queue after the deadline.
    private static let pause = TimeAmount.milliseconds(50)

    init(_ request: ProbeRequest, in prober: Prober) {
        (self.request, self.prober) = (request, prober)
        self.phase = if case .resolve = request.destination { .resolve } else { .connect }
    }

    /// Connects; `tell` gets the channel or the failure at most once, and `nil` at most once when the time is over.
    func start(readingAtOnce readSize: Int? = nil, _ tell: @escaping (Result<any Channel, any Error>?) -> Void) {
        (self.tell, self.readSize) = (tell, readSize)
        started = .now()
        // A year is as long as for ever here, and cannot overflow the clock.
        timeout = min(TimeAmount(request.timeout), .hours(24 * 365))
        startClock(until: started + timeout)
        let bootstrap = ClientBootstrap(group: prober.loop)
            // NIO's own deadline comes later, and only ends its bookkeeping.
            .connectTimeout(timeout + Self.longestQueue + .seconds(1)).channelInitializer { self.begin($0) }
        connect(with: bootstrap).whenComplete { self.connectEnded($0) }
    }

    private func connect(with bootstrap: ClientBootstrap) -> EventLoopFuture<any Channel> {
        let port = Int(request.port)
        switch request.destination {
        case .resolve(let host, let family):
            resolver = SystemResolver(prober, family: family, watch: watch)
            return bootstrap.resolver(resolver).connect(host: host, port: port)
        case .address(let address):
            do {
                let staged = prober.network?.place(of: address, port: port)
                return bootstrap.connect(to: try staged ?? SocketAddress(address, port: port))
            } catch { return prober.loop.makeFailedFuture(error) }
        }
    }

    /// Cancels the deadline, because the server did its part in time; returns what is left until it.
    @discardableResult func stopClock() -> TimeAmount {
        alarm?.cancel()
        alarm = nil
        return deadline - .now()
    }

    func startClock(until time: NIODeadline) {
        deadline = time
        ring(at: time)
    }

    /// Closes everything that is open, and calls `tell` no more.
    func end() {
        tell = nil
        alarm?.cancel()
        resolver?.cancelQueries()
        for channel in channels { channel.close(promise: nil) }
        channels = []
    }

    private func begin(_ channel: any Channel) -> EventLoopFuture<Void> {
        // Happy eyeballs cannot be stopped from outside; without channels it ends by itself.
        guard tell != nil, !isLate else { return channel.eventLoop.makeFailedFuture(CancellationError()) }
        if firstConnect == nil { firstConnect = .now() }
        phase = .connect
        channels.append(channel)
        if let readSize {
            // An option of the bootstrap would be cast, which costs a hundredth of a check.
            try? channel.syncOptions?.setOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: readSize))
        }
        return channel.eventLoop.makeSucceededVoidFuture()
    }

    private func connectEnded(_ result: Result<any Channel, any Error>) {
        guard let tell else {
            if case .success(let channel) = result { channel.close(promise: nil) }
            return
        }
        if case .success(let channel) = result {
            connected = .now()
            phase = .handshake
            channels = [channel]
            leaveOutQueue(of: channel)
        }
        tell(result)
    }

    /// Adds the time for which the connection waited in the event loop's queue to the time for the handshake.
    private func leaveOutQueue(of channel: any Channel) {
        guard let connected else { return }
        // The queue cannot have taken longer than the connection; asking the system costs a hundredth of a check.
        guard isLate || connected - (firstConnect ?? started) > shortestQueue else { return }
        // If the system does not know the time, a server whose deadline has passed is given the time of the connection.
        let queued = LastLook.silence(of: channel) ?? (isLate ? connected - (firstConnect ?? started) : .zero)
        let fair = min(deadline + queued, connected + timeout)
        guard isLate || fair > deadline else { return }
        startClock(until: fair)
    }

    private func ring(at time: NIODeadline) {
        alarm?.cancel()
        // Scheduling fails only after the event loop has ended, and with it every attempt.
        alarm = try? prober.loop.scheduleCallback(at: time, handler: self)
    }
}

// Each step checks the clock, because a server can choose how long its step takes, and others may wait for it.
extension TimedConnection {
    /// Makes a step in time, or late if ``TargetWork`` allows it for a server that sent `count` bytes; `nil` if not.
    func step(after count: Int, _ step: () -> TLSConnection.Step) -> TLSConnection.Step? {
        let begun = NIODeadline.now()
        guard begun >= deadline else { return step() }
        guard work.allowsLateStep(after: count) else { return nil }
        defer { work.spendLate(.now() - begun) }
        return step()
    }
}

extension TimedConnection: NIOScheduledCallbackHandler {
    /// Ends the waiting at the deadline; the server's work in time still counts.
    func handleScheduledCallback(eventLoop: some EventLoop) {
        if phase == .connect, channels.contains(where: LastLook.isSettled) {
            // The server has done its part, and cannot keep the event loop from noticing it.
            let now = NIODeadline.now()
            let since = lateSince ?? now
            lateSince = since
            if now < since + Self.longestQueue { return ring(at: now + Self.pause) }
        }
        if phase == .handshake, let channel = channels.first { LastLook.deliver(on: channel) }
        tell?(nil)
    }
}

extension ProbeRequest {
    func reason(for failure: any Error) -> ProbeError.Reason {
        guard let failure = failure as? NIOConnectionError else {
            let peer: PeerAddress? =
                if case .address(let address) = destination { PeerAddress(ip: address, port: port) } else { nil }
            return .notConnected([ConnectFailure(peer: peer, error: failure)])
        }
        guard failure.connectionErrors.isEmpty else {
            return .notConnected(
                failure.connectionErrors.map { ConnectFailure(peer: PeerAddress($0.target), error: $0.error) })
        }
        return LookupFailure.reason(
            for: [failure.dnsAError, failure.dnsAAAAError].compactMap { $0 as? LookupFailure }, of: destination)
    }
}

extension ConnectFailure {
    fileprivate init(peer: PeerAddress?, error: any Error) {
        self.init(peer: peer, code: (error as? IOError)?.errnoCode ?? EIO)
    }
}

/// The computing time that one target may take after its deadline, if a busy event loop finishes handshakes late.
///
/// An honest server needs a millisecond; a hostile one may take a hundred, on each address of a forged answer.
package final class TargetWork: Sendable {
    /// The time shared by the probes of a task and its children; `nil` if each probe is a target of its own.
    @TaskLocal package static var current: TargetWork?

    /// The computing time after which no late step is begun.
    private static let lateAllowance = TimeAmount.milliseconds(50)
    /// The most bytes from a server that is given time after the deadline: a chain has some thousands.
    private static let inputLimit = 64 << 10

    private let spentLate = Mutex(TimeAmount.zero)

    package init() {}

    func allowsLateStep(after count: Int) -> Bool {
        count <= Self.inputLimit && spentLate.withLock { $0 < Self.lateAllowance }
    }

    func spendLate(_ time: TimeAmount) { spentLate.withLock { $0 = $0 + time } }
}

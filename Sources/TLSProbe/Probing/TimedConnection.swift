import Base
import NIOCore
import NIOPosix
import Pinning
import Synchronization

/// The connection of one attempt, from the name to the handlers on its channel, and the one deadline over all of it.
///
/// The deadline is about the server: what it did in time counts, although a busy event loop comes to it late. It is never moved by
/// anything that a server does. Sendable because after `init` everything is touched on the event loop only.
final class TimedConnection: @unchecked Sendable {
    private let request: ProbeRequest
    private let prober: Prober
    private let watch = ProbeWatch.current
    private let work = TargetWork.current ?? TargetWork()
    private var tell: ((Result<any Channel, any Error>?) -> Void)?
    private var alarm: NIOScheduledCallback?
    private var resolver: SystemResolver?
    /// Every channel that was made: happy eyeballs may try several addresses at a time.
    private(set) var channels: [any Channel] = []
    private var timeout = TimeAmount.zero
    private var readSize: Int?
    /// When the deadline passed while the news of a connection lay in the event loop's queue, `nil` before.
    private var lateSince: NIODeadline?
    private var isLate: Bool { lateSince != nil }
    private(set) var phase: ProbeError.Phase
    private(set) var deadline = NIODeadline.now()
    private(set) var started = NIODeadline.now()
    private(set) var firstConnect: NIODeadline?
    /// When the event loop learnt of the connection.
    private(set) var connected: NIODeadline?

    /// How long the event loop may take to come to what the kernel has settled; nothing that works takes as long.
    private static let longestQueue = TimeAmount.seconds(60)
    /// A shorter time is not given back: this, or what is little beside the timeout.
    private static let shortestQueue = TimeAmount.milliseconds(10)
    private var shortestQueue: TimeAmount { max(Self.shortestQueue, .nanoseconds(timeout.nanoseconds / 64)) }
    /// How often it is asked meanwhile whether the news is still in the queue.
    private static let pause = TimeAmount.milliseconds(50)

    init(_ request: ProbeRequest, in prober: Prober) {
        (self.request, self.prober) = (request, prober)
        self.phase = if case .resolve = request.destination { .resolve } else { .connect }
    }

    /// Connects; `tell` is called at most once with the channel or with why there is none, and at most once with `nil`: nothing is
    /// waited for any more.
    func start(readingAtOnce readSize: Int? = nil, _ tell: @escaping (Result<any Channel, any Error>?) -> Void) {
        (self.tell, self.readSize) = (tell, readSize)
        started = .now()
        // A year is for ever, and cannot overflow the clock.
        timeout = min(TimeAmount(request.timeout), .hours(24 * 365))
        deadline = started + timeout
        ring(at: deadline)
        let bootstrap = ClientBootstrap(group: prober.loop)
            // This deadline comes first; NIO's is there to end its bookkeeping.
            .connectTimeout(timeout + Self.longestQueue + .seconds(1)).channelInitializer { self.begin($0) }
        connect(with: bootstrap).whenComplete { self.connectEnded($0) }
    }

    /// A host is looked up, and its addresses are tried by happy eyeballs.
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

    /// Lets the connection last: the server has done what it had to in time.
    func stopClock() {
        alarm?.cancel()
        alarm = nil
    }

    /// Closes whatever is open; nothing is called any more.
    func end() {
        tell = nil
        alarm?.cancel()
        resolver?.cancelQueries()
        for channel in channels { channel.close(promise: nil) }
        channels = []
    }

    /// A socket was made for an address and is about to be connected.
    private func begin(_ channel: any Channel) -> EventLoopFuture<Void> {
        // Happy eyeballs cannot be stopped from outside; without channels it comes to its end by itself.
        guard tell != nil, !isLate else { return channel.eventLoop.makeFailedFuture(CancellationError()) }
        if firstConnect == nil { firstConnect = .now() }
        phase = .connect
        channels.append(channel)
        if let readSize {
            // As an option of the bootstrap it would be cast, which costs as much as a hundredth of a check.
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
            // Happy eyeballs closes the others.
            channels = [channel]
            leaveOutQueue(of: channel)
        }
        tell(result)
    }

    /// Gives the server the time for its handshake that the news of the connection lay in the event loop's queue.
    private func leaveOutQueue(of channel: any Channel) {
        guard let connected else { return }
        // It lay there no longer than the connection took in all; to ask costs as much as a hundredth of a check.
        guard isLate || connected - (firstConnect ?? started) > shortestQueue else { return }
        // Where the system does not say since when, nothing of the time is held against the server once the deadline has passed.
        let queued = LastLook.silence(of: channel) ?? (isLate ? connected - (firstConnect ?? started) : .zero)
        let fair = min(deadline + queued, connected + timeout)
        guard isLate || fair > deadline else { return }
        deadline = fair
        ring(at: fair)
    }

    private func ring(at time: NIODeadline) {
        alarm?.cancel()
        // Scheduling fails only when the event loop has ended, and with it every attempt.
        alarm = try? prober.loop.scheduleCallback(at: time, handler: self)
    }
}

// Each step looks at the clock: a server may choose how long it takes, and others may wait behind it.
extension TimedConnection {
    /// Makes a step in time, or after the deadline as far as ``TargetWork`` allows for a server that has sent so many bytes; else the
    /// alarm has rung or is about to.
    func step(after count: Int, _ step: () -> TLSConnection.Step) -> TLSConnection.Step? {
        let begun = NIODeadline.now()
        guard begun >= deadline else { return step() }
        guard work.allowsLateStep(after: count) else { return nil }
        defer { work.spendLate(.now() - begun) }
        return step()
    }
}

extension TimedConnection: NIOScheduledCallbackHandler {
    /// The deadline: nothing is waited for any more, but what the server did in time still counts.
    func handleScheduledCallback(eventLoop: some EventLoop) {
        if phase == .connect, channels.contains(where: LastLook.isSettled) {
            // The server has done its part, and can do nothing to keep the event loop from coming to it.
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
    /// What a failure to make the TCP connection means.
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
    /// The failure to connect to `peer` that NIO reports.
    fileprivate init(peer: PeerAddress?, error: any Error) {
        self.init(peer: peer, code: (error as? IOError)?.errnoCode ?? EIO)
    }
}

/// What the handshakes of one target cost where a server chooses how much.
///
/// What a busy event loop comes to late counts, for servers that did their part in time, which is a millisecond of work for an honest
/// one. A hostile one can make it a hundred, on each of the addresses that a forged answer has.
package final class TargetWork: Sendable {
    /// What the probes of a task and its children share, `nil` where each is a target of its own.
    @TaskLocal package static var current: TargetWork?

    /// What is computed in all after the deadline before nothing more is begun.
    private static let lateAllowance = TimeAmount.milliseconds(50)
    /// Who sent more than this until the deadline, in bytes, is not waited for: a chain has some thousands.
    private static let inputLimit = 64 << 10

    private let spentLate = Mutex(TimeAmount.zero)

    package init() {}

    /// Whether a step is begun after the deadline for a server that has sent so many bytes.
    func allowsLateStep(after count: Int) -> Bool {
        count <= Self.inputLimit && spentLate.withLock { $0 < Self.lateAllowance }
    }

    /// Counts a step after the deadline.
    func spendLate(_ time: TimeAmount) { spentLate.withLock { $0 = $0 + time } }
}

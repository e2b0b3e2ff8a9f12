internal import Synchronization

/// What a loopback server saw of one connection.
package struct ConnectionObservation: Sendable, Hashable {
    /// The name the client indicated (SNI), `nil` when it indicated none or sent no ClientHello.
    package internal(set) var serverName: String?
    /// What a proxy was asked for, as in `api.example.com:443`, each time.
    package internal(set) var proxiedPlaces: [String] = []
    /// How many times the client asked for a handshake: once more than in the beginning where it was told to (HelloRetryRequest) or
    /// negotiates anew.
    package internal(set) var clientHellos = 0
    /// Whether the handshake came to its end on the server's side.
    package internal(set) var completedHandshake = false
    /// The version agreed on, once the handshake is complete.
    package internal(set) var version: TLSVersion?
    package internal(set) var applicationProtocol: String?
    package internal(set) var clientCertificate: [UInt8]?
    package internal(set) var bytesReceived = 0
    /// The first of those bytes, up to ``openingLimit``.
    package internal(set) var opening: [UInt8] = []
    /// How many bytes of application data the client sent through TLS.
    package internal(set) var applicationBytesReceived = 0
    /// The first of those bytes, up to ``openingLimit``.
    package internal(set) var applicationOpening: [UInt8] = []
    package internal(set) var receivedCloseNotify = false
    /// Why TLS failed, in OpenSSL's words; `nil` when it did not.
    package internal(set) var failure: String?
    package internal(set) var hasEnded = false

    /// How many bytes of what a client sent are kept: enough for the head of a request.
    package static let openingLimit = 2_048
}

/// The observations of one server, written by its threads and read by anyone.
final class ServerLog: Sendable {
    private struct Waiter {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var connections: [ConnectionObservation] = []
        var endedCount = 0
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0

        mutating func takeWaiters(where isDue: (Waiter) -> Bool) -> [Waiter] {
            let due = waiters.filter { isDue($0.value) }
            for key in due.keys { waiters[key] = nil }
            return Array(due.values)
        }
    }

    private let state = Mutex(State())

    /// All connections so far in the order they were accepted.
    var connections: [ConnectionObservation] { state.withLock(\.connections) }

    /// Opens the record of a new connection and returns its index.
    func begin() -> Int {
        state.withLock {
            $0.connections.append(ConnectionObservation())
            return $0.connections.count - 1
        }
    }

    func update(_ index: Int, _ change: (inout ConnectionObservation) -> Void) {
        state.withLock { change(&$0.connections[index]) }
    }

    /// Closes the record at `index` and wakes those who waited for it.
    func end(_ index: Int) {
        let due = state.withLock { state in
            guard !state.connections[index].hasEnded else { return [Waiter]() }
            state.connections[index].hasEnded = true
            state.endedCount += 1
            let ended = state.endedCount
            return state.takeWaiters { $0.count <= ended }
        }
        for waiter in due { waiter.continuation.resume() }
    }

    /// Returns when `count` connections are over, or when the task is cancelled.
    func waitForEnd(of count: Int) async {
        let key = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    guard state.endedCount < count, !Task.isCancelled else { return true }
                    state.waiters[key] = Waiter(count: count, continuation: continuation)
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: key) }?.continuation.resume()
        }
    }
}

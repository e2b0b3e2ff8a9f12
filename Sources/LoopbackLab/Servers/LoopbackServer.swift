import Base
import Synchronization

/// A server on the loopback interface that lives as long as a closure runs.
///
/// Uses blocking POSIX sockets and a thread for each connection, so that it shares no code with the client.
package final class LoopbackServer: Sendable {
    struct State {
        var context: TLSServerContext?
        var connections: [ConnectionObservation] = []
        /// The sockets of all running threads, including the listening one.
        var descriptors: Set<Int32> = []
        var isStopping = false
    }

    package let address: String
    package let port: UInt16
    private let state: Mutex<State>
    private let behavior: ServerBehavior
    /// The context for TLS to the proxy itself.
    private let proxyContext: TLSServerContext?

    /// Uses other settings for new connections, like a server whose certificate was renewed.
    ///
    /// - Throws: ``LabError`` if a key does not fit its certificate; the settings then stay as they were.
    package func present(_ settings: TLSServerSettings) throws(LabError) {
        let context = try TLSServerContext(settings)
        state.withLock { $0.context = context }
    }

    package var connections: [ConnectionObservation] { state.withLock(\.connections) }

    /// Waits until `count` connections have ended; a cancelled task gets the observations so far.
    package func connections(ended count: Int) async -> [ConnectionObservation] {
        while !Task.isCancelled, connections.count(where: \.hasEnded) < count {
            try? await Task.sleep(for: .milliseconds(1))
        }
        return connections
    }

    /// Serves while `body` runs, then ends the server's threads and closes its descriptors.
    ///
    /// The address is one of this machine, such as `127.0.0.2` or `::1`; port 0 means any free one.
    package static func serving<Value: Sendable>(
        _ behavior: ServerBehavior, address: String = "127.0.0.1", port: UInt16 = 0,
        isolation: isolated (any Actor)? = #isolation, _ body: (LoopbackServer) async throws -> Value
    ) async throws -> Value {
        let server = try LoopbackServer(behavior, address: address, port: port)
        defer { server.stop() }
        return try await body(server)
    }

    private init(_ behavior: ServerBehavior, address: String, port: UInt16) throws(LabError) {
        self.behavior = behavior
        self.address = address
        var context: TLSServerContext?
        var proxyContext: TLSServerContext?
        switch behavior.service {
        case .tls(let settings): context = try TLSServerContext(settings)
        case .proxy(let settings):
            context = try TLSServerContext(settings.server)
            if let own = settings.tls { proxyContext = try TLSServerContext(own) }
        case .script: break
        }
        self.proxyContext = proxyContext
        let listener = try Sockets.listening(on: address, port: port)
        self.port = Sockets.port(of: listener)
        state = Mutex(State(context: context, descriptors: [listener]))
        guard SystemThread.start({ self.listen(listener) }) else {
            close(listener)
            throw .system("start a thread")
        }
    }

    /// Shuts down all sockets and waits for the threads; closing is not enough, since a program that another thread is
    /// starting has copies of all descriptors until exec.
    private func stop() {
        state.withLock { state in
            state.isStopping = true
            for descriptor in state.descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
        while state.withLock({ !$0.descriptors.isEmpty }) { usleep(100) }
    }

    private func listen(_ listener: Int32) {
        while !state.withLock(\.isStopping) {
            // On some systems shutdown(2) does not wake a thread that waits for connections.
            guard Descriptor.wait(for: POLLIN, on: listener, milliseconds: 100),
                let descriptor = Sockets.acceptConnection(from: listener)
            else { continue }
            begin(descriptor)
        }
        state.withLock { state in
            close(listener)
            state.descriptors.remove(listener)
        }
    }

    private func begin(_ descriptor: Int32) {
        let (index, context) = state.withLock { state in
            state.descriptors.insert(descriptor)
            state.connections.append(ConnectionObservation())
            if state.isStopping { shutdown(descriptor, Int32(SHUT_RDWR)) }
            return (state.connections.count - 1, state.context)
        }
        let record: ConnectionRecord = { change in self.state.withLock { change(&$0.connections[index]) } }
        let serve: @Sendable () -> Void = {
            let connection = Connection(
                descriptor,
                delivery: index > 0 ? self.behavior.afterwards ?? self.behavior.delivery : self.behavior.delivery,
                record: record)
            self.converse(over: connection, context, record)
            connection.finish()
            while !connection.read().isEmpty {}
            self.end(descriptor, index)
        }
        if behavior.isSerial { return serve() }
        if !SystemThread.start(serve) { end(descriptor, index) }
    }

    private func end(_ descriptor: Int32, _ index: Int) {
        state.withLock { state in
            close(descriptor)
            state.descriptors.remove(descriptor)
            state.connections[index].hasEnded = true
        }
    }

    private func converse(
        over connection: Connection, _ context: TLSServerContext?, _ record: @escaping ConnectionRecord
    ) {
        switch behavior.service {
        case .script(let bytes, let waitsForClient, let stalls):
            if waitsForClient, connection.read().isEmpty { return }
            connection.write(bytes)
            if stalls { while !connection.read().isEmpty {} }
        case .tls: if let context { TLSSession(context, over: connection, record)?.serve() }
        case .proxy(let settings):
            var stream: any ByteStream = connection
            if let proxyContext {
                guard let session = TLSSession(proxyContext, over: connection, record), session.handshake() else {
                    return
                }
                stream = session
            }
            var proxy = Proxy(settings, over: stream, record)
            if proxy.letsThrough(), let context {
                TLSSession(context, over: stream, record, after: proxy.input)?.serve()
            }
            stream.finish()
            while !stream.read().isEmpty {}
        }
    }
}

package struct ConnectionObservation: Hashable {
    package var serverName: String?
    /// The destinations requested from a proxy, as in `api.example.com:443`.
    package var proxiedPlaces: [String] = []
    /// The number of ClientHellos; a HelloRetryRequest or a renegotiation adds one.
    package var clientHellos = 0
    package var completedHandshake = false
    package var version: TLSVersion?
    package var applicationProtocol: String?
    package var clientCertificate: [UInt8]?
    /// The first bytes received, up to ``openingLimit``.
    package var opening: [UInt8] = []
    package var applicationOpening: [UInt8] = []
    package var receivedCloseNotify = false
    /// The reason why TLS failed, in OpenSSL's words.
    package var failure: String?
    package var hasEnded = false

    /// The limit of ``opening`` in bytes, enough for the head of a request.
    static let openingLimit = 2_048
}

typealias ConnectionRecord = @Sendable ((inout ConnectionObservation) -> Void) -> Void

internal import Base
internal import Synchronization

/// A server on the loopback interface that lives as long as a closure runs.
///
/// ```swift
/// let world = try StandardPKI.shared()
/// try await LoopbackServer.serving(.presenting([world.leaf, world.interA])) { server in
///     // connect to server.address, server.port …
///     let seen = await server.connections(ended: 1)
/// }
/// ```
///
/// Blocking POSIX sockets, a thread for each connection and no SwiftNIO: an opinion on TLS that does not share the client's code.
package final class LoopbackServer: Sendable {
    struct State {
        /// What the server presents to connections that begin now.
        var context: TLSServerContext?
        var connections: [ConnectionObservation] = []
        /// The sockets of threads that have not ended, that of the one that listens included.
        var descriptors: Set<Int32> = []
        var isStopping = false
    }

    /// The address the server listens on, as it was asked for.
    package let address: String
    package let port: UInt16
    private let state: Mutex<State>
    private let behavior: ServerBehavior
    /// What a proxy itself presents.
    private let proxyContext: TLSServerContext?

    /// Answers connections that begin from now on by other settings, as a server does whose certificate was renewed.
    ///
    /// - Throws: ``LabError`` when a key does not fit its certificate; the server then goes on as before.
    package func present(_ settings: TLSServerSettings) throws(LabError) {
        let context = try TLSServerContext(settings)
        state.withLock { $0.context = context }
    }

    /// What the server has seen so far of each connection, in the order they were accepted.
    package var connections: [ConnectionObservation] { state.withLock(\.connections) }

    /// What the server has seen, once at least `count` connections are over.
    ///
    /// Waits for as long as it takes; a cancelled task gets what there is.
    package func connections(ended count: Int) async -> [ConnectionObservation] {
        while !Task.isCancelled, connections.count(where: \.hasEnded) < count {
            try? await Task.sleep(for: .milliseconds(1))
        }
        return connections
    }

    /// Serves while `body` runs, then stops: no thread and no descriptor of the server is left when this returns or throws.
    ///
    /// The address is one of this machine, such as `127.0.0.2` or `::1`, and port 0 a free one.
    package static func serving<Value: Sendable>(
        _ behavior: ServerBehavior, address: String = "127.0.0.1", port: UInt16 = 0,
        isolation: isolated (any Actor)? = #isolation, _ body: (LoopbackServer) async throws -> Value
    ) async throws -> Value {
        let server = try LoopbackServer(behavior, address: address, port: port)
        defer { server.stop() }
        return try await body(server)
    }

    private init(_ behavior: ServerBehavior, address: String, port: UInt16) throws(LabError) {
        (self.behavior, self.address) = (behavior, address)
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

    /// Ends all connections, and waits until no thread is left.
    ///
    /// Closing alone may come to nothing for a while: a program that is just being started by another thread holds copies of all
    /// descriptors, close-on-exec or not, until it really starts. A port would stay taken and a client would wait.
    private func stop() {
        state.withLock { state in
            state.isStopping = true
            for descriptor in state.descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
        while state.withLock({ !$0.descriptors.isEmpty }) { usleep(100) }
    }

    private func listen(_ listener: Int32) {
        while !state.withLock(\.isStopping) {
            // Not every system has shutdown(2) wake one that listens.
            guard Descriptor.wait(for: POLLIN, on: listener, milliseconds: 100),
                let descriptor = Sockets.accepted(by: listener)
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
        let isServed = SystemThread.start {
            let connection = Connection(descriptor, delivery: self.behavior.delivery, record: record)
            self.converse(over: connection, context, record)
            connection.finish()
            while !connection.read().isEmpty {}
            self.end(descriptor, index)
        }
        if !isServed { end(descriptor, index) }
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
    /// The first bytes that came, up to ``openingLimit``.
    package internal(set) var opening: [UInt8] = []
    /// The first bytes of application data that came through TLS, up to ``openingLimit``.
    package internal(set) var applicationOpening: [UInt8] = []
    package internal(set) var receivedCloseNotify = false
    /// Why TLS failed, in OpenSSL's words; `nil` when it did not.
    package internal(set) var failure: String?
    package internal(set) var hasEnded = false

    /// How many bytes of what a client sent are kept: enough for the head of a request.
    static let openingLimit = 2_048
}

/// Where one connection notes what it sees.
typealias ConnectionRecord = @Sendable ((inout ConnectionObservation) -> Void) -> Void

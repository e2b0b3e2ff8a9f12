internal import NIOCore

/// The connections of a server.
///
/// Not Sendable: it belongs to the server's event loop.
final class ConnectionRoom {
    private let limit: Int
    private var connections: [ObjectIdentifier: ServedConnection] = [:]
    private var listeners: [any Channel] = []
    private var whenEmpty: EventLoopPromise<Void>?
    /// Whether no connection is kept for another request.
    private(set) var isEnding = false

    init(limit: Int) {
        self.limit = limit
    }

    func add(_ listener: any Channel) { listeners.append(listener) }

    /// Takes a connection in; where there is no room, one leaves for it that has nothing to do, the one that had longest.
    ///
    /// - Returns: whether there is room: not where all of them are being answered.
    func enter(_ connection: ServedConnection) -> Bool {
        var isRoom = true
        if connections.count >= limit {
            let idlest = connections.values.filter(\.isIdle).min { $0.lastActivity < $1.lastActivity }
            idlest?.drop(.full)
            isRoom = idlest != nil
        }
        connections[ObjectIdentifier(connection)] = connection
        return isRoom
    }

    func leave(_ connection: ServedConnection) {
        connections[ObjectIdentifier(connection)] = nil
        if connections.isEmpty { whenEmpty?.succeed() }
    }

    /// Accepts no connection any more, and lets those go that have nothing to do; the others once they are answered.
    func end(_ promise: EventLoopPromise<Void>) {
        isEnding = true
        for listener in listeners { listener.close(promise: nil) }
        listeners = []
        for connection in connections.values { connection.endWhenIdle() }
        if connections.isEmpty { promise.succeed() } else { whenEmpty = promise }
    }

    /// Lets every connection go.
    func closeAll() {
        for connection in connections.values { connection.drop(.slow) }
    }
}

internal import NIOCore

/// The connections of a server.
///
/// Not Sendable: it belongs to the server's event loop.
final class ConnectionRoom {
    /// What a connection may be used for.
    enum Place {
        /// Every request.
        case common
        /// What is answered at once: there are few such places, for when all others wait for probes.
        case reserve
    }

    private let limit: Int
    private let reserve: Int
    private var places: [ObjectIdentifier: Place] = [:]
    private var connections: [ObjectIdentifier: ServedConnection] = [:]
    private var listeners: [any Channel] = []
    private var whenEmpty: EventLoopPromise<Void>?
    /// Whether no connection is kept for another request.
    private(set) var isEnding = false

    init(limit: Int, reserve: Int) {
        self.limit = limit
        self.reserve = reserve
    }

    func add(_ listener: any Channel) { listeners.append(listener) }

    /// Takes a connection in; where there is no room, one leaves for it that has nothing to do, the one that had longest.
    ///
    /// - Returns: its place; one of the reserve where all others are being answered, none where those of the reserve are, too.
    func enter(_ connection: ServedConnection) -> Place? {
        let id = ObjectIdentifier(connection)
        connections[id] = connection
        for (place, limit) in [(Place.common, limit), (.reserve, reserve)] where makeRoom(place, limit) {
            places[id] = place
            return place
        }
        // It is told so, and goes as soon as another needs the place.
        places[id] = .reserve
        return nil
    }

    private func makeRoom(_ place: Place, _ limit: Int) -> Bool {
        let taken = places.filter { $0.value == place }.keys
        guard taken.count >= limit else { return true }
        let idle = taken.compactMap { connections[$0] }.filter(\.isIdle)
        idle.min { $0.lastActivity < $1.lastActivity }?.drop(.full)
        return taken.count - min(idle.count, 1) < limit
    }

    func leave(_ connection: ServedConnection) {
        places[ObjectIdentifier(connection)] = nil
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

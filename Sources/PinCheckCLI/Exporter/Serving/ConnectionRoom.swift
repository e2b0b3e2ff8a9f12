internal import NIOCore

/// A connection that takes a place of a server.
protocol PlacedConnection: AnyObject {
    /// Whether nothing is lost with it but what nobody has asked for yet.
    var isIdle: Bool { get }
    var lastActivity: ContinuousClock.Instant { get }

    func drop(_ reason: ServerEvent.Reason)

    /// Lets the connection go once nothing is lost with it.
    func endWhenIdle()
}

/// The connections of a server.
///
/// Not Sendable: it belongs to the server's event loop.
final class ConnectionRoom {
    enum Place {
        /// Every request.
        case common
        /// What is answered at once: there are few such places, for when all others wait for probes.
        case reserve
    }

    private let limit: Int
    private let reserve: Int
    private var places: [ObjectIdentifier: Place] = [:]
    private var connections: [ObjectIdentifier: any PlacedConnection] = [:]
    private var listeners: [any Channel] = []
    private var whenEmpty: EventLoopPromise<Void>?
    /// How many requests are being answered, though their connection may be gone: their answers come back to the event loop.
    private var answers = 0
    /// Whether no connection is kept for another request.
    private(set) var isEnding = false

    init(limit: Int, reserve: Int) {
        self.limit = limit
        self.reserve = reserve
    }

    func add(_ listener: any Channel) { listeners.append(listener) }

    /// Takes a connection in; where there is no room, one leaves for it that has nothing to do, the one that had longest.
    ///
    /// Those that came or were answered just now stay while there is another place: their request may be on its way.
    ///
    /// - Returns: its place; one of the reserve where all others are being answered, none where those of the reserve are, too.
    func enter(_ connection: any PlacedConnection, at now: ContinuousClock.Instant = .now) -> Place? {
        let id = ObjectIdentifier(connection)
        connections[id] = connection
        for idle in [Self.idleTime, .zero] {
            for (place, limit) in [(Place.common, limit), (.reserve, reserve)] {
                guard makeRoom(place, limit, idleSince: now - idle) else { continue }
                places[id] = place
                return place
            }
        }
        // It is told so, and goes as soon as another needs the place.
        places[id] = .reserve
        return nil
    }

    /// Finds a place for a connection from which a request has come: one for every request if there is any, though another leaves for it.
    ///
    /// Where connections come faster than they ask, those that ask first would be left in the reserve.
    func settle(_ connection: any PlacedConnection, at now: ContinuousClock.Instant = .now) -> Place {
        let id = ObjectIdentifier(connection)
        guard places[id] != .common else { return .common }
        guard [Self.idleTime, .zero].contains(where: { makeRoom(.common, limit, idleSince: now - $0) }) else {
            return .reserve
        }
        places[id] = .common
        return .common
    }

    /// How long a connection has had nothing to do before another takes its place though there is one left.
    private static let idleTime = Duration.seconds(1)

    private func makeRoom(_ place: Place, _ limit: Int, idleSince latest: ContinuousClock.Instant) -> Bool {
        let taken = places.filter { $0.value == place }.keys
        guard taken.count >= limit else { return true }
        let idle = taken.compactMap { connections[$0] }.filter { $0.isIdle && $0.lastActivity <= latest }
        idle.min { $0.lastActivity < $1.lastActivity }?.drop(.full)
        return taken.count - min(idle.count, 1) < limit
    }

    func leave(_ connection: any PlacedConnection) {
        places[ObjectIdentifier(connection)] = nil
        connections[ObjectIdentifier(connection)] = nil
        endIfEmpty()
    }

    func beginAnswer() { answers += 1 }

    func endAnswer() {
        answers -= 1
        endIfEmpty()
    }

    private func endIfEmpty() {
        guard connections.isEmpty, answers == 0 else { return }
        whenEmpty?.succeed()
        whenEmpty = nil
    }

    /// Accepts no connection any more, and lets those go that have nothing to do; the others once they are answered.
    func end(_ promise: EventLoopPromise<Void>) {
        isEnding = true
        for listener in listeners { listener.close(promise: nil) }
        listeners = []
        for connection in connections.values { connection.endWhenIdle() }
        whenEmpty = promise
        endIfEmpty()
    }

    func closeAll() { for connection in connections.values { connection.drop(.slow) } }
}

import Testing

@testable import PinCheckCLI

/// Who goes where a server's connections are all in use.
@Suite struct ConnectionRoomTests {
    private final class Connection: PlacedConnection {
        // The room holds its connections.
        weak var room: ConnectionRoom?
        var isIdle = true
        var lastActivity: ContinuousClock.Instant
        private(set) var isDropped = false

        init(_ room: ConnectionRoom, at time: ContinuousClock.Instant) { (self.room, lastActivity) = (room, time) }

        func drop(_: ServerEvent.Reason) {
            isDropped = true
            room?.leave(self)
        }

        func endWhenIdle() {}
    }

    private let start = ContinuousClock.now
    private let room = ConnectionRoom(limit: 2, reserve: 1)

    private func enter(_ milliseconds: Int) -> (connection: Connection, place: ConnectionRoom.Place?) {
        let now = start + .milliseconds(milliseconds)
        let connection = Connection(room, at: now)
        return (connection, room.enter(connection, at: now))
    }

    @Test func whoCameJustNowStaysWhileThereIsAnotherPlace() {
        let (first, second, third) = (enter(0), enter(1), enter(2))
        #expect([first, second, third].map(\.place) == [.common, .common, .reserve])
        #expect(!first.connection.isDropped && !second.connection.isDropped)
    }

    @Test func whoHasHadNothingToDoLongestGoes() {
        let (first, second) = (enter(0), enter(1))
        first.connection.lastActivity = start + .milliseconds(200)
        let third = enter(1_100)
        #expect(third.place == .common && second.connection.isDropped && !first.connection.isDropped)
    }

    @Test func whereNoPlaceIsLeftWhoCameJustNowGoesToo() {
        let earlier = [enter(0), enter(1), enter(2)]
        let fourth = enter(3)
        #expect(fourth.place == .common)
        #expect(earlier.map(\.connection.isDropped) == [true, false, false])
    }

    @Test func whoAsksTakesThePlaceOfWhoDoesNot() {
        let (first, second, third) = (enter(0), enter(1), enter(2))
        third.connection.isIdle = false
        #expect(room.settle(third.connection, at: start + .milliseconds(3)) == .common)
        #expect(first.connection.isDropped && !second.connection.isDropped)
        #expect(room.settle(third.connection, at: start + .milliseconds(4)) == .common)
        #expect(!second.connection.isDropped)
        // The reserve is free again.
        second.connection.isIdle = false
        let fourth = enter(5)
        fourth.connection.isIdle = false
        #expect(fourth.place == .reserve)
        #expect(room.settle(fourth.connection, at: start + .milliseconds(6)) == .reserve)
    }

    @Test func whoIsBeingAnsweredStays() {
        let earlier = [enter(0), enter(1)]
        for (connection, _) in earlier { connection.isIdle = false }
        let reserved = enter(5_000)
        #expect(reserved.place == .reserve)
        let next = enter(5_001)
        #expect(next.place == .reserve && reserved.connection.isDropped)
        next.connection.isIdle = false
        let last = enter(9_000)
        #expect(last.place == nil && !last.connection.isDropped)
        #expect(earlier.allSatisfy { !$0.connection.isDropped } && !next.connection.isDropped)
        // It goes for whoever comes next.
        #expect(enter(9_500).place == nil)
    }
}

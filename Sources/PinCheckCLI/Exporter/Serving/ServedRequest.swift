/// A request that was read to its end.
package struct ServedRequest: Sendable {
    /// The method, as in `GET`.
    package let method: String
    package let place: String
    /// The values of the header that says how long the scrape may take.
    package let timeouts: [String]
    package let client: String
    package let arrival: ContinuousClock.Instant
    /// Whether it has one of the last places, kept for what is answered at once.
    package let isInReserve: Bool
}

package struct ServedAnswer: Hashable, Sendable {
    package let status: Int
    package let type: String
    package let body: String
    /// The methods that there are, where another was asked for.
    package let allow: String?

    package init(status: Int, type: String = "text/plain; charset=utf-8", body: String, allow: String? = nil) {
        self.status = status
        self.type = type
        self.body = body
        self.allow = allow
    }
}

/// What happened to a connection, beside the answers that were asked for.
package enum ServerEvent: Hashable, Sendable {
    case opened
    case closed
    /// What it sent was no request, or no whole one: it was answered with this status.
    case refused(Int)
    /// It was given up, for this reason.
    case dropped(Reason)

    /// Why a connection was given up.
    package enum Reason: String, CaseIterable, Sendable {
        /// It took too long to send a request or to take its answer.
        case slow
        /// It had nothing to do, and another needed its place.
        case full
    }
}

/// How much one connection may take, and how many there are.
package struct ServerLimits: Sendable {
    package var connections = 512
    /// How many more there are while all of those are being answered, each for one request that is answered at once.
    package var reserve = 8
    /// The most bytes of a request.
    package var requestBytes = 16 << 10
    /// How long a request may take to come, and a new connection to begin one.
    package var requestTime = Duration.seconds(10)
    /// How long a connection is kept for its next request: longer than between two scrapes.
    package var idleTime = Duration.seconds(120)
    package var answerTime = Duration.seconds(10)
    /// How long what still comes is thrown away, so that the answer is not lost with it.
    package var farewellTime = Duration.seconds(2)

    /// The limits that hold unless somebody says otherwise.
    package init() {}
}

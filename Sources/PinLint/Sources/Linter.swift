package import Pinning

/// Judges sources of pins without a network: each by itself, and all against each other.
package struct Linter: Sendable {
    /// The moment to judge by.
    package let now: Timestamp
    /// An end of which less is left than this is near.
    package let warnBefore: Threshold
    /// The clients that ship the pins, as they are named elsewhere; empty when nobody said.
    package let clients: Set<String>

    /// A linter for one moment.
    package init(now: Timestamp, warnBefore: Threshold, clients: Set<String> = []) {
        self.now = now
        self.warnBefore = warnBefore
        self.clients = clients
    }
}

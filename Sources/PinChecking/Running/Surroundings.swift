package import Pinning
package import TLSProbe

/// What a run has of the world it runs in.
package struct Surroundings: Sendable {
    /// The environment variables that say where the system's roots are.
    package let environment: [String: String]
    package let now: @Sendable () -> Timestamp
    /// The thread for connections, `nil` when one has to be made.
    package let thread: ProbeThread?
    package let network: StagedNetwork?
    /// How many connections can be open at the same time.
    package let connectionLimit: Int

    package init(
        environment: [String: String], now: @escaping @Sendable () -> Timestamp, thread: ProbeThread? = nil,
        network: StagedNetwork? = nil, connectionLimit: Int
    ) {
        self.environment = environment
        self.now = now
        self.thread = thread
        self.network = network
        self.connectionLimit = connectionLimit
    }
}

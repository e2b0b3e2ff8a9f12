package import Pinning
package import TLSProbe

package struct Environment: Sendable {
    /// The environment variables that say where the system's roots are.
    package let variables: [String: String]
    package let now: @Sendable () -> Timestamp
    /// The thread for connections, `nil` when one has to be made.
    package let thread: ProbeThread?
    package let network: StagedNetwork?
    package let connectionLimit: Int

    package init(
        variables: [String: String], now: @escaping @Sendable () -> Timestamp, thread: ProbeThread? = nil,
        network: StagedNetwork? = nil, connectionLimit: Int
    ) {
        (self.variables, self.now, self.thread, self.network) = (variables, now, thread, network)
        self.connectionLimit = connectionLimit
    }
}

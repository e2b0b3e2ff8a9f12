import Pinning

/// What one host is judged by: the pins that are for it, and the clients as they are set up for it.
struct HostSetup: Sendable {
    /// The clients whose decisions are made; at least one.
    let clients: [ClientChoice.Chosen]
    /// AFNetworking's pinning mode, given or suggested by the pins.
    let mode: AFSecurityPolicy.PinningMode
    /// All pins that are for the host.
    let pins: PinSet?
    /// The records that some client compares and that none of the pins expresses; they are counted behind those.
    let records: [ConfiguredRecord]
    /// The entries of configurations that are for the host.
    let entries: [Report.ConfigurationEntry]
    /// What should be said of the configurations about this host.
    let warnings: [Report.Message]
    /// What should be said of the pins as they were read: the same for every host, so it is said once.
    let notes: [Report.Message]
}

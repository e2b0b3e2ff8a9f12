package import Pinning

/// What one host is judged by: the pins that are for it, and the clients as they are set up for it.
package struct HostSetup: Sendable {
    /// The clients whose decisions are made; at least one.
    package let clients: [ChosenClient]
    /// AFNetworking's pinning mode, given or suggested by the pins.
    package let mode: AFSecurityPolicy.PinningMode
    /// All pins that are for the host.
    package let pins: PinSet?
    /// The records that some client compares and that none of the pins expresses; they are counted behind those.
    package let records: [ConfiguredRecord]
    /// The entries of configurations that are for the host.
    package let entries: [ConfiguredEntry]
    /// What should be said of the configurations about this host.
    package let warnings: [Finding]
    /// What should be said of the pins as they were read: the same for every host, so it is said once.
    package let notes: [Finding]
}

/// An entry of a configuration that is for a host.
package struct ConfiguredEntry: Sendable {
    /// Whose configuration it is.
    package let kind: PinConfiguration.Kind
    /// What it says.
    package let entry: HostEntry
}

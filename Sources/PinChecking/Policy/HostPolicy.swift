package import Pinning
package import X509

/// What chains of one host are judged by: its clients, each with its pins, and the devices with their roots; the same for a chain from a
/// server and one from a file.
///
/// A class, so that thousands of targets share one.
package final class HostPolicy: Sendable {
    /// The clients whose verdicts are asked for, at least one; those that cannot be set up say why.
    package let clients: [ConfiguredClient]
    /// AFNetworking's pinning mode, given or suggested by the pins.
    package let mode: AFSecurityPolicy.PinningMode
    package let pins: PinSet?
    package let entries: [ConfiguredEntry]
    /// What an app's configuration has the device decide by, beside the pins.
    package let applied: [AppliedConfiguration]
    /// What should be said of the pins, as they were read and about this host.
    package let warnings: [Finding]
    let remarks: [Finding]

    /// The devices that are judged for, in the order of their data; this machine alone where none is named.
    package let devices: [JudgedDevice]
    /// The lists of roots that devices were named of, `nil` where none was named.
    package let lists: Lists?
    /// The roots that were given instead of those of the devices, or beside them; `nil` for none.
    let givenRoots: TrustStore?
    /// The moment to judge by, `nil` for now.
    package let time: Timestamp?
    package let outlook: OutlookRules
    /// What stands for certificates that a platform would fetch, besides the pins.
    package let fetchable: [Certificate]
    let installedRoots: [Certificate]
    /// Roots that count as those of devices, beside the lists of devices.
    let publicRoots: Set<[UInt8]>

    package init(
        clients: [ConfiguredClient], mode: AFSecurityPolicy.PinningMode = .none, pins: PinSet?,
        entries: [ConfiguredEntry] = [], applied: [AppliedConfiguration] = [], warnings: [Finding] = [],
        remarks: [Finding] = [], devices: [JudgedDevice], lists: Lists? = nil, givenRoots: TrustStore? = nil,
        time: Timestamp? = nil, outlook: OutlookRules = OutlookRules(), fetchable: [Certificate] = [],
        installedRoots: [Certificate] = [], publicRoots: Set<[UInt8]> = []
    ) {
        self.clients = clients
        self.mode = mode
        self.pins = pins
        self.entries = entries
        self.applied = applied
        self.warnings = warnings
        self.remarks = remarks
        self.devices = devices
        self.lists = lists
        self.givenRoots = givenRoots
        self.time = time
        self.outlook = outlook
        self.fetchable = fetchable
        self.installedRoots = installedRoots
        self.publicRoots = publicRoots
    }

    /// What stands for the roots of the client's device, named as reports name it.
    package enum Trust: String, Sendable, CaseIterable {
        case system
        case anchors
        case both = "anchors and system"
        case device
        case anchorsAndDevice = "anchors and device"
    }

    /// A verifier for questions that no root decides.
    package var verifier: OpenSSLPathVerifier { devices[0].verifier }

    /// The configured pins in their order, as reports name them.
    package var configuredPins: [String] { (pins?.pins ?? []).map { $0.spkiSHA256.description } }
}

package import Pinning
package import X509

/// Everything a chain is judged by: the same for a chain from a server and one from a file.
///
/// A class, so that thousands of targets share one.
package final class HostPolicy: Sendable {
    package let setup: HostSetup
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

    /// What chains are judged by; there is at least one device.
    package init(
        setup: HostSetup, devices: [JudgedDevice], lists: Lists? = nil, givenRoots: TrustStore? = nil, time: Timestamp?,
        outlook: OutlookRules, fetchable: [Certificate] = [], installedRoots: [Certificate] = [],
        publicRoots: Set<[UInt8]> = []
    ) {
        self.setup = setup
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

    /// Answers what has nothing to do with the roots of a device.
    package var verifier: OpenSSLPathVerifier { devices[0].verifier }

    /// What one client makes of a server on one device.
    package struct Decision: Sendable {
        package let device: JudgedDevice
        package let client: ConfiguredClient
        /// Its verdict, or why it cannot be set up.
        package let verdict: Result<Verdict, ClientConfigurationError>
    }

    /// The decisions of all clients on each device, in their order.
    package func decisions(on observation: ServerView) -> [Decision] {
        devices.flatMap { device in
            // Most clients ask the same question first.
            let finder = RememberingVerifier(device.verifier)
            let finderWithInstalledRoots = RememberingVerifier(device.verifierWithInstalledRoots)
            let observation = observation.running(on: device.release)
            return setup.clients.filter { device.runs($0.entry) }.map { client in
                let verifier = client.trustsInstalledRoots ? finderWithInstalledRoots : finder
                return Decision(
                    device: device, client: client,
                    verdict: client.procedure.map { procedure in
                        procedure.decide(observation, pins: client.pins, verifier: verifier)
                    })
            }
        }
    }

    /// That there is nothing the chain could be trusted for, when that is why it is not trusted.
    func missingRootsWarning(on judgement: Judgement) -> Finding? {
        guard judgement.decided.isMissingAnchor,
            let places = judgement.device.verifier.trustStore.placesWithoutSystemRoots
        else { return nil }
        return .warning(
            id: "no-system-roots", message: "this machine has no trusted roots (\(places))", remedy: .giveRoots)
    }

    /// What of the system's store cannot be read where the certificates of this chain were looked for: it may have been the root
    /// that is missing, or a word of distrust.
    func damagedStoreWarnings(on judgement: Judgement) -> [Finding] {
        let verdict = judgement.decided
        let damage = judgement.device.verifier.trustStore.damage(
            concerning: verdict.builtChain.certificates, whenMissing: verdict.isMissingAnchor)
        return damage.map { damage in
            .warning(
                id: "damaged-trust-store",
                message: "the system's store is damaged in \(damage): replace the block, or take it out")
        }
    }
}

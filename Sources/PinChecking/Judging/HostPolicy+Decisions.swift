package import Pinning
import X509

extension HostPolicy {
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
            return clients.filter { device.runs($0.client) }.map { client in
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

import Pinning
import X509

/// Everything a chain is judged by: the same for a chain from a server and one from a file.
///
/// A class, so that thousands of targets share one.
final class Evaluation: Sendable {
    /// The pins and the clients.
    let setup: HostSetup
    /// Finds the paths; holds the trust store.
    let verifier: OpenSSLPathVerifier
    /// The same with the roots a user installed on the device.
    let verifierWithInstalledRoots: OpenSSLPathVerifier
    /// What the trust store holds.
    let trust: Trust
    /// The moment to judge by, `nil` for now.
    let time: Timestamp?
    /// What is asked for the time ahead.
    let outlook: OutlookRules

    init(
        setup: HostSetup,
        verifier: OpenSSLPathVerifier,
        verifierWithInstalledRoots: OpenSSLPathVerifier,
        trust: Trust,
        time: Timestamp?,
        outlook: OutlookRules
    ) {
        self.setup = setup
        self.verifier = verifier
        self.verifierWithInstalledRoots = verifierWithInstalledRoots
        self.trust = trust
        self.time = time
        self.outlook = outlook
    }

    /// What stands for the roots of the client's device, named as reports name it.
    enum Trust: String, Sendable {
        case system
        case anchors
        case both = "anchors and system"
    }

    /// What one client makes of a server.
    struct Decision: Sendable {
        /// The client.
        let client: ClientChoice.Chosen
        /// Its verdict, or why it cannot be set up.
        let verdict: Result<Verdict, ClientConfigurationError>
    }

    /// The decisions of all clients, in their order.
    func decisions(on observation: Observation) -> [Decision] {
        // Most clients ask the same question first.
        let finder = RememberingVerifier(verifier)
        let finderWithInstalledRoots = RememberingVerifier(verifierWithInstalledRoots)
        return setup.clients.map { client in
            let finder = client.trustsInstalledRoots ? finderWithInstalledRoots : finder
            return Decision(
                client: client,
                verdict: client.procedure.map { procedure in
                    procedure.evaluate(observation, pins: client.pins, verifier: finder)
                }
            )
        }
    }

    /// The decisions of all clients if a path were valid.
    func decisions(on observation: Observation, assuming verifier: AssumedPath) -> [Decision] {
        setup.clients.map { client in
            Decision(
                client: client,
                verdict: client.procedure.map { procedure in
                    procedure.evaluate(observation, pins: client.pins, verifier: verifier)
                }
            )
        }
    }

    /// What the pedantic checks have against the path a verdict rests on, as a warning.
    func strictWarning(on verdict: Verdict, observation: Observation) -> Report.Message? {
        guard verdict.isAccepted, case .verified(let path) = verdict.builtChain else { return nil }
        let findings = verifier.strictFindings(
            on: path,
            policy: .sslServer(name: .unchecked),
            time: observation.time
        )
        guard let finding = findings.first else { return nil }
        return Report.Message(
            id: "strict",
            message: "\(finding): strict verifiers reject this (--strict does too)"
        )
    }

    /// That there is nothing the chain could be trusted for, when that is why it is not trusted.
    func missingRootsWarning(on verdict: Verdict) -> Report.Message? {
        guard case .untrusted(let failures) = verdict.reason, failures.contains(where: \.isMissingAnchor),
            let places = verifier.trustStore.placesWithoutSystemRoots
        else { return nil }
        return Report.Message(
            id: "no-system-roots",
            message: "this machine has no trusted roots (\(places)): install ca-certificates, or give --anchors"
        )
    }
}

package import Pinning
package import X509

/// Everything a chain is judged by: the same for a chain from a server and one from a file.
///
/// A class, so that thousands of targets share one.
package final class Evaluation: Sendable {
    /// The pins and the clients.
    package let setup: HostSetup
    /// Finds the paths; holds the trust store.
    package let verifier: OpenSSLPathVerifier
    /// The same with the roots a user installed on the device.
    package let verifierWithInstalledRoots: OpenSSLPathVerifier
    /// What the trust store holds.
    package let trust: Trust
    /// The moment to judge by, `nil` for now.
    package let time: Timestamp?
    /// What is asked for the time ahead.
    package let outlook: OutlookRules
    /// What stands for certificates that a platform would fetch, besides the pins.
    package let fetchable: [Certificate]
    /// The Certificate Transparency logs that timestamps are held against, `nil` for none.
    package let logs: TransparencyLogs?

    package init(
        setup: HostSetup,
        verifier: OpenSSLPathVerifier,
        verifierWithInstalledRoots: OpenSSLPathVerifier,
        trust: Trust,
        time: Timestamp?,
        outlook: OutlookRules,
        fetchable: [Certificate] = [],
        logs: TransparencyLogs? = nil
    ) {
        self.setup = setup
        self.verifier = verifier
        self.verifierWithInstalledRoots = verifierWithInstalledRoots
        self.trust = trust
        self.time = time
        self.outlook = outlook
        self.fetchable = fetchable
        self.logs = logs
    }

    /// What stands for the roots of the client's device, named as reports name it.
    package enum Trust: String, Sendable {
        case system
        case anchors
        case both = "anchors and system"
    }

    /// What one client makes of a server.
    package struct Decision: Sendable {
        /// The client.
        package let client: ChosenClient
        /// Its verdict, or why it cannot be set up.
        package let verdict: Result<Verdict, ClientConfigurationError>
    }

    /// The decisions of all clients, in their order.
    package func decisions(on observation: Observation) -> [Decision] {
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
    func decisions(on observation: Observation, assuming verifier: some PathVerifier) -> [Decision] {
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
    package func strictWarning(on verdict: Verdict, observation: Observation) -> Finding? {
        guard verdict.isAccepted, case .verified(let path) = verdict.builtChain else { return nil }
        let findings = verifier.strictFindings(
            on: path,
            policy: .sslServer(name: .unchecked),
            time: observation.time
        )
        guard let finding = findings.first else { return nil }
        return .warning(id: "strict", message: "\(finding): strict verifiers reject this", remedy: .judgeStrictly)
    }

    /// That there is nothing the chain could be trusted for, when that is why it is not trusted.
    package func missingRootsWarning(on verdict: Verdict) -> Finding? {
        guard case .untrusted(let failures) = verdict.reason, failures.contains(where: \.isMissingAnchor),
            let places = verifier.trustStore.placesWithoutSystemRoots
        else { return nil }
        return .warning(
            id: "no-system-roots",
            message: "this machine has no trusted roots (\(places))",
            remedy: .giveRoots
        )
    }

    /// What of the system's store cannot be read where the certificates of this chain were looked for: it may have been the root
    /// that is missing, or a word of distrust.
    func damagedStoreWarnings(on verdict: Verdict) -> [Finding] {
        let isMissing =
            if case .untrusted(let failures) = verdict.reason { failures.contains(where: \.isMissingAnchor) } else {
                false
            }
        let damage = verifier.trustStore.damage(concerning: verdict.builtChain.certificates, whenMissing: isMissing)
        return damage.map { damage in
            .warning(
                id: "damaged-trust-store",
                message: "the system's store is damaged in \(damage): replace the block, or take it out"
            )
        }
    }
}

/// A browser that honours `Public-Key-Pins` (RFC 7469).
///
/// The header is noted only when one of its pins is on the validated chain and another is not: the backup.
public struct HPKP: ClientProcedure {
    /// The name users choose this client by.
    public var name: String { "hpkp" }

    /// Roots that the user installed: browsers do not hold pins against chains that end there (RFC 7469, 2.6).
    public let installedRoots: Set<Certificate>

    /// A browser that saw the pins in a header before.
    public init(installedRoots: Set<Certificate> = []) { self.installedRoots = installedRoots }

    /// A browser.
    public var platform: Platform? { .browser }

    /// What is compared with the pins.
    public func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        if case .name(.ip) = name { return .nothing }
        return .keys(of: pins, at: .anywhere)
    }

    /// Decides as RFC 7469, 2.6 says: the intersection of the chain's keys and the pins must not be empty.
    public func evaluate(_ observation: Observation, pins: PinSet?, verifier: some PathVerifier) -> Verdict {
        var run = ProcedureRun(observation, pins: pins, verifier: verifier, platform: platform)
        return run.afterServerTrust { run, system in
            if case .name(.ip) = observation.referenceName {
                return run.unpinned("addresses are never pinned (RFC 7469, 2.3.3)", system)
            }
            guard let pins else { return run.unpinned("the host has no pins", system) }
            run.warnOfPathDependence(system) { chain in
                chain.certificates.last.map(installedRoots.contains) == true
                    || !pins.publicKeyMatches(on: chain).isEmpty
            }
            if let anchor = system.builtChain.certificates.last, installedRoots.contains(anchor) {
                run.warn("pins-overridden", "the chain ends at an installed root: browsers do not hold pins against it")
                return run.unpinned("the chain ends at the installed root \(anchor)", system)
            }
            let keys = Set(system.builtChain.certificates.map(\.publicKey.spkiSHA256))
            guard pins.pins.contains(where: { !keys.contains($0.spkiSHA256) }) else {
                run.warn(
                    "no-backup-pin",
                    "every pin is on the chain: without a backup pin a browser does not note the header")
                return run.unpinned("the header has no backup pin and is not noted (RFC 7469, 2.5)", system)
            }
            return run.compare(on: system, what: "public key")
        }
    }
}

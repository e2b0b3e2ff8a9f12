/// curl with `--pinnedpubkey`, which compares only the leaf's key.
package struct Curl: ClientProcedure {
    /// `true` with `--insecure`, which skips the verification but not the pin.
    private let isInsecure: Bool

    package init(isInsecure: Bool = false) { self.isInsecure = isInsecure }
    package var platform: Platform? { .openssl }
    package func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison { .keys(of: pins, at: .leaf) }

    package func evaluate(_ run: inout ProcedureRun) -> Verdict {
        let system = run.evaluate(run.serverPolicy)
        if isInsecure {
            run.skip("name", "curl --insecure does not look at the name")
            run.skip("trust", "curl --insecure does not verify the chain")
            run.warn(.validityNotChecked, "curl --insecure checks neither trust nor dates nor the name, only the pin")
        } else {
            run.record(system)
            guard system.isTrusted else { return run.reject(system.failures, on: system.builtChain) }
        }
        guard let pins = run.pins else {
            run.skip("pins", "no --pinnedpubkey")
            if isInsecure { run.warn(.everythingAccepted, "curl --insecure without a pin accepts every server") }
            return run.verdict(isInsecure ? .everythingAccepted : .trustedWithoutPins, on: system.builtChain)
        }
        let matches = pins.publicKeyMatches(on: system.builtChain)
        guard let match = matches.first(where: { $0.depth == 0 }) else {
            let shortfall = "the leaf's public key is not pinned: curl ends with exit status 90"
            run.fail("pins", shortfall)
            if let above = matches.first {
                run.warn(
                    .leafOnly, "the pin is that of the CA at depth \(above.depth), and curl compares the leaf alone")
            }
            return run.verdict(.pinsFallShort(shortfall), on: system.builtChain)
        }
        run.pass("pins", "public key pin matched at depth 0")
        return run.verdict(.pinMatched(match), on: system.builtChain)
    }
}

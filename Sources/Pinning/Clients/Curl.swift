/// curl with `--pinnedpubkey`: the leaf's key alone, whatever else is checked.
public struct Curl: ClientProcedure {
    /// Whether curl is told not to verify the server (`--insecure`); the pin is compared all the same.
    public let isInsecure: Bool

    /// The name users choose this client by.
    public var name: String { "curl" }

    /// curl, which verifies the server unless told not to.
    public init(isInsecure: Bool = false) { self.isInsecure = isInsecure }

    /// This machine's OpenSSL.
    public var platform: Platform? { .openssl }

    /// What is compared with the pins.
    public func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison { .keys(of: pins, at: .leaf) }

    /// Decides as curl does: the chain and the name, then the leaf's key.
    ///
    /// A mismatch ends curl with exit status 90.
    public func evaluate(_ observation: ServerView, pins: PinSet?, verifier: some PathVerifier) -> Verdict {
        var run = ProcedureRun(observation, pins: pins, verifier: verifier, platform: platform)
        let system = run.evaluate(run.serverPolicy)
        if isInsecure {
            run.skip("name", "curl --insecure does not look at the name")
            run.skip("trust", "curl --insecure does not verify the chain")
            run.warn(
                "validity-not-checked", "curl --insecure checks neither trust nor dates nor the name, only the pin")
        } else {
            run.recordServerTrust(system)
            guard system.isTrusted else {
                run.skip("pins", "not compared: the client rejects before that")
                return run.verdict(.untrusted(system.failures), on: system.builtChain)
            }
        }
        guard let pins else {
            run.skip("pins", "no --pinnedpubkey")
            if isInsecure { run.warn("everything-accepted", "curl --insecure without a pin accepts every server") }
            return run.verdict(isInsecure ? .everythingAccepted : .trustedWithoutPins, on: system.builtChain)
        }
        let matches = pins.publicKeyMatches(on: system.builtChain)
        guard let match = matches.first(where: { $0.depth == 0 }) else {
            let shortfall = "the leaf's public key is not pinned: curl ends with exit status 90"
            run.fail("pins", shortfall)
            if let above = matches.first {
                run.warn(
                    "leaf-only",
                    "the pin is that of the authority at depth \(above.depth), and curl compares the leaf alone")
            }
            return run.verdict(.pinsFallShort(shortfall), on: system.builtChain)
        }
        run.pass("pins", "public key pin matched at depth 0")
        return run.verdict(.pinMatched(match), on: system.builtChain)
    }
}

/// A value of curl's `--pinnedpubkey` and how curl compares it.
public enum CurlPinnedPublicKey: Sendable, Hashable {
    /// The entries of `sha256//…;sha256//…` as text without what they begin with.
    ///
    /// Only `;sha256//` begins another: whatever else stands behind a semicolon belongs to the entry before it.
    case hashes([String])
    /// Anything else is the name of a file, whose content is compared.
    case file(String)

    private static let prefix = Substring("sha256//")

    /// Reads a value as curl does, which refuses none.
    public init(_ value: String) {
        guard value.hasPrefix(Self.prefix) else {
            self = .file(value)
            return
        }
        var entries: [String] = []
        for part in value.split(separator: ";", omittingEmptySubsequences: false) {
            if part.hasPrefix(Self.prefix) {
                entries.append(String(part.dropFirst(Self.prefix.count)))
            } else if let last = entries.indices.last {
                entries[last] += ";" + part
            }
        }
        self = .hashes(entries)
    }
}

internal import Base

/// OkHttp 5: `CertificatePinner`, after the platform's trust and name checks.
///
/// A pin can never rescue a chain that is not trusted. Pins match on the cleaned chain, never on what was merely presented.
public struct OkHttp: ClientProcedure {
    /// One entry of a `CertificatePinner`: a pattern and a pin.
    public struct PinnedHost: Sendable, Hashable {
        /// The hosts the pin is for.
        public let pattern: HostPattern
        /// The position of the pin in the pin set.
        public let pinIndex: Int

        /// An entry for hosts that `pattern` covers.
        public init(pattern: HostPattern, pinIndex: Int) {
            self.pattern = pattern
            self.pinIndex = pinIndex
        }
    }

    /// The most certificates OkHttp takes on a chain: a leaf and nine signers.
    public static let chainLimit = 10

    /// The entries, `nil` when all the pins are for the host at hand.
    public let entries: [PinnedHost]?
    /// The host as the URL has it, perhaps with a dot at its end; `nil` for the reference name.
    public let host: String?
    /// What the app's network security configuration has the device trust, `nil` for the trust store as it is.
    public let trust: AndroidTrust?

    /// The name users choose this client by.
    public var name: String { "okhttp" }

    /// A pinner with entries for hosts, or with pins for whatever host is checked.
    public init(entries: [PinnedHost]? = nil, host: String? = nil, trust: AndroidTrust? = nil) {
        self.entries = entries
        self.host = host
        self.trust = trust
    }

    /// Reads a pattern as OkHttp does: a host, `*.` before one for exactly one label, `**.` for any number.
    ///
    /// - Returns: the pattern, in lower case.
    /// - Throws: ``ClientConfigurationError`` where OkHttp throws IllegalArgumentException.
    public static func pattern(_ text: String) throws(ClientConfigurationError) -> HostPattern {
        let (name, depth): (Substring, HostPattern.Depth) =
            text.hasPrefix("**.")
            ? (text.dropFirst(3), .anyNumber)
            : text.hasPrefix("*.") ? (text.dropFirst(2), .oneLabel) : (text[...], .exact)
        do {
            let host = try ServerName(name)
            // OkHttp leaves a dot at the end where it stands.
            if case .dns(let text) = host, name.hasSuffix(".") { return HostPattern(text: text + ".", depth) }
            return HostPattern(text: host.description, depth)
        } catch {
            throw ClientConfigurationError(
                client: "okhttp",
                message: "\(quoted(text)) is not a pattern: write a host, *.host or **.host (\(error))")
        }
    }

    /// Android with OkHttp's own verifier of names.
    public var platform: Platform? { .android(names: .okHttp) }

    /// What is compared with the pins.
    public func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        guard let pins, let applying = pinsApplying(to: name, pins), !applying.isEmpty else { return .nothing }
        return PinComparison([.init(pins: applying.sorted(), at: .anywhere)])
    }

    /// Decides as `CertificatePinner.check` does once the platform trusts the chain.
    public func evaluate(_ observation: ServerView, pins: PinSet?, verifier: some PathVerifier) -> Verdict {
        let applying = pinsApplying(to: observation.referenceName, pins)
        var run = ProcedureRun(observation, pins: pins, verifier: verifier, platform: platform, trust: trust)
        return run.afterServerTrust(by: trust) { run, system in
            guard let applying, !applying.isEmpty else {
                let host = host ?? observation.referenceName.description
                if pins != nil, host.hasSuffix(".") {
                    run.warn(
                        "host-never-matches",
                        "no pin is for '\(host)': OkHttp compares names as text, and the dot at the end makes it another one"
                    )
                }
                return run.unpinned("no pin is for \(host)", system)
            }
            let cleaned = system.goingOnThroughAnchors
            let length = cleaned.builtChain.certificates.count
            guard length <= Self.chainLimit else {
                run.fail(
                    "chain-length", "the cleaned chain has \(length) certificates and OkHttp takes \(Self.chainLimit)")
                return run.verdict(
                    .clientError(name: "SSLPeerUnverifiedException", message: "Certificate chain too long: \(length)"),
                    on: cleaned.builtChain)
            }
            return run.compare(on: cleaned, what: "public key") { pins, chain in
                pins.publicKeyMatches(on: chain).filter { applying.contains($0.pinIndex) }
            }
        }
    }

    /// The positions of the pins whose pattern covers the host: the union over all entries, exact and wildcard.
    private func pinsApplying(to reference: ReferenceName, _ pins: PinSet?) -> Set<Int>? {
        guard let pins else { return nil }
        // Pins for whatever host are for the one whose name was checked, which has no dot at its end.
        guard let entries else { return host?.hasSuffix(".") == true ? [] : Set(pins.pins.indices) }
        guard let name = reference.serverName else { return [] }
        return Set(entries.filter { $0.pattern.covers(host ?? name.description) }.map(\.pinIndex))
    }
}

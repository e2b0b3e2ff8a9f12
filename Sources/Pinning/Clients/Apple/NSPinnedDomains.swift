/// Apple's App Transport Security pinning: `NSPinnedDomains` in an Info.plist.
///
/// The pins are part of the trust policy, so the system tries other paths until one holds them. Leaf and authority identities are two
/// conditions: where both are given, both must hold.
public struct NSPinnedDomains: ClientProcedure {
    /// What is pinned for the host.
    public enum Identities: Sendable, Hashable {
        /// `NSPinnedLeafIdentities` and `NSPinnedCAIdentities`: `nil` where the key is absent, empty where it holds nothing usable.
        case listed(leaf: [SHA256Digest]?, authorities: [SHA256Digest]?)
        /// The pins given apart, which an app would list under the one key or the other.
        case eitherKey
    }

    /// What is pinned for the host, `nil` for nothing.
    public let identities: Identities?

    /// The name users choose this client by.
    public var name: String { "nspinneddomains" }

    /// Pins that an app would list under one of the two keys.
    public init() { identities = .eitherKey }

    /// The leaf and authority identities of a host.
    public init(identities: Identities?) { self.identities = identities }

    /// Apple's.
    public var platform: Platform? { .apple() }

    /// What is compared with the pins.
    public func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        guard let identities else { return .nothing }
        guard case .listed(let leaf, let authorities) = identities else { return .keys(of: pins, at: .anywhere) }
        func condition(_ list: [SHA256Digest]?, _ place: PinComparison.Place) -> [PinComparison.Condition] {
            guard let list else { return [] }
            var condition = PinComparison.Condition.keys(of: pins, at: place)
            condition.pins.removeAll { index in pins.map { !list.contains($0.pins[index].spkiSHA256) } ?? true }
            return [condition]
        }
        return PinComparison(condition(leaf, .leaf) + condition(authorities, .authorities))
    }

    /// Decides as the system does for an app with that dictionary.
    public func evaluate(_ observation: ServerView, pins: PinSet?, verifier: some PathVerifier) -> Verdict {
        var run = ProcedureRun(observation, pins: pins, verifier: verifier, platform: platform)
        return run.afterServerTrust { run, system in
            guard let identities, pins != nil || identities != .eitherKey else {
                let verdict = run.unpinned("the host is not in NSPinnedDomains", system)
                return run.verdict(verdict.reason, on: verdict.builtChain, disposition: .performDefaultHandling)
            }
            for path in system.validPaths {
                guard let match = match(identities, on: path, pins) else { continue }
                run.pass("pins", match.detail)
                if path != system.validPaths.first {
                    run.warn(
                        "path-dependent",
                        "the pins hold only on a path the system tries after the preferred one: other clients may reject"
                    )
                }
                return run.verdict(.pinMatched(match.pin), on: .verified(path))
            }
            let shortfall = shortfall(identities) ?? misplaced(identities, on: system.validPaths)
            run.fail(
                "pins",
                shortfall
                    ?? (identities == .eitherKey
                        ? "no public key of any valid path is pinned" : "no identity of any valid path is listed"))
            run.warnOfPresentedPins(system.builtChain)
            return run.verdict(shortfall.map { .pinsFallShort($0) } ?? .pinMismatch, on: system.builtChain)
        }
    }

    private struct Match {
        let pin: PinMatch
        let detail: String
    }

    private func match(_ identities: Identities, on path: VerifiedPath, _ pins: PinSet?) -> Match? {
        let keys = path.certificates.map(\.publicKey.spkiSHA256)
        func pinMatch(at depth: Int) -> PinMatch {
            PinMatch(pinIndex: pins?.pins.firstIndex { $0.spkiSHA256 == keys[depth] } ?? 0, depth: depth)
        }
        switch identities {
        case .eitherKey:
            guard let depth = keys.firstIndex(where: { key in pins?.pins.contains { $0.spkiSHA256 == key } == true })
            else { return nil }
            let key = depth == 0 ? "NSPinnedLeafIdentities" : "NSPinnedCAIdentities"
            return Match(
                pin: pinMatch(at: depth), detail: "public key at depth \(depth) is pinned: list it under \(key)")
        case .listed(let leaf, let authorities):
            let leafDepth = leaf.map { $0.contains(keys[0]) ? 0 : -1 }
            let authorityDepth = authorities.map { list in keys.dropFirst().firstIndex(where: list.contains) ?? -1 }
            guard leafDepth != -1, authorityDepth != -1, let depth = leafDepth ?? authorityDepth else { return nil }
            return Match(
                pin: pinMatch(at: depth), detail: "the identities of the path are pinned, the first at depth \(depth)")
        }
    }

    /// That a listed key is on a path where its list is not compared, `nil` where none is.
    private func misplaced(_ identities: Identities, on paths: [VerifiedPath]) -> String? {
        guard case .listed(let leaf, let authorities) = identities else { return nil }
        for keys in paths.map({ $0.certificates.map(\.publicKey.spkiSHA256) }) {
            if let first = keys.first, authorities?.contains(first) == true {
                return "the leaf's key is in NSPinnedCAIdentities, which authorities alone are compared with: "
                    + "NSPinnedLeafIdentities is the list for it"
            }
            if let leaf, let depth = keys.dropFirst().firstIndex(where: leaf.contains) {
                return
                    "the key of the authority at depth \(depth) is in NSPinnedLeafIdentities, which the leaf alone is "
                    + "compared with: NSPinnedCAIdentities is the list for it"
            }
        }
        return nil
    }

    private func shortfall(_ identities: Identities) -> String? {
        switch identities {
        case .eitherKey: nil
        case .listed(let leaf?, let authorities?) where !leaf.isEmpty && !authorities.isEmpty:
            "leaf and authority identities are both listed, and both must match"
        case .listed(let leaf, let authorities):
            leaf?.isEmpty == true || authorities?.isEmpty == true
                ? "an identity list is empty: nothing can ever match it" : nil
        }
    }
}

extension ConfiguredPins {
    /// Leaf and authority identities, merged as NSPinnedDomains merges them.
    public var positions: NSPinnedDomains.Identities {
        var leaf: [SHA256Digest]?
        var authorities: [SHA256Digest]?
        func append(_ pins: [Pin]?, to list: inout [SHA256Digest]?) {
            guard let pins else { return }
            list = (list ?? []) + pins.map(\.spkiSHA256)
        }
        for entry in entries {
            guard case .positions(let ownLeaf, let ownAuthorities) = entry.identities else { continue }
            append(ownLeaf, to: &leaf)
            append(ownAuthorities, to: &authorities)
        }
        return .listed(leaf: leaf, authorities: authorities)
    }
}

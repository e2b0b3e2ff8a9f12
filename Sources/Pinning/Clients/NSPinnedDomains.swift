/// Apple's App Transport Security pinning, `NSPinnedDomains` in an Info.plist: the system tries other paths until the
/// pins are on one; if leaf and CA identities are given, both must hold.
package struct NSPinnedDomains: ClientProcedure {
    /// The merged entries for the host; `nil` if the pins are of another source: an app would list them under either key.
    package let identities: HostEntry.Identities?

    package init(identities: HostEntry.Identities? = nil) { self.identities = identities }
    package var platform: Platform? { .apple() }

    package func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        guard case .positions(let leaf, let authorities)? = identities else { return .keys(of: pins, at: .anywhere) }
        func condition(_ list: [Pin]?, _ place: PinComparison.Place) -> [PinComparison.Condition] {
            guard let keys = list?.map(\.spkiSHA256) else { return [] }
            let own = pins?.pins ?? []
            return [.init(pins, own.indices.filter { keys.contains(own[$0].spkiSHA256) }, at: place)]
        }
        return PinComparison(condition(leaf, .leaf) + condition(authorities, .authorities))
    }

    package func evaluate(_ run: inout ProcedureRun) -> Verdict {
        run.afterServerTrust { run, system in
            guard run.pins != nil || identities != nil else {
                return run.acceptUnpinned(
                    "the host is not in NSPinnedDomains", system, disposition: .performDefaultHandling)
            }
            let conditions = comparison(with: run.pins, for: run.name).conditions
            for path in system.validPaths {
                let found = conditions.map { $0.matches(on: .verified(path)).first }
                guard case let match?? = found.first, !found.contains(nil) else { continue }
                let key = match.depth == 0 ? "NSPinnedLeafIdentities" : "NSPinnedCAIdentities"
                run.pass(
                    "pins",
                    identities != nil
                        ? "the identities of the path are pinned, the first at depth \(match.depth)"
                        : "public key at depth \(match.depth) is pinned: list it under \(key)")
                if path != system.validPaths.first {
                    run.warn(
                        .pathDependent,
                        "the pins hold only on a path the system tries after the preferred one: other clients may reject"
                    )
                }
                return run.verdict(.pinMatched(match), on: .verified(path))
            }
            let pins = run.pins
            let isOnPath = system.validPaths.contains { pins?.publicKeyMatches(on: .verified($0)).isEmpty == false }
            let shortfall = shortfall(isOnPath: isOnPath)
            let own =
                identities == nil ? "public key of any valid path is pinned" : "identity of any valid path is listed"
            run.fail("pins", shortfall ?? "no \(own)")
            run.warnOfPresentedPins(system.builtChain)
            return run.verdict(shortfall.map { .pinsFallShort($0) } ?? .pinMismatch, on: system.builtChain)
        }
    }

    private func shortfall(isOnPath: Bool) -> String? {
        guard case .positions(let leaf, let authorities)? = identities else { return nil }
        if leaf?.isEmpty == true || authorities?.isEmpty == true {
            return "an identity list is empty: nothing can ever match it"
        }
        if leaf != nil, authorities != nil { return "leaf and CA identities are both listed, and both must match" }
        return isOnPath
            ? "a pinned key is in the wrong list: NSPinnedLeafIdentities is for the leaf, NSPinnedCAIdentities for CAs"
            : nil
    }
}

extension [HostEntry] {
    package var positions: HostEntry.Identities {
        var (leaf, authorities): ([Pin]?, [Pin]?)
        for case .positions(let ownLeaf, let ownAuthorities) in map(\.identities) {
            if let ownLeaf { leaf = (leaf ?? []) + ownLeaf }
            if let ownAuthorities { authorities = (authorities ?? []) + ownAuthorities }
        }
        return .positions(leaf: leaf, authorities: authorities)
    }
}

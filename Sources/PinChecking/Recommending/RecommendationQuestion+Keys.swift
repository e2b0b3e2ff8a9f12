import Pinning

/// Whose the keys are that were given, and those that are pinned today.
extension RecommendationQuestion {
    /// What was given to be in reserve, by what it can be used for.
    struct Candidates {
        /// Keys that no certificate has yet, for the server.
        var ofServer: [Reserve] = []
        /// The next roots of a private authority.
        var ofAuthority: [Reserve] = []
        /// Keys that are no reserve.
        var unfit: [Recommendation.UnfitReserve] = []
    }

    /// What can be a reserve of the keys that were given, and of those that are pinned beside the server's own today.
    ///
    /// - Parameter isPrivate: whether a private root is pinned where there is no key for the server.
    /// - Returns: what was given, by what it can be used for.
    func candidates(besidePrivateRoot isPrivate: Bool) -> Candidates {
        var candidates = Candidates()
        var seen: Set<SHA256Digest> = []
        for item in reserve where seen.insert(item.key).inserted {
            if let cause = unfitness(of: item, isPrivate) {
                candidates.unfit.append(.init(key: item.key, origin: item.origin, cause: cause))
            } else if item.authority == nil {
                candidates.ofServer.append(item)
            } else {
                candidates.ofAuthority.append(item)
            }
        }
        for pin in current ?? [] where isBackup(pin) && seen.insert(pin.key).inserted {
            candidates.ofServer.append(Reserve(pin.key, origin: pin.origin))
        }
        return candidates
    }

    private func unfitness(of item: Reserve, _ isPrivate: Bool) -> Recommendation.UnfitReserve.Cause? {
        if item.key == path[0].publicKey.spkiSHA256 { return .inUse }
        if let other = otherKey(item.key) { return .inUseOfType(other.keyType) }
        if let certificate = certificateOnPaths(withKey: item.key) { return .onPath(certificate.shownName) }
        if let authority = item.authority { return isPrivate ? nil : .authority(authority.shownName) }
        return authority(having: item.key).map(Recommendation.UnfitReserve.Cause.authority)
    }

    /// What the pins of today are for, `nil` where none were given.
    func standings(_ authority: Authority?) -> [Recommendation.CurrentPin]? {
        current?.map { .init(key: $0.key, origin: $0.origin, standing: standing(of: $0, authority)) }
    }

    private func standing(of pin: Pinned, _ authority: Authority?) -> Recommendation.CurrentPin.Standing {
        let known = authorities.root(withKey: pin.key)
        if let depth = path.firstIndex(where: { $0.publicKey.spkiSHA256 == pin.key }) {
            if depth == 0 { return .serverKey }
            guard isRoot(at: depth) else { return .intermediate(path[depth].shownName) }
            if let known, known.state == .older { return .rootBeingLeft(known.name, until: known.until) }
            return .root(known?.name ?? path[depth].shownName)
        }
        if let other = otherKey(pin.key) { return .serverKeyOfType(other.keyType) }
        if let other = others.first(where: { $0.path.contains { $0.publicKey.spkiSHA256 == pin.key } }) {
            return .onOtherPath(other.devices)
        }
        if let known, let authority, usable(authority).contains(known) { return .siblingRoot(known.name) }
        if let name = pin.authority ?? self.authority(having: pin.key) { return .otherAuthority(name) }
        return isBackup(pin) ? .backup : .unknown
    }

    /// Whether a pin stands beside the server's own, and nobody is known to have its key.
    func isBackup(_ pin: Pinned) -> Bool {
        current?.contains { $0.key == path[0].publicKey.spkiSHA256 || otherKey($0.key) != nil } == true
            && isNobodys(pin)
    }

    /// Whether a pin of today is taken for a backup.
    var hasBackupToday: Bool { current?.contains(where: isBackup) ?? false }

    /// The key of the server for clients that ask for its type, `nil` for another one.
    private func otherKey(_ key: SHA256Digest) -> OtherKey? {
        otherKeys.first { $0.path[0].publicKey.spkiSHA256 == key }
    }

    /// Whether no certificate is known to have the key of a pin.
    func isNobodys(_ pin: Pinned) -> Bool {
        pin.authority == nil && certificateOnPaths(withKey: pin.key) == nil && authority(having: pin.key) == nil
    }

    private func certificateOnPaths(withKey key: SHA256Digest) -> Certificate? {
        ([path] + others.map(\.path) + otherKeys.map(\.path)).joined().first { $0.publicKey.spkiSHA256 == key }
    }

    /// The authority that has a key, be it on a path to the server or not; `nil` where none is known to.
    private func authority(having key: SHA256Digest) -> String? {
        authorities.root(withKey: key)?.name ?? (listed[key] ?? givenAuthorities[key])?.shownName
    }

    /// Whether the key of a certificate on the path is that of a root, be it in a certificate that another root signed.
    func isRoot(at depth: Int) -> Bool {
        let key = path[depth].publicKey.spkiSHA256
        return path[depth].isSelfIssued || listed[key] != nil || authorities.authority(withKey: key) != nil
    }
}

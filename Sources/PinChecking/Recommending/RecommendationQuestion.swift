package import Devices
package import Pinning

/// All that a recommendation depends on.
package struct RecommendationQuestion: Sendable {
    /// A path on which some devices come to the server.
    package struct OtherPath: Sendable, Hashable {
        /// The certificates, leaf first.
        package let path: [Certificate]
        /// The devices.
        package let devices: DeviceNames

        /// A path of some devices.
        package init(_ path: [Certificate], on devices: DeviceNames) {
            self.path = path
            self.devices = devices
        }
    }

    /// A key that its owner keeps in reserve.
    package struct Reserve: Sendable, Hashable {
        /// Its hash.
        package let key: SHA256Digest
        /// Where it comes from.
        package let origin: String

        /// A key from a file.
        package init(_ key: SHA256Digest, origin: String) {
            self.key = key
            self.origin = origin
        }
    }

    /// That nobody said of a private root that it is theirs.
    package struct Doubt: Sendable, Hashable {
        /// The program that reads along whose names are like those on the path, `nil` for none.
        package let looksLike: String?

        /// A doubt, with a program or without.
        package init(looksLike: String?) { self.looksLike = looksLike }
    }

    /// The path to the server, leaf first; never empty.
    package var path: [Certificate]
    /// The paths of devices that come to it by others.
    package var others: [OtherPath] = []
    /// The devices that come to it by none, `nil` where all do.
    package var devicesWithoutPath: DeviceNames?
    /// Whether the path ends at a root that devices have.
    package var isPublic: Bool
    /// Why a private root may be a stranger's, `nil` where somebody gave it as an anchor.
    package var doubt: Doubt?
    /// What is known of authorities.
    package var authorities: AuthorityTable
    /// The roots of devices by their keys, those of the table at least.
    package var listed: [SHA256Digest: Certificate] = [:]
    /// The keys in reserve.
    package var reserve: [Reserve] = []
    /// The keys that are pinned today, `nil` where that is not known.
    package var current: Set<SHA256Digest>?
    /// Whether the client compares the server's own key and no other.
    package var comparesServerKeyOnly = false
    /// The moment of the question.
    package var time: Timestamp

    /// Asks which pins to ship for the server at the end of a path.
    package init(path: [Certificate], isPublic: Bool, authorities: AuthorityTable, time: Timestamp) {
        self.path = path
        self.isPublic = isPublic
        self.authorities = authorities
        self.time = time
    }

    /// The smallest set of pins that survives the next renewal and what the authority is known to do; `nil` without a path.
    ///
    /// Keys in reserve mean that the server's owner has a say in its keys, and two keys of one's own outlast any authority. Without
    /// them the roots of a known authority are what stays when everything below them changes.
    package func recommendation() -> Recommendation? {
        guard let leaf = path.first else { return nil }
        let authority = path.dropFirst().lazy.compactMap { authorities.authority(withKey: $0.publicKey.spkiSHA256) }
            .first
        let root = path.last.flatMap { $0.isSelfIssued && path.count > 1 ? $0 : nil }
        if let root, !isPublic, authority == nil, !comparesServerKeyOnly { return privateRoot(root) }
        if let authority, reserve.isEmpty, !comparesServerKeyOnly { return roots(of: authority) }
        return ownKeys(leaf, authority)
    }

    /// The roots below which an authority issues, without those that are over.
    func usable(_ authority: Authority) -> [Authority.Root] {
        authority.rootsInUse.filter { root in root.until.map { time < $0 } ?? true }
    }

    // MARK: The authority's roots

    private func roots(of authority: Authority) -> Recommendation {
        let usable = usable(authority)
        let onPath = Set(path.map(\.publicKey.spkiSHA256))
        var choices = usable.filter { onPath.contains($0.key) }.map { choice($0, .rootInUse) }
        var chosen = Set(usable.map(\.key))
        // What is served today may stand below a root that the authority leaves.
        if let needed = anchor(of: path, unless: chosen) {
            chosen.insert(needed.publicKey.spkiSHA256)
            choices.append(choice(needed, .rootBeingLeft))
        }
        choices += usable.filter { !onPath.contains($0.key) }.map { choice($0, .siblingRoot) }
        for other in others {
            guard let needed = anchor(of: other.path, unless: chosen) else { continue }
            chosen.insert(needed.publicKey.spkiSHA256)
            choices.append(choice(needed, .rootOfDevices(other.devices)))
        }
        let isCrossSigned = choices.contains { $0.root?.crossSigners.isEmpty == false }
        return Recommendation(
            strategy: .authorityRoots,
            authority: authority,
            choices: choices,
            lacksReserve: false,
            survives: [.sameKey, .newKey, .newIntermediate] + (isCrossSigned ? [.crossCertificateDropped] : [])
                + (choices.count > 1 ? [.siblingRoot] : []),
            risks: [.trustsAuthority(authority.name), .otherAuthority(authority.name)]
                + (authority.unlistedRoots.isEmpty ? [] : [.unlistedRoots(authority.unlistedRoots)]) + deviceRisks,
            concerns: concerns(authority)
        )
    }

    /// The certificate to pin of a path that has none of some keys: the lowest with the key of a root.
    private func anchor(of path: [Certificate], unless chosen: Set<SHA256Digest>) -> Certificate? {
        guard !path.contains(where: { chosen.contains($0.publicKey.spkiSHA256) }) else { return nil }
        return path.dropFirst().first { authorities.authority(withKey: $0.publicKey.spkiSHA256) != nil } ?? path.last
    }

    private func choice(_ root: Authority.Root, _ reason: Recommendation.Reason) -> Recommendation.Choice {
        let certificate = listed[root.key] ?? path.first { $0.publicKey.spkiSHA256 == root.key }
        return Recommendation.Choice(
            key: root.key,
            reason: reason,
            certificate: certificate,
            root: root,
            origin: nil,
            until: root.until ?? certificate?.notAfter
        )
    }

    private func choice(_ certificate: Certificate, _ reason: Recommendation.Reason) -> Recommendation.Choice {
        let key = certificate.publicKey.spkiSHA256
        if let root = authorities.root(withKey: key) { return choice(root, reason) }
        return Recommendation.Choice(
            key: key,
            reason: reason,
            certificate: certificate,
            root: nil,
            origin: nil,
            until: certificate.notAfter
        )
    }

    // MARK: Keys of one's own

    private func ownKeys(_ leaf: Certificate, _ authority: Authority?) -> Recommendation {
        let reserve = reserveChoices(besides: leaf.publicKey.spkiSHA256)
        let top = path[path.count - 1]
        let isUnknown = authority == nil && isPublic
        return Recommendation(
            strategy: .ownKeys,
            authority: authority,
            choices: [choice(leaf, .serverKey)] + reserve,
            lacksReserve: reserve.isEmpty,
            survives: [.sameKey] + (reserve.isEmpty ? [] : [.keyInReserve])
                + [.newIntermediate, .crossCertificateDropped, .siblingRoot, .anotherAuthority],
            risks: [.otherKey] + (reserve.isEmpty ? [] : [.bothKeysLost])
                + (isUnknown ? [.unknownAuthority(top.commonName ?? top.description)] : []) + deviceRisks,
            concerns: concerns(authority)
        )
    }

    private func privateRoot(_ root: Certificate) -> Recommendation {
        let reserve = reserveChoices(besides: root.publicKey.spkiSHA256)
        return Recommendation(
            strategy: .ownRoot,
            authority: nil,
            choices: [choice(root, .privateRoot)] + reserve,
            lacksReserve: reserve.isEmpty,
            survives: [.sameKey, .newKey, .newIntermediate] + (reserve.isEmpty ? [] : [.keyInReserve]),
            risks: (doubt.map { [.unverifiedRoot(root.commonName ?? root.description, looksLike: $0.looksLike)] } ?? [])
                + [.trustsAuthority(root.commonName ?? root.description)] + (reserve.isEmpty ? [] : [.bothKeysLost]),
            concerns: concerns(nil)
        )
    }

    private func reserveChoices(besides key: SHA256Digest) -> [Recommendation.Choice] {
        var seen: Set = [key]
        return reserve.filter { seen.insert($0.key).inserted }.map { item in
            Recommendation.Choice(
                key: item.key,
                reason: .keyInReserve,
                certificate: nil,
                root: nil,
                origin: item.origin,
                until: nil
            )
        }
    }

    private var deviceRisks: [Recommendation.Risk] { devicesWithoutPath.map { [.untrusted($0)] } ?? [] }
}

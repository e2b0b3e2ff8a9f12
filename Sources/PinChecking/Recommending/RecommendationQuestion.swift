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

    /// What the server sends to clients that ask for another type of key.
    package struct OtherKey: Sendable, Hashable {
        /// The path from it, leaf first; never empty.
        package let path: [Certificate]
        /// The type, as in `RSA`.
        package let keyType: String

        /// Whether the path is trusted and valid for the name: what is not can be in use, and is never recommended.
        package let isVerified: Bool

        /// A path for one type of key.
        package init(_ path: [Certificate], keyType: String, isVerified: Bool) {
            self.path = path
            self.keyType = keyType
            self.isVerified = isVerified
        }
    }

    /// A key that its owner keeps in reserve.
    package struct Reserve: Sendable, Hashable {
        /// Its hash.
        package let key: SHA256Digest
        /// Where it comes from.
        package let origin: String
        /// The certificate of the authority that has it, `nil` for a server's key.
        package let authority: Certificate?

        /// A key from a file.
        package init(_ key: SHA256Digest, origin: String, authority: Certificate? = nil) {
            self.key = key
            self.origin = origin
            self.authority = authority
        }
    }

    /// A key that the app pins today.
    package struct Pinned: Sendable, Hashable {
        /// Its hash.
        package let key: SHA256Digest
        /// Where it stands.
        package let origin: String
        /// The authority whose certificate is pinned, `nil` for a hash and for a server's certificate.
        package let authority: String?

        /// A pin of today.
        package init(_ key: SHA256Digest, origin: String, authority: String? = nil) {
            self.key = key
            self.origin = origin
            self.authority = authority
        }
    }

    /// The path to the server, leaf first; never empty.
    package var path: [Certificate]
    /// The paths of devices that come to it by others.
    package var others: [OtherPath] = []
    /// The paths from the server's other keys, each with its type.
    package var otherKeys: [OtherKey] = []
    /// Whether the server may have other keys, which nobody asked it for.
    package var otherKeysAreUnseen = false
    /// The devices that come to it by none, `nil` where all do.
    package var devicesWithoutPath: DeviceNames?
    /// Whether the path ends at a root that devices have.
    package var isPublic: Bool
    /// Whether somebody gave the end of the path as an anchor, and so knows whose it is.
    package var isVouchedFor = false
    /// Whether this machine trusts the path.
    package var isTrustedHere = true
    /// What is known of authorities.
    package var authorities: AuthorityTable
    /// The roots of devices by their keys, those of the table at least.
    package var listed: [SHA256Digest: Certificate] = [:]
    /// What is given to be in reserve.
    package var reserve: [Reserve] = []
    /// Certificates of authorities that were given in whatever role, by their keys.
    package var givenAuthorities: [SHA256Digest: Certificate] = [:]
    /// The roots that somebody gave as anchors.
    package var givenRoots: [Certificate] = []
    /// Certificates that others than their own keys signed, by which one root may lead to another.
    package var crossCertificates: [Certificate] = []
    /// What is pinned today, each key once; `nil` where that is not known.
    package var current: [Pinned]?
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
    /// them the roots of a known authority are what stays when everything below them changes. Of a chain that nobody trusts by itself
    /// nothing is recommended before somebody says whose it is.
    package func recommendation() -> Recommendation? {
        guard let leaf = path.first else { return nil }
        let authority = path.dropFirst().lazy.compactMap { authorities.authority(withKey: $0.publicKey.spkiSHA256) }
            .first
        let isPrivate = !isPublic && authority == nil
        if isPrivate, !isVouchedFor { return nothingYet(authority) }
        let root = path.last.flatMap { $0.isSelfIssued && path.count > 1 ? $0 : nil }
        let reserve = candidates(besidePrivateRoot: isPrivate && root != nil)
        guard reserve.ofServer.isEmpty, !comparesServerKeyOnly else { return ownKeys(leaf, authority, reserve) }
        if isPrivate, let root { return privateRoot(root, reserve) }
        return authority.map { roots(of: $0, reserve) } ?? ownKeys(leaf, authority, reserve)
    }

    private var verifiedKeys: [OtherKey] { otherKeys.filter(\.isVerified) }

    private func nothingYet(_ authority: Authority?) -> Recommendation {
        let top = path[path.count - 1]
        let doubt = Recommendation.Doubt(
            end: !top.isSelfIssued ? .withoutIssuer : path.count > 1 ? .root : .selfSigned, name: top.shownName,
            isTrustedHere: isTrustedHere)
        return Recommendation(
            strategy: .none, authority: nil, choices: [], lacksReserve: false, unfit: [], doubt: doubt, survives: [],
            risks: [.unknownOwner(doubt)], current: standings(authority), concerns: concerns(authority))
    }

    /// The roots below which an authority issues, without those that are over.
    func usable(_ authority: Authority) -> [Authority.Root] {
        authority.rootsInUse.filter { root in root.until.map { time < $0 } ?? true }
    }

    // MARK: The authority's roots

    private func roots(of authority: Authority, _ reserve: Candidates) -> Recommendation {
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
        for other in verifiedKeys {
            guard let needed = anchor(of: other.path, unless: chosen) else { continue }
            chosen.insert(needed.publicKey.spkiSHA256)
            choices.append(choice(needed, .rootOfKeyType(other.keyType)))
        }
        let isCrossSigned = choices.contains { $0.root?.crossSigners.isEmpty == false }
        return Recommendation(
            strategy: .authorityRoots, authority: authority, choices: choices, lacksReserve: false,
            unfit: reserve.unfit,
            survives: [.sameKey, .newKey, .newIntermediate] + (isCrossSigned ? [.crossCertificateDropped] : [])
                + (choices.count > 1 ? [.siblingRoot] : []),
            risks: [.trustsAuthority(authority.name), .otherAuthority(authority.name)]
                + (authority.unlistedRoots.isEmpty ? [] : [.unlistedRoots(authority.unlistedRoots)]) + deviceRisks,
            current: standings(authority), concerns: concerns(authority),
            otherKeysAreUnseen: otherKeysAreUnseen && hasBackupToday)
    }

    /// The certificate to pin of a path that has none of some keys: the lowest with the key of a root.
    private func anchor(of path: [Certificate], unless chosen: Set<SHA256Digest>) -> Certificate? {
        guard !path.contains(where: { chosen.contains($0.publicKey.spkiSHA256) }) else { return nil }
        return path.dropFirst().first { authorities.authority(withKey: $0.publicKey.spkiSHA256) != nil } ?? path.last
    }

    private func choice(_ root: Authority.Root, _ reason: Recommendation.Reason) -> Recommendation.Choice {
        let certificate = listed[root.key] ?? path.first { $0.publicKey.spkiSHA256 == root.key }
        return Recommendation.Choice(
            key: root.key, reason: reason, certificate: certificate, root: root, origin: nil,
            until: root.until ?? certificate?.notAfter)
    }

    private func choice(_ certificate: Certificate, _ reason: Recommendation.Reason) -> Recommendation.Choice {
        let key = certificate.publicKey.spkiSHA256
        if let root = authorities.root(withKey: key) { return choice(root, reason) }
        return Recommendation.Choice(
            key: key, reason: reason, certificate: certificate, root: nil, origin: nil, until: certificate.notAfter)
    }

    // MARK: Keys of one's own

    private func ownKeys(_ leaf: Certificate, _ authority: Authority?, _ reserve: Candidates) -> Recommendation {
        let kept = reserve.ofServer.map { choice($0, .keyInReserve) }
        let top = path[path.count - 1]
        let isUnknown = authority == nil && isPublic
        return Recommendation(
            strategy: .ownKeys, authority: authority,
            choices: [choice(leaf, .serverKey)] + verifiedKeys.map { choice($0.path[0], .serverKeyOfType($0.keyType)) }
                + kept, lacksReserve: kept.isEmpty, unfit: reserve.unfit,
            survives: [.sameKey] + (kept.isEmpty ? [] : [.keyInReserve]) + [
                .newIntermediate, .crossCertificateDropped, .siblingRoot, .anotherAuthority,
            ],
            risks: [.otherKey] + (kept.isEmpty ? [] : [.bothKeysLost])
                + (isUnknown ? [.unknownAuthority(top.shownName)] : []) + deviceRisks, current: standings(authority),
            concerns: concerns(authority), otherKeysAreUnseen: otherKeysAreUnseen)
    }

    private func privateRoot(_ root: Certificate, _ reserve: Candidates) -> Recommendation {
        let next = reserve.ofAuthority.map { choice($0, .nextRoot) }
        var chosen = Set([root.publicKey.spkiSHA256] + next.map(\.key))
        let crossed = givenRoots.filter {
            isCrossSigned($0, with: root) && chosen.insert($0.publicKey.spkiSHA256).inserted
        }
        let beside = verifiedKeys.compactMap { other -> Recommendation.Choice? in
            guard let needed = anchor(of: other.path, unless: chosen) else { return nil }
            chosen.insert(needed.publicKey.spkiSHA256)
            return choice(needed, .rootOfKeyType(other.keyType))
        }
        return Recommendation(
            strategy: .ownRoot, authority: nil,
            choices: [choice(root, .privateRoot)] + crossed.map { choice($0, .otherRoot) } + beside + next,
            lacksReserve: next.isEmpty && crossed.isEmpty, unfit: reserve.unfit,
            survives: [.sameKey, .newKey, .newIntermediate] + (crossed.isEmpty ? [] : [.crossCertificateDropped])
                + (next.isEmpty ? [] : [.keyInReserve]),
            risks: [.trustsAuthority(root.shownName)] + (next.isEmpty && crossed.isEmpty ? [] : [.bothRootsLost]),
            current: standings(nil), concerns: concerns(nil))
    }

    /// Whether one of two roots has signed the key of the other.
    private func isCrossSigned(_ root: Certificate, with other: Certificate) -> Bool {
        func isSigned(_ signed: Certificate, by signer: Certificate) -> Bool {
            crossCertificates.contains {
                $0.publicKey.spkiSHA256 == signed.publicKey.spkiSHA256 && $0.issuer == signer.subject
            }
        }
        return root.publicKey.spkiSHA256 != other.publicKey.spkiSHA256
            && (isSigned(root, by: other) || isSigned(other, by: root))
    }

    private func choice(_ reserve: Reserve, _ reason: Recommendation.Reason) -> Recommendation.Choice {
        Recommendation.Choice(
            key: reserve.key, reason: reason, certificate: reserve.authority, root: nil, origin: reserve.origin,
            until: reserve.authority?.notAfter)
    }

    private var deviceRisks: [Recommendation.Risk] { devicesWithoutPath.map { [.untrusted($0)] } ?? [] }
}

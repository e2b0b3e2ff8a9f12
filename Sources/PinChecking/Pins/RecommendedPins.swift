package import PinFormats
package import Pinning
import X509

/// Which pins to ship for a server, and as what they are written.
package struct RecommendedPins: Sendable {
    /// What is recommended and why.
    package let recommendation: Recommendation
    /// A key for each choice, in its order.
    package let items: [PinItem]
}

/// Recommends pins for the servers of a run.
package struct PinRecommender: Sendable {
    /// Where a root stands that is not on the path of this machine.
    package static let listSource = "device lists"

    /// What is known of authorities.
    package let authorities: AuthorityTable
    /// What is given to be in reserve.
    package let reserve: [PinItem]
    /// All certificates of authorities in the files of the run.
    package let givenAuthorities: [Certificate]
    /// Whether the client compares the server's own key and no other.
    package let comparesServerKeyOnly: Bool
    /// The moment of the run.
    package let time: Timestamp

    /// Recommends pins by what is known of authorities, and by the files of a run: those without a chain are to be in reserve.
    package init(by authorities: AuthorityTable, files: [KeySource], comparesServerKeyOnly: Bool, at time: Timestamp) {
        self.authorities = authorities
        reserve = files.filter { $0.presented == nil }.flatMap(\.items)
        givenAuthorities = files.flatMap(\.items).filter(\.role.isAuthority).compactMap(\.certificate)
        self.comparesServerKeyOnly = comparesServerKeyOnly
        self.time = time
    }

    /// A source with what is recommended for its server; as it is where there is no chain.
    ///
    /// - Parameters:
    ///   - source: a server, or a chain in a file.
    ///   - others: what the same server sends to clients that ask for another type of key.
    ///   - evaluation: what the host is judged by: its anchors, and its pins of today.
    ///   - devices: the devices that have to get in.
    /// - Returns: the source, with the recommendation where there is a chain.
    package func recommending(
        _ source: KeySource, beside others: [KeySource] = [], by evaluation: Evaluation, for devices: PathsOnDevices
    ) -> KeySource {
        guard let presented = source.presented else { return source }
        let (own, path, found, without) = self.path(of: presented, by: evaluation, for: devices)
        let isListed = path.last.map { devices.roots[$0.publicKey.spkiSHA256] != nil } ?? false
        var question = RecommendationQuestion(
            path: path, isPublic: !found.isEmpty || isListed, authorities: authorities, time: time)
        question.isVouchedFor = path.last.map { evaluation.givenRoots?.holds($0) == true } ?? false
        question.isTrustedHere = own.isTrusted
        question.others = found.filter { $0.path != path }
        question.otherKeys = others.compactMap { other in
            guard let keyType = other.keyType, let presented = other.presented else { return nil }
            return .init(
                self.path(of: presented, by: evaluation, for: devices).path, keyType: "\(keyType)",
                isVerified: other.isVerified)
        }
        let isSeen = !source.askedKeyTypes.isEmpty && others.allSatisfy { $0.presented != nil }
        question.otherKeysAreUnseen = source.endpoint != nil && !isSeen
        question.devicesWithoutPath = found.isEmpty ? nil : without
        question.listed = devices.roots
        question.reserve = reserve.map { item in
            .init(item.spkiSHA256, origin: item.source, authority: item.role.isAuthority ? item.certificate : nil)
        }
        if !reserve.isEmpty {
            let anchors = evaluation.givenRoots?.givenCertificates ?? []
            question.givenAuthorities = Dictionary(
                (givenAuthorities + anchors).map { ($0.publicKey.spkiSHA256, $0) },
                uniquingKeysWith: { first, _ in first })
        }
        question.givenRoots = (evaluation.givenRoots?.givenCertificates ?? []).filter(\.isSelfIssued)
        question.crossCertificates = (presented.certificates + (evaluation.givenRoots?.givenCertificates ?? [])).filter
        { !$0.isSelfIssued }
        question.current = evaluation.setup.pins.map(Self.pinned)
        question.comparesServerKeyOnly = comparesServerKeyOnly
        guard let recommendation = question.recommendation() else { return source }
        var source = source
        let known = Set(source.items.map(\.spkiSHA256))
        source.items += others.filter(\.isVerified).flatMap(\.items).filter { !known.contains($0.spkiSHA256) }
        source.recommended = RecommendedPins(
            recommendation: recommendation, items: recommendation.choices.compactMap { item($0, source) })
        return source
    }

    /// The path of a chain that counts, and those of devices.
    private func path(
        of presented: PresentedChain, by evaluation: Evaluation, for devices: PathsOnDevices
    ) -> (own: TrustResult, path: [Certificate], found: [RecommendationQuestion.OtherPath], without: DeviceNames?) {
        let own = evaluation.verifier.evaluate(
            PathQuestion(presented: presented, anchors: .trustStore, policy: .basicX509, time: time))
        let (found, without) = devices.paths(of: presented, at: time)
        // What this machine does not trust, devices may.
        let path = own.isTrusted ? own.builtChain.certificates : found.first?.path ?? own.builtChain.certificates
        return (own, path, found, without)
    }

    /// The pins of today, each key once.
    private static func pinned(_ pins: PinSet) -> [RecommendationQuestion.Pinned] {
        var seen: Set<SHA256Digest> = []
        return pins.pins.filter { seen.insert($0.spkiSHA256).inserted }.map { pin in
            let isAuthority = pin.certificate?.basicConstraints?.isCertificateAuthority == true
            return .init(pin.spkiSHA256, origin: pin.origin, authority: isAuthority ? pin.certificate?.shownName : nil)
        }
    }

    private func item(_ choice: Recommendation.Choice, _ source: KeySource) -> PinItem? {
        switch choice.reason {
        case .keyInReserve, .nextRoot:
            return reserve.first { $0.spkiSHA256 == choice.key }
                ?? PinItem(choice.key, source: choice.origin ?? Self.listSource)
        case .serverKey, .serverKeyOfType:
            return source.items.first { $0.role == .leaf && $0.spkiSHA256 == choice.key }
                ?? choice.certificate.map { PinItem($0, role: .leaf, source: "presented") }
        case .rootInUse, .siblingRoot, .rootBeingLeft, .rootOfDevices, .rootOfKeyType, .privateRoot, .otherRoot:
            guard let certificate = choice.certificate else {
                return PinItem(choice.key, role: .authority, source: choice.root?.name ?? Self.listSource)
            }
            let known = source.items.first { $0.certificate == certificate }
            let role: PinItem.Role = certificate.isSelfIssued ? .root : .intermediate
            return PinItem(certificate, role: role, source: known?.source ?? Self.listSource)
        }
    }
}

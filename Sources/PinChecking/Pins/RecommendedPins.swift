package import Devices
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

    /// The devices that have to get in.
    package let devices: PathsOnDevices
    /// What is known of authorities.
    package let authorities: AuthorityTable
    /// Keys that are kept in reserve.
    package let reserve: [PinItem]
    /// Whether the client compares the server's own key and no other.
    package let comparesServerKeyOnly: Bool
    /// The moment of the run.
    package let time: Timestamp

    /// Recommends pins for these devices.
    package init(
        for devices: PathsOnDevices,
        by authorities: AuthorityTable,
        reserve: [PinItem],
        comparesServerKeyOnly: Bool,
        at time: Timestamp
    ) {
        self.devices = devices
        self.authorities = authorities
        self.reserve = reserve
        self.comparesServerKeyOnly = comparesServerKeyOnly
        self.time = time
    }

    /// A source with what is recommended for its server; as it is where there is no chain.
    ///
    /// - Parameters:
    ///   - source: a server, or a chain in a file.
    ///   - evaluation: what the host is judged by: its anchors, and its pins of today.
    /// - Returns: the source, with the recommendation where there is a chain.
    package func recommending(_ source: KeySource, by evaluation: Evaluation) -> KeySource {
        guard let presented = source.presented else { return source }
        let own = evaluation.verifier.evaluate(
            PathQuestion(presented: presented, anchors: .trustStore, policy: .basicX509, time: time)
        )
        let (found, without) = devices.paths(of: presented, at: time)
        // What this machine does not trust, devices may.
        let path = own.isTrusted ? own.builtChain.certificates : found.first?.path ?? own.builtChain.certificates
        let isListed = path.last.map { devices.roots[$0.publicKey.spkiSHA256] != nil } ?? false
        var question = RecommendationQuestion(
            path: path,
            isPublic: !found.isEmpty || isListed,
            authorities: authorities,
            time: time
        )
        if let root = path.last, evaluation.givenRoots?.holds(root) != true {
            question.doubt = RecommendationQuestion.Doubt(looksLike: InterceptorMark.program(issuing: path))
        }
        question.others = found.filter { $0.path != path }
        question.devicesWithoutPath = found.isEmpty ? nil : without
        question.listed = devices.roots
        question.reserve = reserve.map { RecommendationQuestion.Reserve($0.spkiSHA256, origin: $0.source) }
        question.current = evaluation.setup.pins.map { Set($0.pins.map(\.spkiSHA256)) }
        question.comparesServerKeyOnly = comparesServerKeyOnly
        guard let recommendation = question.recommendation() else { return source }
        var source = source
        source.recommended = RecommendedPins(
            recommendation: recommendation,
            items: recommendation.choices.compactMap { item($0, recommendation.strategy, source) }
        )
        return source
    }

    private func item(
        _ choice: Recommendation.Choice,
        _ strategy: Recommendation.Strategy,
        _ source: KeySource
    ) -> PinItem? {
        switch choice.reason {
        case .keyInReserve:
            // Apple has the keys of authorities and those of servers match both: a key for the next root stands with the root.
            guard strategy != .ownRoot else {
                return PinItem(choice.key, role: .authority, source: choice.origin ?? Self.listSource)
            }
            return reserve.first { $0.spkiSHA256 == choice.key }
        case .serverKey:
            return source.items.first { $0.role == .leaf && $0.spkiSHA256 == choice.key }
                ?? choice.certificate.map { PinItem($0, role: .leaf, source: "presented") }
        case .rootInUse, .siblingRoot, .rootBeingLeft, .rootOfDevices, .privateRoot:
            guard let certificate = choice.certificate else {
                return PinItem(choice.key, role: .authority, source: choice.root?.name ?? Self.listSource)
            }
            let known = source.items.first { $0.certificate == certificate }
            let role: PinItem.Role = certificate.isSelfIssued ? .root : .intermediate
            return PinItem(certificate, role: role, source: known?.source ?? Self.listSource)
        }
    }
}

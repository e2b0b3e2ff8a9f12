/// What Android trusts for a host: the anchors of the app's network security configuration, or the platform's own for want of them.
public struct AndroidTrust: Sendable, Hashable {
    /// Where a configuration says it.
    public struct Place: Sendable, Hashable {
        /// The hosts it is for, `nil` for all that have no entry of their own.
        public let hosts: HostPattern?
        /// The file and line.
        public let origin: String
        /// Whether it names anchors, itself or by what it inherits.
        public let namesAnchors: Bool
    }

    /// Where anchors come from; none where nothing is trusted.
    public var sources: [NetworkSecurityConfiguration.Source]
    /// The roots that the device's user installed, for sources that name those.
    public var installedRoots: [Certificate] = []
    /// What is said of Certificate Transparency.
    public var transparency: AndroidTransparency
    /// The app's targetSdkVersion, `nil` where it is not known.
    public var targetSDK: Int?
    /// Where it is said, `nil` where no configuration is known.
    public var place: Place?

    /// What is trusted where no configuration says anything.
    ///
    /// - Parameter targetSDK: the app's targetSdkVersion, `nil` where it is not known: then roots of the user's do not count.
    public init(targetSDK: Int?) {
        self.init(sources: Self.standardSources(targetSDK: targetSDK), targetSDK: targetSDK)
    }

    /// What a configuration comes to for a host.
    public init(
        sources: [NetworkSecurityConfiguration.Source], installedRoots: [Certificate] = [],
        transparency: AndroidTransparency = AndroidTransparency(), targetSDK: Int? = nil, place: Place? = nil
    ) {
        self.sources = sources
        self.installedRoots = installedRoots
        self.transparency = transparency
        self.targetSDK = targetSDK
        self.place = place
    }

    /// The first version of which apps do not trust their users' roots is 24 (`NetworkSecurityConfig.getDefaultBuilder`).
    static func standardSources(targetSDK: Int?) -> [NetworkSecurityConfiguration.Source] {
        (targetSDK ?? .max) <= 23 ? [.init(.system), .init(.user)] : [.init(.system)]
    }

    /// Whether roots that the user installed are trusted.
    public var trustsInstalledRoots: Bool { sources.contains { $0.origin == .user } }

    /// Where a path may end; the trust store stands for the system's roots.
    var anchors: Anchors {
        let certificates = sources.flatMap { source in
            switch source.origin {
            case .system: [Certificate]()
            case .user: installedRoots
            case .resource(_, let certificates): certificates
            }
        }
        guard sources.contains(where: { $0.origin == .system }) else { return .only(certificates) }
        return certificates.isEmpty ? .trustStore : .trustStoreAnd(certificates)
    }

    /// Whether a path that ends at `anchor` needs no pin.
    ///
    /// Android finds an anchor by its subject and key, not by its bytes, and sources that override pins before the others
    /// (`NetworkSecurityConfig.findTrustAnchorBySubjectAndPublicKey`).
    func overridesPins(endingAt anchor: Certificate, isOfSystem: Bool) -> Bool {
        func holdsOwn(_ source: NetworkSecurityConfiguration.Source) -> Bool {
            switch source.origin {
            case .system: false
            case .user: installedRoots.contains { $0.isSameAnchor(as: anchor) }
            case .resource(_, let certificates): certificates.contains { $0.isSameAnchor(as: anchor) }
            }
        }
        // What no other source holds can only be the system's.
        let isOfSystem = isOfSystem || !sources.contains(where: holdsOwn)
        return sources.contains { source in
            source.overridesPins && (source.origin == .system ? isOfSystem : holdsOwn(source))
        }
    }

    /// The platform with what it asks of Certificate Transparency here.
    func applied(to platform: Platform, for observation: ServerView) -> Platform {
        var level: AndroidRelease?
        if case .android(let release) = observation.release { level = release }
        return platform.asking(
            for: transparency.demand(on: level, targetSDK: targetSDK, for: observation.referenceName.serverName))
    }

    /// What is trusted, in a few words, as in `system, @raw/own (overrides pins)`.
    public var words: String {
        let words = sources.map { source in
            let name =
                switch source.origin {
                case .system: "system"
                case .user: "user"
                case .resource(let name, _): name
                }
            return name + (source.overridesPins ? " (overrides pins)" : "")
        }
        return words.isEmpty ? "nothing" : words.joined(separator: ", ")
    }
}

extension Certificate {
    /// Whether both have the same subject and key, by which Android tells anchors apart.
    public func isSameAnchor(as other: Certificate) -> Bool {
        publicKey.spkiSHA256 == other.publicKey.spkiSHA256 && subject == other.subject
    }
}

extension ProcedureRun {
    init(_ observation: ServerView, pins: PinSet?, verifier: Verifier, platform: Platform?, trust: AndroidTrust?) {
        let platform = platform.map { trust?.applied(to: $0, for: observation) ?? $0 }
        self.init(observation, pins: pins, verifier: verifier, platform: platform)
    }

    /// Asks for the device's verdict first, by the anchors that the app's configuration names.
    mutating func afterServerTrust(by trust: AndroidTrust?, _ goOn: (inout Self, TrustResult) -> Verdict) -> Verdict {
        guard let trust else { return afterServerTrust(goOn) }
        func sayWhatIsTrusted(_ run: inout Self, _ result: TrustResult) {
            guard let place = trust.place, place.namesAnchors, result.failures.contains(where: \.isMissingAnchor) else {
                return
            }
            let hosts = place.hosts?.description ?? "hosts without an entry of their own"
            run.warn(
                "configured-anchors",
                "the app's configuration trusts \(trust.words) for \(hosts), and no other root (\(place.origin))")
        }
        return afterServerTrust(anchors: trust.anchors, onRejection: sayWhatIsTrusted, goOn)
    }
}

/// What an app's `network_security_config.xml` says of trust, host by host; its pins stand in a ``PinConfiguration``.
///
/// Source: AOSP's `android.security.net.config` (`XmlConfigSource`, `NetworkSecurityConfig`). It binds the whole process, whatever
/// library connects.
public struct NetworkSecurityConfiguration: Sendable, Hashable {
    /// One `<certificates>`: where anchors come from.
    public struct Source: Sendable, Hashable {
        /// What `src` names.
        public enum Origin: Sendable, Hashable {
            /// `system`: the roots the device came with.
            case system
            /// `user`: the roots that its user installed.
            case user
            /// A file of the app's own, `@raw/name`, with its certificates.
            case resource(name: String, [Certificate])

            package func holds(_ certificate: Certificate) -> Bool {
                if case .resource(_, let certificates) = self { certificates.contains(certificate) } else { false }
            }
        }

        /// What `src` names.
        public let origin: Origin
        /// Whether paths that end there need no pin.
        public let overridesPins: Bool

        /// Anchors from one place.
        public init(_ origin: Origin, overridesPins: Bool = false) {
            self.origin = origin
            self.overridesPins = overridesPins
        }
    }

    /// What one element says itself, `nil` where it leaves that to the next one around it.
    public struct Level: Sendable, Hashable {
        /// Its `<trust-anchors>`; empty where those name nothing, so that nothing is trusted.
        public var sources: [Source]?
        /// Its `<certificateTransparency>`.
        public var isTransparencyEnabled: Bool?
        /// Where its `<certificates src="user"/>` stands.
        package var userAnchors: String?

        /// What an element says, by default nothing.
        public init(sources: [Source]? = nil, isTransparencyEnabled: Bool? = nil) {
            self.sources = sources
            self.isTransparencyEnabled = isTransparencyEnabled
        }

        /// Whether the element says anything of trust.
        public var isEmpty: Bool { sources == nil && isTransparencyEnabled == nil }
    }

    /// A `<domain>`.
    public struct Domain: Sendable, Hashable {
        /// The hosts.
        public let hosts: HostPattern
        /// Where it stands.
        public let origin: String
        /// What its `<domain-config>` says and those around it, the innermost first.
        public let levels: [Level]
        /// Whether anchors can exempt it from its pins: not where an enforcing `<trustkit-config>` has TrustKit compare them once more.
        public let isOverridable: Bool

        /// A domain of an element and of those around it.
        public init(hosts: HostPattern, origin: String, levels: [Level], isOverridable: Bool = true) {
            self.hosts = hosts
            self.origin = origin
            self.levels = levels
            self.isOverridable = isOverridable
        }
    }

    /// The `<domain>`s.
    public var domains: [Domain] = []
    /// What `<base-config>` says.
    public var base = Level()
    /// Where that stands, or the file.
    public var origin: String
    /// The anchors of `<debug-overrides>`, `nil` for none.
    public var debugSources: [Source]?
    /// Why a debuggable build throws for its `<debug-overrides>`, `nil` when it does not.
    public var debugObstacle: String?
    /// The app's targetSdkVersion, `nil` where nothing says it.
    public var targetSDK: Int?

    /// A configuration that says nothing yet.
    public init(origin: String) { self.origin = origin }

    /// Whether nothing is said of trust.
    public var isEmpty: Bool {
        base.isEmpty && debugSources == nil && debugObstacle == nil
            && domains.allSatisfy { $0.levels.allSatisfy(\.isEmpty) }
    }

    /// The domain that is for a host: the one of its name, else the longest that covers it (`ApplicationConfig.getConfigForHostname`).
    public func domain(for host: String) -> Domain? {
        let covering = domains.filter { $0.hosts.covers(host) }
        return covering.first { $0.hosts.name == host }
            ?? covering.max { $0.hosts.name.utf8.count < $1.hosts.name.utf8.count }
    }

    /// What a device trusts for a host.
    ///
    /// - Parameters:
    ///   - host: the host as the client has it, `nil` for one that is not known.
    ///   - targetSDK: the app's targetSdkVersion, `nil` for the one that the manifest says.
    ///   - isDebuggable: whether the app is a debuggable build, for which `<debug-overrides>` counts.
    /// - Returns: what the host's configuration comes to.
    public func trust(for host: String?, targetSDK: Int? = nil, isDebuggable: Bool = false) -> AndroidTrust {
        let domain = host.flatMap { self.domain(for: $0) }
        let targetSDK = targetSDK ?? self.targetSDK
        let standard = Level(sources: AndroidTrust.standardSources(targetSDK: targetSDK))
        var levels = (domain?.levels ?? []) + [base, standard]
        if isDebuggable, let debugSources {
            // They join anchors and begin none: an element without any goes on to inherit (`addDebugAnchorsIfNeeded`).
            for index in levels.indices { levels[index].sources?.append(contentsOf: debugSources) }
        }
        let transparencies = levels.map { level in
            AndroidTransparency(
                isEnabled: level.isTransparencyEnabled,
                hasAnchorsOfItsOwn: level.sources?.contains { $0.origin != .system } ?? false)
        }
        if domain?.isOverridable == false {
            for level in levels.indices {
                levels[level].sources = levels[level].sources?.map { Source($0.origin, overridesPins: false) }
            }
        }
        let named = levels.dropLast().contains { $0.sources != nil }
        return AndroidTrust(
            sources: levels.lazy.compactMap(\.sources).first ?? [],
            transparency: AndroidTransparency(
                isEnabled: transparencies[0].isEnabled, hasAnchorsOfItsOwn: transparencies[0].hasAnchorsOfItsOwn,
                parents: Array(transparencies.dropFirst())), targetSDK: targetSDK,
            place: AndroidTrust.Place(hosts: domain?.hosts, origin: domain?.origin ?? origin, namesAnchors: named))
    }
}

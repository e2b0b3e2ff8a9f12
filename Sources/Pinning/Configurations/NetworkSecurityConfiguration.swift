/// What an app's `network_security_config.xml` says of trust, host by host; its pins stand in a ``PinConfiguration``.
///
/// Source: AOSP's `android.security.net.config` (`XmlConfigSource`, `NetworkSecurityConfig`). It binds the whole process, whatever
/// library connects.
package struct NetworkSecurityConfiguration: Sendable, Hashable {
    /// One `<certificates>`: where anchors come from.
    package struct Source: Sendable, Hashable {
        package enum Origin: Sendable, Hashable {
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

        package let origin: Origin
        /// Whether paths that end there need no pin.
        package let overridesPins: Bool

        package init(_ origin: Origin, overridesPins: Bool = false) {
            (self.origin, self.overridesPins) = (origin, overridesPins)
        }

        /// The certificates of a file of the app's own.
        package var certificates: [Certificate] { if case .resource(_, let own) = origin { own } else { [] } }

        package var name: String {
            switch origin {
            case .system: "system"
            case .user: "user"
            case .resource(let name, _): name
            }
        }
    }

    /// What one element says itself, `nil` where it leaves that to the next one around it.
    package struct Level: Sendable, Hashable {
        /// Its `<trust-anchors>`; empty where those name nothing, so that nothing is trusted.
        package var sources: [Source]?
        package var isTransparencyEnabled: Bool?
        /// Where its `<certificates src="user"/>` stands.
        package var userAnchors: String?

        package init(sources: [Source]? = nil, isTransparencyEnabled: Bool? = nil) {
            (self.sources, self.isTransparencyEnabled) = (sources, isTransparencyEnabled)
        }

        package var isEmpty: Bool { sources == nil && isTransparencyEnabled == nil }
    }

    package struct Domain: Sendable, Hashable {
        package let hosts: HostPattern
        package let origin: String
        /// What its `<domain-config>` says and those around it, the innermost first.
        package let levels: [Level]
        /// Whether anchors can exempt it from its pins: not where an enforcing `<trustkit-config>` has TrustKit compare them once more.
        package let isOverridable: Bool

        package init(hosts: HostPattern, origin: String, levels: [Level], isOverridable: Bool = true) {
            (self.hosts, self.origin, self.levels, self.isOverridable) = (hosts, origin, levels, isOverridable)
        }
    }

    package var domains: [Domain] = []
    package var base = Level()
    /// Where that stands, or the file.
    package var origin: String
    /// The anchors of `<debug-overrides>`, `nil` for none.
    package var debugSources: [Source]?
    /// Why a debuggable build throws for its `<debug-overrides>`, `nil` when it does not.
    package var debugObstacle: String?
    /// The app's targetSdkVersion, `nil` where nothing says it.
    package var targetSDK: Int?

    package init(origin: String) { self.origin = origin }

    package var isEmpty: Bool {
        base.isEmpty && debugSources == nil && debugObstacle == nil
            && domains.allSatisfy { $0.levels.allSatisfy(\.isEmpty) }
    }

    /// The certificates of all files that the app has as anchors.
    package var certificates: [Certificate] {
        ([base] + domains.flatMap(\.levels)).flatMap { $0.sources ?? [] }.flatMap(\.certificates)
            + (debugSources ?? []).flatMap(\.certificates)
    }

    /// The domain that is for a host: the one of its name, else the longest that covers it (`ApplicationConfig.getConfigForHostname`).
    package func domain(for host: String) -> Domain? {
        let covering = domains.filter { $0.hosts.covers(host) }
        return covering.first { $0.hosts.name == host }
            ?? covering.max { $0.hosts.name.utf8.count < $1.hosts.name.utf8.count }
    }

    /// What a device trusts for a host, `nil` for one that is not known.
    ///
    /// `targetSDK` is the app's, `nil` for the one that the manifest says; `<debug-overrides>` counts for debuggable builds.
    package func trust(for host: String?, targetSDK: Int? = nil, isDebuggable: Bool = false) -> AndroidTrust {
        let domain = host.flatMap { self.domain(for: $0) }
        var trust = AndroidTrust(targetSDK: targetSDK ?? self.targetSDK)
        var levels = (domain?.levels ?? []) + [base, Level(sources: trust.sources)]
        if isDebuggable, let debugSources {
            // They join anchors and begin none: an element without any goes on to inherit (`addDebugAnchorsIfNeeded`).
            for index in levels.indices { levels[index].sources?.append(contentsOf: debugSources) }
        }
        let sources = levels.lazy.compactMap(\.sources).first ?? []
        trust.sources =
            domain?.isOverridable == false ? sources.map { Source($0.origin, overridesPins: false) } : sources
        trust.transparency = levels.map { level in
            AndroidTrust.Transparency(
                isEnabled: level.isTransparencyEnabled,
                hasOwnAnchors: level.sources?.contains { $0.origin != .system } ?? false)
        }
        trust.place = AndroidTrust.Place(
            hosts: domain?.hosts, origin: domain?.origin ?? origin,
            namesAnchors: levels.dropLast().contains { $0.sources != nil })
        return trust
    }
}

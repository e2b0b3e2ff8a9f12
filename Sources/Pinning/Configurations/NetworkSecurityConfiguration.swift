package import Base

/// The trust settings of an app's `network_security_config.xml` by host, for every library of the process (AOSP's
/// `android.security.net.config`: `XmlConfigSource`, `NetworkSecurityConfig`); pins are in a ``PinConfiguration``.
package struct NetworkSecurityConfiguration {
    /// A `<certificates>` element: a source of anchors.
    package struct Source: Hashable {
        package enum Origin: Hashable {
            /// `system`: the roots that the device came with.
            case system
            /// `user`: the roots that the device's user installed.
            case user
            /// `@raw/name`: a file of the app, with its certificates.
            case resource(name: String, [Certificate])
        }

        package let origin: Origin
        /// `true` if paths that end at the source need no pin.
        package let overridesPins: Bool

        package init(_ origin: Origin, overridesPins: Bool = false) {
            (self.origin, self.overridesPins) = (origin, overridesPins)
        }

        package var certificates: [Certificate] { if case .resource(_, let own) = origin { own } else { [] } }

        package var name: String {
            if case .resource(let name, _) = origin { name } else { origin == .system ? "system" : "user" }
        }
    }

    /// The settings of one element; a `nil` setting is inherited from the element around it.
    package struct Level: Hashable {
        /// The sources of its `<trust-anchors>`; empty if it contains none, so that nothing is trusted.
        package var sources: [Source]?
        var isTransparencyEnabled: Bool?
        /// The place of its `<certificates src="user"/>`.
        package var userAnchors: PinPlace?

        package init(sources: [Source]? = nil, isTransparencyEnabled: Bool? = nil) {
            (self.sources, self.isTransparencyEnabled) = (sources, isTransparencyEnabled)
        }

        var isEmpty: Bool { sources == nil && isTransparencyEnabled == nil }
    }

    /// A `<domain>` with the settings of its `<domain-config>` and of those around it, the innermost first;
    /// `isOverridable` is `false` if an enforcing `<trustkit-config>` compares the pins again below any anchor.
    package typealias Domain = (hosts: HostPattern, origin: PinPlace, levels: [Level], isOverridable: Bool)

    package var domains: [Domain] = []
    package var base = Level()
    /// The place of `base`, or the file if there is none.
    package var origin: PinPlace
    /// The anchors of `<debug-overrides>`; `nil` if there is none.
    package var debugSources: [Source]?
    /// The reason why the start of a debuggable build fails with its `<debug-overrides>`; `nil` if it does not.
    package var debugObstacle: String?
    package var targetSDK: Int?

    package init(origin: PinPlace) { self.origin = origin }

    package var isEmpty: Bool {
        base.isEmpty && debugSources == nil && debugObstacle == nil
            && domains.allSatisfy { $0.levels.allSatisfy(\.isEmpty) }
    }

    package var certificates: [Certificate] {
        ([base] + domains.flatMap(\.levels)).flatMap { $0.sources ?? [] }.flatMap(\.certificates)
            + (debugSources ?? []).flatMap(\.certificates)
    }

    /// The longest domain that covers the host, first the exact name (`ApplicationConfig.getConfigForHostname`).
    package func domain(for host: String) -> Domain? {
        domains.filter { $0.hosts.covers(host) }.max { $0.hosts.name.utf8.count < $1.hosts.name.utf8.count }
    }

    /// The trust of a device for a host, `nil` meaning the base; `targetSDK` overrides that of the manifest.
    package func trust(for host: String?, targetSDK: Int? = nil, isDebuggable: Bool = false) -> AndroidTrust {
        let domain = host.flatMap { self.domain(for: $0) }
        var trust = AndroidTrust(targetSDK: targetSDK ?? self.targetSDK)
        var levels = (domain?.levels ?? []) + [base, Level(sources: trust.sources)]
        if isDebuggable, let debugSources {
            // Debug anchors only extend lists: an element without a list still inherits (`addDebugAnchorsIfNeeded`).
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

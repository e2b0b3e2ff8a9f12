package import Base

/// The trust of an Android app for a host, by its network security configuration, or else the platform's default.
package struct AndroidTrust: Hashable {
    package struct Place: Hashable {
        /// The hosts of the place; `nil` if it is for all hosts without their own entry.
        package let hosts: HostPattern?
        package let origin: PinPlace
        /// `true` if the place has anchors, by itself or by inheritance.
        package let namesAnchors: Bool
    }

    package struct Transparency: Hashable {
        package var isEnabled: Bool?
        /// `true` if its own anchors contain `user` or `@raw`.
        var hasOwnAnchors = false
    }

    /// The sources of anchors; empty if nothing is trusted.
    package var sources: [NetworkSecurityConfiguration.Source]
    /// The roots that the device's user installed: the anchors of the source `user`.
    package var installedRoots: [Certificate] = []
    /// The elements of the host's configuration: its own first, then those that it inherits from, the nearest first.
    package var transparency: [Transparency] = []
    package var targetSDK: Int?
    package var place: Place?

    /// Without sources Android's default applies; an unknown targetSdkVersion counts as 24 or later.
    package init(sources: [NetworkSecurityConfiguration.Source]? = nil, targetSDK: Int? = nil) {
        self.targetSDK = targetSDK
        // From 24 on, apps do not trust their users' roots (`NetworkSecurityConfig.getDefaultBuilder`).
        self.sources = sources ?? (targetSDK ?? .max <= 23 ? [.init(.system), .init(.user)] : [.init(.system)])
    }

    package var trustsInstalledRoots: Bool { sources.contains { $0.origin == .user } }

    /// The certificates of a source; empty for `system`, whose roots are in the trust store.
    private func certificates(of source: NetworkSecurityConfiguration.Source) -> [Certificate] {
        source.origin == .user ? installedRoots : source.certificates
    }

    var anchors: Anchors {
        Anchors(sources.flatMap(certificates), includesTrustStore: sources.contains { $0.origin == .system })
    }

    /// `true` if a path to `anchor` needs no pin; Android finds anchors by subject and key, first in sources that
    /// override pins (`NetworkSecurityConfig.findTrustAnchorBySubjectAndPublicKey`).
    func overridesPins(endingAt anchor: Certificate, isOfSystem: Bool) -> Bool {
        func holdsOwn(_ source: NetworkSecurityConfiguration.Source) -> Bool {
            certificates(of: source).contains { $0.isSameAnchor(as: anchor) }
        }
        // An anchor that no other source contains can only be the system's.
        let isOfSystem = isOfSystem || !sources.contains(where: holdsOwn)
        return sources.contains { $0.overridesPins && ($0.origin == .system ? isOfSystem : holdsOwn($0)) }
    }

    /// The roots below which Android requires signed certificate timestamps for a host.
    ///
    /// Up to API level 35 it requires none; in 36 the app's configuration decides. From 37 on, the newest (`nil`), apps
    /// with a known targetSdkVersion of 37 or more need them below public roots by default (developer.android.com,
    /// network security configuration, Certificate Transparency; Conscrypt's `PolicyImpl`).
    func transparencyDemand(level: Int?, for name: ServerName?) -> TransparencyDemand {
        let level = level ?? .max
        guard level >= 36, name != .dns("localhost") else { return .none }
        for element in transparency {
            if let isEnabled = element.isEnabled { return isEnabled ? .belowAnyRoot : .none }
            if element.hasOwnAnchors { return .none }
        }
        return level >= 37 && targetSDK ?? 0 >= 37 ? .belowPublicRoots : .none
    }

    package var words: String {
        sources.isEmpty
            ? "nothing"
            : sources.map { $0.name + ($0.overridesPins ? " (overrides pins)" : "") }.listed
    }
}

extension Certificate {
    /// Compares subject and key, by which Android identifies an anchor.
    package func isSameAnchor(as other: Certificate) -> Bool {
        spkiSHA256 == other.spkiSHA256 && subject == other.subject
    }
}

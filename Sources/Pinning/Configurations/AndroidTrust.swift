/// What Android trusts for a host: the anchors of the app's network security configuration, or the platform's own for want of them.
package struct AndroidTrust: Sendable, Hashable {
    package struct Place: Sendable, Hashable {
        /// The hosts it is for, `nil` for all that have no entry of their own.
        package let hosts: HostPattern?
        package let origin: String
        /// Whether it names anchors, itself or by what it inherits.
        package let namesAnchors: Bool
    }

    /// What one element of a configuration means for Certificate Transparency.
    package struct Transparency: Sendable, Hashable {
        /// What its `<certificateTransparency>` says, `nil` for none.
        package var isEnabled: Bool?
        /// Whether its own anchors hold `user` or `@raw`.
        var hasOwnAnchors = false
    }

    /// Where anchors come from; none where nothing is trusted.
    package var sources: [NetworkSecurityConfiguration.Source]
    /// The roots that the device's user installed, for sources that name those.
    package var installedRoots: [Certificate] = []
    /// The host's configuration first, then those it inherits from, the nearest first.
    package var transparency: [Transparency] = []
    /// The app's targetSdkVersion, `nil` where it is not known.
    package var targetSDK: Int?
    /// Where it is said, `nil` where no configuration is known.
    package var place: Place?

    /// Without sources what is trusted where no configuration says anything: not the user's roots where the targetSdkVersion is not known.
    package init(sources: [NetworkSecurityConfiguration.Source]? = nil, targetSDK: Int? = nil) {
        self.targetSDK = targetSDK
        // The first version of which apps do not trust their users' roots is 24 (`NetworkSecurityConfig.getDefaultBuilder`).
        self.sources = sources ?? (targetSDK ?? .max <= 23 ? [.init(.system), .init(.user)] : [.init(.system)])
    }

    package var trustsInstalledRoots: Bool { sources.contains { $0.origin == .user } }

    /// The certificates of a source; the trust store stands for the system's roots.
    private func certificates(of source: NetworkSecurityConfiguration.Source) -> [Certificate] {
        switch source.origin {
        case .system: []
        case .user: installedRoots
        case .resource(_, let certificates): certificates
        }
    }

    var anchors: Anchors {
        let certificates = sources.flatMap(certificates)
        guard sources.contains(where: { $0.origin == .system }) else { return .only(certificates) }
        return certificates.isEmpty ? .trustStore : .trustStoreAnd(certificates)
    }

    /// Whether a path that ends at `anchor` needs no pin.
    ///
    /// Android finds an anchor by its subject and key, not by its bytes, and sources that override pins before the others
    /// (`NetworkSecurityConfig.findTrustAnchorBySubjectAndPublicKey`).
    func overridesPins(endingAt anchor: Certificate, isOfSystem: Bool) -> Bool {
        func holdsOwn(_ source: NetworkSecurityConfiguration.Source) -> Bool {
            certificates(of: source).contains { $0.isSameAnchor(as: anchor) }
        }
        // What no other source holds can only be the system's.
        let isOfSystem = isOfSystem || !sources.contains(where: holdsOwn)
        return sources.contains { $0.overridesPins && ($0.origin == .system ? isOfSystem : holdsOwn($0)) }
    }

    /// Below which roots Android asks for signed certificate timestamps: by the host's configuration, not by the root; roots that are on
    /// no public list are left alone where the platform asks by itself, and a targetSdkVersion that is not known counts as old.
    ///
    /// Up to API level 35 it never asks, in 36 where the app's configuration says so, and from 37 on, the newest (`nil`), unless that says
    /// otherwise, for apps whose targetSdkVersion is at least 37.
    ///
    /// Source: developer.android.com, network security configuration, Certificate Transparency; Conscrypt's `PolicyImpl`.
    func transparencyDemand(level: Int?, for name: ServerName?) -> TransparencyDemand {
        let level = level ?? .max
        guard level >= 36, name != .dns("localhost") else { return .none }
        for element in transparency {
            if let isEnabled = element.isEnabled { return isEnabled ? .belowAnyRoot : .none }
            if element.hasOwnAnchors { return .none }
        }
        return level >= 37 && targetSDK ?? 0 >= 37 ? .belowPublicRoots : .none
    }

    /// What is trusted, in a few words, as in `system, @raw/own (overrides pins)`.
    package var words: String {
        sources.isEmpty
            ? "nothing"
            : sources.map { $0.name + ($0.overridesPins ? " (overrides pins)" : "") }.joined(separator: ", ")
    }
}

extension Certificate {
    /// Whether both have the same subject and key, by which Android tells anchors apart.
    package func isSameAnchor(as other: Certificate) -> Bool {
        publicKey.spkiSHA256 == other.publicKey.spkiSHA256 && subject == other.subject
    }
}

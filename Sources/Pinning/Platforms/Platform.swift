/// What a device or program decides beside and before the pins: a value made of rules, each a small function over certificates.
///
/// Signatures, dates, basic constraints, name constraints and critical extensions are the same everywhere and left to the
/// ``PathVerifier``; what differs stands here. The article "What the device decides" has the table and its sources.
public struct Platform: Sendable, Hashable {
    /// The kinds of platforms.
    public enum Family: String, Sendable, Hashable, CaseIterable {
        /// iOS, macOS and their relatives: the Security framework.
        case apple
        /// Android with Conscrypt.
        case android
        /// This machine's OpenSSL, as curl uses it.
        case openssl
        /// Chrome and Firefox, by the stricter of the two.
        case browser
    }

    /// Which kind of platform it is.
    public let family: Family
    /// The major version of iOS or Android, `nil` for the newest.
    public let release: Int?
    /// Which names of a certificate count for a server.
    public let names: NameRules
    /// What keys have to be certified for.
    public let purposes: PurposeRules
    /// How strong keys and signatures have to be.
    public let strength: StrengthRules
    /// How long a leaf may be valid.
    public let lifetimes: LifetimeRules
    /// Whether anchors have to be within their dates.
    ///
    /// Conscrypt never looks; Chrome does not for public roots.
    public let judgedAnchorDates: AnchorDates
    /// Whether issuers that a server does not send are fetched from where the certificate says (RFC 5280, 4.2.2.1).
    public let fetchesIssuers: Bool
    /// Whether name constraints hold the common name of a leaf that has no DNS name.
    public let constrainsCommonName: Bool

    /// Whose dates are checked besides those of the certificates below an anchor.
    public enum AnchorDates: Sendable, Hashable {
        case all
        case none
        /// Those of roots that are not on a public list.
        case allButSystem
    }

    /// Apple's platforms.
    ///
    /// - Parameter release: the major version of iOS, `nil` for the newest. Before iOS 13 nothing is asked of leaves under anchors of
    ///   the app's own (Apple's support article 103769).
    /// - Returns: the platform with its rules.
    public static func apple(release: Int? = nil) -> Platform {
        let judgesOwn = release.map { $0 >= 13 } ?? true
        return Platform(
            family: .apple,
            release: release,
            names: .apple,
            purposes: .apple(judgesOwnAnchors: judgesOwn),
            strength: .apple,
            lifetimes: .apple(judgesOwnAnchors: judgesOwn),
            judgedAnchorDates: .all,
            fetchesIssuers: true,
            constrainsCommonName: false
        )
    }

    /// Android with Conscrypt.
    ///
    /// - Parameters:
    ///   - release: the major version of Android, `nil` for the newest.
    ///   - names: the rules of the verifier that compares names: the platform's strict one, or OkHttp's own.
    /// - Returns: the platform with its rules.
    public static func android(release: Int? = nil, names: NameRules = .android) -> Platform {
        Platform(
            family: .android,
            release: release,
            names: names,
            purposes: .android,
            strength: .android,
            lifetimes: .unlimited,
            judgedAnchorDates: .none,
            fetchesIssuers: false,
            constrainsCommonName: false
        )
    }

    /// curl on this machine's OpenSSL at its usual security level, 2.
    public static let openssl = Platform(
        family: .openssl,
        release: nil,
        names: .curl,
        purposes: .openssl,
        strength: .openssl,
        lifetimes: .unlimited,
        judgedAnchorDates: .all,
        fetchesIssuers: false,
        constrainsCommonName: true
    )

    /// A browser: where Chrome and Firefox differ, the stricter of the two.
    public static let browser = Platform(
        family: .browser,
        release: nil,
        names: .browser,
        purposes: .browser,
        strength: .browser,
        lifetimes: .browser,
        judgedAnchorDates: .allButSystem,
        fetchesIssuers: true,
        constrainsCommonName: false
    )

    /// The rules of the platform, apart from names, that a path breaks.
    ///
    /// - Parameters:
    ///   - path: a path from the leaf to an anchor.
    ///   - policy: the rules for servers, or the basic ones, which ask for little but keys that are not laughable.
    /// - Returns: the failures in the order of the path, none for a path the platform takes.
    public func failures(of path: PlatformPath, under policy: TrustPolicy) -> [TrustFailure] {
        guard policy != .basicX509 else { return StrengthRules.basic.failures(of: path) }
        return purposes.failures(of: path) + lifetimes.failures(of: path) + strength.failures(of: path)
    }

    /// Whether the validity of the certificate at `depth` counts.
    public func judgesDates(at depth: Int, of path: PlatformPath) -> Bool {
        switch judgedAnchorDates {
        case .all: true
        case .none: depth < path.firstAnchor
        case .allButSystem: depth < path.certificates.count - 1 || path.anchorClass != .system
        }
    }
}

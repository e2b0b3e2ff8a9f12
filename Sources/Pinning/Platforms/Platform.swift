/// What a device or program decides beside and before the pins: a value made of rules, each a small function over certificates.
///
/// Signatures, dates, basic constraints, name constraints and critical extensions are the same everywhere and left to the
/// ``PathVerifier``; what differs stands here. The article "What the device decides" has the table and its sources.
public struct Platform: Sendable, Hashable {
    /// Which kind of platform it is.
    public let family: PlatformFamily
    /// The version of its system.
    public let release: PlatformRelease
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
    /// Conscrypt never looks.
    public let judgedAnchorDates: AnchorDates
    /// Whether issuers that a server does not send are fetched from where the certificate says (RFC 5280, 4.2.2.1).
    public let fetchesIssuers: Bool
    /// Whether name constraints hold the common name of a leaf that has no DNS name.
    public let constrainsCommonName: Bool
    /// Below which roots signed certificate timestamps are counted.
    public let transparencyDemand: TransparencyDemand
    /// Which of several rejected paths is handed out.
    public let rejectedPath: RejectedPathRule
    /// Whether one path is built and judged, instead of any that is valid: OpenSSL takes the first issuer that fits and does not turn
    /// back.
    public let buildsOnePath: Bool
    /// What of the verifier's own judgement counts.
    let deference: Deference

    /// Which of several rejected paths a client gets to see that was told to ignore validity.
    public enum RejectedPathRule: Sendable, Hashable {
        /// The first that reaches an anchor, else the longest.
        case longest
        /// The best by Apple's points (`SecPathBuilder`, `SecCertificatePathVCScore`).
        case bestByPoints
    }

    /// How far a platform goes by what the verifier finds of purposes, keys and signatures.
    enum Deference: Sendable, Hashable {
        /// It has rules of its own for them.
        case none
        /// It is the verifier's own platform.
        case always
    }

    /// Whose dates are checked besides those of the certificates below an anchor.
    public enum AnchorDates: Sendable, Hashable {
        case all
        case none
    }

    /// Apple's platforms.
    ///
    /// - Parameter release: the version; before iOS 13 nothing is asked of leaves under anchors of the app's own (Apple's support
    ///   article 103769).
    /// - Returns: the platform with its rules.
    public static func apple(_ release: AppleRelease = .newest) -> Platform {
        Platform(
            family: .apple, release: release == .newest ? .newest : .apple(release), names: .apple,
            purposes: .apple(judgesOwnAnchors: release.limitsLeavesOfOwnAnchors), strength: .apple,
            lifetimes: .apple(judgesOwnAnchors: release.limitsLeavesOfOwnAnchors), judgedAnchorDates: .all,
            fetchesIssuers: true, constrainsCommonName: false,
            transparencyDemand: release.requiresTransparency ? .belowPublicRoots : .none, rejectedPath: .bestByPoints,
            buildsOnePath: false, deference: .none)
    }

    /// Android with Conscrypt.
    ///
    /// - Parameters:
    ///   - release: the version, `nil` for the newest.
    ///   - names: the rules of the verifier that compares names: the platform's strict one, or OkHttp's own.
    ///   - transparencyDemand: below which roots the app's configuration has timestamps counted.
    /// - Returns: the platform with its rules.
    public static func android(
        _ release: AndroidRelease? = nil, names: NameRules = .android, transparencyDemand: TransparencyDemand = .none
    ) -> Platform {
        Platform(
            family: .android, release: release.map { .android($0) } ?? .newest, names: names, purposes: .android,
            strength: .android, lifetimes: .unlimited, judgedAnchorDates: .none, fetchesIssuers: false,
            constrainsCommonName: false, transparencyDemand: transparencyDemand, rejectedPath: .longest,
            buildsOnePath: false, deference: .none)
    }

    /// curl on this machine's OpenSSL at its usual security level, 2.
    public static let openssl = Platform(
        family: .openssl, release: .newest, names: .curl, purposes: .openssl, strength: .openssl, lifetimes: .unlimited,
        judgedAnchorDates: .all, fetchesIssuers: false, constrainsCommonName: true, transparencyDemand: .none,
        rejectedPath: .longest, buildsOnePath: true, deference: .always)

    /// The same platform in a version of its system; a version of another platform changes nothing.
    public func running(on release: PlatformRelease) -> Platform {
        switch (family, release) {
        case (.apple, .apple(let release)): .apple(release)
        case (.android, .android(let release)): .android(release, names: names, transparencyDemand: transparencyDemand)
        default: self
        }
    }

    /// The same platform where an app's configuration asks for timestamps; changes nothing but on Android, which goes by that.
    func asking(for demand: TransparencyDemand) -> Platform {
        guard family == .android else { return self }
        var release: AndroidRelease?
        if case .android(let own) = self.release { release = own }
        return .android(release, names: names, transparencyDemand: demand)
    }

    /// The rules of the platform, apart from names, that a path breaks.
    ///
    /// - Parameters:
    ///   - path: a path from the leaf to an anchor.
    ///   - policy: the rules for servers, or the basic ones, which ask for little but keys that are not laughable.
    /// - Returns: the failures in the order of the path, none for a path the platform takes.
    public func failures(of path: PlatformPath, under policy: TrustPolicy) -> [TrustFailure] {
        guard policy != .basicX509 else { return StrengthRules.basic.failures(of: path) }
        let isDeferring = defers(on: path)
        return (isDeferring ? .openssl : purposes).failures(of: path) + lifetimes.failures(of: path)
            + (isDeferring ? .openssl : strength).failures(of: path)
    }

    /// Whether the verifier's judgement of purposes, keys and signatures is the platform's own for the path.
    func defers(on path: PlatformPath) -> Bool {
        switch deference {
        case .none: false
        case .always: true
        }
    }

    /// Whether the validity of the certificate at `depth` counts.
    public func judgesDates(at depth: Int, of path: PlatformPath) -> Bool {
        switch judgedAnchorDates {
        case .all: true
        case .none: depth < path.firstAnchor
        }
    }
}

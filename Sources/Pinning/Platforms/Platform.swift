/// What a device or program decides beside and before the pins: a value made of rules, each a small function over certificates.
///
/// Signatures, dates, basic constraints, name constraints and critical extensions are the same everywhere and left to the
/// ``PathVerifier``; what differs stands here. The article "What the device decides" has the table and its sources.
package struct Platform: Sendable, Hashable {
    package let family: PlatformFamily
    let release: PlatformRelease
    package let names: NameRules
    let transparencyDemand: TransparencyDemand

    package var strength: StrengthRules {
        switch family {
        case .apple: .apple
        case .android: .android
        case .openssl: .openssl
        }
    }
    /// Whether anchors have to be within their dates, and what they say counts: Conscrypt never looks.
    package var judgesAnchors: Bool { family != .android }
    /// Whether issuers that a server does not send are fetched from where the certificate says (RFC 5280, 4.2.2.1).
    package var fetchesIssuers: Bool { family == .apple }
    /// Whether name constraints hold the common name of a leaf that has no DNS name.
    package var constrainsCommonName: Bool { family == .openssl }
    /// Whether one path is built and judged, instead of any that is valid: OpenSSL takes the first issuer that fits and does not turn
    /// back.
    package var buildsOnePath: Bool { family == .openssl }
    /// Whether the verifier's own judgement of purposes, keys and signatures is the platform's.
    var isOfVerifier: Bool { family == .openssl }

    /// Apple's platforms; before iOS 13 nothing is asked of leaves under anchors of the app's own (Apple's support article 103769).
    package static func apple(_ release: AppleRelease = .newest) -> Platform {
        let rules = release.sameRules
        return Platform(
            family: .apple, release: rules == AppleRelease.newest.sameRules ? .newest : .apple(rules), names: .apple,
            transparencyDemand: release.requiresTransparency ? .belowPublicRoots : .none)
    }

    /// Android with Conscrypt; `names` are the rules of the verifier that compares names, the platform's strict one or OkHttp's own.
    package static func android(
        level: Int? = nil, names: NameRules = .android, transparencyDemand: TransparencyDemand = .none
    ) -> Platform {
        Platform(
            family: .android, release: level.map { .android(level: $0) } ?? .newest, names: names,
            transparencyDemand: transparencyDemand)
    }

    /// curl on this machine's OpenSSL at its usual security level, 2.
    package static let openssl = Platform(family: .openssl, release: .newest, names: .curl, transparencyDemand: .none)

    static let all: [Platform] = [.apple(), .android(), .openssl]

    /// The same platform in a version of its system; a version of another platform changes nothing.
    package func running(on release: PlatformRelease) -> Platform {
        switch (family, release) {
        case (.apple, .apple(let release)): .apple(release)
        case (.android, .android(let level)):
            .android(level: level, names: names, transparencyDemand: transparencyDemand)
        default: self
        }
    }

    /// The same platform where an app's configuration asks for timestamps; changes nothing but on Android, which goes by that.
    func asking(for demand: TransparencyDemand) -> Platform {
        family == .android ? .android(level: release.androidLevel, names: names, transparencyDemand: demand) : self
    }

    /// The rules of the platform, apart from names, that a path breaks: those for servers, or the basic ones, which ask for little but
    /// keys that are not laughable.
    package func failures(of path: PlatformPath, under policy: TrustPolicy) -> [TrustFailure] {
        guard policy != .basicX509 else { return StrengthRules.basic.failures(of: path) }
        return purposeFailures(of: path) + lifetimeFailures(of: path) + strength.failures(of: path)
    }
}

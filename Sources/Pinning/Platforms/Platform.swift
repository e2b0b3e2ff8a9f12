/// The decisions of a device or program apart from pins, and from what is the same on all platforms: signatures, dates,
/// basic constraints, name constraints and critical extensions; the article *Devices* has a table with sources.
package struct Platform: Hashable {
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
    /// `true` if the dates and extensions of anchors count; Conscrypt ignores them.
    package var judgesAnchors: Bool { family != .android }
    /// `true` if issuers that a server does not send are fetched by caIssuers (RFC 5280, 4.2.2.1).
    package var fetchesIssuers: Bool { family == .apple }
    /// `true` if name constraints apply to the common name of a leaf without a DNS name.
    package var constrainsCommonName: Bool { family == .openssl }
    /// `true` if only one path is built and judged: OpenSSL takes the first issuer that fits and does not turn back.
    package var buildsOnePath: Bool { family == .openssl }
    /// `true` if the verifier's own judgement of purposes, keys and signatures is the platform's.
    var isOfVerifier: Bool { family == .openssl }

    /// Apple's platforms; limits for leaves below own anchors begin with iOS 13 (Apple's support article 103769).
    package static func apple(_ version: DeviceVersion = .newest) -> Platform {
        let rules = version.sameRules
        return Platform(
            family: .apple, release: rules == DeviceVersion.newest.sameRules ? .newest : .apple(rules), names: .apple,
            transparencyDemand: version.requiresTransparency ? .belowPublicRoots : .none)
    }

    /// Android with Conscrypt; `names` are the rules of the platform's strict verifier or of OkHttp's own.
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

    /// The platform in a version of its system; a version of another system changes nothing.
    package func running(on release: PlatformRelease) -> Platform {
        switch (family, release) {
        case (.apple, .apple(let version)): .apple(version)
        case (.android, .android(let level)):
            .android(level: level, names: names, transparencyDemand: transparencyDemand)
        default: self
        }
    }

    /// The platform with an app's demand for timestamps, which only Android follows.
    func asking(for demand: TransparencyDemand) -> Platform {
        family == .android ? .android(level: release.androidLevel, names: names, transparencyDemand: demand) : self
    }

    /// The broken rules of a path, apart from names: those for servers, or only those about the strength of keys.
    func failures(of path: PlatformPath) -> [TrustFailure] {
        guard path.policy != .basicX509 else { return StrengthRules.basic.failures(of: path) }
        return purposeFailures(of: path) + lifetimeFailures(of: path) + strength.failures(of: path)
            + evidenceFailures(of: path)
    }

    /// The caIssuers places (RFC 5280, 4.2.2.1) that Apple's platforms try, in their order: at most three `http:` URLs,
    /// and none if there are ten places or more (SecCAIssuerRequest of macOS 26).
    package static func triedPlaces(of places: [String]) -> [String] {
        places.count < 10 ? Array(places.filter(isHTTP).prefix(3)) : []
    }

    private static func isHTTP(_ place: String) -> Bool {
        guard place.utf8.starts(with: "http://".utf8) else { return false }
        let rest = place.utf8.dropFirst(7)
        return !rest.isEmpty && rest.first != UInt8(ascii: "/") && !rest.contains { $0 <= 0x20 || $0 >= 0x7F }
    }
}

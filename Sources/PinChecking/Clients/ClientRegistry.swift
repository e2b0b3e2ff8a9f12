import Base
package import PinFormats
package import Pinning
import X509

/// The clients whose decision procedures can be chosen by name.
package enum ClientRegistry {
    /// One client: what users see of it, and how its procedure is made from the flags.
    package struct Entry: Sendable {
        /// The value of `--client`.
        package let name: String
        package let summary: String
        package var settings: [ClientSetting] = []
        /// Whether it is one of `--client all`: not a version that nobody can still mean to ship, or that wants every certificate pinned.
        package var isInAll = true
        /// Whether it trusts a root that was installed on the device by hand (`--extra-root`).
        package var trustsInstalledRoots = true
        /// The configurations it reads itself, and by what rule it finds a host in them where that is not theirs.
        package var configurations: [PinConfiguration.Kind: PinConfiguration.Lookup] = [:]
        /// The configuration by which the system decides for every connection of an app, whichever client makes it; `nil` for a client
        /// that is not the system.
        package var bindsAppBy: PinConfiguration.Kind?
        /// Whether a dot at the end of a URL's host makes it another host to the client.
        package var comparesHostAsWritten = false
        /// What it is among those that pin the certificate files of an app; `nil` for a client that does not.
        package var loader: BundleLoader?
        /// Whether it decides by answering a challenge of NSURLSession, as clients on Apple's platforms do.
        package var answersChallenges = false
        /// The platform it runs on, `nil` for one whose decisions need none.
        package let platform: PlatformFamily?
        /// The notation in which its users write a pin.
        package let notation: PinNotations.Kind
        /// What it is set to apart from what stands behind its name, as it is shown.
        var shownSettings: @Sendable (ClientInput) -> [ShownSetting] = { _ in [] }
        let make: @Sendable (ClientInput) throws -> any ClientProcedure
    }

    /// Clients beside those of this registry, for the time of a call: tests go through every command with one of their own.
    @TaskLocal package static var added: [Entry] = []

    package static var entries: [Entry] { added.isEmpty ? listed : listed + added }

    private static let listed: [Entry] =
        afNetworking + [
            Entry(
                name: "alamofire", summary: "Alamofire 5, ServerTrustManager with the evaluator that the pins suggest",
                settings: [
                    .init(
                        "evaluator", .text("default|pinned-certificates|public-keys|composite|disabled"),
                        "the evaluator"),
                    .init("host", .text("HOST"), "a host that has an evaluator, compared as text; may be repeated"),
                    .init("no-all-hosts", .flag, "allHostsMustBeEvaluated = false"),
                    .init("accept-self-signed", .flag, "the pinned certificates are the only anchors"),
                    .init("no-default-validation", .flag, "performDefaultValidation = false"),
                    .init("no-validate-host", .flag, "validateHost = false"),
                ], configurations: [.appBundle: .union], loader: .alamofire, answersChallenges: true, platform: .apple,
                notation: .okhttp, make: { try $0.alamofire() }),
            Entry(
                name: "trustkit", summary: "TrustKit 3 for iOS and macOS",
                settings: [
                    .init("no-enforce", .flag, "kTSKEnforcePinning = NO: a mismatch is only reported"),
                    .init("expires", .date, "kTSKExpirationDate, midnight UTC"),
                ], configurations: [.trustKit: .mostSpecificOfSameSuffix, .reactNative: .mostSpecificOfSameSuffix],
                answersChallenges: true, platform: .apple, notation: .base64,
                make: { input in
                    try TrustKit(
                        pins: input.pins,
                        enforcesPinning: input.policy?.enforcesPinning ?? true && !input.settings.isSet("no-enforce"),
                        expiration: input.settings.date("expires") ?? input.policy?.expiration,
                        exemptRoots: input.policy?.entries.first?.exemptsInstalledRoots == true
                            ? Set(input.installedRoots) : [])
                }),
            Entry(
                name: "okhttp", summary: "OkHttp 5, CertificatePinner",
                settings: [.init("pattern", .text("PATTERN"), "the pins' hosts: a host, *.host or **.host")]
                    + ClientSetting.androidApp, trustsInstalledRoots: false,
                configurations: [.okHttp: .union, .reactNative: .unionOfCanonicalNames], comparesHostAsWritten: true,
                platform: .android, notation: .okhttp, make: { try $0.okHttp() }),
            Entry(
                name: "android", summary: "Android's Network Security Config",
                settings: [.init("expires", .date, "the pin set's expiration, midnight UTC here")]
                    + ClientSetting.androidApp, trustsInstalledRoots: false, configurations: [.android: .mostSpecific],
                bindsAppBy: .android, platform: .android, notation: .base64,
                make: { input in
                    AndroidNetworkSecurityConfig(
                        expiration: input.settings.date("expires") ?? input.policy?.expiration,
                        trust: input.androidTrust)
                }),
            Entry(
                name: "nspinneddomains", summary: "Apple's NSPinnedDomains (App Transport Security)",
                settings: [.init("key", .text("leaf|ca"), "the key that lists the pins: leaf or authority identities")],
                configurations: [.nsPinnedDomains: .union], bindsAppBy: .nsPinnedDomains, answersChallenges: true,
                platform: .apple, notation: .base64, make: { try $0.nsPinnedDomains() }),
            Entry(
                name: "curl", summary: "curl --pinnedpubkey, which compares the leaf's key alone",
                settings: [.init("insecure", .flag, "--insecure: only the pin is checked")], platform: .openssl,
                notation: .curl, make: { Curl(isInsecure: $0.settings.isSet("insecure")) }),
            Entry(
                name: Generic.name, summary: "A pin compared by hand, as Go, Node, Java and dio do (the default)",
                configurations: [.okHttp: .union, .policy: .mostSpecific], comparesHostAsWritten: true, platform: nil,
                notation: .okhttp, make: { _ in Generic() }),
        ]

    private static let afNetworking: [Entry] =
        AFNetworking4.Version.allCases.map { version in
            Entry(
                name: version.rawValue,
                summary: version == .v4
                    ? "AFNetworking 4, AFSecurityPolicy"
                    : "AFNetworking 3: decides alike, answers with rejectProtectionSpace",
                configurations: [.appBundle: .union], loader: version == .v4 ? .afNetworking4 : .afNetworking3,
                answersChallenges: true, platform: .apple, notation: .okhttp,
                shownSettings: { shown($0.afSecurityPolicy) }
            ) { input in AFNetworking4(policy: input.afSecurityPolicy, version: version) }
        } + [
            Entry(
                name: "afnetworking-2.5", summary: "AFNetworking 2.2.1 – 2.5.4, with validatesCertificateChain",
                settings: [.init("chain", .text("yes|no"), "validatesCertificateChain: the whole chain is pinned")],
                isInAll: false, configurations: [.appBundle: .union], loader: .afNetworking3, answersChallenges: true,
                platform: .apple, notation: .okhttp,
                shownSettings: { input in
                    shown(input.afSecurityPolicy) + [
                        ShownSetting(
                            "validatesCertificateChain", .flag((try? input.validatesCertificateChain()) ?? true))
                    ]
                }
            ) { input in
                AFNetworking25(
                    policy: input.afSecurityPolicy, validatesCertificateChain: try input.validatesCertificateChain())
            }
        ]

    private static func shown(_ policy: AFSecurityPolicy) -> [ShownSetting] {
        [
            ShownSetting("mode", .text(policy.mode.rawValue)),
            ShownSetting("allowInvalidCertificates", .flag(policy.allowInvalidCertificates)),
            ShownSetting("validatesDomainName", .flag(policy.validatesDomainName)),
        ]
    }

    static let generic = listed.first { $0.name == Generic.name } ?? listed[0]

    package static var names: String { entries.map(\.name).joined(separator: ", ") }

    static func isRead(_ kind: PinConfiguration.Kind, on platform: PlatformFamily?) -> Bool {
        entries.contains { $0.platform == platform && $0.configurations[kind] != nil }
    }

    /// The client called `name`.
    package static func entry(named name: String) throws(ClientSelectionError) -> Entry {
        guard let entry = entries.first(where: { $0.name == name }) else { throw .unknownClient(name) }
        return entry
    }
}

import PinFormats
import Pinning

extension Client {
    static let table: [Client] = [
        Client(
            name: "afnetworking", summary: "AFNetworking 4, AFSecurityPolicy", configurations: [.appBundle: .union],
            namedBy: [.appBundle], framework: "AFNetworking", looseSet: .certificates, hasSecurityPolicy: true,
            platform: .apple, pinForm: .file(.afNetworking4), make: { AFNetworking(policy: $0.afSecurityPolicy) }),
        Client(
            name: "afnetworking-3", summary: "AFNetworking 3: decides alike, answers with rejectProtectionSpace",
            configurations: [.appBundle: .union], namedBy: [.appBundle], framework: "AFNetworking",
            hasSecurityPolicy: true, platform: .apple, pinForm: .file(.afNetworking3),
            make: { AFNetworking(policy: $0.afSecurityPolicy, rejection: .rejectProtectionSpace) }),
        Client(
            name: "afnetworking-2.5", summary: "AFNetworking 2.2.1 – 2.5.4, with validatesCertificateChain",
            settings: [.init("chain", "yes|no", "validatesCertificateChain: the whole chain is pinned")],
            isInAll: false, configurations: [.appBundle: .union], hasSecurityPolicy: true, platform: .apple,
            pinForm: .file(.afNetworking3),
            shownSettings: { [("validatesCertificateChain", .flag($0.client.text("chain") != "no"))] },
            make: {
                AFNetworking(policy: $0.afSecurityPolicy, validatesCertificateChain: $0.client.text("chain") != "no")
            }),
        Client(
            name: "alamofire", summary: "Alamofire 5, ServerTrustManager with the evaluator that the pins suggest",
            settings: [
                .init("evaluator", "default|pinned-certificates|public-keys|composite|disabled", "the evaluator"),
                .init("host", "HOST", "a host that has an evaluator, compared as text; may be repeated"),
                .init("no-all-hosts", nil, "allHostsMustBeEvaluated = false"),
                .init("accept-self-signed", nil, "the pinned certificates are the only anchors"),
                .init("no-default-validation", nil, "performDefaultValidation = false"),
                .init("no-validate-host", nil, "validateHost = false"),
            ], configurations: [.appBundle: .union], namedBy: [.appBundle], framework: "Alamofire", platform: .apple,
            pinForm: .file(.alamofire), make: { try $0.alamofire() }),
        Client(
            name: "trustkit", summary: "TrustKit 3 for iOS",
            settings: [
                .init("no-enforce", nil, "kTSKEnforcePinning = NO: a mismatch is only reported"),
                .init("expires", ClientSetting.date, "kTSKExpirationDate, midnight UTC"),
            ], configurations: [.trustKit: .mostSpecificOfSameSuffix, .reactNative: .mostSpecificOfSameSuffix],
            namedBy: [.trustKit, .reactNative], platform: .apple, pinForm: .hash(.base64), make: { try $0.trustKit() }),
        Client(
            name: "okhttp", summary: "OkHttp 5, CertificatePinner",
            settings: [
                .init("pattern", "PATTERN", "the pins' hosts: a host, *.host or **.host"),
                .init("conscrypt", nil, "the app brings Conscrypt: the newest Android's TLS on every device"),
            ] + ClientSetting.androidApp, configurations: [.okHttp: .union, .reactNative: .union],
            comparesHostAsWritten: true, namedBy: [.okHttp, .reactNative], platform: .android, pinForm: .hash(.okhttp),
            make: { try $0.okHttp() }),
        Client(
            name: "android", summary: "Android's Network Security Config",
            settings: [.init("expires", ClientSetting.date, "the pin set's expiration, midnight UTC here")]
                + ClientSetting.androidApp, configurations: [.android: .mostSpecific], bindsAppBy: .android,
            namedBy: [.android], platform: .android, pinForm: .hash(.base64),
            make: {
                AndroidNetworkSecurityConfig(
                    expiration: $0.client.date("expires") ?? $0.policy?.expiration, trust: $0.androidTrust)
            }),
        Client(
            name: "nspinneddomains", summary: "Apple's NSPinnedDomains (App Transport Security)",
            settings: [.init("key", "leaf|ca", "the key that lists the pins: leaf or CA identities")],
            configurations: [.nsPinnedDomains: .union], bindsAppBy: .nsPinnedDomains, namedBy: [.nsPinnedDomains],
            since: DeviceVersion(14), platform: .apple, pinForm: .hash(.base64), make: { $0.nsPinnedDomains() }),
        Client(
            name: "curl", summary: "curl --pinnedpubkey, which compares the leaf's key alone",
            settings: [.init("insecure", nil, "--insecure: only the pin is checked")], looseSet: .inCurlsNotation,
            platform: .openssl, pinForm: .leafKey(.curl), make: { Curl(isInsecure: $0.client.isSet("insecure")) }),
        generic,
    ]

    /// The comparison of pins on the preferred path, as programs without a pinning library write it.
    public static let generic = Client(
        name: "generic", summary: "A pin compared by hand, as Go, Node, Java and dio do (the default)",
        configurations: [.okHttp: .union, .policy: .mostSpecific], comparesHostAsWritten: true, looseSet: .others,
        platform: nil, pinForm: .any(.okhttp), make: { _ in Generic() })

    private static func row(_ name: String) -> Client { table.first { $0.name == name } ?? generic }

    /// AFNetworking 4, AFSecurityPolicy.
    public static var afnetworking: Client { row("afnetworking") }
    /// Alamofire 5, ServerTrustManager.
    public static var alamofire: Client { row("alamofire") }
    /// TrustKit 3 for iOS.
    public static var trustkit: Client { row("trustkit") }
    /// OkHttp 5, CertificatePinner.
    public static var okhttp: Client { row("okhttp") }
    /// Android's Network Security Config.
    public static var android: Client { row("android") }
    /// Apple's NSPinnedDomains.
    public static var nspinneddomains: Client { row("nspinneddomains") }
    /// curl's `--pinnedpubkey`.
    public static var curl: Client { row("curl") }
}

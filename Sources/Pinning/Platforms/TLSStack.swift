/// The offer in a client's ClientHello, by IANA's numbers: a handshake outside of it means no connection;
/// `devices/handshakes.json` of the tests has the sources of each row in full.
package struct TLSStack: Hashable {
    /// The name in sentences, as in `Android 9`.
    package private(set) var name = ""
    package private(set) var versions: ClosedRange<ProtocolVersion>
    /// The suites in the order of the offer, as are groups and signatures.
    package private(set) var suites: [UInt16]
    /// The groups; `nil` means those that this OpenSSL offers.
    package private(set) var groups: [UInt16]?
    package let signatures: [UInt16]
    /// The curves of the leaf's key if it is not RSA; `nil` means all keys that this OpenSSL knows.
    package let curves: [String]?
    /// Groups that an update of the system may have added.
    package private(set) var perhaps: [UInt16] = []
    package private(set) var source: String
    /// `recorded` if the source is a ClientHello of the release, `source` if it is its code.
    package private(set) var confidence: String

    package var offer: TLSStack {
        var offer = self
        (offer.name, offer.source, offer.confidence) = ("", "", "")
        return offer
    }

    /// The group X25519MLKEM768.
    package static let hybrid: UInt16 = 0x11EC
    private static let ellipticGroups: [UInt16] = [0x001D, 0x0017, 0x0018, 0x0019]
    /// The suites of TLS 1.3.
    private static let new: [UInt16] = [0x1301, 0x1302, 0x1303]
    private static let appleCBC: [UInt16] = [
        0xC02C, 0xC02B, 0xC024, 0xC023, 0xC00A, 0xC009, 0xCCA9, 0xC030, 0xC02F, 0xC028, 0xC027, 0xC014, 0xC013, 0xCCA8,
        0x009D, 0x009C, 0x003D, 0x003C, 0x0035, 0x002F, 0xC008, 0xC012, 0x000A,
    ]
    /// The suites without CBC with SHA-256 and SHA-384, which macOS 11 offers and macOS 12.3 does not.
    private static let appleNow: [UInt16] = [
        0xC02C, 0xC02B, 0xCCA9, 0xC030, 0xC02F, 0xCCA8, 0xC00A, 0xC009, 0xC014, 0xC013, 0x009D, 0x009C, 0x0035, 0x002F,
        0xC008, 0xC012, 0x000A,
    ]
    private static let conscryptSuites: [UInt16] = [
        0xC02B, 0xC02C, 0xCCA9, 0xC02F, 0xC030, 0xCCA8, 0xC009, 0xC00A, 0xC013, 0xC014, 0x009C, 0x009D, 0x002F, 0x0035,
    ]
    /// OkHttp's MODERN_TLS from 3.14 to 5.4 (square/okhttp, `ConnectionSpec.kt`).
    private static let modern: [UInt16] =
        new + [0xC02B, 0xC02F, 0xC02C, 0xC030, 0xCCA9, 0xCCA8, 0xC013, 0xC014, 0x009C, 0x009D, 0x002F, 0x0035, 0x000A]
    private static let signed: [UInt16] = [0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0806, 0x0601, 0x0201]
    private static let withSHA1: [UInt16] = [
        0x0403, 0x0804, 0x0401, 0x0503, 0x0203, 0x0805, 0x0501, 0x0806, 0x0601, 0x0201,
    ]

    private static func appleRow(
        _ since: Int, _ versions: ClosedRange<ProtocolVersion>, _ suites: [UInt16], _ signatures: [UInt16],
        _ source: String, _ first: [UInt16] = []
    ) -> (since: DeviceVersion, stack: TLSStack) {
        let stack = TLSStack(
            versions: versions, suites: (versions.contains(.tls13) ? new : []) + suites, groups: first + ellipticGroups,
            signatures: signatures, curves: ["P-256", "P-384", "P-521"], source: source, confidence: "recorded")
        return (DeviceVersion(since), stack)
    }

    private static func conscryptRow(
        _ since: Int, _ versions: ClosedRange<ProtocolVersion>, _ source: String, _ confidence: String = "recorded"
    ) -> (since: Int, stack: TLSStack) {
        let isNew = versions.contains(.tls13)
        let stack = TLSStack(
            versions: versions, suites: (isNew ? new : []) + conscryptSuites, groups: Array(ellipticGroups.prefix(3)),
            signatures: signed, curves: ["P-256", "P-384"], perhaps: isNew ? [hybrid] : [], source: source,
            confidence: confidence)
        return (since, stack)
    }

    /// Apple's stacks, by the first version of iOS, or of the macOS of its year; TLS 1.3 begins with iOS 12.2 (Apple
    /// Platform Security), and of the records of 26.0 some lack the hybrid group.
    private static let apple = [
        appleRow(12, .tls10 ... .tls12, appleCBC, withSHA1, "utls: iOS 12.1"),
        appleRow(13, .tls10 ... .tls13, appleCBC, withSHA1, "utls: iOS 13 and 14; curl-impersonate: macOS 11.6"),
        appleRow(16, .tls10 ... .tls13, appleNow, withSHA1, "testssl.sh: macOS 12.3; curl-impersonate: iOS 17.2"),
        appleRow(18, .tls10 ... .tls13, appleNow, signed, "testssl.sh: iOS 18.4; curl-impersonate: iOS 18.0"),
        appleRow(26, .tls12 ... .tls13, appleNow, signed, "testssl.sh: iOS 26.4; support.apple.com/122756", [hybrid]),
    ]

    /// Android's stacks, by the first API level; from Android 10 on Conscrypt is updated by itself, and BoringSSL's
    /// default contains the hybrid group since July 2026.
    private static let android = [
        conscryptRow(26, .tls10 ... .tls12, "testssl.sh: Android 8.1; Conscrypt 1.0.0 and 1.4.2"),
        conscryptRow(29, .tls10 ... .tls13, "testssl.sh: Android 11 to 14; Conscrypt 2.0.0 (2019-02)"),
        conscryptRow(35, .tls12 ... .tls13, "Conscrypt 1ed3fabc (2023-11); BoringSSL a0689af2 (2026-08)", "source"),
    ]

    /// OpenSSL's default at security level 2, as curl offers it.
    private static let openSSL = TLSStack(
        name: "OpenSSL", versions: .tls12 ... .tls13,
        suites: [
            0x1302, 0x1303, 0x1301, 0xC02C, 0xC030, 0xCCA9, 0xCCA8, 0xC02B, 0xC02F, 0xC024, 0xC028, 0xC023, 0xC027,
            0xC00A, 0xC014, 0xC009, 0xC013, 0x009D, 0x009C, 0x003D, 0x003C, 0x0035, 0x002F,
        ], groups: nil,
        signatures: [
            0x0403, 0x0503, 0x0603, 0x0807, 0x0808, 0x081A, 0x081B, 0x081C, 0x0809, 0x080A, 0x080B, 0x0804, 0x0805,
            0x0806, 0x0401, 0x0501, 0x0601, 0x0303, 0x0301, 0x0904, 0x0905, 0x0906,
        ], curves: nil, source: "testssl.sh: OpenSSL 3.0.15, 3.5.0; curl 8.16 (TLS 1.2 at least)",
        confidence: "recorded"
    )
}

extension TLSStack {
    /// The stack of a platform on a release; the first or last row counts for releases before or after all rows.
    package init(of family: PlatformFamily, on release: PlatformRelease) {
        switch (family, release) {
        case (.openssl, _): self = Self.openSSL
        case (.apple, .apple(let version)):
            self = (Self.apple.last { $0.since <= version } ?? Self.apple[0]).stack
            name = "iOS \(version)"
            if version < DeviceVersion(12) { name += " (TLS as of iOS 12)" }
            if version > DeviceVersion(26) { name += " (TLS as of iOS 26)" }
        case (.apple, _):
            self = Self.apple[Self.apple.count - 1].stack
            name = "today's iOS"
        case (.android, .android(let level)):
            self = (Self.android.last { $0.since <= level } ?? Self.android[0]).stack
            name =
                "Android \([27: "8.1", 31: "12", 32: "12.1"][level] ?? "\(level - (level < 27 ? 18 : level < 31 ? 19 : 20))")"
            if level > 37 { name += " (TLS as of Android 17)" }
        case (.android, _):
            self = Self.android[Self.android.count - 1].stack
            name = "today's Android"
        }
    }

    /// The part that OkHttp enables: the common part of MODERN_TLS and the platform (`ConnectionSpec.supportedSpec`).
    var ofOkHttp: TLSStack {
        var stack = self
        stack.versions = max(versions.lowerBound, .tls12)...versions.upperBound
        stack.suites = suites.filter(Self.modern.contains)
        return stack
    }

    package static var conscrypt: TLSStack {
        var stack = TLSStack(of: .android, on: .newest)
        stack.name = "the app's Conscrypt"
        return stack
    }
}

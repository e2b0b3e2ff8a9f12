/// Since when a system has the rules that pincheck judges by.
///
/// The rules themselves belong to the platforms; this is what a device's version says about them.
package enum DeviceRules: Sendable, Hashable {
    /// A version of iOS, iPadOS or, by its other name, macOS.
    case apple(AppleRules)
    /// A version of Android.
    case android(AndroidRules)
}

/// What Apple's systems began to ask for with a version (Apple's documentation).
package struct AppleRules: Sendable, Hashable {
    /// The first version that refuses a leaf under an app's own anchor for 825 days or a missing serverAuth
    /// (support.apple.com/103769: iOS 13, macOS 10.15).
    package static let leafRulesStart = DeviceVersion(13)
    /// The first version that asks for Certificate Transparency (support.apple.com/103214: iOS 12.1.1, macOS 10.14.2).
    package static let transparencyStart = DeviceVersion(12, 1, 1)
    /// The first version whose App Transport Security judges addresses and names without a dot (NSExceptionDomains: iOS 17,
    /// macOS 14).
    package static let addressesUnderTransportSecurityStart = DeviceVersion(17)

    /// Whether a leaf under an app's own anchor must be short-lived and have serverAuth.
    package let limitsLeavesOfOwnAnchors: Bool
    /// Whether leaves of public roots need signed certificate timestamps.
    package let requiresTransparency: Bool
    /// Whether App Transport Security asks for an entry for a URL with an address.
    package let judgesAddressesByTransportSecurity: Bool

    /// The rules of a version of iOS.
    package init(version: DeviceVersion) {
        limitsLeavesOfOwnAnchors = version >= Self.leafRulesStart
        requiresTransparency = version >= Self.transparencyStart
        judgesAddressesByTransportSecurity = version >= Self.addressesUnderTransportSecurityStart
    }
}

/// What Android's systems do by their API level.
package struct AndroidRules: Sendable, Hashable {
    /// When Android asks for Certificate Transparency.
    package enum Transparency: Sendable, Hashable {
        /// Never: up to API level 35.
        case never
        /// Where the app's configuration says so: API level 36.
        case optIn
        /// Unless the configuration says otherwise, for apps whose targetSdkVersion is at least 37: from API level 37 on.
        case byTarget
    }

    /// The number that apps know the version by: 26 for Android 8, 37 for Android 17.
    package let level: Int
    /// When Certificate Transparency is asked for (developer.android.com, network security configuration).
    package let transparency: Transparency

    /// The rules of a version of Android from 8 on.
    package init(version: DeviceVersion) {
        level =
            switch (version.major, version.minor) {
            case (...8, 0): 26
            case (...8, _): 27
            // 9, 10 and 11, then 12 and 12L, which counts as 12.1.
            case (9...11, _): version.major + 19
            case (12, 0): 31
            default: version.major + 20
            }
        transparency = level < 36 ? .never : level == 36 ? .optIn : .byTarget
    }
}

extension Device {
    /// Since when its system has which rules; `nil` for Mozilla's list, which belongs to no version of a system.
    package var rules: DeviceRules? {
        guard let version else { return nil }
        return switch platform {
        case .apple: .apple(AppleRules(version: version))
        case .android: .android(AndroidRules(version: version))
        case .mozilla: nil
        }
    }
}

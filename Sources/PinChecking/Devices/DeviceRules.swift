package import Pinning

/// Since when a system asks for what, by its publisher's documentation.
///
/// What is asked stands with Pinning's platforms.
package enum RuleStart {
    /// The first version of iOS that refuses a leaf under an app's own anchor for 825 days or a missing serverAuth
    /// (support.apple.com/103769: iOS 13, macOS 10.15).
    package static let leavesOfOwnAnchors = DeviceVersion(13)
    /// The first version of iOS that asks for Certificate Transparency (support.apple.com/103214: iOS 12.1.1, macOS 10.14.2).
    package static let transparency = DeviceVersion(12, 1, 1)
    /// The first version of iOS whose App Transport Security judges addresses and names without a dot (NSExceptionDomains: iOS 17,
    /// macOS 14).
    package static let addressesUnderTransportSecurity = DeviceVersion(17)
}

extension AppleRelease {
    /// A version of iOS, iPadOS or, by its other name, macOS.
    package init(version: DeviceVersion) {
        self.init(
            limitsLeavesOfOwnAnchors: version >= RuleStart.leavesOfOwnAnchors,
            requiresTransparency: version >= RuleStart.transparency,
            judgesAddressesByTransportSecurity: version >= RuleStart.addressesUnderTransportSecurity)
    }
}

extension AndroidRelease {
    /// A version of Android from 8 on.
    package init(version: DeviceVersion) {
        let level =
            switch (version.major, version.minor) {
            case (...8, 0): 26
            case (...8, _): 27
            // 9, 10 and 11, then 12 and 12L, which counts as 12.1.
            case (9...11, _): version.major + 19
            case (12, 0): 31
            default: version.major + 20
            }
        self.init(level: level)
    }
}

extension Device {
    /// The version of its system as far as rules depend on it; `nil` for Mozilla's list, which belongs to no version of a system.
    package var platformRelease: PlatformRelease? {
        guard let version else { return nil }
        return switch platform {
        case .apple: .apple(AppleRelease(version: version))
        case .android: .android(AndroidRelease(version: version))
        case .mozilla: nil
        }
    }
}

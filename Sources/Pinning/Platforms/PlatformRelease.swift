/// The version of a device's system, as far as its rules depend on it.
///
/// Which version began which rule is data of the devices; what a rule means stands with the ``Platform``.
public enum PlatformRelease: Sendable, Hashable {
    case newest
    /// A version of iOS, or of the macOS of its year.
    case apple(AppleRelease)
    case android(AndroidRelease)
}

/// What a version of Apple's systems asks for.
public struct AppleRelease: Sendable, Hashable {
    /// Whether a leaf under an app's own anchor, or one installed by hand, must be short-lived, and under an own one have serverAuth.
    public let limitsLeavesOfOwnAnchors: Bool
    /// Whether leaves of public roots need signed certificate timestamps.
    public let requiresTransparency: Bool
    /// Whether App Transport Security asks for an entry for a URL with an address.
    public let judgesAddressesByTransportSecurity: Bool

    /// The newest version, which asks for everything.
    public static let newest = AppleRelease(
        limitsLeavesOfOwnAnchors: true, requiresTransparency: true, judgesAddressesByTransportSecurity: true)

    /// A version that asks for these things.
    public init(limitsLeavesOfOwnAnchors: Bool, requiresTransparency: Bool, judgesAddressesByTransportSecurity: Bool) {
        self.limitsLeavesOfOwnAnchors = limitsLeavesOfOwnAnchors
        self.requiresTransparency = requiresTransparency
        self.judgesAddressesByTransportSecurity = judgesAddressesByTransportSecurity
    }
}

/// What a version of Android does.
public struct AndroidRelease: Sendable, Hashable {
    /// When Android asks for Certificate Transparency.
    public enum Transparency: Sendable, Hashable {
        /// Never: up to API level 35.
        case never
        /// Where the app's configuration says so: API level 36.
        case optIn
        /// Unless the configuration says otherwise, for apps whose targetSdkVersion is at least 37: from API level 37 on.
        case byTarget
    }

    /// The API level that apps know the version by: 26 for Android 8, 37 for Android 17.
    public let level: Int
    /// When Certificate Transparency is asked for (developer.android.com, network security configuration).
    public let transparency: Transparency

    /// The version with an API level.
    public init(level: Int) {
        self.level = level
        transparency = level < 36 ? .never : level == 36 ? .optIn : .byTarget
    }
}

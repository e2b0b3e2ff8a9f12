package import Pinning

/// Whose list of roots a device has.
package enum DevicePlatform: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Apple's, the same for iOS and the macOS of its year; named after iOS.
    case apple = "ios"
    /// AOSP's, which manufacturers may add to.
    case android
    /// Mozilla's root program, which has no versions.
    case mozilla

    /// Whether `left` is listed before `right`.
    package static func < (left: DevicePlatform, right: DevicePlatform) -> Bool { left.order < right.order }

    private var order: Int {
        switch self {
        case .apple: 0
        case .android: 1
        case .mozilla: 2
        }
    }

    /// Whether a client of a platform is at home there.
    ///
    /// Mozilla's list belongs to no system: browsers bring it along, and so do curl and other programs of other systems.
    package func runs(_ platform: PlatformFamily?) -> Bool {
        switch (self, platform) {
        case (_, nil): true
        case (.apple, .apple), (.android, .android): true
        case (.apple, _), (.android, _), (.mozilla, .apple), (.mozilla, .android): false
        case (.mozilla, _): true
        }
    }

    /// What people call it, as in `Apple`.
    package var title: String {
        switch self {
        case .apple: "Apple"
        case .android: "Android"
        case .mozilla: "Mozilla"
        }
    }
}

/// Whose list of roots a device has.
package enum DevicePlatform: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Apple's, the same for iOS and the macOS of its year; named after iOS.
    case apple = "ios"
    /// AOSP's, which manufacturers may add to.
    case android
    /// Mozilla's root program, which has no versions.
    case mozilla

    /// Whether `left` is listed before `right`.
    package static func < (left: DevicePlatform, right: DevicePlatform) -> Bool {
        left.order < right.order
    }

    private var order: Int {
        switch self {
        case .apple: 0
        case .android: 1
        case .mozilla: 2
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

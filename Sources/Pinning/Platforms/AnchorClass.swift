/// Whose anchor a path ends at, which some platforms judge a leaf by.
///
/// The class is that of the path's last certificate by its bytes: a root that is on the system's list is a system root, whoever made
/// it an anchor (Apple: `SecPolicyCheckServerAuthEKU`, `SecPolicyCheckSystemTrustedCTRequired`).
public enum AnchorClass: String, Sendable, Hashable, CaseIterable {
    /// A certificate that the app makes an anchor, such as a pinned one in AFNetworking's certificate mode.
    case own
    /// A root that a user or an administrator installed.
    case installedByHand = "installed-by-hand"
    /// A root on the system's list.
    case system
}

/// A path as a platform judges it.
public struct PlatformPath: Sendable, Hashable {
    /// The certificates, leaf first, the anchor the path ends at last; never empty.
    public let certificates: [Certificate]
    /// The class of the last certificate.
    public let anchorClass: AnchorClass
    /// The position of the first certificate that is an anchor, from 0 for the leaf: what stands before it is the untrusted part.
    public let firstAnchor: Int

    /// A path from a leaf to an anchor.
    ///
    /// - Parameters:
    ///   - certificates: leaf first; at least one.
    ///   - anchorClass: whose anchor the last certificate is.
    ///   - firstAnchor: the position of the first anchor on the path, `nil` for the last certificate.
    public init(_ certificates: [Certificate], endingAt anchorClass: AnchorClass, firstAnchor: Int? = nil) {
        precondition(!certificates.isEmpty, "a path has a leaf")
        self.certificates = certificates
        self.anchorClass = anchorClass
        self.firstAnchor = firstAnchor ?? certificates.count - 1
    }

    var isLeafTrusted: Bool { firstAnchor == 0 }
}

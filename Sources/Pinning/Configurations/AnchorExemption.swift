/// Anchors whose paths Android exempts from pinning: `overridePins="true"` on sources in `<trust-anchors>`.
public struct AnchorExemption: Sendable, Hashable {
    /// A store of the device.
    public enum Store: String, Sendable, Hashable {
        /// `src="system"`: the roots the device came with.
        case system
        /// `src="user"`: the roots that its user installed.
        case user
    }

    /// The stores that are exempt.
    public var stores: Set<Store>
    /// The exempt certificates of the app's own resources.
    public var certificates: [Certificate]
    /// Those of its resources that are not.
    public var otherCertificates: [Certificate]

    /// An exemption, by default of nothing.
    public init(stores: Set<Store> = [], certificates: [Certificate] = [], otherCertificates: [Certificate] = []) {
        self.stores = stores
        self.certificates = certificates
        self.otherCertificates = otherCertificates
    }

    /// Whether nothing is exempt.
    public var isEmpty: Bool { stores.isEmpty && certificates.isEmpty }

    /// Whether a path that ends at `anchor` is exempt.
    ///
    /// Android finds an anchor by its subject and key, not by its bytes (`findTrustAnchorBySubjectAndPublicKey`).
    ///
    /// - Parameters:
    ///   - anchor: the last certificate of the path.
    ///   - installedRoots: the roots that the device's user installed; all others came with the device.
    /// - Returns: whether no pin has to match on the path.
    public func covers(_ anchor: Certificate, installedRoots: some Sequence<Certificate>) -> Bool {
        func isSame(_ other: Certificate) -> Bool {
            other.publicKey.spkiSHA256 == anchor.publicKey.spkiSHA256 && other.subject == anchor.subject
        }
        if certificates.contains(where: isSame) { return true }
        guard !otherCertificates.contains(where: isSame) else { return false }
        return stores.contains(installedRoots.contains(where: isSame) ? .user : .system)
    }
}

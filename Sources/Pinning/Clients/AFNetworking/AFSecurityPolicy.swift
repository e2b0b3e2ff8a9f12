/// The settings of AFNetworking's `AFSecurityPolicy`, under its own names.
public struct AFSecurityPolicy: Sendable, Hashable {
    /// What is compared with the pins: `AFSSLPinningMode`.
    public enum PinningMode: String, Sendable, Hashable, CaseIterable {
        /// Nothing: the system's verdict stands.
        case none
        /// The public keys of the built chain.
        case publicKey = "public-key"
        /// The pinned certificates become the only anchors, and one of them must be on the built chain.
        case certificate
    }

    /// What is compared with the pins.
    public var mode: PinningMode
    /// Whether a chain that the system does not trust may still be accepted for its pins.
    public var allowInvalidCertificates: Bool
    /// Whether the certificate must be valid for the host.
    ///
    /// Without it far more than the name goes unchecked.
    public var validatesDomainName: Bool

    /// A policy; the values that are left out are AFNetworking's defaults.
    public init(mode: PinningMode, allowInvalidCertificates: Bool = false, validatesDomainName: Bool = true) {
        self.mode = mode
        self.allowInvalidCertificates = allowInvalidCertificates
        self.validatesDomainName = validatesDomainName
    }
}

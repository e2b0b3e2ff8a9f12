import TLSProbe
import X509

/// What holds where a request says nothing: every default of a check stands here.
enum RequestDefaults {
    /// Which server name is sent.
    static let serverName = ServerNameChoice.referenceName
    /// The port of a target that names none.
    static let port = Port.https
    /// The address families that are used.
    static let family = ProbeRequest.AddressFamily.any
    /// How long a target may take in all, in seconds.
    static let timeoutSeconds = 10
    /// How often to try again when there was no verdict.
    static let retries = 0
    /// The lowest TLS version to offer, or the highest where that is lower.
    static let minimumTLS = TLSVersion.tls12
    /// The highest TLS version to offer.
    static let maximumTLS = TLSVersion.tls13
    /// How many targets are checked at the same time.
    static let jobs = 512
    /// Whether pins that cannot be read are left out.
    static let skipsBadPins = false
    /// The clients whose decisions are made.
    static let clients = ClientSelection.named([ClientSettings(of: ClientRegistry.entries[0])])
    /// AFNetworking's `allowInvalidCertificates`.
    static let allowsInvalidCertificates = false
    /// AFNetworking 2.5's `validatesCertificateChain`.
    static let validatesCertificateChain = true
    /// Whether the system's roots are trusted beside anchors.
    static let includesSystem = false
    /// Whether what OpenSSL's pedantic checks find is a rejection.
    static let isStrict = false
    /// OpenSSL's security level.
    static let authLevel = OpenSSLPathVerifier.defaultAuthLevel
}

/// A rule of App Transport Security that a connection breaks.
public enum TransportSecurityFailure: Sendable, Hashable {
    /// The version of TLS is too old.
    case tlsVersion(ProtocolVersion, least: ProtocolVersion)
    /// The server chose a suite without ECDHE.
    case noForwardSecrecy(cipher: String)
    /// The leaf's key is too short, or of a kind that does not count.
    case weakKey(Certificate)
    /// The leaf is signed with a digest that is too weak.
    case weakSignature(Certificate)
    /// The leaf has SCTs of too few logs.
    case tooFewTimestamps(logs: Int, needed: Int)
    /// The client accepts what the system refuses, and the app has no exception for it; why the system does.
    case exceptionNeeded(ServerName, refusal: String)

    /// A stable word for machines.
    public var id: String {
        switch self {
        case .tlsVersion: "ats-tls-version"
        case .noForwardSecrecy: "ats-forward-secrecy"
        case .weakKey: "ats-weak-key"
        case .weakSignature: "ats-weak-signature"
        case .tooFewTimestamps: "ats-too-few-scts"
        case .exceptionNeeded: Warning.transportSecurityExceptionNeeded
        }
    }

    var step: String {
        switch self {
        case .tlsVersion: "ats-tls"
        case .noForwardSecrecy: "ats-forward-secrecy"
        case .weakKey, .weakSignature: "ats-certificate"
        case .tooFewTimestamps: "ats-transparency"
        case .exceptionNeeded: "ats-trust"
        }
    }
}

extension TransportSecurityFailure: CustomStringConvertible {
    /// One sentence, with what in the app's Info.plist would change it.
    public var description: String { words + "; known from Apple's documentation" }

    private var words: String {
        switch self {
        case .tlsVersion(let version, let least):
            "App Transport Security asks for \(least), and the connection has \(version): "
                + "only NSExceptionMinimumTLSVersion changes that"
        case .noForwardSecrecy(let cipher):
            "App Transport Security asks for ECDHE, and the server chose \(cipher): "
                + "only NSExceptionRequiresForwardSecrecy = NO changes that"
        case .weakKey(let leaf):
            "App Transport Security asks for RSA 2048 or EC 256, and \(leaf) has \(leaf.publicKey.algorithm): "
                + "only NSExceptionRequiresForwardSecrecy = NO changes that"
        case .weakSignature(let leaf):
            "App Transport Security asks for SHA-2, and \(leaf) is signed with \(leaf.signatureAlgorithm)"
        case .tooFewTimestamps(let logs, let needed):
            "NSRequiresCertificateTransparency asks for SCTs of \(needed) logs, and in the certificate are "
                + (logs == 1 ? "those of 1" : "those of \(logs)")
        case .exceptionNeeded(let host, let refusal):
            "the app accepts what the system refuses (\(refusal)), and App Transport Security lets it only with "
                + "NSExceptionAllowsInsecureHTTPLoads for \(host), or with NSAllowsArbitraryLoads"
        }
    }
}

extension Warning {
    /// The id of what is said where an app needs an exception from App Transport Security.
    public static let transportSecurityExceptionNeeded = "ats-exception-needed"
}

internal import Base

/// One reason for which a chain is not trusted.
public struct TrustFailure: Sendable, Hashable {
    /// The rule that is broken.
    public enum Reason: Sendable, Hashable {
        /// The time is past the certificate's last valid second.
        case expired
        /// The time is before the certificate's first valid second.
        case notYetValid
        /// No name of the certificate matches the reference name.
        case nameMismatch(ServerName)
        /// The reference name is malformed, so that no certificate can be valid for it.
        case impossibleName(ServerNameError)
        /// A signature does not verify with the issuer's key.
        case badSignature
        /// A certificate that issued another is no authority, or may not sign certificates.
        case notAnAuthority
        /// More intermediate certificates than an authority allows.
        case pathTooLong
        /// A name lies outside the subtrees an authority is constrained to.
        case nameConstraintViolated
        /// The extended key usage does not allow servers.
        case wrongPurpose
        /// The key usage does not allow what servers do with their key.
        case wrongKeyUsage
        /// The key usage lacks what the handshake does with the key, so that the client's TLS ends it.
        case keyUsage(lacking: String)
        /// The leaf's extended key usage does not say that it is for servers, which the platform asks for here.
        case noServerAuth
        /// The leaf is valid for more days than the platform takes.
        case lifetimeTooLong(days: Int, limit: Int)
        /// The leaf holds the promises of too few logs to publish it: of so many, and so many are needed.
        case tooFewTimestamps(logs: Int, needed: Int)
        /// The issuer says, in a response that the server sent along, that it took the leaf back.
        case revoked(at: Timestamp, reason: Int?)
        /// The response that the server sent along is not a good one, which this platform asks of each: what is wrong, in a clause.
        case unusableStaple(String)
        /// The platform takes nothing of the root that was issued from this moment on.
        case issuedAfterDistrust(since: Timestamp)
        /// The key is too weak for the security level.
        case weakKey
        /// The signature algorithm is too weak for the security level.
        case weakSignature
        case unknownCriticalExtension
        /// No certificate of the issuer was presented, pinned or trusted.
        case unknownIssuer
        /// The path ends in a root that is not trusted.
        case untrustedRoot
        /// The chain is a single certificate that signed itself and is not trusted.
        case selfSigned
        /// The trust store forbids to trust the certificate for TLS servers.
        case distrusted
        /// A path has more certificates than `limit`, the most that are followed.
        case tooManyCertificates(limit: Int)
        /// The chain offers more paths than are worth trying.
        case tooManyPaths
        /// Any other rule, in the words of the X.509 library.
        case other(String)
    }

    /// The rule that is broken.
    public let reason: Reason
    /// The position on the path, 0 for the leaf.
    public let depth: Int
    /// The certificate at that position.
    public let certificate: Certificate
    /// The platform whose rule it is, where others would take the certificate; `nil` where they would not.
    public let platform: PlatformFamily?

    /// Says that `certificate` at `depth` breaks a rule.
    public init(_ reason: Reason, at depth: Int, of certificate: Certificate) {
        self.reason = reason
        self.depth = depth
        self.certificate = certificate
        platform = nil
    }

    private init(_ failure: TrustFailure, of platform: PlatformFamily) {
        reason = failure.reason
        depth = failure.depth
        certificate = failure.certificate
        self.platform = platform
    }

    package func refused(by platform: PlatformFamily) -> TrustFailure { TrustFailure(self, of: platform) }

    /// How useful the reason is to the reader, 0 for the most useful: distrust, time, name, signature, constraints, unknown issuer.
    public var rank: Int {
        switch reason {
        // Whoever keeps the store has decided: no other certificate of the same make would do.
        case .distrusted, .revoked, .issuedAfterDistrust: 0
        case .expired, .notYetValid: 1
        case .nameMismatch, .impossibleName: 2
        case .badSignature: 3
        case .notAnAuthority, .pathTooLong, .nameConstraintViolated, .wrongPurpose, .wrongKeyUsage, .keyUsage,
            .noServerAuth, .lifetimeTooLong, .tooFewTimestamps, .unusableStaple, .unknownCriticalExtension:
            4
        case .weakKey, .weakSignature: 5
        case .other: 6
        case .untrustedRoot, .selfSigned: 7
        case .unknownIssuer: 8
        case .tooManyPaths, .tooManyCertificates: 9
        }
    }

    /// Whether the reference name is what does not fit.
    public var isAboutName: Bool {
        switch reason {
        case .nameMismatch, .impossibleName: true
        default: false
        }
    }

    /// Whether the path is missing its end: nothing else is said against it.
    public var isMissingAnchor: Bool {
        switch reason {
        case .unknownIssuer, .untrustedRoot, .selfSigned: true
        default: false
        }
    }

    /// A stable word for machines, as in `name-mismatch`.
    public var id: String {
        switch reason {
        case .expired: "expired"
        case .notYetValid: "not-yet-valid"
        case .nameMismatch, .impossibleName: "name-mismatch"
        case .badSignature: "bad-signature"
        case .notAnAuthority: "not-an-authority"
        case .pathTooLong: "path-too-long"
        case .nameConstraintViolated: "name-constraint"
        case .wrongPurpose, .wrongKeyUsage: "wrong-purpose"
        case .keyUsage: "key-usage"
        case .noServerAuth: "no-server-auth"
        case .lifetimeTooLong: "lifetime-too-long"
        case .tooFewTimestamps: "too-few-scts"
        case .revoked: "revoked"
        case .unusableStaple: "unusable-staple"
        case .issuedAfterDistrust: "distrusted"
        case .weakKey: "weak-key"
        case .weakSignature: "weak-signature"
        case .unknownCriticalExtension: "unknown-critical-extension"
        case .unknownIssuer: "unknown-issuer"
        case .untrustedRoot: "untrusted-root"
        case .selfSigned: "self-signed"
        case .distrusted: "distrusted"
        case .tooManyCertificates: "too-many-certificates"
        case .tooManyPaths: "too-many-paths"
        case .other: "invalid"
        }
    }
}

extension TrustFailure: CustomStringConvertible {
    /// One sentence that names the certificate, its depth and the rule; what the certificate says is escaped.
    public var description: String {
        TerminalText.escaped(sentence) + (platform.map { " (a rule of \($0.title))" } ?? "")
    }

    private var sentence: String {
        let subject = "\(certificate) (depth \(depth))"
        return switch reason {
        case .expired: "\(subject) expired at \(certificate.notAfter)"
        case .notYetValid: "\(subject) is not valid before \(certificate.notBefore)"
        case .nameMismatch(let name): "\(subject) is not valid for \(name); \(Self.names(of: certificate))"
        case .impossibleName(let error): "no certificate can be valid for that name: \(error)"
        case .badSignature: "the signature on \(subject) does not verify"
        case .notAnAuthority: "\(subject) may not issue certificates"
        case .pathTooLong: "\(subject) allows fewer intermediate certificates than the path has"
        case .nameConstraintViolated: "\(subject) lies outside the names its issuers may certify"
        case .wrongPurpose where certificate.isForGatedCrypto:
            "\(subject) may not be used for TLS servers: its extended key usage names Server Gated Crypto, a relic of export rules, "
                + "and not serverAuth"
        case .wrongPurpose: "\(subject) may not be used for TLS servers (extended key usage)"
        case .wrongKeyUsage: "\(subject) may not be used for TLS servers (key usage)"
        case .keyUsage(let lacking):
            "\(subject) has a key usage without \(lacking): the client's TLS ends the handshake"
        case .noServerAuth: "\(subject) does not say that it is for TLS servers (extended key usage serverAuth)"
        case .lifetimeTooLong(let days, let limit):
            "\(subject) is valid for \(days == .max ? "endless" : "\(days)") days, more than \(limit)"
        case .tooFewTimestamps(let logs, let needed):
            "\(subject) has SCTs of \(logs == 1 ? "1 log" : "\(logs) logs"), \(needed) are needed (Certificate Transparency, of which "
                + "embedded SCTs alone are counted)"
        case .revoked(let time, let reason):
            "\(subject) was revoked at \(time)\(reason.flatMap { Self.words(forRevocation: $0) } ?? ""): "
                + "the server's own OCSP staple says so"
        case .unusableStaple(let why): "\(subject) came with an OCSP staple that is not a good one: \(why)"
        case .issuedAfterDistrust(let since):
            "\(subject) was issued after the platform ceased to trust its root, \(since.date)"
        case .weakKey: "\(subject) has a key too weak to trust: \(certificate.publicKey.algorithm)"
        case .weakSignature:
            "\(subject) is signed with an algorithm too weak to trust: \(certificate.signatureAlgorithm)"
        case .unknownCriticalExtension: "\(subject) has a critical extension that is not understood"
        case .unknownIssuer:
            "the issuer of \(subject) is neither presented nor trusted: \(Certificate.bearable(certificate.issuer))"
        case .untrustedRoot: "the root \(subject) is not trusted"
        case .selfSigned: "\(subject) is self-signed and not trusted"
        case .distrusted: "\(subject) is distrusted: the trust store's own settings forbid it for TLS servers"
        case .tooManyCertificates(let limit):
            "the path of \(subject) has more than \(limit) certificates, and a longer one is not followed"
        case .tooManyPaths: "the chain of \(subject) offers more paths than are worth trying"
        case .other(let text): "\(subject): \(text)"
        }
    }

    /// The names of RFC 5280, 5.3.1.
    private static func words(forRevocation reason: Int) -> String? {
        let names = [
            1: "key compromise", 2: "CA compromise", 3: "affiliation changed", 4: "superseded",
            5: "cessation of operation", 6: "certificate hold", 9: "privilege withdrawn", 10: "AA compromise",
        ]
        return names[reason].map { " (\($0))" }
    }

    private static func names(of certificate: Certificate) -> String {
        // Only those that are shown are put into words: there can be tens of thousands.
        let shown = certificate.names.lazy.filter(\.isOfServer).prefix(6).map { words(for: $0) }
        guard !shown.isEmpty else { return "it names no server (the common name does not count)" }
        return "it is valid for \(listed(Array(shown), of: certificate.names.count(where: \.isOfServer)))"
    }

    private static func words(for name: SubjectAlternativeName) -> String {
        // An address written as a name is for nobody: no name is one, and addresses have entries of their own.
        guard case .dns(let text) = name, IPAddress(text) != nil else { return name.description }
        return "\(text) (a dNSName, which matches no address)"
    }
}

extension SubjectAlternativeName {
    /// Whether servers can have such a name: a dNSName, or a well-formed iPAddress.
    fileprivate var isOfServer: Bool {
        switch self {
        case .dns: true
        case .ip(let bytes): bytes.count == 4 || bytes.count == 16
        case .other: false
        }
    }
}

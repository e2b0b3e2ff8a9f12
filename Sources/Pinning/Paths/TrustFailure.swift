import Base

/// A reason why a chain is not trusted.
public struct TrustFailure: Sendable, Hashable, CustomStringConvertible {
    /// The rule that is broken.
    public enum Reason: Sendable, Hashable {
        case expired, notYetValid
        case nameMismatch(ServerName)
        /// The reference name is malformed: no certificate can be valid for it.
        case impossibleName(ServerNameError)
        case badSignature
        /// The two signature algorithms of the certificate differ by a NULL; the signature itself is valid.
        case algorithmMismatch
        /// The certificate names another issuer than the certificate above it (RFC 5280, 4.2.1.1).
        case otherIssuer(IssuerMark)
        /// A certificate that issued another is not a CA, or may not sign certificates.
        case notAnAuthority
        case pathTooLong
        /// The names are outside the name constraints of this CA; `nil` if the CA is not known.
        case nameConstraintViolated(by: String?)
        /// A CA requires a certificate policy, and the path has none (RFC 5280, 4.2.1.11).
        case noPolicy
        /// The certificate breaks a rule of its format, which the clause names.
        case malformed(String)
        case wrongPurpose
        /// The key usage does not allow what servers do with their key.
        case wrongKeyUsage
        /// Netscape's certificate type, which OpenSSL still heeds, does not include servers.
        case wrongNetscapeType
        /// The key usage lacks a use that this handshake needs, so that the client's TLS ends it.
        case keyUsage(lacking: String)
        /// The handshake is outside the offer of the client's TLS; the sentence names the part.
        case handshake(String)
        /// The leaf's extended key usage lacks serverAuth, which the platform requires here.
        case noServerAuth
        case lifetimeTooLong(days: Int, limit: Int)
        case tooFewTimestamps(logs: Int, needed: Int)
        /// The server's OCSP response revokes the leaf; `reason` is a number of RFC 5280, 5.3.1.
        case revoked(at: Timestamp, reason: Int?)
        /// The server's OCSP response is not good, as this platform requires; the clause names the fault.
        case unusableStaple(String)
        /// The platform distrusts certificates that the root issued from this moment on.
        case issuedAfterDistrust(since: Timestamp)
        case weakKey, weakSignature, unknownCriticalExtension
        /// No certificate of the issuer was presented, pinned or trusted.
        case unknownIssuer
        case untrustedRoot
        /// The path ends at a certificate that names itself as its issuer: OpenSSL looks for no issuer above it.
        case selfIssued
        /// The chain is a single certificate that signed itself and is not trusted.
        case selfSigned
        /// The trust store forbids the certificate for TLS servers.
        case distrusted
        /// A path has more certificates than `limit`, the most that are followed.
        case tooManyCertificates(limit: Int)
        case tooManyPaths
        /// Any other rule, in the words of the X.509 library.
        case other(String)
    }

    /// A part of the authorityKeyIdentifier extension.
    public enum IssuerMark: Sendable, Hashable {
        case keyIdentifier
        /// The name of the issuer's own issuer, and the issuer's serial number.
        case serialNumber
    }

    /// The rule that is broken.
    public let reason: Reason
    /// The position on the path, 0 for the leaf.
    public let depth: Int
    /// The certificate at that position.
    public let certificate: Certificate
    /// The platform whose rule is broken; `nil` if other platforms would refuse the certificate as well.
    public let platform: PlatformFamily?

    package init(_ reason: Reason, at depth: Int, of certificate: Certificate, ruleOf platform: PlatformFamily? = nil) {
        (self.reason, self.depth, self.certificate, self.platform) = (reason, depth, certificate, platform)
    }

    package func refused(by platform: PlatformFamily) -> TrustFailure {
        TrustFailure(reason, at: depth, of: certificate, ruleOf: platform)
    }

    var isAboutName: Bool { id == "name-mismatch" }

    package var isMissingAnchor: Bool {
        switch reason {
        case .unknownIssuer, .untrustedRoot, .selfSigned, .selfIssued: true
        default: false
        }
    }

    /// `true` if the anchor of the path is missing, even if the store contains another CA of its name.
    package var lacksAnchor: Bool { isMissingAnchor || id == "issuer-identifier" }

    /// A stable word for machines, as in `name-mismatch`.
    public var id: String { row.id }

    /// The rank by use to a reader, 0 first: distrust, time, name, signature, constraints, unknown issuer.
    package var rank: Int { row.rank }

    private var row: (id: String, rank: Int) {
        switch reason {
        // The owner of the store has decided: a new certificate of the same kind would be refused, too.
        case .distrusted, .issuedAfterDistrust: ("distrusted", 0)
        case .revoked: ("revoked", 0)
        // Nothing else in a malformed certificate is certain, its names least of all.
        case .malformed: ("malformed", 1)
        case .expired: ("expired", 1)
        case .notYetValid: ("not-yet-valid", 1)
        case .nameMismatch, .impossibleName: ("name-mismatch", 2)
        case .badSignature: ("bad-signature", 3)
        case .algorithmMismatch: ("algorithm-mismatch", 3)
        case .otherIssuer: ("issuer-identifier", 3)
        case .notAnAuthority: ("not-an-authority", 4)
        case .pathTooLong: ("path-too-long", 4)
        case .nameConstraintViolated: ("name-constraint", 4)
        case .noPolicy: ("no-policy", 4)
        case .wrongPurpose, .wrongKeyUsage, .wrongNetscapeType: ("wrong-purpose", 4)
        case .keyUsage: ("key-usage", 4)
        case .handshake: ("handshake", 4)
        case .noServerAuth: ("no-server-auth", 4)
        case .lifetimeTooLong: ("lifetime-too-long", 4)
        case .tooFewTimestamps: ("too-few-scts", 4)
        case .unusableStaple: ("unusable-staple", 4)
        case .unknownCriticalExtension: ("unknown-critical-extension", 4)
        case .weakKey: ("weak-key", 5)
        case .weakSignature: ("weak-signature", 5)
        case .other: ("invalid", 6)
        case .untrustedRoot: ("untrusted-root", 7)
        case .selfSigned: ("self-signed", 7)
        case .selfIssued: ("self-issued", 7)
        case .unknownIssuer: ("unknown-issuer", 8)
        case .tooManyCertificates: ("too-many-certificates", 9)
        case .tooManyPaths: ("too-many-paths", 9)
        }
    }

    /// One sentence: the certificate, its depth and the rule; text from the certificate is escaped.
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
        case .algorithmMismatch:
            "the signature algorithm of \(subject) stands in it twice, with and without a NULL, as macOS Certificate Assistant writes it; "
                + "Apple's platforms take that, nobody else does here"
        case .otherIssuer(let mark):
            "\(subject) names another certificate as its issuer than \(Certificate.bearable(certificate.issuer)): another "
                + (mark == .keyIdentifier ? "key identifier" : "issuer and serial number")
                + " (authority key identifier)"
        case .nameConstraintViolated(let authority):
            "\(subject) lies outside the names that \(authority ?? "its issuers") may certify"
        case .noPolicy: "\(subject) asks for a certificate policy (requireExplicitPolicy), and none holds on the path"
        case .malformed(let clause): "\(subject) is malformed: \(clause)"
        case .wrongPurpose where certificate.isForGatedCrypto:
            "\(subject) may not be used for TLS servers: its extended key usage names Server Gated Crypto, a relic of export rules, "
                + "and not serverAuth"
        case .wrongPurpose: "\(subject) may not be used for TLS servers (extended key usage)"
        case .wrongKeyUsage: "\(subject) may not be used for TLS servers (key usage)"
        case .wrongNetscapeType: "\(subject) may not be used for TLS servers (Netscape certificate type)"
        case .keyUsage(let lacking):
            "\(subject) has a key usage without \(lacking): the client's TLS ends the handshake"
        case .handshake(let lack): lack
        case .noServerAuth: "\(subject) does not say that it is for TLS servers (extended key usage serverAuth)"
        case .lifetimeTooLong(let days, let limit):
            "\(subject) is valid for \(days == .max ? "endless" : "\(days)") days, more than \(limit)"
        case .tooFewTimestamps(let logs, let needed):
            "\(subject) has SCTs of \(logs == 1 ? "1 log" : "\(logs) logs"), \(needed) are needed (Certificate Transparency, of which "
                + "embedded SCTs alone are counted)"
        case .revoked(let time, let reason):
            "\(subject) was revoked at \(time)\(reason.flatMap { Self.revocations[$0] }.map { " (\($0))" } ?? ""): "
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
        case .selfIssued: "the path ends at \(subject), which bears the name of its issuer, and it is not trusted"
        case .distrusted: "\(subject) is distrusted: the trust store's own settings forbid it for TLS servers"
        case .tooManyCertificates(let limit):
            "the path of \(subject) has more than \(limit) certificates, and a longer one is not followed"
        case .tooManyPaths: "the chain of \(subject) offers more paths than are worth trying"
        case .other(let text): "\(subject): \(text)"
        }
    }

    /// The reasons of a revocation, by number (RFC 5280, 5.3.1).
    private static let revocations = [
        1: "key compromise", 2: "CA compromise", 3: "affiliation changed", 4: "superseded", 5: "cessation of operation",
        6: "certificate hold", 9: "privilege withdrawn", 10: "AA compromise",
    ]

    private static func names(of certificate: Certificate) -> String {
        let names = certificate.names.lazy.filter { if case .other = $0 { false } else { true } }
        // Only names that are shown become text: a certificate can contain tens of thousands.
        let shown = names.prefix(6).map { name in
            // An address in a dNSName matches nothing: addresses have entries of their own.
            guard case .dns(let text) = name, IPAddress(text) != nil else { return name.description }
            return "\(text) (a dNSName, which matches no address)"
        }
        guard !shown.isEmpty else { return "it names no server (the common name does not count)" }
        return "it is valid for \(listed(Array(shown), of: names.count { _ in true }))"
    }
}

/// The families of platforms, each with rules of its own.
public enum PlatformFamily: String, Sendable, Hashable, CaseIterable {
    /// iOS, macOS and their relatives: the Security framework.
    case apple
    /// Android with Conscrypt.
    case android
    /// This machine's OpenSSL, as curl uses it.
    case openssl

    package var title: String {
        switch self {
        case .apple: "Apple's platforms"
        case .android: "Android"
        case .openssl: "OpenSSL"
        }
    }
}

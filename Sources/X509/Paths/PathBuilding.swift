import COpenSSL
import Pinning

/// The certificates from which OpenSSL builds a path by itself: it takes the first issuer that fits by names and
/// identifiers, without backtracking.
struct PathBuilding {
    let leaf: PathNode
    /// The certificates presented after the leaf, in that order.
    let presented: [PathNode]
    /// The anchors that could be used: issuers of certificates at hand, and certificates at hand that are anchors.
    let anchors: [PathNode]

    /// The most anchors that are gathered; OpenSSL takes the first that fits and is valid at the time.
    private static let mostAnchors = 256

    init(of leaf: PathNode, presented: [PathNode], endingAt sources: [any AnchorSource]) {
        self.leaf = leaf
        self.presented = presented
        var gathered: [PathNode] = []
        var seen: Set<SHA256Digest> = []
        var names: [OpaquePointer] = []
        func add(named name: OpaquePointer?, where isOfUse: (Certificate) -> Bool) {
            guard let name else { return }
            names.append(name)
            for source in sources {
                for node in source.anchors(named: name)
                where gathered.count < Self.mostAnchors && isOfUse(node.certificate) {
                    if seen.insert(node.certificate.fingerprint).inserted { gathered.append(node) }
                }
            }
        }
        func addIssuers(of node: PathNode) {
            add(named: node.issuerName) { Self.mayHaveIssued(node.certificate, $0) }
        }
        for node in [leaf] + presented {
            addIssuers(of: node)
            add(named: node.subjectName) { $0 == node.certificate }
        }
        // An anchor that is not a root may have an issuer among the anchors, too.
        var next = 0
        while next < gathered.count {
            addIssuers(of: gathered[next])
            next += 1
        }
        anchors = Self.inOrder(gathered, named: names, of: sources)
    }

    /// Sorts anchors of one name in the order of the sources, because OpenSSL takes the first.
    private static func inOrder(
        _ anchors: [PathNode], named names: [OpaquePointer], of sources: [any AnchorSource]
    ) -> [PathNode] {
        guard anchors.count > 1 else { return anchors }
        var left = Set(anchors.map(\.certificate.fingerprint))
        return names.flatMap { name in
            sources.flatMap { $0.anchors(named: name).filter { left.remove($0.certificate.fingerprint) != nil } }
        }
    }

    /// `true` if the key identifiers do not contradict each other (`X509_check_issued`): OpenSSL skips other issuers.
    private static func mayHaveIssued(_ subject: Certificate, _ issuer: Certificate) -> Bool {
        guard let wanted = subject.authorityKeyIdentifier else { return true }
        return issuer.subjectKeyIdentifier ?? wanted == wanted
    }
}

extension TrustFailure.Reason {
    init(verificationError code: Int32) {
        self =
            switch code {
            case X509_V_ERR_CERT_HAS_EXPIRED: .expired
            case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
            case X509_V_ERR_CERT_SIGNATURE_FAILURE, X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE,
                X509_V_ERR_UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY:
                .badSignature
            case X509_V_ERR_INVALID_CA, X509_V_ERR_KEYUSAGE_NO_CERTSIGN: .notAnAuthority
            case X509_V_ERR_PATH_LENGTH_EXCEEDED: .pathTooLong
            case X509_V_ERR_PERMITTED_VIOLATION, X509_V_ERR_EXCLUDED_VIOLATION, X509_V_ERR_SUBTREE_MINMAX,
                X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE, X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX,
                X509_V_ERR_UNSUPPORTED_NAME_SYNTAX:
                .nameConstraintViolated(by: nil)
            case X509_V_ERR_NO_EXPLICIT_POLICY: .noPolicy
            case X509_V_ERR_INVALID_POLICY_EXTENSION: .malformed("its policy extensions are invalid")
            case X509_V_ERR_INVALID_PURPOSE: .wrongPurpose
            case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL: .weakKey
            case X509_V_ERR_CA_MD_TOO_WEAK: .weakSignature
            case X509_V_ERR_CERT_REJECTED: .distrusted
            case X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION: .unknownCriticalExtension
            case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
                .unknownIssuer
            case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: .untrustedRoot
            case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .selfSigned
            default: .other(String(cString: X509_verify_cert_error_string(Int(code))))
            }
    }

    /// `true` if the certificate breaks the rule on every path, so that no other path needs to be tried.
    var isOfTheCertificate: Bool {
        switch self {
        case .expired, .notYetValid, .weakKey, .weakSignature, .unknownCriticalExtension, .wrongPurpose,
            .notAnAuthority, .distrusted:
            true
        default: false
        }
    }
}

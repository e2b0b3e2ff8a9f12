import COpenSSL
import Pinning

/// Has OpenSSL judge one path: signatures, dates, constraints, purposes, strength.
///
/// OpenSSL has no choice on a given path: the store has only its last certificate, the untrusted stack those between.
struct PathJudge {
    struct Judgement {
        /// The broken rules in OpenSSL's order; none for a valid path.
        var failures: [TrustFailure]
        /// The certificates that OpenSSL used, leaf first.
        let certificates: [Certificate]
    }

    let rules: PathRules

    /// Judges `path`, whose last certificate is taken for the anchor.
    func judge(_ path: [PathNode]) -> Judgement {
        // A leaf that is the anchor is judged alone: with more certificates OpenSSL would go on to an issuer.
        verify(path, through: path.dropFirst().dropLast(), to: path.suffix(1), buildingByItself: false)
    }

    func judge(_ building: PathBuilding) -> Judgement {
        verify(
            [building.leaf] + building.presented + building.anchors, through: building.presented[...],
            to: building.anchors[...], buildingByItself: true)
    }

    private func verify(
        _ path: [PathNode], through intermediates: ArraySlice<PathNode>, to anchors: ArraySlice<PathNode>,
        buildingByItself: Bool
    ) -> Judgement {
        let leaf = path[0]
        guard let context = X509_STORE_CTX_new(), let store = X509_STORE_new(),
            let untrusted = OPENSSL_sk_new_null()
        else { preconditionFailure("OpenSSL gives no context only when memory is out") }
        defer {
            X509_STORE_CTX_free(context)
            X509_STORE_free(store)
            OPENSSL_sk_free(untrusted)
            ERR_clear_error()
        }
        ERR_clear_error()
        for node in intermediates { OPENSSL_sk_push(untrusted, UnsafeRawPointer(node.pointer)) }
        // On a given path the next certificate is the issuer; contradicting identifiers are reported afterwards.
        if !buildingByItself {
            X509_STORE_set_check_issued(store) { context, subject, issuer in
                VerificationRecord.of(context)?.isNext(issuer, above: subject) == true ? 1 : 0
            }
        }
        guard anchors.allSatisfy({ X509_STORE_add_cert(store, $0.pointer) == 1 }),
            X509_STORE_CTX_init(context, store, leaf.pointer, untrusted) == 1,
            configure(context, buildingByItself: buildingByItself)
        else { preconditionFailure("OpenSSL's own verification parameters are missing") }
        let record = VerificationRecord(time: rules.question.time, path: buildingByItself ? [] : path.map(\.pointer))
        return withExtendedLifetime(record) {
            X509_STORE_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(record).toOpaque())
            X509_STORE_CTX_set_verify_cb(context) { status, context in
                VerificationRecord.of(context)?.decide(status, context) ?? 0
            }
            let status = X509_verify_cert(context)
            let built = builtChain(context, of: path)
            var errors = record.errors
            // An error that ends the verification early does not reach the callback, so it is added here.
            let end = VerificationRecord.BrokenRule(context)
            if status != 1 || end.code != X509_V_OK, !errors.contains(where: { $0.code == end.code }) {
                errors.append(end)
            }
            let judged = buildingByItself || errors.isEmpty ? built : path.map(\.certificate)
            var failures = errors.map { error in
                let node =
                    path.first { $0.pointer == error.certificate }
                    ?? path.first { !judged.isEmpty && $0.certificate == judged[min(error.depth, judged.count - 1)] }
                    ?? leaf
                return buildingByItself
                    ? TrustFailure(
                        Self.reason(error.code, node, at: error.depth), at: error.depth, of: node.certificate)
                    : failure(error, of: node, on: path)
            }
            // An identifier of another issuer explains more than the signature that fails with this one.
            if !buildingByItself { failures = Self.otherIssuers(on: path) + failures }
            if rules.isServerPolicy { failures += Self.wrongPurposes(on: judged).filter { !failures.contains($0) } }
            return Judgement(failures: failures, certificates: judged)
        }
    }

    private func failure(_ error: VerificationRecord.BrokenRule, of node: PathNode, on path: [PathNode]) -> TrustFailure
    {
        let depth = error.depth
        func failure(_ reason: TrustFailure.Reason) -> TrustFailure {
            TrustFailure(reason, at: depth, of: node.certificate)
        }
        switch Self.reason(error.code, node, at: depth) {
        // Both errors concern the whole path; the second means that the policy tree grew too large. The anchor's own
        // requirement does not count.
        case .noPolicy,
            .other where error.code == X509_V_ERR_OUT_OF_MEM && !rules.constrainsCommonName:
            let asking = path.dropLast().firstIndex { $0.asksForPolicy } ?? 0
            return TrustFailure(.noPolicy, at: asking, of: path[asking].certificate)
        case .nameConstraintViolated:
            let authority = NameRule.authority(
                on: path, against: depth, constrainsCommonName: rules.constrainsCommonName)
            return failure(.nameConstraintViolated(by: authority.map { "\(path[$0].certificate) (depth \($0))" }))
        case .badSignature
        where path.indices.contains(depth + 1) && node.isSignedByInnerAlgorithm(by: path[depth + 1]):
            return failure(.algorithmMismatch)
        // OpenSSL stops at a certificate that may be its own issuer.
        case .selfSigned where depth < path.count - 1, .untrustedRoot where depth < path.count - 1:
            return failure(.selfIssued)
        case let reason: return failure(reason)
        }
    }

    /// Failures of certificates that name another issuer by its identifiers (`X509_check_akid`).
    private static func otherIssuers(on path: [PathNode]) -> [TrustFailure] {
        zip(path, path.dropFirst()).enumerated().compactMap { depth, link in
            let mark: TrustFailure.IssuerMark
            switch X509_check_issued(link.1.pointer, link.0.pointer) {
            case X509_V_ERR_AKID_SKID_MISMATCH: mark = .keyIdentifier
            case X509_V_ERR_AKID_ISSUER_SERIAL_MISMATCH: mark = .serialNumber
            default: return nil
            }
            return TrustFailure(.otherIssuer(mark), at: depth, of: link.0.certificate)
        }
    }

    /// The rule behind an error; OpenSSL has one code for all three extensions that restrict the use of a key.
    private static func reason(_ code: Int32, _ node: PathNode, at depth: Int) -> TrustFailure.Reason {
        let reason = TrustFailure.Reason(verificationError: code)
        guard reason == .wrongPurpose else { return reason }
        let ofServers = ["digitalSignature", "keyEncipherment", "keyAgreement"]
        if depth == 0, let usage = node.certificate.keyUsage, !usage.contains(where: ofServers.contains) {
            return .wrongKeyUsage
        }
        guard isForServers(node.certificate) else { return .wrongPurpose }
        let hasNetscapeType = X509_get_extension_flags(node.pointer) & UInt32(EXFLAG_NSCERT) != 0
        return hasNetscapeType ? .wrongNetscapeType : .wrongKeyUsage
    }

    /// Failures of certificates that are not for servers (RFC 5280, 4.2.1.12); OpenSSL allows Server Gated Crypto.
    private static func wrongPurposes(on path: [Certificate]) -> [TrustFailure] {
        path.enumerated().filter { !isForServers($0.element) }.map {
            TrustFailure(.wrongPurpose, at: $0.offset, of: $0.element)
        }
    }

    private static func isForServers(_ certificate: Certificate) -> Bool {
        certificate.extendedKeyUsage.map { $0.contains("serverAuth") } ?? true
    }

    private func configure(_ context: OpaquePointer, buildingByItself: Bool) -> Bool {
        guard !rules.isServerPolicy || X509_STORE_CTX_set_default(context, "ssl_server") == 1,
            let parameters = X509_STORE_CTX_get0_param(context)
        else { return false }
        // The anchor is tried last: an anchor with an intermediate's name would take its place with the wrong key.
        if !buildingByItself { X509_VERIFY_PARAM_clear_flags(parameters, UInt(X509_V_FLAG_TRUSTED_FIRST)) }
        X509_VERIFY_PARAM_set_flags(
            parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN) | (buildingByItself ? 0 : UInt(X509_V_FLAG_NO_ALT_CHAINS)))
        // Always explicit: the default is 0 here and 2 (112 bits) in TLS, which would give one chain two verdicts.
        X509_VERIFY_PARAM_set_auth_level(parameters, rules.isServerPolicy ? 2 : 0)
        // Most clients read names only from the subjectAltName, so constraints apply only to it; without this flag
        // OpenSSL also takes the common name of a leaf without a dNSName, as it does for curl.
        if !rules.constrainsCommonName {
            X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        }
        // Any policy is acceptable: with none requested, OpenSSL calls none valid. curl does not check policies.
        if !buildingByItself, !rules.constrainsCommonName {
            X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_POLICY_CHECK))
            X509_VERIFY_PARAM_add0_policy(parameters, OBJ_nid2obj(NID_any_policy))
        }
        X509_VERIFY_PARAM_set_time(parameters, time_t(rules.question.time.secondsSinceEpoch))
        return true
    }

    /// The chain at the end of OpenSSL's verification: the certificates of `path`, or fewer if it found a shorter way.
    private func builtChain(_ context: OpaquePointer, of path: [PathNode]) -> [Certificate] {
        let stack = X509_STORE_CTX_get0_chain(context)
        return (0..<max(0, OPENSSL_sk_num(stack))).compactMap { index in
            let pointer = OPENSSL_sk_value(stack, index).map { OpaquePointer($0) }
            return path.first { X509_cmp($0.pointer, pointer) == 0 }?.certificate
        }
    }
}

/// Collects the errors of `X509_verify_cert` and lets it go on, so that the most useful reason can be reported.
private final class VerificationRecord {
    struct BrokenRule {
        let code: Int32
        let depth: Int
        /// A certificate of the path, borrowed only to be compared.
        let certificate: OpaquePointer?

        init(_ context: OpaquePointer?) {
            code = X509_STORE_CTX_get_error(context)
            depth = Int(max(0, X509_STORE_CTX_get_error_depth(context)))
            certificate = X509_STORE_CTX_get_current_cert(context)
        }
    }

    private let time: Timestamp
    /// The given path, leaf first, borrowed only to be compared.
    private let path: [OpaquePointer]
    private(set) var errors: [BrokenRule] = []

    init(time: Timestamp, path: [OpaquePointer]) { (self.time, self.path) = (time, path) }

    func isNext(_ issuer: OpaquePointer?, above subject: OpaquePointer?) -> Bool {
        zip(path, path.dropFirst()).contains { $0 == subject && $1 == issuer }
    }

    static func of(_ context: OpaquePointer?) -> VerificationRecord? {
        X509_STORE_CTX_get_ex_data(context, 0).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// OpenSSL's callback: `status` is 0 if a rule is broken; the result is 1 to go on.
    func decide(_ status: Int32, _ context: OpaquePointer?) -> Int32 {
        guard status == 0 else { return status }
        if X509_STORE_CTX_get_error(context) == X509_V_ERR_CERT_HAS_EXPIRED, isLastValidSecond(context) {
            // notAfter is part of the validity (RFC 5280, 4.1.2.5), but OpenSSL rejects at equality.
            X509_STORE_CTX_set_error(context, X509_V_OK)
            return 1
        }
        errors.append(BrokenRule(context))
        return 1
    }

    private func isLastValidSecond(_ context: OpaquePointer?) -> Bool {
        guard let certificate = X509_STORE_CTX_get_current_cert(context) else { return false }
        return Timestamp(asn1: COpenSSL_X509_get0_notAfter(certificate)) == time
    }
}

/// The rules by which a path is valid: the verifier's own, or a platform's.
struct PathRules {
    let verifier: OpenSSLPathVerifier
    let question: PathQuestion
    let platform: Platform?

    /// `true` for the rules of TLS servers, which add purpose and key strength (`SecPolicyCreateSSL`).
    var isServerPolicy: Bool { question.policy != .basicX509 }
    var constrainsCommonName: Bool { platform?.constrainsCommonName ?? false }

    /// The failures of a path; a path without an anchor is judged by the class with the fewest rules.
    func failures(of path: [Certificate], firstAnchor: Int?, _ findings: [TrustFailure]) -> [TrustFailure] {
        guard let platform, let last = path.last else { return findings }
        return platform.objections(
            to: path, firstAnchor: firstAnchor ?? path.count, findings: findings, under: question.policy,
            evidence: question.evidence
        ) { firstAnchor == nil ? .installedByHand : verifier.anchorClass(of: last, question.anchors) }
    }
}

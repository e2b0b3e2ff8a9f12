import COpenSSL
package import Pinning

/// Reads the OCSP response that a server staples to its certificate (RFC 6066, 8; RFC 6960).
package enum StapleReader {
    /// The most bytes of a response; real ones have some hundred, or two thousand with a responder's certificate.
    package static let sizeLimit = 64 << 10
    /// The allowed clock difference in seconds (`OCSPResponse.MAX_CLOCK_SKEW`, Android's `PKIXRevocationChecker`).
    private static let slack: Int64 = 900

    /// Reads a response, and verifies that the issuer or its responder signed it.
    package static func read(
        _ bytes: [UInt8], leaf: Certificate, issuer: Certificate?, time: Timestamp
    ) -> LeafEvidence.Staple {
        ERR_clear_error()
        defer { ERR_clear_error() }
        do throws(StapleError) {
            guard bytes.count <= sizeLimit else {
                throw StapleError("the staple is larger than \(sizeLimit >> 10) KiB, and no OCSP response is")
            }
            guard let issuer else {
                throw StapleError("the certificate's issuer, who signs staples, is neither presented nor trusted")
            }
            let response = try OCSPResponseHandle(der: bytes)
            guard let leaf = leaf.node, let issuer = issuer.node
            else { throw .aboutOthers }
            let answers = try response.answers(about: leaf, from: issuer)
            try verify(response, issuer: issuer, time: time)
            return try answer(answers, in: response, at: time)
        } catch { return .unusable(error.description) }
    }

    /// The result of a certificate's answers: a revocation of any date, else the only answer; Conscrypt supports no
    /// critical extension and only SHA-1 in certificate IDs (`CertId`), and has no other source.
    private static func answer(
        _ answers: [OCSPResponseHandle.Answer], in response: OCSPResponseHandle, at time: Timestamp
    ) throws(StapleError) -> LeafEvidence.Staple {
        var read: [Staple] = []
        var damage: StapleError?
        for answer in answers {
            do { read.append(try staple(answer.single)) } catch { damage = damage ?? error }
        }
        for case .revoked(let date, let reason) in read.map(\.status) { return .revoked(at: date, reason: reason) }
        if let damage { throw damage }
        guard response.count == 1, let only = read.first else {
            throw StapleError("the staple has \(response.count) answers, but only one is expected")
        }
        if let objection = only.objection(at: time) { throw StapleError(objection) }
        if response.hasCriticalExtension { throw StapleError("the staple has a critical extension") }
        guard answers[0].isNamedBySHA1 else { throw StapleError("the staple does not name the certificate by SHA-1") }
        return only.status
    }

    /// Verifies that the issuer signed the response, or certified the responder that did (`OCSP_basic_verify`).
    private static func verify(_ response: OCSPResponseHandle, issuer: PathNode, time: Timestamp) throws(StapleError) {
        guard let store = X509_STORE_new(), let parameters = X509_STORE_get0_param(store),
            let stack = OPENSSL_sk_new_null()
        else { throw .notSigned }
        defer {
            OPENSSL_sk_free(stack)
            X509_STORE_free(store)
        }
        // The path may end at an intermediate, whose trust is decided elsewhere.
        X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        // The issuer itself certifies a responder (RFC 6960, 4.2.2.2); longer paths would cost signature checks.
        X509_VERIFY_PARAM_set_depth(parameters, 0)
        X509_VERIFY_PARAM_set_time(parameters, time_t(time.secondsSinceEpoch))
        // The issuer's signature counts even if its certificate is out of date, because a platform may still trust it.
        guard X509_STORE_add_cert(store, issuer.pointer) == 1,
            OPENSSL_sk_push(stack, UnsafeRawPointer(issuer.pointer)) > 0,
            OCSP_basic_verify(response.basic, stack, store, UInt(OCSP_TRUSTOTHER)) == 1
        else { throw .notSigned }
    }

    private struct Staple {
        let status: LeafEvidence.Staple
        let thisUpdate: Timestamp
        /// The time of the next update; `nil` if a newer response is always available.
        let nextUpdate: Timestamp?

        /// The reason why the answer is not valid at `time`; without `nextUpdate` it is valid only at `thisUpdate`.
        func objection(at time: Timestamp) -> String? {
            let now = time.secondsSinceEpoch
            if thisUpdate.secondsSinceEpoch > now + StapleReader.slack {
                return "the staple is not valid before \(thisUpdate)"
            }
            if let nextUpdate {
                return nextUpdate.secondsSinceEpoch < now - StapleReader.slack
                    ? "the staple expired at \(nextUpdate)" : nil
            }
            return thisUpdate.secondsSinceEpoch >= now - StapleReader.slack
                ? nil : "the staple is of \(thisUpdate) and has no end of validity"
        }
    }

    private static func staple(_ single: OpaquePointer) throws(StapleError) -> Staple {
        var reason: Int32 = -1
        var read: [UnsafeRawPointer?] = [nil, nil, nil]
        let status = COpenSSL_OCSP_single_get0_status(single, &reason, &read)
        let dates = read.map { Timestamp(asn1: $0) }
        guard zip(read, dates).allSatisfy({ ($0 == nil) == ($1 == nil) }), let thisUpdate = dates[1] else {
            throw .brokenDate
        }
        let answer: LeafEvidence.Staple
        switch status {
        case V_OCSP_CERTSTATUS_GOOD: answer = .good
        case V_OCSP_CERTSTATUS_REVOKED:
            guard let date = dates[0] else { throw .brokenDate }
            answer = .revoked(at: date, reason: reason >= 0 ? Int(reason) : nil)
        case V_OCSP_CERTSTATUS_UNKNOWN:
            answer = .unusable("the staple says that the issuer does not know the certificate")
        default: throw .damaged()
        }
        return Staple(status: answer, thisUpdate: thisUpdate, nextUpdate: dates[2])
    }
}

/// The reason why an OCSP response proves nothing about its certificate, as a clause about the staple.
struct StapleError: Error, CustomStringConvertible {
    let description: String

    init(_ what: String, detail: String? = nil) { description = what + (detail.map { " (\($0))" } ?? "") }

    static func damaged(_ detail: String? = nil) -> StapleError {
        StapleError("the staple is not a whole OCSP response", detail: detail)
    }

    static let aboutOthers = StapleError("the staple is about another certificate")
    static let brokenDate = StapleError("the staple has a malformed date")
    static let costly = StapleError(
        "the staple has more answers or certificates, or keys of odder forms, than any OCSP response has")
    static var notSigned: StapleError {
        StapleError(
            "the staple is not signed by the certificate's issuer, or for it", detail: OpenSSLFailure.takeReason())
    }

    /// The error that the responder sent in place of a response, by its number (RFC 6960, 4.2.1).
    static func refused(status: Int) -> StapleError {
        let names = [1: "malformedRequest", 2: "internalError", 3: "tryLater", 5: "sigRequired", 6: "unauthorized"]
        return StapleError("the staple is the responder's error '\(names[status] ?? String(status))'")
    }
}

/// Owns one `OCSP_BASICRESP` of a successful response.
final class OCSPResponseHandle {
    /// The most answers that are read; a response of the greatest size has room for fewer.
    private static let answerLimit: Int32 = 2_000
    /// The most digests in certificate IDs that are compared; OpenSSL knows fewer.
    private static let digestLimit = 64
    /// The most responders' certificates that are read; real responses have one or none.
    private static let certificateLimit = 16

    let basic: OpaquePointer

    init(der: [UInt8]) throws(StapleError) {
        switch Int(COpenSSL_staple(der, der.count, Self.certificateLimit)) {
        case 0: break
        case Int(COpenSSL_UNREADABLE): throw .damaged()
        default: throw .costly
        }
        let parsed = DER.decoded(der, free: { OCSP_RESPONSE_free($0) }, { d2i_OCSP_RESPONSE(nil, $0, $1) })
        guard let parsed else { throw .damaged(OpenSSLFailure.takeReason()) }
        defer { OCSP_RESPONSE_free(parsed) }
        let status = OCSP_response_status(parsed)
        guard status == OCSP_RESPONSE_STATUS_SUCCESSFUL else { throw .refused(status: Int(status)) }
        guard let basic = OCSP_response_get1_basic(parsed) else { throw .damaged(OpenSSLFailure.takeReason()) }
        self.basic = basic
    }

    deinit { OCSP_BASICRESP_free(basic) }

    /// An answer (`OCSP_SINGLERESP *`), which lives as long as its response.
    struct Answer {
        let single: OpaquePointer
        let isNamedBySHA1: Bool
    }

    var count: Int32 { OCSP_resp_count(basic) }

    /// The answers that name `leaf`, by hashes of the issuer's name and key with any digest (RFC 6960, 4.1.1).
    func answers(about leaf: PathNode, from issuer: PathNode) throws(StapleError) -> [Answer] {
        guard count <= Self.answerLimit else { throw .costly }
        // Computed once for each digest in use: hashing the issuer's name can take a while.
        var expected: [Int32: OpaquePointer] = [:]
        defer { for identifier in expected.values { OCSP_CERTID_free(identifier) } }
        var answers: [Answer] = []
        for index in 0..<count {
            guard let single = OCSP_resp_get0(basic, index), let identifier = OCSP_SINGLERESP_get0_id(single) else {
                continue
            }
            let kind = Self.digest(of: identifier)
            if expected[kind] == nil, expected.count < Self.digestLimit {
                expected[kind] = Self.identifier(of: leaf, from: issuer, by: kind)
            }
            if let known = expected[kind], OCSP_id_cmp(known, identifier) == 0 {
                answers.append(Answer(single: single, isNamedBySHA1: kind == NID_sha1))
            }
        }
        guard !answers.isEmpty else { throw .aboutOthers }
        return answers
    }

    var hasCriticalExtension: Bool {
        OCSP_BASICRESP_get_ext_by_critical(basic, 1, -1) >= 0
            || (0..<max(0, count)).contains { index in
                OCSP_resp_get0(basic, index).map { OCSP_SINGLERESP_get_ext_by_critical($0, 1, -1) >= 0 } ?? false
            }
    }

    private static func digest(of identifier: OpaquePointer) -> Int32 {
        var object: OpaquePointer?
        OCSP_id_get0_info(nil, &object, nil, nil, identifier)
        return OBJ_obj2nid(object)
    }

    private static func identifier(of leaf: PathNode, from issuer: PathNode, by digest: Int32) -> OpaquePointer? {
        guard let name = OBJ_nid2sn(digest), let function = EVP_get_digestbyname(name) else { return nil }
        return OCSP_cert_to_id(function, leaf.pointer, issuer.pointer)
    }
}

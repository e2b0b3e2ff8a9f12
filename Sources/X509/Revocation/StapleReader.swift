internal import COpenSSL
package import Pinning

/// Reads the OCSP response that a server sends along with its certificate (RFC 6066, 8; RFC 6960).
package enum StapleReader {
    /// The most bytes of a response; real ones have some hundred, or two thousand with a responder's certificate.
    package static let sizeLimit = 64 << 10

    /// Reads a response and verifies that the issuer answers for it.
    ///
    /// A response that is not current is no error: whoever judges asks ``Staple/isCurrent(at:)``. Damaged timestamps in it count
    /// as unreadable ones.
    ///
    /// - Parameters:
    ///   - bytes: the response in DER, as it came.
    ///   - leaf: the certificate that the server sent.
    ///   - issuer: the certificate that signed the leaf's.
    ///   - time: the moment at which a responder's certificate has to be valid.
    /// - Returns: what it says about `leaf`.
    /// - Throws: ``StapleError`` for everything that says nothing about `leaf`.
    package static func read(
        _ bytes: [UInt8], leaf: Certificate, issuer: Certificate, time: Timestamp
    ) throws(StapleError) -> Staple {
        guard bytes.count <= sizeLimit else { throw StapleError(.tooLarge) }
        OpenSSLFailure.forget()
        defer { OpenSSLFailure.forget() }
        let response = try OCSPResponseHandle(der: bytes)
        guard let leaf = HandleCache.shared.handle(for: leaf), let issuer = HandleCache.shared.handle(for: issuer)
        else { throw StapleError(.aboutOthers) }
        let answers = try response.answers(about: leaf, from: issuer)
        try verify(response, issuer: issuer, time: time)
        var staple = try strictest(answers, at: time)
        staple.androidObjection = androidObjection(to: response, about: leaf, from: issuer, at: time)
        return staple
    }

    /// What several answers about a certificate come to: a revocation that is current, and nothing where one cannot be read, or the
    /// first that is current.
    private static func strictest(_ answers: [OpaquePointer], at time: Timestamp) throws(StapleError) -> Staple {
        var staples: [Staple] = []
        var damage: StapleError?
        for answer in answers {
            do throws(StapleError) { staples.append(try staple(answer)) } catch { damage = damage ?? error }
        }
        let current = staples.filter { $0.isCurrent(at: time) }
        if let revoked = current.first(where: { if case .revoked = $0.status { true } else { false } }) {
            return revoked
        }
        if let damage { throw damage }
        return current.first ?? staples[0]
    }

    /// `OCSP_basic_verify` with the issuer as the only anchor: it signed the response, or a certificate for responders that did.
    private static func verify(_ response: OCSPResponseHandle, issuer: X509Handle, time: Timestamp) throws(StapleError)
    {
        guard let store = X509_STORE_new(), let parameters = X509_STORE_get0_param(store),
            let stack = COpenSSL_sk_X509_new_null()
        else { throw StapleError(.notSigned, detail: OpenSSLFailure.takeReason()) }
        defer {
            COpenSSL_sk_X509_free(stack)
            X509_STORE_free(store)
        }
        // An intermediate is the end of the path here: that it is trusted itself has been found out elsewhere.
        X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        // The issuer itself makes a responder (RFC 6960, 4.2.2.2): nobody stands between, whose signatures would cost time.
        X509_VERIFY_PARAM_set_depth(parameters, 0)
        X509_VERIFY_PARAM_set_time(parameters, time_t(time.secondsSinceEpoch))
        // What the issuer itself signed is right whatever its own dates are: a platform may trust it all the same.
        guard X509_STORE_add_cert(store, issuer.pointer) == 1, COpenSSL_sk_X509_push(stack, issuer.pointer) > 0,
            OCSP_basic_verify(response.basic, stack, store, UInt(OCSP_TRUSTOTHER)) == 1
        else { throw StapleError(.notSigned, detail: OpenSSLFailure.takeReason()) }
    }

    static func staple(_ single: OpaquePointer) throws(StapleError) -> Staple {
        var reason: Int32 = -1
        var status: Int32 = -1
        let dates = Validity.dates(
            { revoked, this, next in status = OCSP_single_get0_status(single, &reason, revoked, this, next) },
            difference: { days, seconds, date in ASN1_TIME_diff(days, seconds, Validity.epoch, date) })
        guard let thisUpdate = dates[1].date, !dates[2].isBroken else { throw StapleError(.brokenDate) }
        return Staple(
            status: try read(status, revokedAt: dates[0], reason: reason), thisUpdate: thisUpdate,
            nextUpdate: dates[2].date, timestamps: timestamps(in: single))
    }

    private static func read(
        _ status: Int32, revokedAt: OptionalDate, reason: Int32
    ) throws(StapleError) -> Staple.Status {
        switch status {
        case V_OCSP_CERTSTATUS_GOOD: return .good
        case V_OCSP_CERTSTATUS_REVOKED:
            guard let date = revokedAt.date else { throw StapleError(.brokenDate) }
            return .revoked(at: date, reason: reason >= 0 ? Int(reason) : nil)
        case V_OCSP_CERTSTATUS_UNKNOWN: return .unknown
        default: throw StapleError(.damaged)
        }
    }

    private static func timestamps(in single: OpaquePointer) -> TimestampList? {
        let index = OCSP_SINGLERESP_get_ext_by_NID(single, NID_ct_cert_scts, -1)
        guard index >= 0, let found = OCSP_SINGLERESP_get_ext(single, index) else { return nil }
        return (try? TimestampListReader.read(extension: found, from: .staple))
            ?? TimestampList(timestamps: [], unreadable: 1)
    }
}

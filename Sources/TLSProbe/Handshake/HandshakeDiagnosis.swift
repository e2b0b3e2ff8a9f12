internal import COpenSSL

/// Turns what OpenSSL says about a failed handshake into a reason a user can act on.
enum HandshakeDiagnosis {
    /// The reason behind the errors that `request`'s handshake failed with.
    static func reason(
        of errors: OpenSSLErrors, request: ProbeRequest, isReadingCertificates: Bool
    ) -> ProbeError.Reason {
        guard let reason = errors.tlsReason else { return .tlsFailure(errors.text) }
        let noCommonVersion = ProbeError.Reason.protocolVersion(
            minimum: request.minimumTLS, maximum: request.maximumTLS)
        if let alert = errors.alert {
            if let keyType = request.keyType, alert.isForWantOfCommonParameters {
                return .keyTypeRefused(keyType, alert)
            }
            if !request.offer.isEmpty, alert.isForWantOfCommonParameters { return .offerRefused(request.offer, alert) }
            return alert == .protocolVersion ? noCommonVersion : .alert(alert)
        }
        if !request.offer.isEmpty,
            [SSL_R_NO_SUITABLE_GROUPS, SSL_R_NO_CIPHERS_AVAILABLE, SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM].contains(
                reason)
        {
            return .offerRefused(request.offer, nil)
        }
        // Some servers send the certificate they have, whatever is offered.
        if let keyType = request.keyType, [SSL_R_WRONG_SIGNATURE_TYPE, SSL_R_WRONG_CERTIFICATE_TYPE].contains(reason) {
            return .keyTypeRefused(keyType, nil)
        }
        return switch reason {
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_SSL_VERSION, SSL_R_WRONG_VERSION_NUMBER, SSL_R_VERSION_TOO_LOW,
            SSL_R_VERSION_TOO_HIGH, SSL_R_NO_PROTOCOLS_AVAILABLE:
            noCommonVersion
        case SSL_R_BAD_SIGNATURE, SSL_R_WRONG_SIGNATURE_TYPE, SSL_R_WRONG_SIGNATURE_SIZE,
            SSL_R_SIGNATURE_FOR_NON_SIGNING_CERTIFICATE:
            .keyNotProven
        case SSL_R_EXCESSIVE_MESSAGE_SIZE where isReadingCertificates:
            .certificatesTooLarge(limit: TLSContext.certificateListLimit)
        case SSL_R_EXCESSIVE_MESSAGE_SIZE: .tlsFailure("a message is longer than any of its kind")
        case Int32(ERR_R_ASN1_LIB) where !isReadingCertificates: .tlsFailure(errors.text)
        case Int32(ERR_R_ASN1_LIB), SSL_R_CERT_LENGTH_MISMATCH, SSL_R_UNABLE_TO_FIND_PUBLIC_KEY_PARAMETERS,
            SSL_R_UNKNOWN_CERTIFICATE_TYPE, SSL_R_WRONG_CERTIFICATE_TYPE:
            .unreadableCertificate(errors.text)
        case SSL_R_DH_KEY_TOO_SMALL:
            .tlsFailure("the server's Diffie-Hellman group has fewer than 1024 bits or more than 4096")
        default: .tlsFailure(errors.text)
        }
    }
}

import COpenSSL
import Pinning

/// OpenSSL's own implementation of RFC 7671, as a second opinion on TLSA records.
enum DANEOracle {
    /// Something OpenSSL refused to set up.
    struct SetUpError: Error { let what: String }

    /// Whether OpenSSL accepts the chain, and its error when it does not.
    struct Opinion {
        let isAccepted: Bool
        let error: String
    }

    /// Asks what a TLS client with these records would say, as `ssl_verify_cert_chain` asks.
    ///
    /// The rules that are no matter of DANE are those the code under test has: partial chains, level 2, whole-label wildcards,
    /// no common names.
    static func opinion(
        on presented: [Certificate], anchors: [Certificate], records: [TLSARecord], name: String, at time: Timestamp
    ) throws -> Opinion {
        ERR_clear_error()
        let objects = CertificateObjects()
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw SetUpError(what: "SSL_CTX_new") }
        defer { SSL_CTX_free(context) }
        guard SSL_CTX_dane_enable(context) == 1, let ssl = SSL_new(context) else {
            throw SetUpError(what: "SSL_CTX_dane_enable")
        }
        defer { SSL_free(ssl) }
        guard SSL_dane_enable(ssl, name) == 1 else { throw SetUpError(what: "SSL_dane_enable") }
        // RFC 7671, 5.1 leaves the name out for usage 3; OpenSSL must be told.
        _ = SSL_dane_set_flags(ssl, 1)
        for record in records {
            let status = SSL_dane_tlsa_add(
                ssl, record.usage.rawValue, record.selector.rawValue, record.matching.rawValue, record.data,
                record.data.count)
            guard status == 1 else { throw SetUpError(what: "SSL_dane_tlsa_add \(record)") }
        }
        guard let store = X509_STORE_new(), let verification = X509_STORE_CTX_new(),
            let untrusted = COpenSSL_sk_X509_new_null()
        else { throw SetUpError(what: "memory") }
        defer {
            X509_STORE_CTX_free(verification)
            X509_STORE_free(store)
            COpenSSL_sk_X509_free(untrusted)
        }
        for anchor in anchors { X509_STORE_add_cert(store, try objects.parse(anchor)) }
        for certificate in presented { COpenSSL_sk_X509_push(untrusted, try objects.parse(certificate)) }
        guard X509_STORE_CTX_init(verification, store, try objects.parse(presented[0]), untrusted) == 1,
            let ours = SSL_get0_param(ssl), let parameters = X509_STORE_CTX_get0_param(verification)
        else { throw SetUpError(what: "X509_STORE_CTX_init") }
        X509_VERIFY_PARAM_set_hostflags(
            ours, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        X509_STORE_CTX_set0_dane(verification, SSL_get0_dane(ssl))
        X509_STORE_CTX_set_default(verification, "ssl_server")
        X509_VERIFY_PARAM_set1(parameters, ours)
        X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        X509_VERIFY_PARAM_set_auth_level(parameters, 2)
        X509_VERIFY_PARAM_set_time(parameters, time_t(time.secondsSinceEpoch))
        let isAccepted = X509_verify_cert(verification) == 1
        let code = X509_STORE_CTX_get_error(verification)
        ERR_clear_error()
        return Opinion(
            isAccepted: isAccepted && code == X509_V_OK,
            error: String(cString: X509_verify_cert_error_string(Int(code))))
    }

    /// Keeps parsed certificates alive for the length of one question.
    private final class CertificateObjects {
        private var pointers: [OpaquePointer] = []

        func parse(_ certificate: Certificate) throws -> OpaquePointer {
            let pointer = certificate.der.withUnsafeBufferPointer { bytes in
                var cursor = bytes.baseAddress
                return d2i_X509(nil, &cursor, bytes.count)
            }
            guard let pointer else { throw SetUpError(what: "d2i_X509") }
            pointers.append(pointer)
            return pointer
        }

        deinit { for pointer in pointers { X509_free(pointer) } }
    }
}

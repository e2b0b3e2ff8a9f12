import Base
import COpenSSL
package import Pinning

package enum KeyReader {
    /// The parts of a PKCS #10 certification request (RFC 2986) that pins need.
    package struct Request: Hashable {
        /// The subject as one line in RFC 2253 order; empty if the request has none.
        package let subject: String
        package let publicKey: PublicKey
    }

    /// Reads one certification request with a valid signature of its key (`d2i_X509_REQ`), unless it costs too much.
    package static func request(der: [UInt8]) throws(X509Error) -> Request {
        guard COpenSSL_request(der, der.count) == 0 else { throw X509Error(.notARequest) }
        let parsed = DER.decoded(der, free: { X509_REQ_free($0) }, { d2i_X509_REQ(nil, $0, $1) })
        guard let parsed else { throw X509Error(.notARequest, detail: OpenSSLFailure.takeReason()) }
        defer { X509_REQ_free(parsed) }
        // Only the signature distinguishes the owner's request from one with another key in its place.
        guard let key = X509_REQ_get0_pubkey(parsed), X509_REQ_verify(parsed, key) == 1,
            let info = DER.encoding(with: { i2d_X509_PUBKEY(X509_REQ_get_X509_PUBKEY(parsed), $0) })
        else {
            throw X509Error(.notARequest, detail: OpenSSLFailure.takeReason() ?? "its own signature does not verify")
        }
        return Request(
            subject: DistinguishedNames.line(X509_REQ_get_subject_name(parsed)),
            publicKey: try CertificateReader.publicKey(der: info))
    }

    /// The public half of a private key: PKCS #8 without a passphrase, PKCS #1 or SEC 1 (`d2i_AutoPrivateKey`).
    ///
    /// OpenSSL wipes its copy of the key, and no error contains a part of it.
    package static func publicKey(ofPrivateKey der: [UInt8]) throws(X509Error) -> PublicKey {
        guard COpenSSL_private_key(der, der.count) == 0 else { throw X509Error(.notAPrivateKey) }
        // OpenSSL's reason for a broken key is dropped, because it could quote the key.
        defer { ERR_clear_error() }
        guard let key = DER.decoded(der, free: { EVP_PKEY_free($0) }, { d2i_AutoPrivateKey(nil, $0, $1) }) else {
            throw X509Error(.notAPrivateKey)
        }
        defer { EVP_PKEY_free(key) }
        guard let info = DER.encoding(with: { i2d_PUBKEY(key, $0) }) else { throw X509Error(.notAPrivateKey) }
        return try CertificateReader.publicKey(der: info)
    }

    /// The key inside the SubjectPublicKeyInfo (`X509_PUBKEY_get0_param`), a point or PKCS #1; `nil` if unreadable.
    static func bareKey(of key: PublicKey) -> [UInt8]? {
        defer { ERR_clear_error() }
        let info = DER.decoded(
            key.subjectPublicKeyInfo, free: { X509_PUBKEY_free($0) }, { d2i_X509_PUBKEY(nil, $0, $1) })
        guard let info else { return nil }
        defer { X509_PUBKEY_free(info) }
        var start: UnsafePointer<UInt8>?
        var length: Int32 = 0
        guard X509_PUBKEY_get0_param(nil, &start, &length, nil, info) == 1, let start else { return nil }
        return Array(UnsafeBufferPointer(start: start, count: Int(length)))
    }
}

extension KeyAlgorithm {
    private static let curveNames = ["prime256v1": "P-256", "secp384r1": "P-384", "secp521r1": "P-521"]

    /// The algorithm of the key in an `X509`, even if OpenSSL cannot use the key.
    init(ofCertificate certificate: OpaquePointer) {
        self =
            X509_get0_pubkey(certificate).map { KeyAlgorithm(of: $0) }
            ?? .unknown(name: Self.algorithmName(of: certificate))
    }

    init(of key: OpaquePointer) {
        let bits = Int(EVP_PKEY_get_bits(key))
        let name = EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "unknown"
        switch name {
        case "RSA": self = .rsa(bits: bits)
        case "RSA-PSS": self = .rsaPSS(bits: bits)
        case "EC":
            var group = [CChar](repeating: 0, count: 80)
            let known = EVP_PKEY_get_group_name(key, &group, group.count, nil) == 1
            let curve = group.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? ""
            self = .ec(curve: known ? Self.curveNames[curve] ?? curve : "with explicit parameters", bits: bits)
        default: self = .other(name: name, bits: bits)
        }
    }

    private static func algorithmName(of certificate: OpaquePointer) -> String {
        var object: OpaquePointer?
        X509_PUBKEY_get0_param(&object, nil, nil, nil, X509_get_X509_PUBKEY(certificate))
        guard let object else { return "unknown algorithm" }
        let name = Extensions.objectName(object)
        // ML-DSA of FIPS 204, which OpenSSL knows from 3.5 on.
        let arc = "2.16.840.1.101.3.4.3."
        if name.hasPrefix(arc), let number = ["17": 44, "18": 65, "19": 87][name.dropFirst(arc.count)] {
            return "ML-DSA-\(number)"
        }
        return name.isEmpty ? "unknown algorithm" : name
    }
}

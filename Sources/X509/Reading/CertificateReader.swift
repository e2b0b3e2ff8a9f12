import COpenSSL
package import Pinning

package enum CertificateReader {
    /// The labels of certificates in PEM files; the last one is for certificates with OpenSSL's trust settings.
    package static let certificateLabels: Set = ["CERTIFICATE", "X509 CERTIFICATE", trustedCertificateLabel]
    static let trustedCertificateLabel = "TRUSTED CERTIFICATE"

    /// `true` for one certificate in DER, and for PEM text with a block labelled as a certificate, even a broken one.
    package static func areForCertificates(_ bytes: [UInt8]) -> Bool {
        guard PEM.looksLikePEM(bytes) else { return PathNode.read(bytes) != nil }
        return certificateLabels.contains { PEM.hasBlock($0, in: bytes) }
    }

    package static func certificate(der: [UInt8]) throws(X509Error) -> Certificate { try certificate(der, line: nil) }

    private static func certificate(_ der: [UInt8]?, line: Int?) throws(X509Error) -> Certificate {
        guard let node = der.flatMap({ PathNode.read($0) }) else {
            throw X509Error(.notACertificate, line: line, detail: OpenSSLFailure.takeReason())
        }
        return node.certificate
    }

    /// Reads a certificate that OpenSSL has parsed; the caller keeps its reference.
    package static func certificate(borrowing pointer: OpaquePointer) throws(X509Error) -> Certificate {
        guard let node = PathNode.read(pointer) else { throw X509Error(.notACertificate) }
        return node.certificate
    }

    /// Reads the only certificate in DER, or all in PEM text, whose other blocks are ignored.
    ///
    /// Android's reader takes a block only at the start or right behind another, and stops at text without an error
    /// (google/conscrypt, `OpenSSLX509CertificateFactory`; newer ones skip it).
    package static func certificates(
        pemOrDER bytes: [UInt8], takesTrustSettings: Bool = true, mayHaveText: Bool = true
    ) throws(X509Error) -> [Certificate] {
        guard PEM.looksLikePEM(bytes) else { return [try certificate(der: bytes)] }
        var certificates: [Certificate] = []
        for block in try PEM.blocks(in: bytes) where certificateLabels.contains(block.label) {
            guard takesTrustSettings || block.label != trustedCertificateLabel else {
                throw X509Error(.trustSettings, line: block.line)
            }
            guard mayHaveText || !block.followsText else {
                throw X509Error(.textBeforeBlock, line: block.line, detail: "many devices stop there")
            }
            certificates.append(try certificate(in: block))
        }
        return certificates
    }

    /// Reads a file of roots, at least one; rejects OpenSSL's trust settings, which may mean distrust.
    package static func plainCertificates(
        pemOrDER bytes: [UInt8], mayHaveText: Bool = true
    ) throws(X509Error) -> [Certificate] {
        let certificates = try certificates(pemOrDER: bytes, takesTrustSettings: false, mayHaveText: mayHaveText)
        guard !certificates.isEmpty else { throw X509Error(.notACertificate) }
        return certificates
    }

    package static func certificate(in block: PEMBlock) throws(X509Error) -> Certificate {
        // Trust settings mean something only in a store, and this certificate is not in one.
        let isPlain = block.label != trustedCertificateLabel
        return try certificate(isPlain ? block.der : TrustedCertificate(block.der)?.der, line: block.line)
    }

    /// Reads the key in a DER SubjectPublicKeyInfo, unless that costs too much.
    package static func publicKey(der: [UInt8]) throws(X509Error) -> PublicKey {
        guard COpenSSL_public_key(der, der.count) == 0 else { throw X509Error(.notAPublicKey) }
        guard let key = DER.decoded(der, free: { EVP_PKEY_free($0) }, { d2i_PUBKEY(nil, $0, $1) }) else {
            throw X509Error(.notAPublicKey, detail: OpenSSLFailure.takeReason())
        }
        defer { EVP_PKEY_free(key) }
        let algorithm = KeyAlgorithm(of: key)
        return PublicKey(subjectPublicKeyInfo: der, spkiSHA256: Hashing.sha256(der), algorithm: algorithm)
    }

    /// The SHA-256 of the SubjectPublicKeyInfo in an unparsed certificate; `nil` if `der` is not a certificate's.
    package static func keyHash(ofCertificate der: [UInt8]) -> SHA256Digest? {
        DER.subject(ofCertificate: der, andFieldsBehind: 1).map { Hashing.sha256(Array(der[$0])) }
    }

    static func certificate(of pointer: OpaquePointer, der: [UInt8], fingerprint: SHA256Digest) -> Certificate {
        defer { ERR_clear_error() }
        // Makes OpenSSL read the extensions, from which these flags come.
        let flags = X509_get_extension_flags(pointer)
        let (subject, issuer) = (X509_get_subject_name(pointer), X509_get_issuer_name(pointer))
        let subjectPublicKeyInfo = DER.encoding { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(pointer), $0) } ?? []
        return Certificate(
            der: der, fingerprint: fingerprint,
            publicKey: PublicKey(
                subjectPublicKeyInfo: subjectPublicKeyInfo, spkiSHA256: Hashing.sha256(subjectPublicKeyInfo),
                algorithm: KeyAlgorithm(ofCertificate: pointer)),
            subject: DistinguishedNames.line(subject), issuer: DistinguishedNames.line(issuer),
            commonName: DistinguishedNames.commonName(subject),
            serialNumber: serialNumber(of: pointer),
            // A malformed date becomes one that makes the certificate always invalid.
            notBefore: Timestamp(asn1: COpenSSL_X509_get0_notBefore(pointer)) ?? Timestamp(secondsSinceEpoch: .max),
            notAfter: Timestamp(asn1: COpenSSL_X509_get0_notAfter(pointer)) ?? Timestamp(secondsSinceEpoch: .min),
            names: Extensions.subjectAlternativeNames(of: pointer),
            isCertificateAuthority: flags & UInt32(EXFLAG_BCONS) != 0 ? flags & UInt32(EXFLAG_CA) != 0 : nil,
            keyUsage: Extensions.keyUsage(of: pointer), extendedKeyUsage: Extensions.extendedKeyUsage(of: pointer),
            subjectKeyIdentifier: Extensions.bytes(X509_get0_subject_key_id(pointer)),
            authorityKeyIdentifier: Extensions.bytes(X509_get0_authority_key_id(pointer)),
            isSelfIssued: X509_NAME_cmp(subject, issuer) == 0,
            signatureAlgorithm: signatureAlgorithm(of: pointer), version: X509_get_version(pointer) + 1,
            isNamedUncritically: Extensions.isNamedUncritically(pointer))
    }

    /// OpenSSL's name of the algorithm; for RSASSA-PSS with a remark unless its parameters are those of TLS.
    ///
    /// TLS has SHA-256, SHA-384 and SHA-512, also for the mask, with a salt of the same length (RFC 8446, 4.2.3).
    private static func signatureAlgorithm(of certificate: OpaquePointer) -> String {
        let identifier = X509_get_signature_nid(certificate)
        let name = String(cString: OBJ_nid2ln(identifier))
        guard identifier == NID_rsassaPss else { return name }
        var flags: UInt32 = 0
        let isKnown = X509_get_signature_info(certificate, nil, nil, nil, &flags) == 1
        return isKnown && flags & UInt32(X509_SIG_INFO_TLS) != 0 ? name : name + " with unusual parameters"
    }

    private static func serialNumber(of certificate: OpaquePointer) -> String {
        guard let number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nil) else { return "" }
        defer { BN_free(number) }
        guard let text = BN_bn2hex(number) else { return "" }
        defer { COpenSSL_OPENSSL_free(text) }
        return String(cString: text)
    }
}

package struct X509Error: Error, Hashable, CustomStringConvertible {
    /// A value that is not "whole" is cut off, followed by other bytes, or something else.
    package enum Problem: String {
        case notACertificate = "not a whole X.509 certificate"
        case notAPublicKey = "not a whole public key (SubjectPublicKeyInfo)"
        case notARequest = "not a whole certification request (PKCS #10)"
        case notAPrivateKey = "not a whole private key without a passphrase"
        case brokenPEM = "broken PEM text"
        case textBeforeBlock = "text or an empty line before the block"
        case trustSettings = "a certificate with OpenSSL's trust settings, which are not used here"
        case tooLarge = "larger than any file of certificates, so it was not read"
    }

    package let problem: Problem
    /// The line of the PEM block, from 1; `nil` if the bytes are not text.
    package let line: Int?
    package let detail: String?

    package init(_ problem: Problem, line: Int? = nil, detail: String? = nil) {
        (self.problem, self.line, self.detail) = (problem, line, detail)
    }

    package var description: String {
        problem.rawValue + (line.map { " at line \($0)" } ?? "") + (detail.map { " (\($0))" } ?? "")
    }
}

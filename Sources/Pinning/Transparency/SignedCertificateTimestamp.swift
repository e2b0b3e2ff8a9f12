/// A log's promise to publish a certificate (SCT, RFC 6962, 3.2), version 1.
///
/// Nothing of it is verified where there is no list of logs: anybody can make one up.
public struct SignedCertificateTimestamp: Sendable, Hashable {
    /// How it reached the client.
    public enum Source: String, Sendable, Hashable, CaseIterable {
        /// In an extension of the certificate.
        case certificate
        /// In an extension of the handshake.
        case handshake
        /// In an extension of the OCSP response that was sent along.
        case staple

        /// Whether the server delivers it beside the certificate.
        public var isBesideCertificate: Bool { self != .certificate }
    }

    /// How it reached the client.
    public let source: Source
    /// SHA-256 of the log's key: what a log is known by.
    public let logID: SHA256Digest
    /// When the log saw the certificate, in milliseconds since 1970.
    public let milliseconds: UInt64
    /// The extensions, of which none is defined.
    public let extensions: [UInt8]
    /// The hash of the signature, as TLS 1.2 numbers it: 4 is SHA-256.
    public let hashAlgorithm: UInt8
    /// The kind of the signature, as TLS 1.2 numbers it: 1 is RSA, 3 is ECDSA.
    public let signatureAlgorithm: UInt8
    /// The signature.
    public let signature: [UInt8]

    /// A timestamp of these parts.
    public init(
        source: Source, logID: SHA256Digest, milliseconds: UInt64, extensions: [UInt8], hashAlgorithm: UInt8,
        signatureAlgorithm: UInt8, signature: [UInt8]
    ) {
        self.source = source
        self.logID = logID
        self.milliseconds = milliseconds
        self.extensions = extensions
        self.hashAlgorithm = hashAlgorithm
        self.signatureAlgorithm = signatureAlgorithm
        self.signature = signature
    }

    /// When the log saw the certificate, in whole seconds.
    public var time: Timestamp { Timestamp(secondsSinceEpoch: Int64(milliseconds / 1_000)) }
}

import PinChecking
import Pinning

/// The first day of the world of these tests.
let start = Timestamp(secondsSinceEpoch: 1_800_000_000)

/// A moment so many days after the start.
func day(_ number: Int64) -> Timestamp { start.advanced(bySeconds: number * 86_400) }

/// A recorded certificate; its hash follows from everything else.
func recorded(
    _ subject: String, by issuer: String, key: String? = nil, issuerKey: String? = nil, type: String = "EC P-256",
    names: [String] = [], from: Int64 = 0, to: Int64 = 90, edition: Int = 0
) -> Snapshot.Certificate {
    Snapshot.Certificate(
        subject: subject, issuer: issuer, issuerKeyID: issuerKey, names: names, notBefore: day(from), notAfter: day(to),
        key: type, spkiSHA256: "sha256/" + (key ?? subject),
        certificateSHA256:
            "\(subject)|\(issuer)|\(key ?? "")|\(issuerKey ?? "")|\(type)|\(from)|\(to)|\(names)|\(edition)")
}

/// An endpoint that serves `chain`.
func endpoint(
    of target: String = "api.example.com:443", connect: String? = nil, peer: String? = nil,
    _ chain: Snapshot.Certificate...
) -> Snapshot.Endpoint {
    let name = String(target.split(separator: ":")[0])
    return Snapshot.Endpoint(
        Snapshot.Key(target: target, connect: connect, sni: name, verifyName: name), peer: peer, chain: chain)!
}

/// A certificate as the procedures know it, with hashes that follow from `number`; another `edition` has the same key.
func certificate(
    _ subject: String, by issuer: String? = nil, number: UInt8, edition: UInt8 = 0, from: Int64 = 0, to: Int64 = 90
) -> Certificate {
    let digest = SHA256Digest(bytes: [UInt8](repeating: number, count: 32))!
    return Certificate(
        der: [number, edition], fingerprint: SHA256Digest(bytes: [UInt8](repeating: number ^ edition << 4, count: 32))!,
        publicKey: PublicKey(
            subjectPublicKeyInfo: [number], spkiSHA256: digest, algorithm: .ec(curve: "P-256", bits: 256)),
        subject: subject, issuer: issuer ?? subject, commonName: nil, serialNumber: "01", notBefore: day(from),
        notAfter: day(to), names: [], basicConstraints: nil, keyUsage: nil, extendedKeyUsage: nil,
        subjectKeyIdentifier: nil, authorityKeyIdentifier: nil, isSelfIssued: issuer == nil,
        signatureAlgorithm: "ecdsa-with-SHA256")
}

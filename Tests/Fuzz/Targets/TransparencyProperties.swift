import Pinning
import X509

/// What holds for what comes beside a certificate or inside of it: signed certificate timestamps, places, OCSP responses.
enum TransparencyProperties {
    /// A moment at which the certificates of the corpus are valid.
    private static let time = Timestamp(secondsSinceEpoch: 1_800_000_000)

    /// Reads `bytes` as a list of timestamps, and as a certificate with one.
    static func checkTimestamps(_ bytes: [UInt8]) throws(Violation) {
        let timestamps = EmbeddedTimestamps.timestamps(in: bytes)
        try Violation.unless(timestamps.count <= EmbeddedTimestamps.limit, "\(timestamps.count) timestamps")
        let evidence = LeafEvidence(timestamps: timestamps, at: time)
        try Violation.unless(evidence.logs <= timestamps.count, "\(evidence.logs) logs")
        guard let certificate = try? CertificateReader.certificate(der: bytes) else { return }
        _ = EmbeddedTimestamps.of(certificate)
        let tried = Platform.triedPlaces(of: IssuerPlaces.named(by: certificate))
        try Violation.unless(tried.count <= 3 && tried.allSatisfy { $0.hasPrefix("http://") }, "places \(tried)")
    }

    /// Reads a leaf, its issuer and an OCSP response, one after the other.
    static func checkStaple(_ bytes: [UInt8]) throws(Violation) {
        var rest = bytes[...]
        guard let leaf = certificate(&rest), let issuer = certificate(&rest) else { return }
        let staple = StapleReader.read(Array(rest), leaf: leaf, issuer: issuer, time: time)
        if case .unusable(let why) = staple { try Violation.unlessMessage(why) }
    }

    private static func certificate(_ rest: inout ArraySlice<UInt8>) -> Certificate? {
        guard rest.count >= 4, rest.first == 0x30, rest[rest.startIndex + 1] == 0x82 else { return nil }
        let length = 4 + Int(rest[rest.startIndex + 2]) << 8 + Int(rest[rest.startIndex + 3])
        let der = Array(rest.prefix(length))
        rest = rest.dropFirst(length)
        return try? CertificateReader.certificate(der: der)
    }
}

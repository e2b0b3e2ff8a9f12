import PinFormats
import Pinning
import X509

/// What holds for what comes beside a certificate or inside of it: signed certificate timestamps, places, OCSP responses.
enum TransparencyProperties {
    /// A moment at which the certificates of the corpus are valid.
    private static let time = Timestamp(secondsSinceEpoch: 1_800_000_000)

    /// Reads `bytes` as a list of timestamps, and as a certificate with one.
    static func checkTimestamps(_ bytes: [UInt8]) throws(Violation) {
        for source in SignedCertificateTimestamp.Source.allCases {
            try check { () throws(TransparencyError) in try TimestampListReader.read(bytes, from: source) }
        }
        guard let certificate = try? CertificateReader.certificate(der: bytes) else { return }
        try check { () throws(TransparencyError) in try TimestampListReader.embedded(in: certificate) }
        let tried = IssuerFetching.triedPlaces(of: IssuerPlaces.named(by: certificate))
        try Violation.unless(tried.count <= 3 && tried.allSatisfy { $0.hasPrefix("http://") }, "places \(tried)")
    }

    private static func check(_ read: () throws(TransparencyError) -> TimestampList?) throws(Violation) {
        let list: TimestampList?
        do throws(TransparencyError) { list = try read() } catch {
            return try Violation.unlessMessage(error.description)
        }
        guard let list else { return }
        try Violation.unless(list.timestamps.count + list.unreadable > 0, "a list without timestamps")
        let start = Timestamp(secondsSinceEpoch: 1_700_000_000)
        for rule in TransparencyRule.allCases {
            let judgement = rule.judge(list.timestamps, notBefore: start, notAfter: time, at: time)
            guard case .enough(let count) = judgement else { continue }
            try Violation.unless(count.logs >= 2 && count.logs <= list.timestamps.count, "\(judgement)")
        }
    }

    /// Reads a leaf, its issuer and an OCSP response, one after the other.
    static func checkStaple(_ bytes: [UInt8]) throws(Violation) {
        var rest = bytes[...]
        guard let leaf = certificate(&rest), let issuer = certificate(&rest) else { return }
        do throws(StapleError) { _ = try StapleReader.read(Array(rest), leaf: leaf, issuer: issuer, time: time) } catch
        { try Violation.unlessMessage(error.description) }
    }

    /// Reads `bytes` as a list of logs.
    static func checkLogs(_ bytes: [UInt8]) throws(Violation) {
        let list: TransparencyLogs
        do throws(PinFormatError) { list = try LogListReader.list(bytes, named: "logs.json") } catch {
            return try Violation.unlessMessage(error.description)
        }
        try Violation.unless(!list.logs.isEmpty, "a list without logs")
        for (identifier, log) in list.logs {
            try Violation.unless(Hashing.sha256(log.key) == identifier, "a log under another's name")
            try Violation.unlessMessage(log.name + ".")
        }
    }

    private static func certificate(_ rest: inout ArraySlice<UInt8>) -> Certificate? {
        guard rest.count >= 4, rest.first == 0x30, rest[rest.startIndex + 1] == 0x82 else { return nil }
        let length = 4 + Int(rest[rest.startIndex + 2]) << 8 + Int(rest[rest.startIndex + 3])
        let der = Array(rest.prefix(length))
        rest = rest.dropFirst(length)
        return try? CertificateReader.certificate(der: der)
    }
}

import Pinning
import X509

/// What holds for paths through certificates.
enum ChainProperties {
    /// A moment at which the certificates of the corpus are valid.
    private static let time = Timestamp(secondsSinceEpoch: 1_800_000_000)
    /// So many certificates are one more than any real chain has.
    private static let most = 6

    /// Reads certificates, one after the other, and looks for paths from the first to the last.
    static func check(_ bytes: [UInt8]) throws(Violation) {
        let certificates = read(bytes)
        guard let leaf = certificates.first, let anchor = certificates.last else { return }
        for policy in [TrustPolicy.sslServer(name: ReferenceName("api.example.com")), .basicX509] {
            let others = Array(certificates.dropFirst())
            let findings = try findings(leaf, others, [anchor], policy)
            for path in findings.validPaths {
                try Violation.unless(path.first == leaf && path.last == anchor, "a path between others")
                try Violation.unless(path.allSatisfy(certificates.contains), "a path through others")
            }
            for failure in findings.failures { try Violation.unlessMessage(failure.description) }
            let reversed = try self.findings(leaf, others.reversed(), [anchor], policy)
            try Violation.unless(
                findings.validPaths.isEmpty == reversed.validPaths.isEmpty, "the order of the certificates counts")
        }
    }

    private static func findings(
        _ leaf: Certificate, _ others: [Certificate], _ anchors: [Certificate], _ policy: TrustPolicy
    ) throws(Violation) -> PathFindings {
        guard let presented = PresentedChain([leaf] + others) else { throw Violation("no chain") }
        let findings = OpenSSLPathVerifier(trustStore: TrustStore(anchors: [])).findPaths(
            PathQuestion(presented: presented, anchors: .only(anchors), policy: policy, time: time))
        try Violation.unless(
            findings.validPaths.isEmpty != findings.failures.isEmpty,
            "\(findings.validPaths.count) paths and \(findings.failures.count) failures")
        return findings
    }

    /// The certificates that stand one after the other, up to the first that is none.
    private static func read(_ bytes: [UInt8]) -> [Certificate] {
        var certificates: [Certificate] = []
        var rest = bytes[...]
        while certificates.count < most, rest.count >= 4, rest.first == 0x30, rest[rest.startIndex + 1] == 0x82 {
            let length = 4 + Int(rest[rest.startIndex + 2]) << 8 + Int(rest[rest.startIndex + 3])
            guard let certificate = try? CertificateReader.certificate(der: Array(rest.prefix(length))) else { break }
            certificates.append(certificate)
            rest = rest.dropFirst(length)
        }
        return certificates
    }
}

internal import PinFormats
internal import Pinning
internal import X509

/// What rules know beside the source they look at.
struct LintScene {
    let linter: Linter
    let suffixes = SystemPublicSuffixList()
    /// The whole keys behind pins, from whichever source has them.
    let publicKeys: [SHA256Digest: PublicKey]

    init(_ linter: Linter, _ sources: [LintSource]) {
        self.linter = linter
        var keys: [SHA256Digest: PublicKey] = [:]
        for inspection in sources.flatMap(\.inspections) {
            keys.merge(inspection.publicKeys) { old, _ in old }
            for certificate in inspection.pins.compactMap(\.certificate) {
                keys[certificate.publicKey.spkiSHA256] = certificate.publicKey
            }
        }
        publicKeys = keys
    }

    /// Whether `time` is past.
    func isPast(_ time: Timestamp) -> Bool { time < linter.now }

    /// Whether the end of a certificate is to come and near.
    func isNearEnd(of certificate: Certificate) -> Bool {
        !isPast(certificate.notAfter)
            && linter.warnBefore.isReached(at: linter.now, from: certificate.notBefore, to: certificate.notAfter)
    }

    /// Whether a date from which on pins do not count is to come and near; they have no beginning to be a part of.
    func isNear(expiration time: Timestamp) -> Bool {
        guard case .seconds = linter.warnBefore else { return false }
        return !isPast(time) && linter.warnBefore.isReached(at: linter.now, from: linter.now, to: time)
    }

    /// Whether the user said that one of these clients ships the pins.
    func isFor(_ clients: String...) -> Bool { clients.contains { linter.clients.contains($0) } }
}

/// One rule, or rules of one subject.
protocol LintRule: Sendable {
    /// What the rule finds in one source.
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding]
}

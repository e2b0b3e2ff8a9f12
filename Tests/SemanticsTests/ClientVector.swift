import LoopbackLab
import Pinning
import Testing

/// One row of the decision table (Pinning's article of that name) about a client with settings of its own.
struct ClientVector: Sendable, CustomTestStringConvertible {
    let number: String
    let client: any ClientProcedure
    let scene: Scene
    /// The stable id of the reason the verdict must have.
    let reason: String

    init(_ number: String, _ client: any ClientProcedure, _ scene: Scene, _ reason: String) {
        self.number = number
        self.client = client
        self.scene = scene
        self.reason = reason
    }

    var testDescription: String { "vector \(number)" }

    /// What the client decides, which must be the reason of the row.
    @discardableResult func check(sourceLocation: SourceLocation = #_sourceLocation) throws -> Verdict {
        let verdict = try scene.verdict(of: client)
        #expect(verdict.reason.id == reason, "vector \(number): \(verdict.trace)", sourceLocation: sourceLocation)
        #expect(verdict.trace.map(\.number) == verdict.trace.indices.map { $0 + 1 }, sourceLocation: sourceLocation)
        let hasFailedStep = verdict.trace.contains { $0.status == .fail }
        let isReportOnly = verdict.reason == .mismatchNotEnforced
        #expect(isReportOnly || hasFailedStep != verdict.isAccepted, "\(verdict.trace)", sourceLocation: sourceLocation)
        return verdict
    }
}

extension Scene {
    /// The ordinary case: the server of the standard world, its chain and its name, with its root on the device.
    static func ordinary(
        pins: [LabCertificate] = [], presented: [LabCertificate]? = nil, system: [LabCertificate]? = nil,
        host: String? = StandardPKI.serverName, hashes: Bool = true
    ) -> Scene {
        Scene(
            pins: pins, pinsAreHashes: hashes, presented: presented ?? [pki.leaf, pki.interA],
            system: system ?? [pki.rootA], host: host)
    }
}

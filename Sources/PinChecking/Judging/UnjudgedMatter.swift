import Pinning
import X509

/// What devices decide by and nobody here does.
package enum UnjudgedMatter: String, CaseIterable, Sendable {
    /// Revocation that is asked for over the network.
    case revocation
    /// Which logs signed certificate timestamps are from.
    case transparencyLogs
    /// Roots that management or a user puts on a device.
    case managedRoots
}

extension ChainJudgement {
    /// What is not judged and can matter for the chain at hand; nothing for a path that is only assumed.
    package var unjudged: [UnjudgedMatter] { UnjudgedMatter.allCases.filter(canMatter) }

    /// The judgements of clients whose device looks at more than OpenSSL does.
    private var onDevices: [Judgement] {
        judgements.filter { judgement in
            guard let platform = judgement.client.entry.platform else { return false }
            return platform != .openssl
        }
    }

    private func canMatter(_ matter: UnjudgedMatter) -> Bool {
        let accepting = onDevices.filter { $0.decided.isAccepted && !$0.decided.restsOn.isEmpty }
        switch matter {
        case .revocation:
            return !accepting.isEmpty && observation.evidence?.staple != .good
                && RevocationPlaces.areNamed(by: observation.presented.leaf)
        case .transparencyLogs:
            guard observation.evidence?.timestamps.isEmpty == false else { return false }
            return accepting.contains { judgement in
                judgement.decided.restsOn.contains { path in
                    path.certificates.last.map(judgement.device.verifier.isPublicRoot) ?? false
                }
            }
        case .managedRoots:
            return !findings.contains { $0.id == Finding.interceptorID }
                && onDevices.contains { judgement in
                    // What Android trusts is for the app's configuration to say.
                    judgement.client.entry.platform != .android && judgement.decided.isMissingAnchor
                }
        }
    }
}

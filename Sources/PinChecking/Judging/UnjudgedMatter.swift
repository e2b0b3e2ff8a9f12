import Pinning
import X509

/// What devices decide by and nobody here does.
package enum UnjudgedMatter: String, CaseIterable, Sendable {
    case revocation
    /// Which logs signed certificate timestamps are from.
    case transparencyLogs
    /// Roots that management or a user puts on a device.
    case managedRoots
}

extension JudgedChain {
    /// What is not judged and can matter for the chain at hand; nothing for a path that is only assumed.
    package var unjudged: [UnjudgedMatter] { UnjudgedMatter.allCases.filter(canMatter) }

    /// The verdicts of clients whose device looks at more than OpenSSL does.
    private var onDevices: [(client: ClientVerdict, verdict: Verdict)] {
        clients.compactMap { one in
            guard let platform = one.client.client.platform, platform != .openssl else { return nil }
            return one.decided.map { (one, $0) }
        }
    }

    private func canMatter(_ matter: UnjudgedMatter) -> Bool {
        let accepting = onDevices.filter { $0.verdict.isAccepted && !$0.verdict.restsOn.isEmpty }
        switch matter {
        case .revocation:
            return !accepting.isEmpty && view.evidence?.staple != .good
                && RevocationPlaces.areNamed(by: view.presented.leaf)
        case .transparencyLogs:
            guard view.evidence?.timestamps.isEmpty == false else { return false }
            return accepting.contains { client, verdict in
                verdict.restsOn.contains { path in
                    path.certificates.last.map(client.judgedDevice.verifier.isPublicRoot) ?? false
                }
            }
        case .managedRoots:
            return !findings.contains { $0.id == Finding.interceptorID }
                && onDevices.contains { client, verdict in
                    // What Android trusts is for the app's configuration to say.
                    client.client.client.platform != .android && verdict.isMissingAnchor
                }
        }
    }
}

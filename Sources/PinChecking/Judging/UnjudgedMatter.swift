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
    package var unjudged: [UnjudgedMatter] {
        // The verdicts of clients whose device looks at more than OpenSSL does.
        let onDevices = clients.compactMap { one -> (client: ClientVerdict, verdict: Verdict)? in
            guard let platform = one.client.client.platform, platform != .openssl else { return nil }
            return one.decided.map { (one, $0) }
        }
        let accepting = onDevices.filter { $0.verdict.isAccepted && !$0.verdict.restsOn.isEmpty }
        return UnjudgedMatter.allCases.filter { matter in
            switch matter {
            case .revocation:
                !accepting.isEmpty && view.evidence?.staple != .good
                    && RevocationPlaces.areNamed(by: view.presented.leaf)
            case .transparencyLogs:
                view.evidence?.timestamps.isEmpty == false
                    && accepting.contains { client, verdict in
                        verdict.restsOn.contains { path in
                            path.certificates.last.map(client.judgedDevice.verifier.isPublicRoot) ?? false
                        }
                    }
            case .managedRoots:
                // What Android trusts is for the app's configuration to say.
                !findings.contains { $0.id == Finding.interceptorID }
                    && onDevices.contains { $0.client.client.client.platform != .android && $0.verdict.isMissingAnchor }
            }
        }
    }
}

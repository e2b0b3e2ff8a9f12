extension TrustResult {
    /// The same with the chain that Android's clients look at: from a trusted certificate that is not self-signed they go on, as far as
    /// valid paths lead (`TrustManagerImpl.checkTrustedRecursive`, OkHttp's `BasicCertificateChainCleaner`).
    var goingOnThroughAnchors: TrustResult {
        guard case .trusted(let preferred, let alternatives) = self,
            let longest = alternatives.filter({ $0.certificates.starts(with: preferred.certificates) }).max(by: {
                $0.certificates.count < $1.certificates.count
            })
        else { return self }
        return .trusted(preferred: longest, alternatives: [preferred] + alternatives.filter { $0 != longest })
    }
}

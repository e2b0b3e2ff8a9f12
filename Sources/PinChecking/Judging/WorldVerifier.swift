import Pinning
import X509

/// Verifies paths in a world by today's: real certificates are searched for, assumed ones are put on today's paths.
struct WorldVerifier: PathVerifier {
    let real: RememberingVerifier
    let today: ServerView
    let world: World

    func issuerPlaces(of certificate: Certificate) -> [String] {
        certificate.isAssumed ? [] : real.issuerPlaces(of: certificate)
    }
    func holdsAnchor(like certificate: Certificate) -> Bool {
        !certificate.isAssumed && real.holdsAnchor(like: certificate)
    }

    func findPaths(_ question: PathQuestion) -> PathFindings {
        var asked = question
        switch world.paths {
        case .searched(let issuer, _): return searched(question, orBelow: issuer)
        case .changed(let absent, let change):
            (asked.presented, asked.time, asked.evidence) = (today.presented, today.time, today.evidence)
            asked.anchors = question.anchors.without(absent)
            let found = real.findPaths(asked)
            let paths = change(question, found.validPaths)
            return judge(paths, question, found.failures, efforts: paths + change(question, found.bestEfforts))
        case .below(let authority):
            (asked.presented, asked.policy, asked.evidence) = (authority, .basicX509, nil)
            asked.anchors = question.anchors.without([today.presented.leaf.fingerprint])
            let found = real.findPaths(asked)
            let failures = found.failures.map { failure in
                let reason = failure.reason == .selfSigned ? .untrustedRoot : failure.reason
                return TrustFailure(reason, at: failure.depth + 1, of: failure.certificate)
            }
            func below(_ paths: [[Certificate]]) -> [[Certificate]] { paths.map { [world.presented.leaf] + $0 } }
            return judge(
                below(found.validPaths), question, failures, efforts: below(found.validPaths + found.bestEfforts))
        }
    }

    private func searched(_ question: PathQuestion, orBelow issuer: Certificate) -> PathFindings {
        let leaf = world.presented.leaf
        let unknown = TrustFailure(.unknownIssuer, at: 0, of: leaf)
        let found =
            leaf.isAssumed
            ? PathFindings(validPaths: [], failures: [unknown], bestEfforts: [[leaf]]) : real.findPaths(question)
        guard found.validPaths.isEmpty, !found.failures.isEmpty,
            found.failures.allSatisfy({ $0.reason == .unknownIssuer }), question.anchors.holds(issuer)
        else { return found }
        return judge([[leaf, issuer]], question, [], efforts: [[leaf, issuer]])
    }

    /// Drops paths that have ended, and those with an assumed certificate refused by the platform.
    private func judge(
        _ paths: [[Certificate]], _ question: PathQuestion, _ failures: [TrustFailure], efforts: [[Certificate]]
    ) -> PathFindings {
        var (valid, against): ([[Certificate]], [TrustFailure]) = ([], [])
        for path in paths where !valid.contains(path) {
            let objections = ended(path, question) + objections(to: path, question)
            if objections.isEmpty { valid.append(path) } else { against += objections }
        }
        guard valid.isEmpty else { return PathFindings(validPaths: valid, failures: [], bestEfforts: []) }
        against += against.isEmpty ? failures : []
        return PathFindings(
            validPaths: [],
            failures: against.isEmpty ? [TrustFailure(.unknownIssuer, at: 0, of: world.presented.leaf)] : against,
            bestEfforts: efforts)
    }

    /// The CAs of a path that end before the world's time; an anchor counts only if the platform checks it.
    private func ended(_ path: [Certificate], _ question: PathQuestion) -> [TrustFailure] {
        guard world.presented.leaf.isAssumed else { return [] }
        let looksAtAnchors = question.platform?.judgesAnchors ?? true
        return path.enumerated().dropFirst().filter { depth, certificate in
            certificate.notAfter < world.time && (looksAtAnchors || depth < path.count - 1)
        }.map { TrustFailure(.expired, at: $0, of: $1) }
    }

    /// The platform's objections to a path with an assumed certificate; without a platform, OpenSSL's.
    ///
    /// The certificates above a leaf on a path of today were judged with that path.
    private func objections(to path: [Certificate], _ question: PathQuestion) -> [TrustFailure] {
        guard question.policy != .basicX509, path.contains(where: \.isAssumed), let anchor = path.last else {
            return []
        }
        // The timestamps to demand depend on an issuer that is not known.
        var evidence = question.evidence
        if case .searched = world.paths { evidence = nil }
        let objections = (question.platform ?? .openssl).objections(
            to: path, firstAnchor: path.count - 1, findings: [], under: question.policy, evidence: evidence
        ) {
            if case .searched(_, let anchorClass) = world.paths { return anchorClass }
            return real.anchorClass(of: anchor, question.anchors)
        }
        if case .below = world.paths { return objections }
        return objections.filter { $0.depth == 0 }
    }
}

extension Anchors {
    /// `true` if the roots of the device count, which it learns and loses.
    var hasTrustStore: Bool { if case .only = self { false } else { true } }

    /// `true` if a path may end at a certificate; the roots of a device are assumed to contain it.
    fileprivate func holds(_ certificate: Certificate) -> Bool {
        if case .only(let all) = self { all.contains(certificate) } else { true }
    }

    fileprivate func without(_ absent: Set<SHA256Digest>) -> Anchors {
        func rest(_ certificates: [Certificate]) -> [Certificate] {
            certificates.filter { !absent.contains($0.fingerprint) }
        }
        return switch self {
        case .trustStore: self
        case .trustStoreAnd(let certificates): .trustStoreAnd(rest(certificates))
        case .only(let certificates): .only(rest(certificates))
        }
    }
}

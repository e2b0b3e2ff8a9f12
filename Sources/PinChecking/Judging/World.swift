import Base
import Pinning
import X509

/// A server on another day: real certificates' paths are searched for, and assumed ones are put on today's paths.
struct World: PathVerifier {
    enum Paths {
        /// A search; a leaf that is assumed or lacks only its issuer is below this certificate, an assumed anchor.
        case search(orBelow: Certificate)
        /// A change of today's paths. The certificates with the fingerprints in `absent` are not anchors in the world.
        case changed(absent: Set<SHA256Digest> = [], @Sendable (PathQuestion, [[Certificate]]) -> [[Certificate]])
        /// A search for the paths of a CA's certificates, with the assumed leaf below them.
        case below(PresentedChain)
    }

    let forecaster: Forecaster
    let presented: PresentedChain
    let time: Timestamp
    let paths: Paths

    private var real: RememberingVerifier { forecaster.real }
    private var today: ServerView { forecaster.today }

    func issuerPlaces(of certificate: Certificate) -> [String] {
        certificate.isAssumed ? [] : real.issuerPlaces(of: certificate)
    }
    func holdsAnchor(like certificate: Certificate) -> Bool {
        !certificate.isAssumed && real.holdsAnchor(like: certificate)
    }

    func findPaths(_ question: PathQuestion) -> PathFindings {
        var asked = question
        switch paths {
        case .search(let issuer): return search(question, orBelow: issuer)
        case .changed(let absent, let change):
            (asked.presented, asked.time, asked.evidence) = (today.presented, today.time, today.evidence)
            asked.anchors.own.removeAll { absent.contains($0.fingerprint) }
            // No search finds paths of today that contain assumed certificates.
            let assumed = forecaster.verdict.restsOn.map(\.certificates).filter { $0.contains(where: \.isAssumed) }
            var found = assumed.isEmpty ? real.findPaths(asked) : PathFindings(validPaths: assumed)
            if assumed.isEmpty, question.platform?.buildsOnePath == true {
                // OpenSSL builds on above a leaf that is an anchor, to issuers that need not be anchors.
                found.validPaths.removeAll { !isAnchored($0, at: asked.anchors, without: absent) }
            }
            let paths = change(question, found.validPaths)
            return judge(paths, question, found.failures, efforts: paths + change(question, found.bestEfforts))
        case .below(let authority):
            (asked.presented, asked.policy, asked.evidence) = (authority, .basicX509, nil)
            asked.anchors.own.removeAll { $0.fingerprint == today.presented.leaf.fingerprint }
            let found = real.findPaths(asked)
            let failures = found.failures.map { failure in
                let reason = failure.reason == .selfSigned ? .untrustedRoot : failure.reason
                return TrustFailure(reason, at: failure.depth + 1, of: failure.certificate)
            }
            func below(_ paths: [[Certificate]]) -> [[Certificate]] { paths.map { [presented.leaf] + $0 } }
            return judge(
                below(found.validPaths), question, failures, efforts: below(found.validPaths + found.bestEfforts))
        }
    }

    private func isAnchored(_ path: [Certificate], at anchors: Anchors, without absent: Set<SHA256Digest>) -> Bool {
        path.reversed().contains { certificate in
            guard !absent.contains(certificate.fingerprint) else { return false }
            return anchors.own.contains(certificate) || anchors.includesTrustStore && holdsAnchor(like: certificate)
        }
    }

    private func search(_ question: PathQuestion, orBelow issuer: Certificate) -> PathFindings {
        let leaf = presented.leaf
        // Nothing found means an unknown issuer of the leaf.
        let found = leaf.isAssumed ? PathFindings() : real.findPaths(question)
        guard found.validPaths.isEmpty, found.failures.allSatisfy({ $0.reason == .unknownIssuer }),
            question.anchors.includesTrustStore || question.anchors.own.contains(issuer)
        else { return found }
        return judge([[leaf, issuer]], question, [], efforts: [[leaf, issuer]])
    }

    private func judge(
        _ paths: [[Certificate]], _ question: PathQuestion, _ failures: [TrustFailure], efforts: [[Certificate]]
    ) -> PathFindings {
        var (valid, against): ([[Certificate]], [TrustFailure]) = ([], [])
        for path in paths where !valid.contains(path) {
            let objections = expiryFailures(path) + objections(to: path, question)
            if objections.isEmpty { valid.append(path) } else { against += objections }
        }
        guard valid.isEmpty else { return PathFindings(validPaths: valid) }
        return PathFindings(failures: against.isEmpty ? failures : against, bestEfforts: efforts)
    }

    private func expiryFailures(_ path: [Certificate]) -> [TrustFailure] {
        guard presented.leaf.isAssumed else { return [] }
        return forecaster.dated(path).enumerated().dropFirst().filter { $1.notAfter < time }.map {
            TrustFailure(.expired, at: $0, of: $1)
        }
    }

    /// The objections of the platform, else OpenSSL, to assumed certificates; today's CAs were judged on their path.
    private func objections(to path: [Certificate], _ question: PathQuestion) -> [TrustFailure] {
        guard question.policy != .basicX509, path.contains(where: \.isAssumed), let anchor = path.last else {
            return []
        }
        // The required timestamps depend on an issuer that is not known yet.
        var evidence = question.evidence
        if case .search = paths { evidence = nil }
        var findings: [TrustFailure] = []
        if case .below = paths {
            let name = today.referenceName.serverName
            findings = real.verifier.objections(toIssuingFor: name, below: Array(path.dropFirst()))
        }
        let objections = (question.platform ?? .openssl).objections(
            to: path, firstAnchor: path.count - 1, findings: findings, under: question.policy, evidence: evidence
        ) {
            if case .search = paths { return forecaster.policy.assumedClass }
            return real.verifier.anchorClass(of: anchor, question.anchors)
        }
        if case .below = paths { return objections }
        return objections.filter { $0.depth == 0 }
    }
}

/// A fact that a forecast takes for granted, as reports name it.
package enum Assumption: String, CaseIterable {
    /// The server sends today's intermediates with a certificate.
    case intermediates
    case issuer
    /// The certificate is issued, with dates and purposes that clients accept.
    case certificate
    case name
    /// The certificate is deployed when it is already valid.
    case time
    /// The certificate has as many timestamps as clients count.
    case timestamps
}

extension Certificate {
    /// `true` if it exists only in a world: such a certificate has no encoding.
    var isAssumed: Bool { der.isEmpty }

    /// `true` if the certificate only contains a backup key: no CA issued it to a server.
    var isContainer: Bool { isSelfIssued && (!isCA || !names.isEmpty) }

    /// The usual time of renewal: after two thirds of the lifetime, or half of one of up to ten days (Certbot 4.0).
    var renewalPoint: Timestamp {
        let lifetime = notBefore.seconds(to: notAfter)
        return notBefore.advanced(bySeconds: lifetime <= 10 * 86_400 ? lifetime / 2 : lifetime / 3 * 2)
    }

    static func ordinary(for name: ReferenceName, key: PublicKey, at time: Timestamp) -> Certificate {
        Certificate(
            der: [], fingerprint: identity("leaf", key, time), publicKey: key, subject: "the certificate to come",
            issuer: "", notBefore: time, notAfter: time.advanced(bySeconds: 90 * 86_400),
            names: name.serverName.map { [.dns($0.description)] } ?? [], keyUsage: ["digitalSignature"],
            extendedKeyUsage: ["serverAuth"], signatureAlgorithm: "ecdsa-with-SHA256")
    }

    static func assumedIssuer(like model: Certificate, key: PublicKey, at time: Timestamp) -> Certificate {
        Certificate(
            der: [], fingerprint: identity("CA", key, time), publicKey: key, subject: "(an issuer to come)",
            issuer: model.issuer, notBefore: time, notAfter: Timestamp(secondsSinceEpoch: .max), names: [],
            isCertificateAuthority: true, signatureAlgorithm: model.signatureAlgorithm)
    }

    /// The fingerprint of an assumed certificate, which no pinned certificate has.
    static func identity(_ role: String, _ key: PublicKey, _ time: Timestamp) -> SHA256Digest {
        Hashing.sha256("\(role) \(key.spkiSHA256) \(time.secondsSinceEpoch)".bytes)
    }
}

extension PublicKey {
    /// A key of which only the hash is known, with the algorithm and encoding of this one.
    func standIn(_ hash: SHA256Digest) -> PublicKey {
        PublicKey(subjectPublicKeyInfo: subjectPublicKeyInfo, spkiSHA256: hash, algorithm: algorithm)
    }

    var unknown: PublicKey { standIn(Hashing.sha256("a key that nobody pinned".bytes)) }
}

extension HostPolicy {
    /// A client's verdicts on a future leaf: below an unpinned issuer, and below today's issuers or a known pinned CA;
    /// `countsAll` is `true` if the client counts matches on all certificates of a path, whose number is not known.
    typealias NextForecast = (unpinned: Verdict, pinned: Verdict?, countsAll: Bool, after: (Verdict) -> Forecaster)

    func nextForecast(
        of key: PublicKey, _ certificate: Certificate?, by client: ConfiguredClient, _ procedure: any ClientProcedure,
        on place: Int, beside served: PresentedChain?, for name: ReferenceName, at time: Timestamp
    ) -> NextForecast {
        let device = devices[place]
        let today = served ?? PresentedChain(.ordinary(for: name, key: key, at: time))
        let view = ServerView(
            presented: today, referenceName: name, time: time, fetchable: fetchable, release: device.release)
        let nothing = Verdict(
            reason: .pinMismatch, disposition: .cancelAuthenticationChallenge, trace: [], builtChain: .unverified([]),
            restsOn: [], matches: [])
        let forecaster = Forecaster(
            nothing, of: client, procedure, in: self, on: device,
            by: RememberingVerifier(client.trustsInstalledRoots ? device.verifierWithInstalledRoots : device.verifier),
            view)
        let presented = certificate.map { PresentedChain($0) } ?? forecaster.assumedLeaf(key, at: time)
        let below = { (issuer: Certificate) in forecaster.forecast(presented, at: time, .search(orBelow: issuer)) }
        func after(_ verdict: Verdict) -> Forecaster { forecaster.after(verdict, on: presented, at: time) }
        func issuer(_ key: PublicKey) -> Certificate { .assumedIssuer(like: presented.leaf, key: key, at: time) }
        let unpinned = below(issuer(key.unknown))
        let conditions = forecaster.comparison.conditions
        let countsAll = conditions.contains { $0.place == .everywhere }
        if served != nil, certificate == nil { return (unpinned, forecaster.renewal(key, at: time), countsAll, after) }
        let atCAs = Set(conditions.filter { $0.place == .authorities }.flatMap(\.pins))
        let cas = forecaster.pins.enumerated().lazy.compactMap { index, pin -> Certificate? in
            if let own = pin.certificate { return own.isCA ? own : nil }
            guard atCAs.contains(index) || forecaster.knownCAs(pin.spkiSHA256) != nil else { return nil }
            return issuer(key.standIn(pin.spkiSHA256))
        }
        return (unpinned, cas.prefix(64).map(below).first(where: \.isAccepted), countsAll, after)
    }

    func lacksIssuer(_ chain: PresentedChain, for name: ReferenceName, at time: Timestamp) -> Bool {
        let question = question(chain, intermediates, for: name, at: time)
        return devices.allSatisfy { $0.verifier.evaluate(question).failures.lackIssuer }
    }

    /// The CAs on today's path of a server, nearest to the leaf first; empty if it is not trusted.
    func issuers(of served: PresentedChain, for name: ReferenceName, at time: Timestamp) -> [Certificate] {
        let question = question(served, [], for: name, at: time)
        let answers = devices.lazy.map { $0.verifier.evaluate(question) }
        return answers.first(where: \.isTrusted).map { Array($0.builtChain.certificates.dropFirst()) } ?? []
    }

    private func question(
        _ chain: PresentedChain, _ known: [Certificate], for name: ReferenceName, at time: Timestamp
    ) -> PathQuestion {
        PathQuestion(
            presented: chain, intermediates: known, anchors: Anchors(configuredAnchors, includesTrustStore: true),
            policy: .sslServer(name: name), time: time)
    }

    var countsTimestamps: Bool {
        running.contains { $0.procedure.platform(on: $0.device.release)?.countsTimestamps == true }
    }
}

extension [TrustFailure] {
    var lackIssuer: Bool { contains { $0.reason == .unknownIssuer } && allSatisfy(\.isMissingAnchor) }
}

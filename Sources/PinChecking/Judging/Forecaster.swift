import Base
import PinFormats
import Pinning
import X509

/// Judges future worlds as one client on one device, starting from its verdict of today.
final class Forecaster: Sendable {
    let policy: HostPolicy
    let client: ConfiguredClient
    let procedure: any ClientProcedure
    let device: JudgedDevice
    let real: RememberingVerifier
    let today: ServerView
    let verdict: Verdict
    /// The client's comparison of pins, by their positions among its own pins.
    let comparison: PinComparison
    /// The CAs among the given pins, intermediates and roots, found once for all pins.
    let givenCAs: [Certificate]

    init(
        _ verdict: Verdict, of client: ConfiguredClient, _ procedure: any ClientProcedure, in policy: HostPolicy,
        on device: JudgedDevice, by real: RememberingVerifier, _ today: ServerView
    ) {
        (self.verdict, self.client, self.procedure, self.policy) = (verdict, client, procedure, policy)
        (self.device, self.real, self.today) = (device, real, today)
        comparison = procedure.comparison(with: client.pins, for: today.referenceName)
        let given = (policy.pins?.certificates ?? []) + today.fetchable + (policy.givenRoots?.givenCertificates ?? [])
        givenCAs = given.filter(\.isCA)
    }

    var time: Timestamp { today.time }
    var leaf: Certificate { today.presented.leaf }
    var path: [Certificate] { verdict.reach.certificates }
    var pins: [Pin] { client.pins?.pins ?? [] }
    var data: DeviceData { policy.lists?.data ?? .builtIn }
    var platform: Platform? { procedure.platform(on: today.release) }

    /// The matches that fulfil each condition today.
    var holding: [[PinMatch]] { comparison.conditions.map { $0.matches(on: verdict.reach) } }

    /// The paths whose dates count; the built one if the client ignores dates or rejects.
    var datedPaths: [[Certificate]] {
        guard verdict.restsOn.isEmpty else { return verdict.restsOn.map(\.certificates) }
        return [verdict.isAccepted ? path : verdict.builtChain.certificates]
    }

    /// The certificates of a path whose dates count; the anchor's only if the platform checks it.
    func dated(_ path: [Certificate]) -> ArraySlice<Certificate> {
        platform?.judgesAnchors ?? true || path.count < 2 ? path[...] : path.dropLast()
    }

    /// The verdict on a world, not as a ``ClientVerdict``, so that an assumed path cannot pass for today's.
    func forecast(_ presented: PresentedChain, at time: Timestamp, _ paths: World.Paths) -> Verdict {
        var view = today
        (view.presented, view.time, view.refusal) = (presented, time, nil)
        if presented != today.presented { view.evidence = nil }
        if view.evidence == nil, !presented.leaf.isAssumed {
            view.evidence = policy.evidence(of: presented, staple: nil, at: time)
        }
        let world = World(forecaster: self, presented: presented, time: time, paths: paths)
        return procedure.decide(view, pins: client.pins, verifier: world, in: client.app)
    }

    /// Judges the worlds after a deployment that the client accepts.
    func after(_ verdict: Verdict, on presented: PresentedChain, at time: Timestamp) -> Forecaster {
        var view = today
        (view.presented, view.time) = (presented, time)
        return Forecaster(verdict, of: client, procedure, in: policy, on: device, by: real, view)
    }

    /// A leaf like today's with its lifetime, but at most 398 days, which no platform refuses.
    func assumedLeaf(_ key: PublicKey, at time: Timestamp) -> PresentedChain {
        let seconds = min(leaf.notBefore.seconds(to: leaf.notAfter), 398 * 86_400)
        return PresentedChain(
            Certificate(
                der: [], fingerprint: Certificate.identity("leaf", key, time), publicKey: key, subject: leaf.subject,
                issuer: leaf.issuer, commonName: leaf.commonName, notBefore: time,
                notAfter: time.advanced(bySeconds: seconds), names: leaf.names, keyUsage: leaf.keyUsage,
                extendedKeyUsage: leaf.extendedKeyUsage, signatureAlgorithm: leaf.signatureAlgorithm))
    }

    /// The verdict on a leaf renewed at `time` under today's issuers, or under one with the key `issuer` that today's root
    /// or one of `roots` issued; `nil` roots are those that the device has today.
    func renewal(
        _ key: PublicKey, issuer: PublicKey? = nil, at time: Timestamp, learning roots: [Certificate]? = nil
    ) -> Verdict {
        let presented = assumedLeaf(key, at: time)
        let issuer = issuer.map { Certificate.assumedIssuer(like: path.dropFirst().first ?? leaf, key: $0, at: time) }
        let others = issuer == nil ? [] : verdict.certificates + today.presented.certificates
        let absent = Set(([leaf] + others.filter { !$0.isSelfIssued }).map(\.fingerprint))
        let paths = World.Paths.changed(absent: absent) { [self] question, paths in
            let later = changed(paths, question, learning: roots, at: time).filter { $0.count > 1 }
            guard let issuer else { return later.map { [presented.leaf] + $0.dropFirst() } }
            return later.compactMap(\.last).filter { $0.isSelfIssued || roots?.contains($0) == true }.map {
                [presented.leaf, issuer, $0]
            }
        }
        return forecast(presented, at: time, paths)
    }

    /// The verdict on a leaf renewed at `time` by a CA, whose known certificates come first; `nil` without any.
    func renewal(_ key: PublicKey, by authority: [Certificate], at time: Timestamp) -> Verdict? {
        PresentedChain((authority + cas).distinct).map { forecast(assumedLeaf(key, at: time), at: time, .below($0)) }
    }

    var cas: [Certificate] {
        today.presented.certificates.dropFirst() + (client.pins?.certificates ?? []).filter(\.isCA)
    }

    /// The part of the path that keeps the pins matching: the client rejects if it is replaced.
    enum Holder: String {
        case certificate = "the leaf certificate is pinned, and a renewal replaces it"
        case key = "the leaf's key is pinned, and a renewal may bring another"
        case intermediate = "an intermediate is pinned, and a renewal may come from another"
        case root = "the root is pinned, and the server may move to another"
    }

    typealias Ahead = (holder: Holder, until: Timestamp, end: Outlook.End)

    /// The time until which pins that match today are sure to match, even on a device that learns `coming` roots.
    func ahead(_ changes: [RootChange], learning coming: [Certificate]) -> Ahead {
        let expiration = comparison.expiration
        let ends = datedPaths.flatMap { path in
            dated(path).enumerated().map { (path: path, depth: $0, end: $1.notAfter) }
        }
        let first = ends.min { $0.end < $1.end } ?? (path, 0, leaf.notAfter)
        let until = min(first.end, expiration ?? first.end)
        let time = max(until, time)
        let ofCA: Outlook.End = first.depth == first.path.count - 1 ? .rootExpiry : .intermediateExpiry
        let end = first.depth == 0 ? .leafRenewal : ofCA
        if changes.contains(where: { $0.isComing }) { return (.root, self.time, .rootChange) }
        let key = leaf.publicKey
        // A device may have learned and lost roots until then, or not.
        let changed = coming.isEmpty && !isAnyRootLeft(at: time) ? nil : coming
        func isSure(_ renew: ([Certificate]?) -> Verdict) -> Bool {
            renew(nil).holds && (changed == nil || renew(changed).holds)
        }
        if !isSure({ renewal(key, at: time, learning: $0) }) { return (.certificate, until, end) }
        if !isSure({ renewal(key.unknown, at: time, learning: $0) }) { return (.key, until, end) }
        let elsewhere = renewal(key.unknown, issuer: key.unknown, at: time)
        guard isSure({ $0 == nil ? elsewhere : renewal(key.unknown, issuer: key.unknown, at: time, learning: $0) })
        else { return (.intermediate, until, end) }
        // Today's path may end at an intermediate among the anchors, which is on no other path.
        let roots = [path.last, elsewhere.reach.certificates.last { !$0.isAssumed }].compactMap(\.self)
        let root = roots.min { $0.notAfter < $1.notAfter } ?? leaf
        let left = changes.filter { !$0.isComing }.compactMap(\.root.until).min()
        let last = min(left ?? root.notAfter, root.notAfter)
        return (.root, min(last, expiration ?? last), last < root.notAfter ? .rootChange : .rootExpiry)
    }

    /// A root that devices learn (`isComing`) or lose, so that the client rejects today's chain, and the pins of
    /// certificates above the root on today's path.
    typealias RootChange = (root: CARoot, isComing: Bool, pins: [Int])

    /// A certificate below the root on today's path whose key is that of a root, and the root as devices will have it.
    typealias ComingRoot = (root: CARoot, certificate: Certificate, end: Certificate)

    var comingRoots: [ComingRoot] {
        guard verdict.isByPins, device.trust != .anchors else { return [] }
        return verdict.restsOn.flatMap { $0.certificates.dropFirst().dropLast() }.distinct.compactMap { certificate in
            let key = certificate.spkiSHA256
            let listed = data.roots(withKey: key)
            var root = data.publicRoot(withKey: key).flatMap { $0.state == .older ? nil : $0 }
            if root == nil, listed.contains(where: { $0.devices.contains(where: isNewer) }) {
                root = CARoot(certificate.shownName, key, certificate.publicKey.algorithm.description)
            }
            guard let root else { return nil }
            let own = listed.lazy.compactMap { try? CertificateReader.certificate(der: $0.der) }.first
            let pinned = client.pins?.certificates.first { $0.spkiSHA256 == key && $0.isSelfIssued }
            return (
                root, certificate,
                pinned ?? own ?? .assumedIssuer(like: certificate, key: certificate.publicKey, at: time)
            )
        }
    }

    private func isAnyRootLeft(at time: Timestamp) -> Bool {
        device.trust != .anchors
            && (verdict.restsOn.map(\.certificates) + real.otherPaths).contains { isLeft($0.last, at: time) }
    }

    private func isLeft(_ root: Certificate?, at time: Timestamp) -> Bool {
        root.flatMap { data.publicRoot(withKey: $0.spkiSHA256)?.until }.map { $0 <= time } ?? false
    }

    /// Paths of a device that has learned `roots`, at which paths end, and lost the roots that CAs have left by `time`.
    private func changed(
        _ paths: [[Certificate]], _ question: PathQuestion, learning roots: [Certificate]?, at time: Timestamp
    ) -> [[Certificate]] {
        guard let roots, question.anchors.includesTrustStore, device.trust != .anchors else { return paths }
        let ends = Dictionary(roots.map { ($0.spkiSHA256, $0) }) { first, _ in first }
        let cut = paths.compactMap { path -> [Certificate]? in
            let depth = path.indices.dropFirst().dropLast().first { ends[path[$0].spkiSHA256] != nil }
            guard let depth, let end = ends[path[depth].spkiSHA256] else { return nil }
            return path[..<depth] + [end]
        }
        let left = paths.filter { isLeft($0.last, at: time) }
        return cut + (left.count == paths.count ? paths : paths.filter { !left.contains($0) })
    }

    func rootChanges(_ coming: [ComingRoot]) -> [RootChange] {
        guard verdict.isAccepted, device.trust != .anchors else { return [] }
        var changes: [RootChange] = []
        let paths = verdict.restsOn.map(\.certificates)
        for (root, certificate, end) in coming {
            let learned = World.Paths.changed { [self] question, paths in
                changed(paths, question, learning: [end], at: time)
            }
            guard !forecast(today.presented, at: time, learned).holds else { continue }
            let above = Set(paths.flatMap { path in path.drop { $0 != certificate }.dropFirst() }.map(\.spkiSHA256))
            changes.append((root, true, pins.indices.filter { above.contains(pins[$0].spkiSHA256) }))
        }
        for end in paths.compactMap(\.last).distinct {
            let key = end.spkiSHA256
            guard let root = data.publicRoot(withKey: key), let day = root.until, day < end.notAfter else { continue }
            let left = World.Paths.changed { question, paths in
                question.anchors.includesTrustStore ? paths.filter { $0.last?.spkiSHA256 != key } : paths
            }
            guard !forecast(today.presented, at: max(day, time), left).holds else { continue }
            changes.append((root, false, []))
        }
        return changes
    }

    private func isNewer(_ other: Device) -> Bool {
        guard let own = device.device else { return data.devices.last { $0.platform == other.platform } == other }
        guard let version = own.version, let later = other.version else { return false }
        return other.platform == own.platform && later > version
    }
}

extension Verdict {
    var holds: Bool { isAccepted && reason != .mismatchNotEnforced }
    var isByPins: Bool { if case .pinMatched = reason { true } else { false } }
    var certificates: [Certificate] { restsOn.flatMap(\.certificates) + builtChain.certificates + reach.certificates }
}

extension [Certificate] {
    /// The hashes by which a pin can match one of the certificates.
    var marks: [SHA256Digest] { flatMap { [$0.spkiSHA256, $0.fingerprint] } }
}

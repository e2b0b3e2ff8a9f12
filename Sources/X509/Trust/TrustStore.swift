internal import Base
internal import COpenSSL
package import Pinning

/// The anchors a client's device trusts: the system's roots, anchors the user gave, or both.
///
/// Nothing is read before a path needs it. Make one for a process and share it.
package final class TrustStore: Sendable {
    /// Sources in the order they are asked.
    ///
    /// The next tier is asked only when those before it lead to no valid path.
    let tiers: [[any AnchorSource]]
    private let systemRoots: SystemRoots?
    /// The roots of the device that it is the store of, as one of several; `nil` where it is of no device.
    ///
    /// They need not be in it: anchors may stand in for them.
    let selection: AnchorSelection?

    private init(tiers: [[any AnchorSource]], systemRoots: SystemRoots? = nil, selection: AnchorSelection? = nil) {
        (self.tiers, self.systemRoots, self.selection) = (tiers, systemRoots, selection)
    }

    /// Anchors-only trust: the system's roots do not count.
    package convenience init(anchors: [AnchorBundle], insteadOf selection: AnchorSelection? = nil) {
        self.init(tiers: [anchors], selection: selection)
    }

    package convenience init(_ selection: AnchorSelection) { self.init(tiers: [[selection]], selection: selection) }

    /// The given anchors in addition to another store's.
    ///
    /// All are asked at once: a path to one of the given anchors is no reason to miss another, shorter one to the other store's.
    package convenience init(anchors: [AnchorBundle], and other: TrustStore) {
        self.init(
            tiers: [anchors + other.tiers.flatMap { $0 }], systemRoots: other.systemRoots, selection: other.selection)
    }

    package static func system(environment: [String: String]) -> TrustStore {
        let roots = SystemRoots(environment: environment)
        return TrustStore(tiers: [[HashedDirectory(roots.directories)], [roots.bundle]], systemRoots: roots)
    }

    /// Which of the certificates of its selection's bundle paths from these certificates could come across, selected or not.
    ///
    /// Whatever a search finds depends on which of them are selected, and on nothing else of the selection.
    ///
    /// - Returns: their positions in the bundle, ascending; none where nothing is selected.
    func reach(from nodes: [PathNode]) -> [Int] {
        guard let selection else { return [] }
        let others = tiers.joined().filter { !($0 is AnchorSelection) }
        var found: Set<Int> = []
        var seen = Set(nodes.map(\.certificate.fingerprint))
        // There can be thousands of one name.
        var names: Set<[UInt8]> = []
        var waiting = nodes
        while let node = waiting.popLast() {
            for name in [node.handle.subjectName, node.handle.issuerName].compactMap({ $0 })
            where names.insert(DistinguishedNames.der(name)).inserted {
                let listed = selection.bundle.nodes(named: name)
                found.formUnion(listed.map(\.position))
                for next in listed.map(\.node) + others.flatMap({ $0.anchors(named: name) })
                where seen.insert(next.certificate.fingerprint).inserted { waiting.append(next) }
            }
        }
        return found.sorted()
    }

    /// The certificates of the files that were given as anchors; the system's are not among them.
    package var givenCertificates: [Certificate] {
        tiers.joined().compactMap { $0 as? AnchorBundle }.flatMap(\.certificates)
    }

    /// Whether the store holds a certificate as an anchor.
    ///
    /// May read sources: ask only when it makes a difference.
    package func holds(_ certificate: Certificate) -> Bool { PathNode(certificate).map(holds) ?? false }

    func holds(_ node: PathNode) -> Bool { holdsAnchor(named: node) { $0 == node.certificate } }

    /// Whether the store holds an anchor with the subject and key of a certificate; may read sources too.
    func holdsAnchor(like node: PathNode) -> Bool { holdsAnchor(named: node) { $0.isSameAnchor(as: node.certificate) } }

    private func holdsAnchor(named node: PathNode, where isWanted: (Certificate) -> Bool) -> Bool {
        guard let name = node.handle.subjectName else { return false }
        return tiers.joined().contains { $0.anchors(named: name).contains { isWanted($0.certificate) } }
    }

    /// Whether the store holds a certificate with the subject and key of `node` whose trust settings forbid TLS servers.
    ///
    /// That holds wherever the settings stand, for a leaf, an intermediate and a root, presented or not: what is distrusted is on no
    /// path. Where a store holds one certificate twice, the stricter settings count, so that the order of its files does not.
    func distrusts(_ node: PathNode) -> Bool { tiers.joined().contains { $0.distrusts(node) } }

    /// What is damaged in the store's files where certificates of a path were looked for.
    ///
    /// It may have been an anchor that is missing now, or a word of distrust.
    ///
    /// - Returns: each once, in the order of the sources; none for the price of a look where no file is damaged.
    package func damage(concerning certificates: [Certificate], whenMissing isMissing: Bool) -> [StoreDamage] {
        let sources = tiers.joined().filter(\.isDamaged)
        guard !sources.isEmpty else { return [] }
        let nodes = certificates.compactMap { PathNode($0) }
        let names = nodes.flatMap { [$0.handle.subjectName, $0.handle.issuerName] }.compactMap { $0 }
        var seen: Set<StoreDamage> = []
        return sources.flatMap { source in names.flatMap { source.damage(named: $0, whenMissing: isMissing) } }.filter {
            seen.insert($0).inserted
        }
    }

    /// Where the system's roots were looked for, when the store holds them and there is not one; `nil` otherwise, and where
    /// they are there but damaged.
    ///
    /// Reads the bundle: ask only when a chain was not trusted.
    package var placesWithoutSystemRoots: String? {
        guard let systemRoots, systemRoots.areMissing else { return nil }
        return "\(systemRoots.directories) and \(systemRoots.bundle.path)"
    }
}

/// Where OpenSSL looks for the system's roots.
private struct SystemRoots: Sendable {
    /// Directories of hashed names, separated as in `SSL_CERT_DIR`.
    let directories: String
    let bundle: BundleFile

    /// OpenSSL's places, or those that its variables name.
    init(environment: [String: String]) {
        func place(_ variable: UnsafePointer<CChar>?, _ standard: UnsafePointer<CChar>?) -> String {
            variable.flatMap { environment[String(cString: $0)] } ?? standard.map { String(cString: $0) } ?? ""
        }
        directories = place(X509_get_default_cert_dir_env(), X509_get_default_cert_dir())
        bundle = BundleFile(path: place(X509_get_default_cert_file_env(), X509_get_default_cert_file()))
    }

    /// Whether there is not one root in either place.
    var areMissing: Bool {
        bundle.isEmpty && !directories.split(separator: ":").contains { HashedDirectory.holdsFiles(String($0)) }
    }
}

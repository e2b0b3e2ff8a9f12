import Base
import COpenSSL
package import Pinning

/// The anchors that a client's device trusts: the system's roots, given anchors, or both; read if a path needs them.
package struct TrustStore {
    /// The sources in the order of the search; a tier is searched only if those before it give no valid path.
    let tiers: [[any AnchorSource]]
    private var systemRoots: (directory: HashedDirectory, bundle: BundleFile)?
    /// The roots of the store's device, even if given anchors replace them; `nil` if the store is not a device's.
    private(set) var selection: AnchorSelection?
}

extension TrustStore {
    /// Trusts only the given anchors; the system's roots do not count.
    package init(anchors: [AnchorBundle], insteadOf selection: AnchorSelection? = nil) {
        self.init(tiers: [anchors], selection: selection)
    }

    package init(_ selection: AnchorSelection) { self.init(tiers: [[selection]], selection: selection) }

    /// Trusts given anchors and another store's in one tier: a path to one must not hide a shorter one to another.
    package init(anchors: [AnchorBundle], and other: TrustStore) {
        self.init(
            tiers: [anchors + other.tiers.flatMap { $0 }], systemRoots: other.systemRoots, selection: other.selection)
    }

    /// Trusts the roots at the places in OpenSSL's environment variables, or else at OpenSSL's default places.
    package static func system(environment: [String: String]) -> TrustStore {
        func place(_ variable: UnsafePointer<CChar>?, _ standard: UnsafePointer<CChar>?) -> String {
            variable.flatMap { environment[String(cString: $0)] } ?? standard.map { String(cString: $0) } ?? ""
        }
        let directory = HashedDirectory(place(X509_get_default_cert_dir_env(), X509_get_default_cert_dir()))
        let bundle = BundleFile(path: place(X509_get_default_cert_file_env(), X509_get_default_cert_file()))
        return TrustStore(tiers: [[directory], [bundle]], systemRoots: (directory, bundle))
    }

    /// The ascending positions in the selection's bundle that paths from these certificates can reach, selected or not:
    /// the result of a search depends only on the selection there.
    func reach(from nodes: [PathNode]) -> [Int] {
        guard let selection else { return [] }
        let others = tiers.joined().filter { !($0 is AnchorSelection) }
        var found: Set<Int> = []
        var seen = Set(nodes.map(\.certificate.fingerprint))
        // Each name is followed once, because thousands of certificates can have the same.
        var names: Set<[UInt8]> = []
        var waiting = nodes
        while let node = waiting.popLast() {
            for name in [node.subjectName, node.issuerName].compactMap({ $0 })
            where names.insert(DistinguishedNames.der(name)).inserted {
                let listed = selection.bundle.nodes(named: name)
                found.formUnion(listed.map(\.position))
                for next in listed.map(\.node) + others.flatMap({ $0.anchors(named: name) })
                where seen.insert(next.certificate.fingerprint).inserted { waiting.append(next) }
            }
        }
        return found.sorted()
    }

    package var givenCertificates: [Certificate] {
        tiers.joined().compactMap { $0 as? AnchorBundle }.flatMap(\.certificates)
    }

    /// `true` if the store contains a certificate as an anchor; may read sources, so call it only if it matters.
    package func holds(_ certificate: Certificate) -> Bool { certificate.node.map(holds) ?? false }

    func holds(_ node: PathNode) -> Bool { holdsAnchor(named: node) { $0 == node.certificate } }

    func holdsAnchor(like node: PathNode) -> Bool { holdsAnchor(named: node) { $0.isSameAnchor(as: node.certificate) } }

    private func holdsAnchor(named node: PathNode, where isWanted: (Certificate) -> Bool) -> Bool {
        guard let name = node.subjectName else { return false }
        return tiers.joined().contains { $0.anchors(named: name).contains { isWanted($0.certificate) } }
    }

    /// The certificates on a path, even presented ones, whose subject and key trust settings forbid for TLS servers;
    /// the strictest settings count, so that the order of files does not matter.
    func distrust(on path: [PathNode]) -> [TrustFailure] {
        path.enumerated().filter { place in tiers.joined().contains { $0.distrusts(place.element) } }.map {
            TrustFailure(.distrusted, at: $0.offset, of: $0.element.certificate)
        }
    }

    /// A damaged file of a path's certificates, which may hide anchors or distrust; `nil` if there is none.
    package func damage(concerning certificates: [Certificate], whenMissing isMissing: Bool) -> String? {
        let sources = tiers.joined().filter(\.isDamaged)
        guard !sources.isEmpty else { return nil }
        let nodes = certificates.compactMap(\.node)
        for source in sources {
            for node in nodes {
                for case let name? in [node.subjectName, node.issuerName] {
                    if let damage = source.damage(named: name, whenMissing: isMissing) { return damage }
                }
            }
        }
        return nil
    }

    /// The places that lack the system's roots; `nil` if the roots are there, damaged, or not to be there.
    ///
    /// Reads the bundle, so call it only if a chain was not trusted.
    package var placesWithoutSystemRoots: String? {
        guard let (directory, bundle) = systemRoots, bundle.isEmpty, !directory.holdsFiles else { return nil }
        return "\(directory.path) and \(bundle.path)"
    }
}

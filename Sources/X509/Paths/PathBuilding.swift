internal import Pinning

/// What OpenSSL is given to build a path from by itself, as a program does that calls it and nothing else.
///
/// OpenSSL takes the first issuer that fits by its names and identifiers and does not turn back: a path that a search finds may be
/// one that it never tries.
struct PathBuilding {
    let leaf: PathNode
    /// What was presented beside the leaf, in that order.
    let presented: [PathNode]
    /// The anchors that could play a part: issuers of certificates at hand, and certificates at hand that are anchors.
    let anchors: [PathNode]

    /// More anchors than these are not gathered; OpenSSL takes the first that fits and is in time.
    private static let mostAnchors = 256

    init(of leaf: PathNode, presented: [PathNode], endingAt sources: [any AnchorSource]) {
        self.leaf = leaf
        self.presented = presented
        var gathered: [PathNode] = []
        var seen: Set<SHA256Digest> = []
        var names: [OpaquePointer] = []
        func add(named name: OpaquePointer?, where isOfUse: (Certificate) -> Bool) {
            guard let name else { return }
            names.append(name)
            for source in sources {
                for node in source.anchors(named: name)
                where gathered.count < Self.mostAnchors && isOfUse(node.certificate) {
                    if seen.insert(node.certificate.fingerprint).inserted { gathered.append(node) }
                }
            }
        }
        func addIssuers(of node: PathNode) {
            add(named: node.handle.issuerName) { Self.mayHaveIssued(node.certificate, $0) }
        }
        for node in [leaf] + presented {
            addIssuers(of: node)
            add(named: node.handle.subjectName) { $0 == node.certificate }
        }
        // An anchor that is no root may have an issuer among the anchors too.
        var next = 0
        while next < gathered.count {
            addIssuers(of: gathered[next])
            next += 1
        }
        anchors = Self.inOrder(gathered, named: names, of: sources)
    }

    /// Anchors in the order in which the sources have those of one name, whoever they were gathered for: OpenSSL takes the first.
    private static func inOrder(
        _ anchors: [PathNode], named names: [OpaquePointer], of sources: [any AnchorSource]
    ) -> [PathNode] {
        guard anchors.count > 1 else { return anchors }
        var left = Set(anchors.map(\.certificate.fingerprint))
        return names.flatMap { name in
            sources.flatMap { $0.anchors(named: name).filter { left.remove($0.certificate.fingerprint) != nil } }
        }
    }

    /// Whether nothing is said of the key of the issuer that is not true of `issuer`'s (`X509_check_issued`): of thousands with one
    /// name those that OpenSSL passes over are left out.
    private static func mayHaveIssued(_ subject: Certificate, _ issuer: Certificate) -> Bool {
        guard let wanted = subject.authorityKeyIdentifier, let offered = issuer.subjectKeyIdentifier else {
            return true
        }
        return wanted == offered
    }
}

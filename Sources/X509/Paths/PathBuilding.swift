internal import Pinning

/// What OpenSSL is given to build a path from by itself, as a program does that calls it and nothing else.
///
/// OpenSSL takes the first issuer that fits by its names and identifiers and does not turn back: a path that a search finds may be
/// one that it never tries.
struct PathBuilding {
    /// The leaf.
    let leaf: PathNode
    /// What was presented beside the leaf, in that order.
    let presented: [PathNode]
    /// The anchors that could play a part: issuers of certificates at hand, and certificates at hand that are anchors.
    let anchors: [PathNode]

    /// More anchors than these are not gathered.
    private static let mostAnchors = 256

    /// - Parameters:
    ///   - leaf: the leaf.
    ///   - presented: what was presented beside it.
    ///   - sources: where paths may end.
    init(of leaf: PathNode, presented: [PathNode], endingAt sources: [any AnchorSource]) {
        self.leaf = leaf
        self.presented = presented
        var anchors: [PathNode] = []
        var seen: Set<SHA256Digest> = []
        func add(_ nodes: [PathNode]) {
            for node in nodes
            where anchors.count < Self.mostAnchors && seen.insert(node.certificate.fingerprint).inserted {
                anchors.append(node)
            }
        }
        let atHand = [leaf] + presented
        for node in atHand {
            for name in [node.handle.issuerName, node.handle.subjectName].compactMap(\.self) {
                for source in sources { add(source.anchors(named: name)) }
            }
        }
        // An anchor that is no root may have an issuer among the anchors too.
        var next = 0
        while next < anchors.count {
            if let name = anchors[next].handle.issuerName {
                for source in sources { add(source.anchors(named: name)) }
            }
            next += 1
        }
        self.anchors = anchors
    }
}

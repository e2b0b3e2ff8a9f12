import Text
package import X509

/// What `--anchors` and `--and-system` come to.
package enum TrustAnchors {
    /// The trust store, and what it is called in reports.
    package static func read(
        _ trust: CheckRequest.Trust,
        environment: [String: String]
    ) throws(CheckError) -> (TrustStore, Evaluation.Trust) {
        let andSystem = trust.includesSystem ?? RequestDefaults.includesSystem
        guard !trust.anchors.isEmpty else {
            guard !andSystem else {
                throw CheckError(.request, .nothingToAddTheSystemTo)
            }
            return (.system(environment: environment), .system)
        }
        var bundles: [AnchorBundle] = []
        for path in trust.anchors { bundles += try AnchorFiles.bundles(at: path) }
        guard andSystem else { return (TrustStore(anchors: bundles), .anchors) }
        return (TrustStore(anchors: bundles, and: .system(environment: environment)), .both)
    }
}

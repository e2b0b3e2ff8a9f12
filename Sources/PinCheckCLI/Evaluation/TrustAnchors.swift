import Text
import X509

/// What `--anchors` and `--and-system` come to.
enum TrustAnchors {
    /// The trust store, and what it is called in reports.
    static func read(
        _ trust: CheckRequest.Trust,
        in context: Context
    ) throws(CommandError) -> (TrustStore, Evaluation.Trust) {
        let andSystem = trust.includesSystem ?? RequestDefaults.includesSystem
        guard !trust.anchors.isEmpty else {
            guard !andSystem else {
                throw .usage("--and-system adds the system's roots to --anchors: give --anchors too, or leave it out")
            }
            return (.system(environment: context.environment), .system)
        }
        var bundles: [AnchorBundle] = []
        for path in trust.anchors { bundles += try AnchorFiles.bundles(at: path) }
        guard andSystem else { return (TrustStore(anchors: bundles), .anchors) }
        return (TrustStore(anchors: bundles, and: .system(environment: context.environment)), .both)
    }
}

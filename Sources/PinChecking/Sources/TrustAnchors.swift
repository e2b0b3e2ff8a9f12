import Base
package import X509

/// What `--anchors` and `--and-system` come to.
package enum TrustAnchors {
    /// The anchors that were given, `nil` for none.
    static func given(_ trust: CheckRequest.Trust) throws(CheckError) -> [AnchorBundle]? {
        guard !trust.anchors.isEmpty else {
            guard !(trust.includesSystem ?? RequestDefaults.includesSystem) else {
                throw CheckError(.request, .nothingToAddTheSystemTo)
            }
            return nil
        }
        var bundles: [AnchorBundle] = []
        for path in trust.anchors { bundles += try AnchorFiles.bundles(at: path) }
        return bundles
    }

    /// What stands for a device's roots, and what it is called in reports.
    static func store(
        _ given: [AnchorBundle]?, _ trust: CheckRequest.Trust, beside own: @autoclosure () -> TrustStore,
        selected selection: AnchorSelection? = nil
    ) -> (TrustStore, HostPolicy.Trust) {
        guard let given else { return (own(), selection == nil ? .system : .device) }
        guard trust.includesSystem ?? RequestDefaults.includesSystem else {
            return (TrustStore(anchors: given, insteadOf: selection), .anchors)
        }
        return (TrustStore(anchors: given, and: own()), selection == nil ? .both : .anchorsAndDevice)
    }

    /// The trust store of this machine, what it is called in reports, and those of its roots that were given.
    package static func read(
        _ trust: CheckRequest.Trust, environment: [String: String]
    ) throws(CheckError) -> (store: TrustStore, name: HostPolicy.Trust, given: TrustStore?) {
        let given = try given(trust)
        let (store, name) = store(given, trust, beside: .system(environment: environment))
        return (store, name, given.map { TrustStore(anchors: $0) })
    }
}

import Pinning
import TLSProbe

package struct BaselineComparison {
    private let baseline: Baseline
    private var seen: [Snapshot.Endpoint] = []
    /// The recorded endpoints that were contacted, even if they did not answer.
    private var asked: Set<Snapshot.Key> = []
    /// The recorded endpoints that a server no longer offers.
    private var gone: Set<Snapshot.Key> = []
    /// The recorded endpoints that did not answer at an address.
    private var silent: Set<Snapshot.Key> = []

    package init(with baseline: Baseline) { self.baseline = baseline }

    /// The comparison of each connection with the baseline, in order; `nil` if it has nothing to compare.
    package mutating func states(of target: CheckedTarget) -> [BaselineChanges?] {
        target.connections.map { connection in
            let key = Snapshot.Key(connection.endpoint, connection.variant)
            let peer = connection.peer?.description
            let recorded = baseline.record(for: key, at: peer)
            if let recorded { asked.insert(recorded.key) }
            guard var endpoint = Snapshot.Endpoint(connection) else {
                guard connection.came?.isNone == true else {
                    if let recorded { silent.insert(recorded.key) }
                    return nil
                }
                if let recorded { gone.insert(recorded.key) }
                return baseline.missing(key, at: peer)
            }
            let changes = baseline.changes(at: endpoint, from: peer)
            // A given address does not show the result of a look-up, so its chain has its own record.
            let isLookedUp = key.connect == nil || connection.endpoint.lookedUpName != nil
            if isLookedUp, let recorded { endpoint.key = recorded.key }
            seen.append(endpoint)
            return changes
        }
    }

    package var unasked: [Snapshot.Key] { baseline.snapshot.endpoints.map(\.key).filter { !asked.contains($0) } }
    package var unanswered: [String] { silent.subtracting(seen.map(\.key)).sorted().map(\.title) }
    package var updated: Snapshot {
        let lost = gone.subtracting(silent)
        return Snapshot(baseline.snapshot.endpoints.filter { !lost.contains($0.key) } + seen)
    }
}

extension Snapshot.Key {
    fileprivate var title: String { target + (connect.map { " → \($0)" } ?? "") + (variant.map { ", \($0)," } ?? "") }

    package init(_ endpoint: CheckEndpoint, _ variant: Variant) {
        let place = endpoint.request.target
        self.init(
            target: endpoint.target, connect: place == endpoint.target ? nil : place,
            sni: endpoint.request.serverNameIndication,
            verifyName: endpoint.referenceName == .unchecked ? nil : endpoint.referenceName.description,
            variant: variant.label)
    }
}

extension Snapshot.Endpoint {
    package init?(_ connection: CheckedConnection) {
        guard let result = connection.served else { return nil }
        self.init(
            Snapshot.Key(connection.endpoint, connection.variant),
            chain: result.presented.certificates.map(Snapshot.Certificate.init))
    }
}

import Pinning
import TLSProbe

/// Compares targets with a baseline as they come, and remembers what was seen.
package struct BaselineComparison {
    private let baseline: Baseline
    private var seen: [Snapshot.Endpoint] = []
    /// The recorded endpoints that were asked, whether or not they answered.
    private var asked: Set<Snapshot.Key> = []
    /// The recorded endpoints that a server says it has no more.
    private var gone: Set<Snapshot.Key> = []
    /// The recorded endpoints that did not answer, in words.
    package private(set) var unanswered: [String] = []

    package init(with baseline: Baseline) { self.baseline = baseline }

    /// What the baseline has of each connection to a target, in their order.
    package mutating func states(of target: CheckedTarget) -> [BaselineChanges?] {
        target.connections.map { connection in
            guard var endpoint = Snapshot.Endpoint(connection) else {
                let key = Snapshot.Key(connection.endpoint, connection.variant)
                let recorded = baseline.recorded(for: key)
                asked.insert(recorded?.key ?? key)
                guard let recorded else { return nil }
                guard connection.came?.isNone == true else {
                    unanswered.append(recorded.key.title)
                    return nil
                }
                gone.insert(recorded.key)
                return baseline.missing(recorded)
            }
            let changes = baseline.changes(at: endpoint)
            asked.insert(changes.recorded?.key ?? endpoint.key)
            // What an address serves that was given says nothing of where a look-up leads: it is recorded beside that.
            let isLookedUp = endpoint.key.connect == nil || connection.endpoint.lookedUpName != nil
            if isLookedUp { endpoint.key = changes.recorded?.key ?? endpoint.key }
            seen.append(endpoint)
            return changes
        }
    }

    package var unasked: [Snapshot.Key] { baseline.snapshot.endpoints.map(\.key).filter { !asked.contains($0) } }
    package var updated: Snapshot {
        Snapshot(baseline.snapshot.endpoints.filter { !gone.contains($0.key) } + seen)
    }
}

extension Snapshot.Key {
    /// The endpoint as titles have it, as in `h.example:443, RSA,`.
    fileprivate var title: String {
        target + (connect.map { " → \($0)" } ?? "") + (variant.map { ", \($0)," } ?? "")
    }

    /// How an endpoint is recorded: by the address only where that was given.
    package init(_ endpoint: CheckEndpoint, _ variant: Variant) {
        let place = endpoint.request.target
        self.init(
            target: endpoint.target, connect: place == endpoint.target ? nil : place,
            sni: endpoint.request.serverNameIndication?.name,
            verifyName: endpoint.referenceName == .unchecked ? nil : endpoint.referenceName.description,
            variant: variant.label)
    }
}

extension Snapshot.Endpoint {
    package init?(_ connection: CheckedConnection) {
        guard let result = connection.served else { return nil }
        self.init(
            Snapshot.Key(connection.endpoint, connection.variant), peer: result.peer?.description,
            chain: result.presented.certificates.map(Snapshot.Certificate.init))
    }
}

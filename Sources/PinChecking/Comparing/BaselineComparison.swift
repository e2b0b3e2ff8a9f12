import Pinning
import TLSProbe

/// Compares targets with a baseline as they come, and remembers what was seen.
package struct BaselineComparison {
    private let baseline: Baseline
    private var seen: [Snapshot.Endpoint] = []
    /// The recorded endpoints that were asked, whether or not they answered.
    private var asked: Set<Snapshot.Key> = []

    /// A comparison that has seen nothing yet.
    package init(with baseline: Baseline) { self.baseline = baseline }

    /// What the baseline has of each connection to a target, in their order.
    package mutating func states(of target: CheckedTarget) -> [RecordedState?] {
        var states = [RecordedState?](repeating: nil, count: target.connections.count)
        let reached = target.connections.indices.filter { target.connections[$0].served != nil }
        let endpoints = reached.compactMap { Snapshot.Endpoint(target.connections[$0]) }
        for (index, endpoint) in zip(reached, endpoints) {
            var endpoint = endpoint
            let state = baseline.recorded(for: endpoint)
            states[index] = RecordedState(changes: baseline.changes(at: endpoint), recorded: state)
            let recorded = state?.key
            asked.insert(recorded ?? endpoint.key)
            // What an address serves that was given says nothing of where a look-up leads: it is recorded beside that.
            let isLookedUp = endpoint.key.connect == nil || target.connections[index].endpoint.lookedUpName != nil
            if isLookedUp { endpoint.key = recorded ?? endpoint.key }
            seen.append(endpoint)
        }
        for connection in target.connections where connection.served == nil {
            asked.insert(Snapshot.Key(connection.endpoint, connection.variant))
        }
        return states
    }

    /// The recorded endpoints that were not among those that were asked.
    package var unasked: [Snapshot.Key] { baseline.snapshot.endpoints.map(\.key).filter { !asked.contains($0) } }

    package var updated: Snapshot { baseline.snapshot.replacing(seen) }
}

extension Snapshot.Key {
    /// How an endpoint is recorded: by the address only where that was given.
    package init(_ endpoint: CheckEndpoint, _ variant: Variant) {
        let destination =
            switch endpoint.request.destination {
            case .address(let address): address.description
            case .resolve(let host, _): host
            }
        let place = Target.authority(destination, Int(endpoint.request.port))
        self.init(
            target: endpoint.target, connect: place == endpoint.target ? nil : place,
            sni: endpoint.request.serverNameIndication?.name,
            verifyName: endpoint.referenceName == .unchecked ? nil : endpoint.referenceName.description,
            variant: variant.label)
    }
}

extension Snapshot.Endpoint {
    /// What is recorded of an endpoint that was reached, `nil` for another.
    package init?(_ connection: CheckedConnection) {
        guard let result = connection.served else { return nil }
        self.init(
            Snapshot.Key(connection.endpoint, connection.variant), peer: result.peer?.description,
            chain: result.presented.certificates.map(Snapshot.Certificate.init))
    }
}

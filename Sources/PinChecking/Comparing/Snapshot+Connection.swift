import Pinning
import TLSProbe

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

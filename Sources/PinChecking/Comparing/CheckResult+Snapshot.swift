package import Pinning

extension CheckResult {
    package init(of endpoint: Snapshot.Endpoint, changes: BaselineChanges, time: Timestamp) {
        let key = endpoint.key
        let place = key.connect ?? key.target
        let address = try? Target(host: place)
        self.init(
            of: key.target,
            at: EndpointFacts(
                address: key.connect == nil ? nil : address?.host, port: address?.port ?? RequestDefaults.port,
                resolvedName: key.connect == nil ? address?.host.description : nil, serverName: key.sni,
                host: key.verifyName ?? key.target), for: key.verifyName.map(HostName.reference) ?? .unchecked,
            changes: changes, time: time)
    }
}

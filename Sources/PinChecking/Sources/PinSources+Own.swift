import Base
import PinFormats
import Pinning

extension PinSources {
    /// What a client's own configurations say of a host.
    struct Own {
        /// The policy, `nil` when the host is not configured.
        let policy: ConfiguredPins?
    }

    /// What the configurations that `client` reads itself say of `name`; `nil` where none of them is among the sources.
    ///
    /// Of the certificate files of an app those count that the client loads from the bundle. A client that follows the sources reads those
    /// that chose it: clients that compare the set read lines as `generic` does, OkHttp reads them as its own where it was chosen.
    func own(_ client: ClientRegistry.Entry, for name: ReferenceName, writtenAs host: String, follows: Bool) -> Own? {
        let isOfSet = follows && isOfSet(client)
        let client = isOfSet ? ClientRegistry.generic : client
        let own = configurations.filter { configuration in
            client.configurations[configuration.kind] != nil && (!follows || configuration.isList == isOfSet)
        }
        guard !own.isEmpty else { return nil }
        let policies = own.compactMap { configuration -> ConfiguredPins? in
            let read = configuration.entries.filter { entry in
                guard let loaders = entry.loaders, let loader = client.loader else { return true }
                return loaders.contains(loader)
            }
            return policy(
                of: PinConfiguration(configuration.kind, entries: read, isSource: configuration.isSource), for: name,
                writtenAs: client.comparesHostAsWritten ? host.lowercased() : name.description,
                by: client.configurations[configuration.kind])
        }
        return Own(policy: policies.count > 1 ? ConfiguredPins(policies.flatMap(\.entries)) : policies.first)
    }
}

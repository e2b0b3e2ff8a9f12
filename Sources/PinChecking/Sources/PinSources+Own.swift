import Base
import PinFormats
import Pinning

extension PinSources {
    /// What a client's own configurations say of a host.
    struct Own {
        /// The policy, `nil` when the host is not configured.
        let policy: HostPolicy?
        /// Why the client throws for its configuration, `nil` when it does not.
        let obstacle: ClientConfigurationError?
    }

    /// What the configurations that `client` reads itself say of `name`; `nil` where none of them is among the sources.
    ///
    /// Of the certificate files of an app those count that the client loads from the bundle.
    ///
    /// - Throws: ``CheckError`` when two of them say different things of the host: an app ships one configuration, and which
    ///   of the two it is cannot be told.
    func own(
        _ client: ClientRegistry.Entry, for name: ReferenceName, writtenAs host: String, port: Int?
    ) throws(CheckError) -> Own? {
        let own = configurations.filter { client.configurations[$0.kind] != nil }
        guard !own.isEmpty else { return nil }
        let policies = own.compactMap { configuration -> HostPolicy? in
            let read = configuration.entries.filter { entry in
                guard let loaders = entry.loaders, let loader = client.loader else { return true }
                return loaders.contains(loader)
            }
            return policy(
                of: PinConfiguration(configuration.kind, entries: read), for: name,
                writtenAs: client.comparesHostAsWritten ? host.lowercased() : name.description, port: port,
                by: client.configurations[configuration.kind])
        }
        try refuseSeveral(own.map(\.kind), for: client, name, writtenAs: host, port: port)
        try refuseContradiction(policies, own, for: client, name)
        return Own(policy: policies.first, obstacle: obstacle(for: client, in: own))
    }

    /// Why TrustKit for Android throws for a file, whatever host is asked for.
    private func obstacle(
        for client: ClientRegistry.Entry, in configurations: [PinConfiguration]
    ) -> ClientConfigurationError? {
        for configuration in configurations where client.configurations[configuration.kind] == .trustKitAndroid {
            for entry in configuration.entries {
                guard let domain = entry.trustKitAndroid,
                    let violation = domain.violations(pins: entry.pins, suffixes: suffixes).first
                else { continue }
                return ClientConfigurationError(
                    client: client.name,
                    message: "TrustKit throws when the app starts (\(entry.origin)): " + violation.message(domain.name))
            }
        }
        return nil
    }

    /// Refuses configurations of one kind of which each by itself says something else of the host: together they would be one that
    /// nobody ships.
    private func refuseSeveral(
        _ kinds: [PinConfiguration.Kind], for client: ClientRegistry.Entry, _ name: ReferenceName,
        writtenAs host: String, port: Int?
    ) throws(CheckError) {
        for kind in kinds where (client.configurations[kind] ?? kind.lookup).takesAll == false {
            let policies = readConfigurations.filter { $0.kind == kind }.compactMap { configuration in
                policy(
                    of: configuration, for: name,
                    writtenAs: client.comparesHostAsWritten ? host.lowercased() : name.description, port: port,
                    by: client.configurations[kind])
            }
            guard let first = policies.first, let other = policies.first(where: { $0.meaning != first.meaning }) else {
                continue
            }
            throw Self.contradiction(first.entries.first, other.entries.first, to: client, name)
        }
    }

    private func refuseContradiction(
        _ policies: [HostPolicy], _ configurations: [PinConfiguration], for client: ClientRegistry.Entry,
        _ name: ReferenceName
    ) throws(CheckError) {
        var pairs: [(HostEntry, HostEntry)] = []
        if let first = policies.first, let other = policies.first(where: { $0.meaning != first.meaning }) {
            pairs += zip(first.entries, other.entries)
        }
        // Of several entries for the same hosts the lookup takes one, where it does not take all.
        for configuration in configurations
        where (client.configurations[configuration.kind] ?? configuration.kind.lookup).takesAll == false {
            let entries = configuration.entries(by: client.configurations[configuration.kind])
            for taken in policies.flatMap(\.entries) {
                let other = entries.first { entry in
                    entry.hosts == taken.hosts && entry.port == taken.port && entry.meaning != taken.meaning
                }
                if let other { pairs.append((taken, other)) }
            }
        }
        guard let (first, other) = pairs.first else { return }
        throw Self.contradiction(first, other, to: client, name)
    }

    private static func contradiction(
        _ first: HostEntry?, _ other: HostEntry?, to client: ClientRegistry.Entry, _ name: ReferenceName
    ) -> CheckError {
        .said(
            .data,
            "two configurations say different things of \(name) to \(client.name): \(first?.origin ?? "one") and "
                + "\(other?.origin ?? "another"); give the one that the app ships")
    }
}

extension HostEntry {
    /// What the entry says, wherever it stands.
    fileprivate var meaning: [AnyHashable] {
        let places: [Set<SHA256Digest>?] =
            switch identities {
            case .anywhere(let pins): [Set(pins.map(\.spkiSHA256))]
            case .positions(let leaf, let authorities):
                [leaf.map { Set($0.map(\.spkiSHA256)) }, authorities.map { Set($0.map(\.spkiSHA256)) }]
            case .records(_, let pins): [Set(pins.map(\.spkiSHA256))]
            }
        return [places, enforcesPinning, expiration, isExcluded, hasExemptAnchors]
    }
}

extension HostPolicy {
    /// What the policy says, wherever it stands.
    fileprivate var meaning: [AnyHashable] {
        [Set(pins?.pins.map(\.spkiSHA256) ?? []), enforcesPinning, expiration, entries.map(\.isExcluded)]
    }
}

import PinFormats
import Pinning
import Text
import X509

/// Everything that the values of `--pins` hold.
struct PinSources: Sendable {
    /// The pins that are for whatever host is checked.
    private(set) var pins: [Pin] = []
    /// What the files that configure hosts say, those of one kind together.
    private(set) var configurations: [PinConfiguration] = []
    /// What configurations of Android apps say of trust, in the order of their files.
    private(set) var networkSecurity: [NetworkSecurityConfiguration] = []
    /// What the Info.plist of apps says of App Transport Security, in the order of their files.
    private(set) var transportSecurity: [TransportSecurity] = []
    /// What should be said once about the sources.
    private(set) var notes: [Finding] = []

    private let suffixes = SystemPublicSuffixList()

    /// The same as they were read: an app ships one of each kind.
    private var readConfigurations: [PinConfiguration] = []

    /// Reads the sources in their order.
    init(reading sources: [PinSource]) throws(CheckError) {
        // Pins that are written out stand together as the lines of a file do: one that is skipped leaves the others.
        var skipped: [PinFormatError] = []
        for source in sources {
            do {
                let reading = try source.read()
                pins += reading.pins
                readConfigurations += reading.configurations
                reading.configurations.forEach { merge($0) }
                networkSecurity += reading.networkSecurity
                transportSecurity += reading.transportSecurity
                notes += reading.notes.map { .warning(id: $0.id.rawValue, message: $0.message) }
            } catch  where error.problem == .nothingLeft && error.place == source.place {
                skipped.append(error)
            } catch {
                throw CheckError(error)
            }
        }
        if let first = skipped.first, pins.isEmpty, configurations.allSatisfy(\.entries.isEmpty) {
            throw CheckError(first)
        }
        notes += skipped.map { .warning(id: PinNote.ID.skippedBadPin.rawValue, message: "skipped: \($0)") }
        let trust = networkSecurity.map(\.origin) + transportSecurity.map(\.origin)
        if !trust.isEmpty, pins.isEmpty, configurations.allSatisfy(\.entries.isEmpty) {
            notes.append(
                .warning(
                    id: "nothing-pinned",
                    message: "\(listed(trust, first: 1)) says whom the app trusts and pins nothing: no pin is compared"
                )
            )
        }
    }

    /// The network security configuration of the app.
    ///
    /// - Parameters:
    ///   - name: the reference name, for the message.
    ///   - host: the host as Android has it, `nil` for one that is not known.
    /// - Returns: the only one, or one of several that agree about the host; `nil` for none.
    /// - Throws: ``CheckError`` when two say different things of the host: an app ships one.
    func networkSecurity(
        for name: ReferenceName,
        host: String?
    ) throws(CheckError) -> NetworkSecurityConfiguration? {
        guard let first = networkSecurity.first else { return nil }
        for other in networkSecurity.dropFirst() where !other.says(theSameAs: first, of: host) {
            throw .said(
                .data,
                "two configurations say different things of whom Android trusts for \(name): "
                    + "\(first.trust(for: host).place?.origin ?? first.origin) and "
                    + "\(other.trust(for: host).place?.origin ?? other.origin); give the one that the app ships"
            )
        }
        return first
    }

    /// App Transport Security of the app, the only one or one of several that agree; `nil` where none is known.
    ///
    /// - Throws: ``CheckError`` when two say different things of the host: an app has one Info.plist.
    func transportSecurity(for host: ServerName?) throws(CheckError) -> TransportSecurity? {
        guard let first = transportSecurity.first, let host else { return transportSecurity.first }
        for other in transportSecurity.dropFirst() where !other.says(theSameAs: first, of: host) {
            throw .said(
                .data,
                "two configurations say different things of App Transport Security for \(host): \(first.origin) and "
                    + "\(other.origin); give the one that the app ships"
            )
        }
        return first
    }

    private mutating func merge(_ configuration: PinConfiguration) {
        guard let index = configurations.firstIndex(where: { $0.kind == configuration.kind }) else {
            configurations.append(configuration)
            return
        }
        configurations[index] = PinConfiguration(
            configuration.kind,
            entries: configurations[index].entries + configuration.entries
        )
    }

    /// What one host is told of.
    struct Selection {
        /// The pins for whatever host, then those of each configuration that has some for it.
        let pins: PinSet?
        /// What each configuration says of the host, by its own rules.
        let policies: [(kind: PinConfiguration.Kind, policy: HostPolicy)]
        /// Those for whatever host alone.
        let unconditional: PinSet?

        /// The configurations that have pins for the host which are not among these.
        func kinds(beside pins: PinSet?) -> [PinConfiguration.Kind] {
            guard !policies.isEmpty, let pins else { return [] }
            let hashes = Set(pins.pins.map(\.spkiSHA256))
            return policies.filter { !Set($0.policy.pins?.pins.map(\.spkiSHA256) ?? []).isSubset(of: hashes) }.map(
                \.kind
            )
        }

        /// The pins of a client that reads none of the configurations.
        ///
        /// Those for whatever host. Where there are none it is asked what it would make of the others' pins: of those that are for
        /// clients of its platform, or of all.
        func pins(of client: ClientRegistry.Entry) -> PinSet? {
            if let unconditional { return unconditional }
            let ofPlatform = policies.filter { ClientRegistry.isRead($0.kind, on: client.platform) }
            return PinSet(ofPlatform.flatMap { $0.policy.pins?.pins ?? [] }) ?? pins
        }
    }

    /// Whether what is said depends on the host.
    var tellsHostsApart: Bool { !configurations.isEmpty || !networkSecurity.isEmpty || !transportSecurity.isEmpty }

    /// Whether an entry is for one port only.
    var mindsPorts: Bool { configurations.contains { $0.entries.contains { $0.port != nil } } }

    /// What is for `name` at `port`, by the rules of each configuration's own client and of others that are asked and have rules of
    /// their own for it.
    func selection(
        for name: ReferenceName,
        writtenAs host: String,
        port: Int?,
        by clients: [ClientRegistry.Entry]
    ) -> Selection {
        let policies = configurations.compactMap { configuration -> (PinConfiguration.Kind, HostPolicy)? in
            // To OkHttp a dot at the end of a URL's host makes it another one.
            let host = configuration.kind == .okHttp ? host.lowercased() : name.description
            var entries: [HostEntry] = []
            for lookup in Self.lookups(in: configuration, by: clients) {
                let policy = policy(of: configuration, for: name, writtenAs: host, port: port, by: lookup)
                // The same in another reading adds nothing.
                let known = Set(entries.map(\.origin))
                entries += policy?.entries.filter { !known.contains($0.origin) } ?? []
            }
            return HostPolicy(entries).map { (configuration.kind, $0) }
        }
        return Selection(
            pins: PinSet(pins + policies.flatMap { $0.1.pins?.pins ?? [] }),
            policies: policies.map { (kind: $0.0, policy: $0.1) },
            unconditional: PinSet(pins)
        )
    }

    /// How the entries of a configuration are found, `nil` for the rule of its kind: TrustKit for Android reads the platform's file
    /// in a way of its own, and finds entries that the platform does not, and other ones.
    private static func lookups(
        in configuration: PinConfiguration,
        by clients: [ClientRegistry.Entry]
    ) -> [PinConfiguration.Lookup?] {
        let lookups = clients.compactMap { $0.configurations[configuration.kind] }
        guard lookups.contains(.trustKitAndroid) else { return [nil] }
        return lookups.allSatisfy { $0 == .trustKitAndroid } ? [.trustKitAndroid] : [nil, .trustKitAndroid]
    }

    /// What the configurations that `client` reads itself say of `name`; `nil` where none of them is among the sources.
    ///
    /// Of the certificate files of an app those count that the client loads from the bundle.
    ///
    /// - Throws: ``CheckError`` when two of them say different things of the host: an app ships one configuration, and which
    ///   of the two it is cannot be told.
    func own(
        _ client: ClientRegistry.Entry,
        for name: ReferenceName,
        writtenAs host: String,
        port: Int?
    ) throws(CheckError) -> Own? {
        let own = configurations.filter { client.configurations[$0.kind] != nil }
        guard !own.isEmpty else { return nil }
        let policies = own.compactMap { configuration -> HostPolicy? in
            let read = configuration.entries.filter { entry in
                guard let loaders = entry.loaders, let loader = client.loader else { return true }
                return loaders.contains(loader)
            }
            return policy(
                of: PinConfiguration(configuration.kind, entries: read),
                for: name,
                writtenAs: client.comparesHostAsWritten ? host.lowercased() : name.description,
                port: port,
                by: client.configurations[configuration.kind]
            )
        }
        try refuseSeveral(own.map(\.kind), for: client, name, writtenAs: host, port: port)
        try refuseContradiction(policies, own, for: client, name)
        return Own(
            policy: policies.first,
            ignoresPinsForAnyHost: !policies.isEmpty && !pins.isEmpty,
            obstacle: obstacle(for: client, in: own)
        )
    }

    /// Why TrustKit for Android throws for a file, whatever host is asked for.
    private func obstacle(
        for client: ClientRegistry.Entry,
        in configurations: [PinConfiguration]
    ) -> ClientConfigurationError? {
        for configuration in configurations where client.configurations[configuration.kind] == .trustKitAndroid {
            for entry in configuration.entries {
                guard let domain = entry.trustKitAndroid,
                    let violation = domain.violations(pins: entry.pins, suffixes: suffixes).first
                else { continue }
                return ClientConfigurationError(
                    client: client.name,
                    message: "TrustKit throws when the app starts (\(entry.origin)): " + violation.message(domain.name)
                )
            }
        }
        return nil
    }

    /// Refuses configurations of one kind of which each by itself says something else of the host: together they would be one that
    /// nobody ships.
    private func refuseSeveral(
        _ kinds: [PinConfiguration.Kind],
        for client: ClientRegistry.Entry,
        _ name: ReferenceName,
        writtenAs host: String,
        port: Int?
    ) throws(CheckError) {
        for kind in kinds where (client.configurations[kind] ?? kind.lookup).takesAll == false {
            let policies = readConfigurations.filter { $0.kind == kind }.compactMap { configuration in
                policy(
                    of: configuration,
                    for: name,
                    writtenAs: client.comparesHostAsWritten ? host.lowercased() : name.description,
                    port: port,
                    by: client.configurations[kind]
                )
            }
            guard let first = policies.first, let other = policies.first(where: { $0.meaning != first.meaning }) else {
                continue
            }
            throw Self.contradiction(first.entries.first, other.entries.first, to: client, name)
        }
    }

    private func refuseContradiction(
        _ policies: [HostPolicy],
        _ configurations: [PinConfiguration],
        for client: ClientRegistry.Entry,
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
        _ first: HostEntry?,
        _ other: HostEntry?,
        to client: ClientRegistry.Entry,
        _ name: ReferenceName
    ) -> CheckError {
        .said(
            .data,
            "two configurations say different things of \(name) to \(client.name): \(first?.origin ?? "one") and "
                + "\(other?.origin ?? "another"); give the one that the app ships"
        )
    }

    /// What a client's own configurations say of a host.
    struct Own {
        /// The policy, `nil` when the host is not configured.
        let policy: HostPolicy?
        /// Whether pins that are for whatever host are beside it, which the client's configuration does not have.
        let ignoresPinsForAnyHost: Bool
        /// Why the client throws for its configuration, `nil` when it does not.
        let obstacle: ClientConfigurationError?
    }

    private func policy(
        of configuration: PinConfiguration,
        for name: ReferenceName,
        writtenAs host: String,
        port: Int?,
        by lookup: PinConfiguration.Lookup? = nil
    ) -> HostPolicy? {
        guard case .name = name else {
            let unconditional = PinConfiguration(
                configuration.kind,
                entries: configuration.entries.filter { $0.hosts == nil }
            )
            return unconditional.policy(for: "", port: port, by: .union, suffixes: suffixes)
        }
        return configuration.policy(for: host, port: port, by: lookup, suffixes: suffixes)
    }

    /// What should be said when the configurations have no pin for the host, `nil` when they have.
    func warning(for name: String, _ selection: Selection) -> Finding? {
        guard configurations.contains(where: { !$0.entries.isEmpty }),
            selection.policies.allSatisfy({ $0.policy.pins == nil })
        else { return nil }
        if let policy = selection.policies.first(where: { $0.policy.records.isEmpty })?.policy,
            let entry = policy.entries.first
        {
            let what = entry.isExcluded ? "is exempt from pinning" : "is configured without a pin that can match"
            return .warning(id: "host-not-pinned", message: "\(name) \(what) (\(entry.origin))")
        }
        guard selection.policies.isEmpty else { return nil }
        let hosts = configurations.flatMap(\.entries).compactMap { entry in
            entry.hosts.map { $0.description + (entry.port.map { ":\($0)" } ?? "") }
        }
        return .warning(
            id: "host-not-configured",
            message: "no configuration has an entry for \(name) (there are: \(listed(hosts)))"
                + (pins.isEmpty ? ": no pin is compared" : "")
        )
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

extension NetworkSecurityConfiguration {
    /// Whether both have Android trust the same for a host, wherever it stands.
    fileprivate func says(theSameAs other: NetworkSecurityConfiguration, of host: String?) -> Bool {
        func meaning(_ configuration: NetworkSecurityConfiguration, isDebuggable: Bool) -> AndroidTrust {
            var trust = configuration.trust(for: host, isDebuggable: isDebuggable)
            trust.place = nil
            return trust
        }
        return [false, true].allSatisfy { meaning(self, isDebuggable: $0) == meaning(other, isDebuggable: $0) }
            && debugObstacle == other.debugObstacle
    }
}

extension TransportSecurity {
    /// Whether both ask the same of connections to a host, before iOS 17 and after, wherever it stands.
    fileprivate func says(theSameAs other: TransportSecurity, of host: ServerName) -> Bool {
        func meaning(_ settings: TransportSecurity, _ release: AppleRelease) -> Requirement? {
            guard case .on(var requirement) = settings.ruling(for: host, on: release) else { return nil }
            requirement.exception = nil
            return requirement
        }
        let older = AppleRelease(
            limitsLeavesOfOwnAnchors: true,
            requiresTransparency: true,
            judgesAddressesByTransportSecurity: false
        )
        return [.newest, older].allSatisfy { meaning(self, $0) == meaning(other, $0) }
    }
}

extension HostPolicy {
    /// What the policy says, wherever it stands.
    fileprivate var meaning: [AnyHashable] {
        [Set(pins?.pins.map(\.spkiSHA256) ?? []), enforcesPinning, expiration, entries.map(\.isExcluded)]
    }
}

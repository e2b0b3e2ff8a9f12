import Base
import PinFormats
import Pinning
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
    /// The hosts whose pins cannot be read.
    private(set) var unreadHosts: [UnreadHost] = []
    /// What should be said once about the sources.
    private(set) var notes: [Finding] = []

    let suffixes = SystemPublicSuffixList()

    /// The same as they were read: an app ships one of each kind.
    private(set) var readConfigurations: [PinConfiguration] = []

    /// Reads the sources in their order.
    init(reading sources: [PinSource]) throws(CheckError) {
        // Pins that are written out stand together as the lines of a file do: one that is skipped leaves the others.
        var skipped: [PinFormatError] = []
        for source in sources {
            do {
                let reading = try source.read(defersHosts: true)
                pins += reading.pins
                readConfigurations += reading.configurations
                reading.configurations.forEach { merge($0) }
                networkSecurity += reading.networkSecurity
                transportSecurity += reading.transportSecurity
                unreadHosts += reading.unreadHosts
                notes += reading.notes.map { note in
                    // What apps are released with has that part too, and does not read it.
                    Finding(
                        [.debugOverrides, .loadedFromBundle].contains(note.id) ? .info : .warning, id: note.id.rawValue,
                        message: note.message)
                }
            } catch  where error.problem == .nothingLeft && error.place == source.place { skipped.append(error) } catch
            { throw CheckError(error) }
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
                    message: "\(listed(trust, first: 1)) says whom the app trusts and pins nothing: no pin is compared")
            )
        }
    }

    private mutating func merge(_ configuration: PinConfiguration) {
        guard let index = configurations.firstIndex(where: { $0.kind == configuration.kind }) else {
            configurations.append(configuration)
            return
        }
        configurations[index] = PinConfiguration(
            configuration.kind, entries: configurations[index].entries + configuration.entries)
    }

    /// What one host is told of.
    struct Selection {
        /// The pins for whatever host, then those of each configuration that has some for it.
        let pins: PinSet?
        /// What each configuration says of the host, by its own rules.
        let policies: [(kind: PinConfiguration.Kind, policy: HostPolicy)]
        /// Those for whatever host alone.
        let unconditional: PinSet?

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
    var mindsPorts: Bool {
        unreadHosts.contains(where: \.mindsPorts) || configurations.contains { $0.entries.contains { $0.port != nil } }
    }

    /// Refuses a host whose pins cannot be read.
    func refuseUnread(_ name: ReferenceName, writtenAs host: String, port: Int?) throws(CheckError) {
        let names = [name.description, host.lowercased()]
        if case .name = name,
            let unread = unreadHosts.first(where: { host in names.contains { host.covers($0, port: port) } })
        {
            throw CheckError(unread.error)
        }
    }

    /// What is for `name` at `port`, by the rules of each configuration's own client and of others that are asked and have rules of
    /// their own for it.
    func selection(
        for name: ReferenceName, writtenAs host: String, port: Int?, by clients: [ClientRegistry.Entry]
    ) -> Selection {
        let policies = configurations.compactMap { configuration -> (PinConfiguration.Kind, HostPolicy)? in
            let host = Self.written(host, name, for: configuration.kind)
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
            policies: policies.map { (kind: $0.0, policy: $0.1) }, unconditional: PinSet(pins))
    }

    /// A host as the client of a configuration looks it up: to OkHttp a dot at the end of a URL's host makes it another one.
    private static func written(_ host: String, _ name: ReferenceName, for kind: PinConfiguration.Kind) -> String {
        kind == .okHttp ? host.lowercased() : name.description
    }

    /// How the entries of a configuration are found, `nil` for the rule of its kind: TrustKit for Android reads the platform's file
    /// in a way of its own, and finds entries that the platform does not, and other ones.
    private static func lookups(
        in configuration: PinConfiguration, by clients: [ClientRegistry.Entry]
    ) -> [PinConfiguration.Lookup?] {
        let lookups = clients.compactMap { $0.configurations[configuration.kind] }
        guard lookups.contains(.trustKitAndroid) else { return [nil] }
        return lookups.allSatisfy { $0 == .trustKitAndroid } ? [.trustKitAndroid] : [nil, .trustKitAndroid]
    }

    /// What one configuration says of a host, by the rule of its kind or by another.
    func policy(
        of configuration: PinConfiguration, for name: ReferenceName, writtenAs host: String, port: Int?,
        by lookup: PinConfiguration.Lookup? = nil
    ) -> HostPolicy? {
        guard case .name = name else {
            let unconditional = PinConfiguration(
                configuration.kind, entries: configuration.entries.filter { $0.hosts == nil })
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
                + (pins.isEmpty ? ": no pin is compared" : ""))
    }
}

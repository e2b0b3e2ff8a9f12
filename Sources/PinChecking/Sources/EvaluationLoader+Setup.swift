import PinFormats
import Pinning
import X509

/// What one server is judged by, of what was read for all.
extension EvaluationLoader {
    /// What a server is judged by.
    mutating func setup(for server: Server, _ base: Base) throws(CheckError) -> HostSetup {
        let name = server.name
        let sources = base.sources
        let settings = base.settings
        let isHostNeeded = sources.configurations.contains { $0.entries.contains { $0.hosts != nil } }
        guard name != .unchecked || !isHostNeeded else { throw CheckError(.request, .hostIsNotNamed) }
        let selection = sources.selection(for: name, writtenAs: server.host)
        let mode = try Self.pinningMode(settings.mode, for: selection.pins)
        var warnings = sources.warning(for: server.host, selection).map { [$0] } ?? []
        if let pins = selection.pins, mode == .none {
            let given = pins.pins.count == 1 ? "the one given plays" : "the \(pins.pins.count) given play"
            let message = "mode none compares no pins: \(given) no part in the verdict"
            warnings.append(.warning(id: "pins-not-compared", message: message))
        }
        var ignoring: [String] = []
        var strangers: [PinConfiguration.Kind: [String]] = [:]
        var asked: [ChosenClient] = []
        let androidHost: String? = if case .unchecked = name { nil } else { name.description }
        func input(of entry: ClientRegistry.Entry, _ clientSettings: ClientSettings) throws(CheckError) -> ClientInput {
            let own = try sources.own(entry, for: name, writtenAs: server.host)
            // Of a client that was not asked for, the pins beside its configuration are another's.
            if own?.ignoresPinsForAnyHost == true, asked.isEmpty { ignoring.append(entry.name) }
            let android = try clientSettings.androidTrust(
                entry.platform == .android ? sources.networkSecurity(for: name, host: androidHost) : nil,
                for: androidHost, installedRoots: base.installedRoots)
            // A pin that is named for whatever host holds where the client's own configuration has nothing.
            let pins = own.map { $0.policy.map(\.pins) ?? selection.unconditional } ?? selection.pins(of: entry)
            if own == nil {
                for kind in selection.kinds(beside: pins) { strangers[kind, default: []].append(entry.name) }
            }
            // What a client loads from a bundle are certificates, whatever else the app pins.
            let isModeItsOwn = settings.mode == nil && (entry.loader != nil && own?.policy != nil || own == nil)
            return ClientInput(
                mode: (isModeItsOwn ? pins : nil).map(Self.suggestedMode) ?? mode,
                allowInvalidCertificates: settings.allowsInvalidCertificates
                    ?? RequestDefaults.allowsInvalidCertificates,
                isDomainNameIgnored: settings.validatesDomainName == false, pins: pins, policy: own?.policy,
                installedRoots: base.installedRoots, host: server.host == name.description ? nil : server.host,
                androidTrust: android.trust,
                transportSecurity: entry.platform == .apple
                    ? try sources.transportSecurity(for: server.url ?? name.serverName) : nil, urlHost: server.url,
                obstacle: android.obstacle, settings: clientSettings)
        }
        asked = try ChosenClient.chosen(base.clients, input: input).filter { client in
            base.devices.contains { $0.runs(client.entry) }
        }
        let system = SystemClients(beside: asked, by: selection.policies, for: server.host)
        let clients = asked + (try ChosenClient.chosen(.named(system.clients), input: input))
        if !ignoring.isEmpty {
            let message =
                "\(ignoring.joined(separator: ", ")): the configuration decides for \(name); the pins given beside it are not compared"
            warnings.append(.warning(id: "pins-beside-configuration", message: message))
        }
        // Without configurations everything there is to say goes for all hosts, and is said once.
        if sources.configurations.isEmpty {
            note(warnings)
            warnings = []
        }
        return HostSetup(
            clients: clients, mode: mode, pins: selection.pins,
            entries: selection.policies.flatMap { kind, policy in
                policy.entries.map { ConfiguredEntry(kind: kind, entry: $0) }
            }, applied: AppliedConfiguration.all(of: clients, on: server.url ?? name.serverName), warnings: warnings,
            notes: base.notes + (sources.configurations.isEmpty ? warnings : []),
            remarks: system.remarks + Self.remarks(on: strangers, in: selection, to: clients, for: server.host))
    }

    /// That a configuration pins the host for clients which nobody asked for: those that were asked for have pins of their own.
    private static func remarks(
        on strangers: [PinConfiguration.Kind: [String]], in selection: PinSources.Selection, to clients: [ChosenClient],
        for host: String
    ) -> [Finding] {
        selection.policies.compactMap { kind, policy in
            guard let names = strangers[kind], !clients.contains(where: { $0.entry.configurations[kind] != nil }) else {
                return nil
            }
            let place = policy.entries.first?.origin ?? kind.rawValue
            return Finding(
                .info, id: "pins-of-other-clients",
                message: "\(place) pins \(host) for other clients: \(names.joined(separator: ", ")) "
                    + "\(names.count == 1 ? "has" : "have") pins of another place and none of these")
        }
    }

    /// The mode that was asked for, or the one the pins suggest.
    private static func pinningMode(
        _ mode: AFSecurityPolicy.PinningMode?, for pins: PinSet?
    ) throws(CheckError) -> AFSecurityPolicy.PinningMode {
        guard let pins else { return mode ?? .none }
        guard mode != .certificate || !pins.certificates.isEmpty else {
            throw CheckError(.request, .noCertificatesForMode)
        }
        return mode ?? suggestedMode(pins)
    }

    private static func suggestedMode(_ pins: PinSet) -> AFSecurityPolicy.PinningMode {
        pins.certificates.count == pins.pins.count ? .certificate : .publicKey
    }
}

import Base
import PinFormats
import Pinning
import X509

/// What one server is judged by, of what was read for all.
extension Policies {
    mutating func policy(for server: Server, _ base: Base) throws(CheckError) -> HostPolicy {
        let name = server.name
        let sources = base.sources
        let settings = base.settings
        let isHostNeeded = sources.configurations.contains { $0.entries.contains { $0.hosts != nil } }
        guard name != .unchecked || !isHostNeeded else { throw CheckError(.request, .hostIsNotNamed) }
        let follows = settings.clients == nil
        try sources.refuseContradictions(about: server, follows: follows)
        let selection = sources.selection(for: name, writtenAs: server.host)
        let mode = try Self.pinningMode(settings.mode, for: selection.pins)
        var warnings = sources.warning(for: server.host, selection).map { [$0] } ?? []
        if let pins = selection.pins, mode == .none {
            let given = pins.pins.count == 1 ? "the one given plays" : "the \(pins.pins.count) given play"
            let message = "mode none compares no pins: \(given) no part in the verdict"
            warnings.append(.warning(id: "pins-not-compared", message: message))
        }
        let androidHost: String? = if case .unchecked = name { nil } else { name.description }
        func input(of entry: ClientRegistry.Entry, _ clientSettings: ClientSettings) throws(CheckError) -> ClientInput {
            let own = sources.own(entry, for: name, writtenAs: server.host, follows: follows)
            let android = try clientSettings.androidTrust(
                entry.platform == .android ? sources.networkSecurity.first : nil, for: androidHost,
                installedRoots: base.installedRoots)
            // A pin that is named for whatever host holds where the chosen client's own configuration has nothing.
            let pins =
                follows
                ? sources.pins(of: entry, own)
                : own.map { $0.policy.map(\.pins) ?? selection.unconditional } ?? selection.pins(of: entry)
            let isUncovered = pins == nil && own?.policy == nil && (!follows || sources.isOfSet(entry))
            // What a client loads from a bundle are certificates, whatever else the app pins.
            let isModeItsOwn =
                settings.mode == nil && (follows || entry.loader != nil && own?.policy != nil || own == nil)
            return ClientInput(
                mode: (isModeItsOwn ? pins : nil).map(Self.suggestedMode) ?? mode,
                allowInvalidCertificates: settings.allowsInvalidCertificates
                    ?? RequestDefaults.allowsInvalidCertificates,
                isDomainNameIgnored: settings.validatesDomainName == false, pins: pins, policy: own?.policy,
                installedRoots: base.installedRoots, host: server.host == name.description ? nil : server.host,
                androidTrust: android.trust,
                transportSecurity: entry.platform == .apple ? sources.transportSecurity.first : nil,
                urlHost: server.url,
                obstacle: android.obstacle ?? (isUncovered ? sources.uncovered(server.host, for: entry) : nil),
                settings: clientSettings)
        }
        let asked = try ConfiguredClient.chosen(base.clients, input: input).filter { client in
            base.devices.contains { $0.runs(client.entry) }
        }
        let system = SystemClients(beside: asked, by: selection.policies, for: server.host)
        // Nothing is left to judge by, whatever the host: no server need be asked.
        if !follows, system.clients.isEmpty, !sources.hasLists, case .failure(let error)? = asked.first?.procedure,
            asked.allSatisfy({ if case .failure = $0.procedure { true } else { false } })
        {
            throw .said(.data, "\(error)")
        }
        let clients = asked + (try ConfiguredClient.chosen(.named(system.clients), input: input))
        warnings.removeAll { settings.outlook.ignored.contains($0.id) }
        // Without configurations everything there is to say goes for all hosts, and is said once.
        if sources.configurations.isEmpty {
            note(warnings)
            warnings = []
        }
        let own =
            server.lacksPins && !settings.outlook.ignored.contains("nothing-pinned")
            ? [Finding.warning(id: "nothing-pinned", message: "the policy pins nothing for this target")] : []
        return HostPolicy(
            clients: clients, mode: mode, pins: selection.pins,
            entries: selection.policies.flatMap { kind, policy in
                policy.entries.map { ConfiguredEntry(kind: kind, entry: $0) }
            }, applied: AppliedConfiguration.all(of: clients, on: server.url ?? name.serverName),
            warnings: base.notes + warnings + own, remarks: system.remarks, devices: base.devices, lists: base.lists,
            givenRoots: base.givenRoots, time: settings.time, outlook: settings.outlook, fetchable: base.fetchable,
            installedRoots: base.installedRoots, publicRoots: publicRoots)
    }

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

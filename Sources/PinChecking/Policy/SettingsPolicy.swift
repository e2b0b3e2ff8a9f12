import Base
import PinFormats
import Pinning
import X509

/// The part of a policy that all hosts of the settings share.
struct SettingsPolicy {
    var settings = CheckRequest.Judging()
    var clients = ClientSelection.all
    var sources = PinSources()
    var installedRoots: [Certificate] = []
    /// Certificates in place of those that a platform would fetch, in addition to the pins.
    var fetchable: [Certificate] = []
    /// The devices in the order of their data; only this machine if none is named.
    let devices: [JudgedDevice]
    /// The lists of roots of the named devices; `nil` if no device is named.
    var lists: HostPolicy.Lists?
    /// The given roots, which replace those of the devices or add to them; `nil` if none are given.
    var givenRoots: TrustStore?
    /// Roots that count as those of devices, in addition to their lists.
    var publicRoots: Set<[UInt8]> = []
    var notes: [Finding] = []

    struct Server: Hashable {
        let name: ReferenceName
        let host: String
        /// The URL's host; `nil` if it is the reference name, or does not matter.
        let url: ServerName?
        let lacksPins: Bool

        /// The host as a client compares it: as text, or by its name; `nil` if no name is checked.
        func host(asWritten: Bool) -> String? { name.serverName.map { asWritten ? host.lowercased() : "\($0)" } }
    }

    /// The policy for a server, and the warnings that are for all hosts, to be reported once.
    func policy(for server: Server) throws(Problem) -> (policy: HostPolicy, notes: [Finding]) {
        let name = server.name
        let byHost = sources.configurations.contains { $0.entries.contains { $0.hosts != nil } }
        guard name != .unchecked || !byHost else { throw .usage("the pins are configured host by host", .nameHost) }
        try sources.refuseContradictions(about: server, follows: settings.clients == nil)
        let pins = sources.hostPins(for: server)
        let all = PinSet(sources.read.pins + pins.flatMap { $0.policy.pins?.pins ?? [] })
        let mode = try pinningMode(for: all)
        let asked = try configure(clients.clients, pins, mode, server).filter { client in
            devices.contains { client.client.runs(on: $0.device) }
        }
        let system = systemClients(beside: asked, by: pins, for: server.host)
        // No client can judge any host, so no server needs to be contacted.
        if settings.clients != nil, system.clients.isEmpty, !sources.hasLists,
            case .failure(let error)? = asked.first?.procedure,
            asked.allSatisfy({ if case .failure = $0.procedure { true } else { false } })
        {
            throw .data("\(error)")
        }
        let clients = asked + (try configure(system.clients, pins, mode, server))
        var warnings = sources.warning(for: server.host, pins).map { [$0] } ?? []
        if let all, mode == .none {
            let given = all.pins.count == 1 ? "the pin you gave is" : "the \(all.pins.count) pins you gave are"
            warnings.append(.warning(.pinsNotCompared, "mode none ignores pins: \(given) not used"))
        }
        let isForAll = sources.configurations.isEmpty
        var own = server.lacksPins ? [Finding.warning(.nothingPinned, "the policy pins nothing for this target")] : []
        let placeholders = (all?.pins ?? []).enumerated().compactMap { index, pin in
            Placeholder(pin.spkiSHA256).map { (number: "\(index + 1)", words: $0.words) }
        }
        own += placeholders.grouped(by: \.words).map { words, pins in
            let numbers = pins.count == 1 ? "pin \(pins[0].number)" : "pins \(listed(pins.map(\.number))): each"
            return .warning(.placeholderPin, "\(numbers) \(words)")
        }
        for client in clients.map(\.client) {
            let old = devices.compactMap(\.device).filter {
                client.runs(on: $0) && $0.version ?? .newest < client.since
            }
            guard !old.isEmpty else { continue }
            let what = "\(listed(old.map(\.name))) compare no pin, and are judged here as if they did"
            own.append(.warning(.platformRule, "\(client.name) begins with iOS \(client.since): \(what)"))
        }
        let known = isForAll ? [] : Set(all?.pins ?? [])
        let others = isForAll ? [] : clients.flatMap { $0.pins?.pins ?? [] }.filter { !known.contains($0) }.distinct
        let policy = HostPolicy(
            self, clients: clients, mode: mode, pins: PinSet((all?.pins ?? []) + others),
            entries: pins.flatMap { kind, policy in policy.map { (kind, $0) } },
            applied: AppliedConfiguration.all(of: clients, on: server.url ?? name.serverName),
            warnings: notes + (isForAll ? [] : warnings) + own, remarks: system.remarks,
            code: sources.read.code.isEmpty
                ? nil
                : AppCode(
                    sources.read.code, beside: clients, for: name, of: server.host, isNamed: settings.clients != nil))
        return (policy, isForAll ? warnings : [])
    }

    private func configure(
        _ clients: [Client], _ pins: PinSources.HostPins, _ mode: AFSecurityPolicy.PinningMode, _ server: Server
    ) throws(Problem) -> [ConfiguredClient] {
        let follows = settings.clients == nil
        return try clients.map { (client) throws(Problem) in
            let own = sources.own(client, for: server, follows: follows)
            let policy = own.flatMap { $0.isEmpty ? nil : $0 }
            // A pin for any host counts if the named client's own configuration has none.
            let clientPins =
                if follows { sources.pins(of: client, policy) } else if own == nil {
                    sources.pins(of: client, beside: pins)
                } else { policy.map(\.pins) ?? PinSet(sources.read.pins) }
            let isUncovered = clientPins == nil && policy == nil && (!follows || sources.isOfSet(client))
            // A client loads only certificates from a bundle, even if the app pins keys elsewhere.
            let isModeItsOwn = settings.mode == nil && (follows || client.loader != nil && policy != nil || own == nil)
            return try ConfiguredClient(
                ClientInput(
                    client: client,
                    afSecurityPolicy: AFSecurityPolicy(
                        mode: (isModeItsOwn ? clientPins : nil).map(Self.suggestedMode) ?? mode,
                        allowInvalidCertificates: settings.allowsInvalidCertificates == true,
                        validatesDomainName: settings.validatesDomainName != false), pins: clientPins, policy: policy,
                    installedRoots: installedRoots, host: server.host == server.name.description ? nil : server.host,
                    referenceName: server.name.text, networkSecurity: sources.read.networkSecurity.first,
                    transportSecurity: sources.read.transportSecurity.first, urlHost: server.url,
                    obstacle: isUncovered
                        ? sources.lackOfLines(for: server.host, by: client) : sources.exception(of: client)))
        }
    }

    private func pinningMode(for pins: PinSet?) throws(Problem) -> AFSecurityPolicy.PinningMode {
        guard let pins else { return settings.mode ?? .none }
        guard settings.mode != .certificate || !pins.certificates.isEmpty else {
            throw .usage(
                "mode certificate compares certificates, and all the pins given are hashes or keys", .comparePublicKeys)
        }
        return settings.mode ?? Self.suggestedMode(pins)
    }

    private static func suggestedMode(_ pins: PinSet) -> AFSecurityPolicy.PinningMode {
        pins.certificates.count == pins.pins.count ? .certificate : .publicKey
    }

    /// The system's own clients that decide for an app whose configuration pins the host; empty if they were named.
    ///
    /// Android's `NetworkSecurityTrustManager` compares pins for all users of the process's trust manager, even OkHttp.
    /// NSPinnedDomains is part of App Transport Security, which binds every load of NSURLSession (Apple's documents).
    private func systemClients(
        beside asked: [ConfiguredClient], by policies: PinSources.HostPins, for host: String
    ) -> (clients: [Client], remarks: [Finding]) {
        var (clients, remarks): ([Client], [Finding]) = ([], [])
        for system in Client.all {
            guard let kind = system.bindsAppBy, !asked.contains(where: { $0.client.name == system.name }),
                let policy = policies.first(where: { $0.kind == kind })?.policy, policy.contains(where: \.isPinning)
            else { continue }
            let bound = asked.filter { client in
                [system.platform, nil].contains(client.client.platform) && client.client.configurations[kind] == nil
            }
            guard !bound.isEmpty else { continue }
            // The app's settings apply to its system, too.
            let appSettings = Set(ClientSetting.androidApp.map(\.name))
            clients +=
                bound.map { client in
                    let words = client.client.words.filter { appSettings.contains(ClientSetting.name($0)) }
                    return (try? system.with(words)) ?? system
                }.distinct
            let place = policy.first?.origin.description ?? system.name
            let names = bound.map(\.client.name).listed
            let message = "\(place) pins \(host) for all of the app: \(system.name) decides beside \(names)"
            remarks.append(Finding(.systemPins, .note, message))
        }
        return (clients, remarks)
    }
}

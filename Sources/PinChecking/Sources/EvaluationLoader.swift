import Devices
import PinFormats
package import Pinning
import Text
import X509

/// Reads what settings name and puts together what chains are judged by; the same settings are read once.
package struct EvaluationLoader {
    /// What should be said once about pins as they were read.
    package private(set) var notes: [Finding] = []

    private let environment: [String: String]
    private let time: Timestamp?
    private var bases: [CheckRequest.Judging: Base] = [:]
    private var anchors: [CheckRequest.Trust: [AnchorBundle]?] = [:]
    private var deviceRoots: [String?: DeviceRoots] = [:]
    private lazy var system = TrustStore.system(environment: environment)

    /// A loader for one run.
    ///
    /// - Parameters:
    ///   - environment: may say where the system's roots are.
    ///   - time: the moment by which data is old, `nil` where nobody minds.
    package init(environment: [String: String], at time: Timestamp? = nil) {
        self.environment = environment
        self.time = time
    }

    /// What is the same for every host that some settings are for.
    private struct Base {
        let settings: CheckRequest.Judging
        let clients: ClientSelection
        let sources: PinSources
        let installedRoots: [Certificate]
        let fetchable: [Certificate]
        let logs: TransparencyLogs?
        let devices: [JudgedDevice]
        let lists: Evaluation.Lists?
        let givenRoots: TrustStore?
        /// What is said of all hosts.
        let notes: [Finding]
        let known = KnownEvaluations()
    }

    /// What was put together so far: the evaluations by server, or the only one where no configuration tells hosts apart.
    private final class KnownEvaluations {
        var byServer: [Server: Evaluation] = [:]
        var common: Evaluation?
    }

    /// What configurations tell servers apart by.
    private struct Server: Hashable {
        let name: ReferenceName
        /// The host as the URL has it.
        let host: String
        let port: Int?
        /// The URL's host, `nil` for the reference name and where it plays no part.
        let url: ServerName?
    }

    /// Device data with its roots.
    private struct DeviceRoots {
        let data: DeviceData
        let bundle: AnchorBundle
    }

    /// Reads what settings name, so that what is wrong with it shows before there is a host.
    mutating func read(_ settings: CheckRequest.Judging) throws(CheckError) {
        if bases[settings] == nil { bases[settings] = try base(settings) }
    }

    /// What the host called `name` is judged by, at `port` where that is known.
    ///
    /// - Parameters:
    ///   - settings: what it is judged by.
    ///   - name: the reference name.
    ///   - host: the name as it was written, `nil` where it was written as it is read.
    ///   - port: the port of the server.
    ///   - url: the host of the URL, `nil` where that is the reference name.
    /// - Returns: what the chain is judged by.
    /// - Throws: ``CheckError`` for flags, pins and anchors that cannot be used.
    package mutating func evaluation(
        _ settings: CheckRequest.Judging,
        for name: ReferenceName,
        writtenAs host: String? = nil,
        port: Int?,
        url: ServerName? = nil
    ) throws(CheckError) -> Evaluation {
        let base: Base
        if let known = bases[settings] {
            base = known
        } else {
            base = try self.base(settings)
            bases[settings] = base
        }
        let host = host ?? name.description
        let server = Server(
            name: name,
            host: host,
            port: base.sources.mindsPorts ? port : nil,
            url: url == name.serverName ? nil : url
        )
        let tellsHostsApart = base.sources.tellsHostsApart || host != name.description || server.url != nil
        if let known = base.known.byServer[server] ?? (tellsHostsApart ? nil : base.known.common) { return known }
        let setup = try setup(for: server, base)
        let evaluation = Evaluation(
            setup: setup,
            devices: base.devices,
            lists: base.lists,
            givenRoots: base.givenRoots,
            time: base.settings.time,
            outlook: base.settings.outlook,
            fetchable: base.fetchable,
            installedRoots: base.installedRoots,
            logs: base.logs
        )
        if !tellsHostsApart {
            base.known.common = evaluation
        } else {
            base.known.byServer[server] = evaluation
        }
        return evaluation
    }

    /// What an endpoint is judged by that is named as it is recorded.
    package mutating func evaluation(
        _ settings: CheckRequest.Judging,
        for endpoint: CheckEndpoint
    ) throws(CheckError) -> Evaluation {
        try evaluation(
            settings,
            for: endpoint.referenceName,
            port: endpoint.targetPort,
            url: endpoint.urlHost
        )
    }

    private mutating func base(_ settings: CheckRequest.Judging) throws(CheckError) -> Base {
        try CheckError.reading(settings.outlook.check)
        let files = settings.trust.anchors + settings.extraRoots + settings.intermediates
        if !(settings.pins.isEmpty && files.isEmpty) {
            try OpenSSLHealth.require()
        }
        let sources = try PinSources(reading: settings.pinSources)
        let chosen = try chosenDevices(settings)
        let oldData = time.flatMap { time in chosen.roots.flatMap { DeviceLists.warning(of: $0.data, at: time) } }
        let notes = Self.told(by: sources, chosen.clients) + (oldData.map { [$0] } ?? [])
        note(notes)
        var installed: [AnchorBundle] = []
        for path in settings.extraRoots { installed += try AnchorFiles.bundles(at: path) }
        var fetchable: [Certificate] = []
        for path in settings.intermediates {
            fetchable += try AnchorFiles.bundles(at: path, as: "intermediate certificates").flatMap(\.certificates)
        }
        let logs = try settings.transparencyLogs.map { (path) throws(CheckError) in try Self.logs(at: path) }
        let given = try givenAnchors(settings.trust)
        let makers = (ordinary: VerifierMaker(settings), withInstalledRoots: VerifierMaker(settings))
        let devices = chosen.devices.map { device in
            let selection = device.flatMap { device in
                chosen.roots.map { AnchorSelection($0.data.positions(of: device), of: $0.bundle) }
            }
            let (store, trust) = TrustAnchors.store(
                given,
                settings.trust,
                beside: selection.map { TrustStore($0) } ?? system,
                selected: selection
            )
            let ordinary = makers.ordinary.verifier(store, device, of: chosen.roots?.data)
            return JudgedDevice(
                device: device,
                trust: trust,
                verifier: ordinary,
                verifierWithInstalledRoots: installed.isEmpty
                    ? ordinary
                    : makers.withInstalledRoots.verifier(
                        TrustStore(anchors: installed, and: store),
                        device,
                        of: chosen.roots?.data
                    )
            )
        }
        return Base(
            settings: settings,
            clients: chosen.clients,
            sources: sources,
            installedRoots: installed.flatMap(\.certificates),
            fetchable: fetchable,
            logs: logs,
            devices: devices,
            lists: chosen.roots.map { roots in
                Evaluation.Lists(
                    data: roots.data,
                    file: settings.deviceData,
                    verifier: OpenSSLPathVerifier(trustStore: TrustStore(anchors: [roots.bundle]))
                )
            },
            givenRoots: given.map { TrustStore(anchors: $0) },
            notes: notes
        )
    }

    /// Makes the verifiers of several devices, which share what they find out.
    private struct VerifierMaker {
        private let settings: CheckRequest.Judging
        private let shared: SharedFindings?

        init(_ settings: CheckRequest.Judging) {
            self.settings = settings
            shared = settings.devices == nil ? nil : SharedFindings()
        }

        /// A verifier for a device of `data`, or for this machine.
        func verifier(_ store: TrustStore, _ device: Device?, of data: DeviceData?) -> OpenSSLPathVerifier {
            let lists = device.flatMap { device in data.map { (data: $0, device: device) } }
            return OpenSSLPathVerifier(
                trustStore: store,
                authLevel: settings.authLevel,
                isStrict: settings.isStrict ?? RequestDefaults.isStrict,
                sharing: device == nil ? nil : shared,
                isPublicRoot: { root in
                    lists.map { $0.data.lists(root.der, for: $0.device) }
                        ?? DeviceData.builtIn.isOnNewestApple(root.der)
                }
            )
        }
    }

    private mutating func givenAnchors(_ key: CheckRequest.Trust) throws(CheckError) -> [AnchorBundle]? {
        if let known = anchors[key] { return known }
        let given = try TrustAnchors.given(key)
        anchors[key] = .some(given)
        return given
    }

    /// The devices and the clients that settings ask for, this machine as `nil`, with the data that has them.
    private mutating func chosenDevices(
        _ settings: CheckRequest.Judging
    ) throws(CheckError) -> (devices: [Device?], clients: ClientSelection, roots: DeviceRoots?) {
        guard let selection = settings.devices else {
            guard settings.deviceData == nil else { throw CheckError(.request, .deviceDataWithoutDevice) }
            return ([nil], settings.clients ?? RequestDefaults.clients, nil)
        }
        let path = settings.deviceData
        let roots: DeviceRoots
        if let known = deviceRoots[path] {
            roots = known
        } else {
            try OpenSSLHealth.require()
            let data = try DeviceLists.data(at: path)
            roots = DeviceRoots(data: data, bundle: try DeviceLists.roots(of: data, at: path))
            deviceRoots[path] = roots
        }
        let chosen = try DeviceLists.chosen(selection, settings.clients, in: roots.data)
        return (chosen.devices, chosen.clients, roots)
    }

    private static func logs(at path: String) throws(CheckError) -> TransparencyLogs {
        do throws(PinFormatError) {
            return try LogListReader.list(at: path)
        } catch {
            throw CheckError(error)
        }
    }

    private mutating func note(_ messages: [Finding]) {
        notes += messages.filter { !notes.contains($0) }
    }

    /// What is to be said of the sources to the clients that are asked.
    private static func told(by sources: PinSources, _ clients: ClientSelection) -> [Finding] {
        let isForCurl = clients.includes("curl")
        return sources.notes.filter { isForCurl || $0.id != PinNote.ID.curlReadsNoBlanks.rawValue }
    }

    /// What a server is judged by.
    private mutating func setup(for server: Server, _ base: Base) throws(CheckError) -> HostSetup {
        let name = server.name
        let sources = base.sources
        let settings = base.settings
        let isHostNeeded = sources.configurations.contains { $0.entries.contains { $0.hosts != nil } }
        guard name != .unchecked || !isHostNeeded else {
            throw CheckError(.request, .hostIsNotNamed)
        }
        let selection = sources.selection(for: name, writtenAs: server.host, port: server.port)
        let mode = try Self.pinningMode(settings.mode, for: selection.pins)
        var warnings = sources.warning(for: server.host, selection).map { [$0] } ?? []
        if let pins = selection.pins, mode == .none {
            let given = pins.pins.count == 1 ? "the one given plays" : "the \(pins.pins.count) given play"
            let message = "mode none compares no pins: \(given) no part in the verdict"
            warnings.append(.warning(id: "pins-not-compared", message: message))
        }
        var ignoring: [String] = []
        let androidHost: String? = if case .unchecked = name { nil } else { name.description }
        let clients = try ChosenClient.chosen(base.clients) {
            (entry, clientSettings) throws(CheckError) in
            let own = try sources.own(entry, for: name, writtenAs: server.host, port: server.port)
            if own?.ignoresPinsForAnyHost == true { ignoring.append(entry.name) }
            let android = try clientSettings.androidTrust(
                entry.platform == .android ? sources.networkSecurity(for: name, host: androidHost) : nil,
                for: androidHost,
                installedRoots: base.installedRoots
            )
            // What a client loads from a bundle are certificates, whatever else the app pins.
            let ownCertificates = entry.loader == nil || settings.mode != nil ? nil : own?.policy?.pins
            return ClientInput(
                mode: ownCertificates.map(Self.suggestedMode) ?? mode,
                allowInvalidCertificates: settings.allowsInvalidCertificates
                    ?? RequestDefaults.allowsInvalidCertificates,
                isDomainNameIgnored: settings.validatesDomainName == false,
                validatesCertificateChain: settings.validatesCertificateChain
                    ?? RequestDefaults.validatesCertificateChain,
                // A pin that is named for whatever host holds where the client's own configuration has nothing.
                pins: own.map { $0.policy.map(\.pins) ?? PinSet(sources.pins) } ?? selection.pins,
                policy: own?.policy,
                installedRoots: base.installedRoots,
                host: server.host == name.description ? nil : server.host,
                androidTrust: android.trust,
                transportSecurity: entry.platform == .apple
                    ? try sources.transportSecurity(for: server.url ?? name.serverName) : nil,
                urlHost: server.url,
                obstacle: own?.obstacle ?? android.obstacle,
                settings: clientSettings
            )
        }.filter { client in base.devices.contains { $0.runs(client.entry) } }
        if !ignoring.isEmpty {
            let message =
                "\(ignoring.joined(separator: ", ")): the configuration decides for \(name); the pins given beside it are not compared"
            warnings.append(.warning(id: "pins-beside-configuration", message: message))
        }
        warnings += Self.pinsOfSystem(selection, beside: clients, for: server.host)
        // Without configurations everything there is to say goes for all hosts, and is said once.
        if sources.configurations.isEmpty {
            note(warnings)
            warnings = []
        }
        return HostSetup(
            clients: clients,
            mode: mode,
            pins: selection.pins,
            records: Self.records(of: selection, comparedBy: clients, for: name, base.devices[0].verifier),
            entries: selection.policies.flatMap { kind, policy in
                policy.entries.map { ConfiguredEntry(kind: kind, entry: $0) }
            },
            applied: AppliedConfiguration.all(of: clients, on: server.url ?? name.serverName),
            warnings: warnings,
            notes: base.notes + (sources.configurations.isEmpty ? warnings : [])
        )
    }

    /// What should be said of pins by which the system decides for the whole app, where nobody asked for its decision.
    private static func pinsOfSystem(
        _ selection: PinSources.Selection,
        beside clients: [ChosenClient],
        for host: String
    ) -> [Finding] {
        ClientRegistry.entries.compactMap { entry in
            guard let kind = entry.bindsAppBy,
                let policy = selection.policies.first(where: { $0.kind == kind })?.policy, policy.pins != nil,
                !clients.contains(where: { $0.entry.name == entry.name })
            else { return nil }
            let bound = clients.filter { $0.entry.platform == entry.platform && $0.entry.configurations[kind] == nil }
            guard !bound.isEmpty else { return nil }
            let names = bound.map(\.entry.name).joined(separator: ", ")
            let place = policy.entries.first?.origin ?? entry.name
            return .warning(
                id: "system-pins-not-judged",
                message: "\(place) pins \(host) for all of the app, so the system decides by it for \(names) too",
                remedy: .addClient(entry.name)
            )
        }
    }

    /// The records that a client compares and that no pin expresses, each once.
    private static func records(
        of selection: PinSources.Selection,
        comparedBy clients: [ChosenClient],
        for name: ReferenceName,
        _ verifier: OpenSSLPathVerifier
    ) -> [ConfiguredRecord] {
        let compared = clients.flatMap { client -> [TLSARecord] in
            guard let procedure = try? client.procedure.get() else { return [] }
            return procedure.comparison(with: client.pins, for: name).demands.flatMap(\.uses).compactMap(\.record)
        }
        guard !compared.isEmpty else { return [] }
        let pins = selection.pins?.pins ?? []
        var found: [ConfiguredRecord] = []
        for entry in selection.policies.flatMap(\.policy.entries) {
            for record in entry.records
            where compared.contains(record) && !pins.contains(where: { record.says($0, verifier) })
                && !found.contains(where: { $0.record == record })
            {
                found.append(ConfiguredRecord(record: record, origin: entry.origin))
            }
        }
        return found
    }

    /// The mode that was asked for, or the one the pins suggest.
    private static func pinningMode(
        _ mode: AFSecurityPolicy.PinningMode?,
        for pins: PinSet?
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

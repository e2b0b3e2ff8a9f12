import Base
import PinFormats
package import Pinning
import X509

/// Reads the files of settings, once for equal settings, and makes the policies of hosts.
package struct Policies {
    package private(set) var notes: [Finding] = []
    private let environment: [String: String]
    private let time: Timestamp?
    private let publicRoots: Set<[UInt8]>
    private var known: [CheckRequest.Judging: KnownPolicies] = [:]
    private var anchors: [CheckRequest.Trust: [AnchorBundle]?] = [:]
    private var lists: [String?: HostPolicy.Lists] = [:]
    private lazy var system = TrustStore.system(environment: environment)

    package init(environment: [String: String], at time: Timestamp? = nil, publicRoots: Set<[UInt8]> = []) {
        (self.environment, self.time, self.publicRoots) = (environment, time, publicRoots)
    }

    /// The policies of equal settings by server; `nil` if no configuration tells hosts apart.
    private final class KnownPolicies {
        let base: SettingsPolicy
        var byServer: [SettingsPolicy.Server?: HostPolicy] = [:]

        init(_ base: SettingsPolicy) { self.base = base }
    }

    /// The most remembered settings, and servers of each: equal ones are often neighbours in lists of millions.
    private static let mostKnown = 1_024

    /// Reads the files of settings, so that a mistake in them is reported before the first host.
    package mutating func read(_ settings: CheckRequest.Judging) throws(Problem) { _ = try policies(settings) }

    package mutating func policy(
        _ settings: CheckRequest.Judging, for name: ReferenceName, writtenAs host: String? = nil,
        url: ServerName? = nil, lacksPins: Bool = false
    ) throws(Problem) -> HostPolicy {
        let known = try policies(settings)
        let server = SettingsPolicy.Server(
            name: name, host: host ?? name.description, url: url == name.serverName ? nil : url, lacksPins: lacksPins)
        let isOnlyName = server.host == name.description && server.url == nil && !lacksPins
        let key = isOnlyName && !known.base.sources.tellsHostsApart ? nil : server
        if let policy = known.byServer[key] { return policy }
        let (policy, notes) = try known.base.policy(for: server)
        note(notes, unless: settings.outlook.ignored)
        if known.byServer.count >= Self.mostKnown { known.byServer = [:] }
        known.byServer[key] = policy
        return policy
    }

    private mutating func policies(_ settings: CheckRequest.Judging) throws(Problem) -> KnownPolicies {
        if let known = known[settings] { return known }
        let read = KnownPolicies(try base(settings))
        // Each line of a list can have its own pins.
        if known.count >= Self.mostKnown { known = [:] }
        known[settings] = read
        return read
    }

    private mutating func base(_ settings: CheckRequest.Judging) throws(Problem) -> SettingsPolicy {
        try settings.outlook.check()
        let files = settings.trust.anchors + settings.extraRoots + settings.intermediates
        if !(settings.pins.isEmpty && files.isEmpty) { try Hashing.require() }
        let sources = try PinSources(reading: settings.pins)
        let chosen = try chosenDevices(settings, sources)
        let installed = try AnchorBundle.all(at: settings.extraRoots, as: "extra roots")
        let fetchable = try AnchorBundle.all(at: settings.intermediates, as: "intermediate certificates")
        let given = try givenAnchors(settings.trust)
        // The verifiers of several devices share the paths that they found.
        let shared = (ordinary: FindingsCache(), installed: FindingsCache())
        let devices = chosen.devices.map { device in
            let own = device.flatMap { device in chosen.lists.map { (lists: $0, device: device) } }
            func verifier(_ store: TrustStore, _ shared: FindingsCache) -> OpenSSLPathVerifier {
                OpenSSLPathVerifier(
                    trustStore: store, sharing: device == nil ? FindingsCache() : shared,
                    isPublicRoot: { root in
                        own.map { $0.lists.data.lists(root.der, for: $0.device) }
                            ?? DeviceData.builtIn.isOnNewestApple(root.der)
                    })
            }
            let selection = own.map { AnchorSelection($0.lists.data.positions(of: $0.device), of: $0.lists.bundle) }
            let (store, trust) = settings.trust.store(
                given, beside: selection.map { TrustStore($0) } ?? system, selected: selection)
            let ordinary = verifier(store, shared.ordinary)
            return JudgedDevice(
                device: device, trust: trust, verifier: ordinary,
                verifierWithInstalledRoots: installed.isEmpty
                    ? ordinary : verifier(TrustStore(anchors: installed, and: store), shared.installed))
        }
        // The age of lists does not matter if no root is looked up in them.
        let old = devices.contains(where: \.usesOwnRoots) ? time.flatMap { chosen.lists?.data.warning(at: $0) } : nil
        let notes = sources.notes + [old].compactMap(\.self)
        note(notes, unless: settings.outlook.ignored)
        return SettingsPolicy(
            settings: settings, clients: chosen.clients, sources: sources,
            installedRoots: installed.flatMap(\.certificates), fetchable: fetchable.flatMap(\.certificates),
            devices: devices, lists: chosen.lists, givenRoots: given.map { TrustStore(anchors: $0) },
            publicRoots: publicRoots, notes: notes)
    }

    private mutating func givenAnchors(_ trust: CheckRequest.Trust) throws(Problem) -> [AnchorBundle]? {
        if let known = anchors[trust] { return known }
        guard !trust.anchors.isEmpty || trust.includesSystem != true else {
            throw .usage("the system's roots are to be added to anchors, and none are given", .addAnchors)
        }
        let given = try trust.anchors.isEmpty ? nil : AnchorBundle.all(at: trust.anchors, as: "anchors")
        anchors[trust] = .some(given)
        return given
    }

    private mutating func chosenDevices(
        _ settings: CheckRequest.Judging, _ sources: PinSources
    ) throws(Problem) -> (devices: [Device?], clients: ClientSelection, lists: HostPolicy.Lists?) {
        let path = settings.deviceData
        guard let named = settings.devices else {
            guard path == nil else { throw .usage("device data is given and no device is named", .nameDevice) }
            let clients = if let chosen = settings.clients { chosen } else { try sources.clients(settings) }
            return ([nil], clients, nil)
        }
        let lists: HostPolicy.Lists
        if let known = self.lists[path] {
            lists = known
        } else {
            try Hashing.require()
            let data = try DeviceData.read(path)
            let bundle = try data.bundle(from: path)
            let verifier = OpenSSLPathVerifier(trustStore: TrustStore(anchors: [bundle]))
            lists = (data, path, bundle, verifier)
            self.lists[path] = lists
        }
        let devices = try lists.data.devices(called: named)
        let clients = if let own = settings.clients { own } else { try sources.clients(settings, on: devices.all) }
        return (try clients.devices(of: devices), clients, lists)
    }

    private mutating func note(_ findings: [Finding], unless ignored: Set<FindingID>) {
        notes += findings.filter { !notes.contains($0) && !ignored.contains($0.kind) }
    }
}

extension DeviceData {
    package static func read(_ path: String?) throws(Problem) -> DeviceData {
        guard let path else { return .builtIn }
        return try DeviceData(
            DeviceLists(PinFile.load(path, mayBePipe: true), knowing: Set(CARoot.published.map(\.name))))
    }

    func bundle(from path: String?) throws(Problem) -> AnchorBundle {
        do { return try AnchorBundle(listed: certificates) } catch {
            throw .data("\(path ?? "the device data"): cannot be used as device data: a root is \(error)")
        }
    }

    package func warning(at time: Timestamp) -> Finding? {
        guard isStale(at: time) else { return nil }
        let message = "the lists of roots are from \(date.date), \(age(at: time)) days ago"
        return .warning(.oldDeviceData, message, remedy: .giveNewerDeviceData)
    }

    /// The devices of these names in the order of the data, this machine first as `nil`; `named` leaves out `all`.
    func devices(called names: [String]) throws(Problem) -> (all: [Device?], named: [Device?]) {
        var named: [Device?] = []
        for name in names where name != "all" { named.append(try device(named: name)) }
        return (([nil] + devices).filter { named.contains($0) || names.contains("all") && $0 != nil }, named)
    }
}

extension CheckRequest.Trust {
    func store(
        _ given: [AnchorBundle]?, beside own: @autoclosure () -> TrustStore, selected selection: AnchorSelection? = nil
    ) -> (TrustStore, HostPolicy.Trust) {
        guard let given else { return (own(), selection == nil ? .system : .device) }
        guard includesSystem == true else { return (TrustStore(anchors: given, insteadOf: selection), .anchors) }
        return (TrustStore(anchors: given, and: own()), selection == nil ? .both : .anchorsAndDevice)
    }
}

extension ClientSelection {
    /// The devices that run one of the clients; throws if a named client or device would have nothing to judge.
    func devices(of chosen: (all: [Device?], named: [Device?])) throws(Problem) -> [Device?] {
        guard case .named(let clients) = self else { return chosen.all }
        for client in clients where !chosen.all.contains(where: client.runs) {
            let names = chosen.all.map { $0?.name ?? DeviceData.systemName }.listed
            throw .usage("the client \(client.name) runs on none of the devices (\(names))", .nameDeviceOfClient)
        }
        let idle = chosen.all.filter { device in !clients.contains { $0.runs(on: device) } }
        for case let device? in chosen.named where idle.contains(device) {
            let fitting = Client.all.filter { $0.isInAll && $0.runs(on: device) }
            throw .usage(
                "none of the clients (\(clients.map(\.name).listed)) runs on \(device.name)",
                .chooseClientOfDevice(fitting.map(\.name)))
        }
        return chosen.all.filter { !idle.contains($0) }
    }
}

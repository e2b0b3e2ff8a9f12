import Base
import PinFormats
package import Pinning
import X509

/// Reads what settings name and puts together what chains are judged by; the same settings are read once.
package struct Policies {
    /// What should be said once about pins as they were read.
    package private(set) var notes: [Finding] = []

    private let environment: [String: String]
    private let time: Timestamp?
    let publicRoots: Set<[UInt8]>
    private var bases: [CheckRequest.Judging: Base] = [:]
    private var anchors: [CheckRequest.Trust: [AnchorBundle]?] = [:]
    private var deviceRoots: [String?: DeviceRoots] = [:]
    private lazy var system = TrustStore.system(environment: environment)

    package init(environment: [String: String], at time: Timestamp? = nil, publicRoots: Set<[UInt8]> = []) {
        self.environment = environment
        self.time = time
        self.publicRoots = publicRoots
    }

    /// What is the same for every host that some settings are for.
    struct Base {
        let settings: CheckRequest.Judging
        let clients: ClientSelection
        let sources: PinSources
        let installedRoots: [Certificate]
        let fetchable: [Certificate]
        let devices: [JudgedDevice]
        let lists: HostPolicy.Lists?
        let givenRoots: TrustStore?
        let notes: [Finding]
        fileprivate let known = KnownPolicies()
    }

    /// What was put together so far: the policies by server, or the only one where no configuration tells hosts apart.
    fileprivate final class KnownPolicies {
        var byServer: [Server: HostPolicy] = [:]
        var common: HostPolicy?
    }

    /// How many settings, and servers of each, are remembered: lists of millions have some behind one another that are the same.
    private static let mostKnown = 1_024

    /// What configurations tell servers apart by.
    struct Server: Hashable {
        let name: ReferenceName
        let host: String
        /// The URL's host, `nil` for the reference name and where it plays no part.
        let url: ServerName?
        /// Whether a policy pins nothing for it.
        var lacksPins = false
    }

    private struct DeviceRoots {
        let data: DeviceData
        let bundle: AnchorBundle
    }

    /// Reads what settings name, so that what is wrong with it shows before there is a host.
    package mutating func read(_ settings: CheckRequest.Judging) throws(CheckError) {
        if bases[settings] == nil { bases[settings] = try base(settings) }
    }

    /// What the host called `name` is judged by.
    ///
    /// - Throws: ``CheckError`` for flags, pins and anchors that cannot be used.
    package mutating func policy(
        _ settings: CheckRequest.Judging, for name: ReferenceName, writtenAs host: String? = nil,
        url: ServerName? = nil, lacksPins: Bool = false
    ) throws(CheckError) -> HostPolicy {
        let base = try knownBase(settings)
        let host = host ?? name.description
        let server = Server(name: name, host: host, url: url == name.serverName ? nil : url, lacksPins: lacksPins)
        let tellsHostsApart = base.sources.tellsHostsApart || host != name.description || server.url != nil || lacksPins
        if let known = base.known.byServer[server] ?? (tellsHostsApart ? nil : base.known.common) { return known }
        let policy = try policy(for: server, base)
        if !tellsHostsApart {
            base.known.common = policy
        } else {
            if base.known.byServer.count >= Self.mostKnown { base.known.byServer = [:] }
            base.known.byServer[server] = policy
        }
        return policy
    }

    /// What an endpoint is judged by that is named as it is recorded.
    package mutating func policy(
        _ settings: CheckRequest.Judging, for endpoint: CheckEndpoint
    ) throws(CheckError) -> HostPolicy { try policy(settings, for: endpoint.referenceName, url: endpoint.urlHost) }

    private mutating func knownBase(_ settings: CheckRequest.Judging) throws(CheckError) -> Base {
        if let known = bases[settings] { return known }
        let base = try base(settings)
        // A list can have pins on each line.
        if bases.count >= Self.mostKnown { bases = [:] }
        bases[settings] = base
        return base
    }

    private mutating func base(_ settings: CheckRequest.Judging) throws(CheckError) -> Base {
        try CheckError.reading(settings.outlook.check)
        let files = settings.trust.anchors + settings.extraRoots + settings.intermediates
        if !(settings.pins.isEmpty && files.isEmpty) { try OpenSSLHealth.require() }
        let sources = try PinSources(reading: settings.pins)
        let chosen = try chosenDevices(settings, sources)
        var installed: [AnchorBundle] = []
        for path in settings.extraRoots { installed += try AnchorFiles.bundles(at: path, as: "extra roots") }
        var fetchable: [Certificate] = []
        for path in settings.intermediates {
            fetchable += try AnchorFiles.bundles(at: path, as: "intermediate certificates").flatMap(\.certificates)
        }
        let given = try givenAnchors(settings.trust)
        let makers = (ordinary: VerifierMaker(settings), withInstalledRoots: VerifierMaker(settings))
        let devices = chosen.devices.map { device in
            let selection = device.flatMap { device in
                chosen.roots.map { AnchorSelection($0.data.positions(of: device), of: $0.bundle) }
            }
            let (store, trust) = TrustAnchors.store(
                given, settings.trust, beside: selection.map { TrustStore($0) } ?? system, selected: selection)
            let ordinary = makers.ordinary.verifier(store, device, of: chosen.roots?.data)
            return JudgedDevice(
                device: device, trust: trust, verifier: ordinary,
                verifierWithInstalledRoots: installed.isEmpty
                    ? ordinary
                    : makers.withInstalledRoots.verifier(
                        TrustStore(anchors: installed, and: store), device, of: chosen.roots?.data))
        }
        // Lists that nothing is looked up in may be as old as they are.
        let oldData = time.flatMap { time in
            devices.contains(where: \.usesOwnRoots)
                ? chosen.roots.flatMap { DeviceLists.warning(of: $0.data, at: time) } : nil
        }
        let notes = (sources.notes + (oldData.map { [$0] } ?? [])).filter { !settings.outlook.ignored.contains($0.id) }
        note(notes)
        return Base(
            settings: settings, clients: chosen.clients, sources: sources,
            installedRoots: installed.flatMap(\.certificates), fetchable: fetchable, devices: devices,
            lists: chosen.roots.map { roots in
                HostPolicy.Lists(
                    data: roots.data, file: settings.deviceData,
                    verifier: OpenSSLPathVerifier(trustStore: TrustStore(anchors: [roots.bundle])))
            }, givenRoots: given.map { TrustStore(anchors: $0) }, notes: notes)
    }

    /// Makes the verifiers of several devices, which share what they find out.
    private struct VerifierMaker {
        private let shared: SharedFindings?

        init(_ settings: CheckRequest.Judging) { shared = settings.devices == nil ? nil : SharedFindings() }

        /// A verifier for a device of `data`, or for this machine.
        func verifier(_ store: TrustStore, _ device: Device?, of data: DeviceData?) -> OpenSSLPathVerifier {
            let lists = device.flatMap { device in data.map { (data: $0, device: device) } }
            return OpenSSLPathVerifier(
                trustStore: store, sharing: device == nil ? nil : shared,
                isPublicRoot: { root in
                    lists.map { $0.data.lists(root.der, for: $0.device) }
                        ?? DeviceData.builtIn.isOnNewestApple(root.der)
                })
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
        _ settings: CheckRequest.Judging, _ sources: PinSources
    ) throws(CheckError) -> (devices: [Device?], clients: ClientSelection, roots: DeviceRoots?) {
        guard let selection = settings.devices else {
            guard settings.deviceData == nil else { throw CheckError(.request, .deviceDataWithoutDevice) }
            let clients = if let chosen = settings.clients { chosen } else { try sources.clients(settings) }
            return ([nil], clients, nil)
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
        let chosen = try DeviceLists.chosen(selection, in: roots.data, settings.clients) {
            (devices) throws(CheckError) in try sources.clients(settings, on: devices)
        }
        return (chosen.devices, chosen.clients, roots)
    }

    mutating func note(_ messages: [Finding]) { notes += messages.filter { !notes.contains($0) } }
}

import Base
import PinFormats
import Pinning
import X509

struct PinSources {
    /// The values of `--pins` as they were read; an app ships one configuration of each kind.
    private(set) var read = PinReading()
    /// The configurations of hosts, those of one kind merged.
    private(set) var configurations: [PinConfiguration] = []
    private(set) var notes: [Finding] = []
    /// The first rule that React Native's options break: TrustKit throws, the library catches, and iOS pins nothing.
    private var violation: TrustKit.Violation?

    private var curlPins: [Pin] { zip(read.pins, read.forms).filter { $1 == .curl }.map(\.0) }
    private var setPins: [Pin] { zip(read.pins, read.forms).filter { $1 != .curl }.map(\.0) }

    init() {}

    init(reading sources: [PinSource]) throws(Problem) {
        for source in sources { read.add(try source.read()) }
        notes = read.notes
        configurations = read.configurations.reduce(into: []) { all, next in
            let known = all.firstIndex { $0.kind == next.kind && $0.isSource == next.isSource }
            guard let known else { return all.append(next) }
            all[known] = PinConfiguration(
                next.kind, entries: all[known].entries + next.entries, isSource: next.isSource)
        }
        // Each source belongs to a client, and their pins are not added up.
        let programs = read.configurations.filter(\.isSource).compactMap { $0.entries.first?.origin }
        if programs.count > 1 {
            throw .data(
                "\(programs[1]): a second source with a pinner, beside \(programs[0]), and nothing says that one client has both; "
                    + "give one of them, or a list with lines such as: host sha256/…")
        }
        let options = configurations.filter { $0.kind == .reactNative }.flatMap(\.entries)
        violation = options.lazy.flatMap { TrustKit.violations(of: $0, among: options) }.first
        let trust = (read.networkSecurity.map(\.origin) + read.transportSecurity.map(\.origin)).map(\.description)
        if !trust.isEmpty, read.pins.isEmpty, configurations.allSatisfy(\.entries.isEmpty),
            !notes.contains(where: { $0.kind == .nothingPinned })
        {
            let what = "says whom the app trusts and pins nothing: no pin is compared"
            notes.append(.warning(.nothingPinned, "\(listed(trust, first: 1)) \(what)"))
        }
    }

    var tellsHostsApart: Bool {
        !configurations.isEmpty || !read.networkSecurity.isEmpty || !read.transportSecurity.isEmpty
    }

    typealias HostPins = [(kind: PinConfiguration.Kind, policy: [HostEntry])]

    func hostPins(for server: SettingsPolicy.Server) -> HostPins {
        configurations.compactMap { configuration in
            // For OkHttp a dot at the end of a URL's host makes it another one.
            let host = server.host(asWritten: configuration.kind == .okHttp)
            return policy(of: configuration, for: host).map { (configuration.kind, $0) }
        }
    }

    /// The pins of a client that reads no configuration: those for any host, else its platform's, else all.
    func pins(of client: Client, beside configured: HostPins) -> PinSet? {
        guard read.pins.isEmpty else { return PinSet(read.pins) }
        let ofPlatform = configured.filter { kind, _ in
            Client.all.contains { $0.platform == client.platform && $0.configurations[kind] != nil }
        }
        func all(_ some: HostPins) -> PinSet? { PinSet(some.flatMap { $0.policy.pins?.pins ?? [] }) }
        return all(ofPlatform) ?? all(configured)
    }

    /// The entries of one configuration for a host, or for any if `host` is `nil`; `lookup` replaces the rule of its kind.
    func policy(
        of configuration: PinConfiguration, for host: String?, by lookup: PinConfiguration.Lookup? = nil
    ) -> [HostEntry]? {
        guard let host else {
            let always = PinConfiguration(configuration.kind, entries: configuration.entries.filter { $0.hosts == nil })
            return always.policy(for: "", by: .union) { _ in nil }
        }
        return configuration.policy(for: host, by: lookup, publicSuffix: SystemPublicSuffixList.publicSuffix)
    }

    /// The entries for `server` in configurations that `client` reads; empty if none match, `nil` if it reads none.
    ///
    /// An app's certificate files count if the client loads them. A client chosen by the sources reads those that chose
    /// it: clients of the set read lines as `generic` does, and a named OkHttp by its own rules.
    func own(_ client: Client, for server: SettingsPolicy.Server, follows: Bool) -> [HostEntry]? {
        let isOfSet = follows && isOfSet(client)
        let client = isOfSet ? .judging(.others) : client
        let own = configurations.filter { configuration in
            client.configurations[configuration.kind] != nil && (!follows || configuration.isList == isOfSet)
        }
        guard !own.isEmpty else { return nil }
        return own.flatMap { configuration -> [HostEntry] in
            let read = configuration.entries.filter { entry in
                guard let loaders = entry.loaders, let loader = client.loader else { return true }
                return loaders.contains(loader)
            }
            return policy(
                of: PinConfiguration(configuration.kind, entries: read, isSource: configuration.isSource),
                for: server.host(asWritten: client.comparesHostAsWritten),
                by: client.configurations[configuration.kind]) ?? []
        }
    }

    func warning(for name: String, _ configured: HostPins) -> Finding? {
        guard configurations.contains(where: { !$0.entries.isEmpty }), configured.allSatisfy({ $0.policy.pins == nil })
        else { return nil }
        if let entry = configured.first?.policy.first {
            let what = entry.isExcluded ? "is exempt from pinning" : "is configured without a pin that can match"
            return .warning(.hostNotPinned, "\(name) \(what) (\(entry.origin))")
        }
        let hosts = configurations.flatMap(\.entries).compactMap(\.hosts?.description)
        return .warning(
            .hostNotConfigured,
            "no configuration has an entry for \(name) (there are: \(listed(hosts)))"
                + (read.pins.isEmpty ? ": no pin is compared" : ""))
    }

    /// The clients that judge if the user names none, each by the pins of its sources: those of the configurations, curl
    /// for pins in its notation, and for all other pins `generic`, or AFNetworking if these are certificates as it loads
    /// them; a `nil` device is this machine.
    func clients(_ settings: CheckRequest.Judging, on devices: [Device?] = [nil]) throws(Problem) -> ClientSelection {
        var named = read.configurations.flatMap { clients(of: $0, on: devices) }
        if read.networkSecurity.contains(where: { !$0.isEmpty }) { named += Client.system(of: .android) }
        if !curlPins.isEmpty { named.append(.judging(.inCurlsNotation)) }
        let hasSecurityPolicy =
            settings.mode != nil || settings.allowsInvalidCertificates != nil || settings.validatesDomainName != nil
        let loader = Client.judging(.certificates)
        if !setPins.isEmpty || hasLists || named.isEmpty && read.transportSecurity.isEmpty {
            let isOnDevices = devices.allSatisfy(loader.runs)
            let isCertificates = !setPins.isEmpty && !hasLists && read.areCertificates && isOnDevices
            // The files of an app and its other pins are two sets.
            let isLoaders = !named.contains(loader) && (hasSecurityPolicy || isCertificates)
            named.append(isLoaders ? loader : .judging(.others))
        } else if hasSecurityPolicy, !named.contains(loader) {
            let known = named.isEmpty ? Client.system(of: .apple) : Client.all.filter(named.contains)
            throw .usage(
                "mode, allowInvalidCertificates and validatesDomainName are AFNetworking's, and the pins are for "
                    + "\(known.map(\.name).listed)", .chooseClient)
        }
        // The app needs a client on its system.
        if !read.transportSecurity.isEmpty, !named.contains(where: { $0.platform == .apple }) {
            named += Client.system(of: .apple)
        }
        return .named(Client.all.filter(named.contains))
    }

    var hasLists: Bool { read.configurations.contains(where: \.isList) }

    func pins(of client: Client, _ policy: [HostEntry]?) -> PinSet? {
        let configured = policy?.pins?.pins ?? []
        if client.looseSet == .inCurlsNotation { return PinSet(curlPins) }
        return PinSet((isOfSet(client) ? setPins : []) + configured)
    }

    /// `true` if a client chosen by the sources judges the pins that name no client.
    func isOfSet(_ client: Client) -> Bool {
        switch client.looseSet {
        case .others: true
        case .certificates: !read.configurations.contains { clients(of: $0) == [client] }
        case .inCurlsNotation, nil: false
        }
    }

    /// The clients that a configuration names; of several, the app's framework or the platform of `devices` decides.
    private func clients(of configuration: PinConfiguration, on devices: [Device?] = [nil]) -> [Client] {
        let all = configuration.isList ? [] : Client.all.filter { $0.namedBy.contains(configuration.kind) }
        let loaders = all.filter { $0.framework != nil }
        guard let last = loaders.last else {
            return all.filter { client in
                let others = all.filter { $0.platform != client.platform }
                return !devices.allSatisfy { device in others.contains { device != nil && $0.runs(on: device) } }
            }
        }
        let files = configuration.entries.flatMap { $0.loaders ?? [] }
        let present = loaders.filter { $0.framework.map(read.frameworks.contains) == true }
        let loading = (present.isEmpty ? loaders : present).first { $0.loader.map(files.contains) == true }
        return [loading ?? last]
    }

    func exception(of client: Client) -> ClientConfigurationError? {
        guard let violation, client.platform == .apple, client.configurations[.reactNative] != nil else { return nil }
        let message = "TrustKit throws when the app starts, which then pins nothing: \(violation.message)"
        return ClientConfigurationError(client: client.name, message: message)
    }

    /// Explains that lists cover only other hosts, and names the nearest of these.
    func lackOfLines(for host: String, by client: Client) -> ClientConfigurationError? {
        let lists = read.configurations.filter(\.isList)
        let hosts = lists.flatMap(\.entries).compactMap(\.hosts)
        guard let origin = lists.first?.entries.first?.origin, !hosts.isEmpty else { return nil }
        let nearest = Suggestion.nearest(to: host, in: hosts.map(\.name)).flatMap { name in
            hosts.first { $0.name == name }?.description
        }
        return ClientConfigurationError(
            client: client.name,
            message: "no line is for \(host) (\(origin)); "
                + (nearest.map { "the nearest is for \($0)" }
                    ?? "there are lines for \(listed(hosts.map(\.description)))"))
    }
}

extension PinConfiguration {
    /// `true` for hosts with pins that no client reads by itself: lines, or a policy.
    var isList: Bool { kind == .policy || kind == .okHttp && !isSource }
}

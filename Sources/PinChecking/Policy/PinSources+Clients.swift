import Base
import PinFormats
import Pinning

extension PinSources {
    /// The clients that judge where none is chosen, each by the pins of its own sources: those of the configurations, curl for pins in its
    /// notation, and `generic` for one set of all others, or AFNetworking where these are certificates as it loads them.
    ///
    /// `devices` are those that were named, `nil` for this machine.
    func clients(_ settings: CheckRequest.Judging, on devices: [Device?] = [nil]) throws(CheckError) -> ClientSelection
    {
        var names = readConfigurations.flatMap { clientNames(of: $0, on: devices) }
        if networkSecurity.contains(where: { !$0.isEmpty }) { names.append("android") }
        if !curlPins.isEmpty { names.append("curl") }
        let areAFNetworkings =
            settings.mode != nil || settings.allowsInvalidCertificates != nil || settings.validatesDomainName != nil
        if !setPins.isEmpty || hasLists || names.isEmpty && transportSecurity.isEmpty {
            let isOnApple = devices.allSatisfy { $0?.platform ?? .apple == .apple }
            let isCertificates = !setPins.isEmpty && !hasLists && areAllCertificates && isOnApple
            // The files of an app are another set than those beside it.
            let isAFNetworkings = !names.contains("afnetworking") && (areAFNetworkings || isCertificates)
            names.append(isAFNetworkings ? "afnetworking" : Generic.name)
        } else if areAFNetworkings, !names.contains("afnetworking") {
            let known = Client.all.map(\.name).filter(names.contains)
            let clients = known.isEmpty ? ["nspinneddomains"] : known
            throw .request(
                "mode, allowInvalidCertificates and validatesDomainName are AFNetworking's, and the pins are for "
                    + "\(clients.joined(separator: ", "))", .chooseClient)
        }
        // An app whose system no other client asks.
        if !transportSecurity.isEmpty, !Client.all.contains(where: { $0.platform == .apple && names.contains($0.name) })
        {
            names.append("nspinneddomains")
        }
        let known = Client.all.filter { names.contains($0.name) }
        return .named(known)
    }

    /// Whether there are lines of hosts, or a policy.
    var hasLists: Bool { readConfigurations.contains(where: \.isList) }

    func pins(of client: Client, _ policy: [HostEntry]?) -> PinSet? {
        let configured = policy?.pins?.pins ?? []
        if client.name == "curl" { return PinSet(curlPins) }
        return PinSet((isOfSet(client) ? setPins : []) + configured)
    }

    /// Whether a client that follows the sources judges the set of what names none.
    func isOfSet(_ client: Client) -> Bool {
        client.name == Generic.name
            || client.name == "afnetworking" && !readConfigurations.contains { clientNames(of: $0) == [client.name] }
    }

    private func clientNames(of configuration: PinConfiguration, on devices: [Device?] = [nil]) -> [String] {
        switch configuration.kind {
        case .okHttp: configuration.isSource ? ["okhttp"] : []
        case .trustKit: ["trustkit"]
        case .nsPinnedDomains: ["nspinneddomains"]
        case .android: ["android"]
        case .reactNative:
            // One file for both systems.
            devices.allSatisfy { $0?.platform == .apple }
                ? ["trustkit"] : devices.allSatisfy { $0?.platform == .android } ? ["okhttp"] : ["okhttp", "trustkit"]
        case .policy: []
        case .appBundle: [loader(of: configuration)]
        }
    }

    /// The client that pins the certificate files of an app.
    private func loader(of configuration: PinConfiguration) -> String {
        let isAFNetworkings = configuration.entries.contains { $0.loaders?.contains(.afNetworking4) == true }
        let isAlamofires = frameworks.contains("Alamofire") && !frameworks.contains("AFNetworking")
        return isAFNetworkings && !isAlamofires ? "afnetworking" : "alamofire"
    }

    /// Refuses a host that lists have lines for others alone, and names the one that comes nearest.
    func uncovered(_ host: String, for client: Client) -> ClientConfigurationError? {
        let lists = readConfigurations.filter(\.isList)
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
    /// Whether it is hosts with pins that no client reads by itself: lines, or a policy.
    var isList: Bool { kind == .policy || kind == .okHttp && !isSource }
}

import Base
import PinFormats
import Pinning

/// Which clients the sources of pins are for.
extension PinSources {
    /// The clients that judge where none is chosen, each by the pins of its own sources: those of the configurations, curl for pins in its
    /// notation, and `generic` for one set of all others, or AFNetworking where these are certificates as it loads them.
    ///
    /// `isOnApple` says whether only devices of Apple's, or none, were named.
    func clients(_ settings: CheckRequest.Judging, isOnApple: Bool = true) throws(CheckError) -> ClientSelection {
        var names = readConfigurations.flatMap { clientNames(of: $0) }
        if networkSecurity.contains(where: { !$0.isEmpty }) { names.append("android") }
        if transportSecurity.contains(where: \.isStated), !names.contains("nspinneddomains"), names.isEmpty {
            names.append("nspinneddomains")
        }
        if !curlPins.isEmpty { names.append("curl") }
        let areAFNetworkings =
            settings.mode != nil || settings.allowsInvalidCertificates != nil || settings.validatesDomainName != nil
        let isSet = !setPins.isEmpty || readConfigurations.contains(where: \.isList) || names.isEmpty
        if isSet {
            // The files of an app are another set than those beside it.
            let isCertificates = !setPins.isEmpty && areAllCertificates && isOnApple && !names.contains("afnetworking")
            names.append(areAFNetworkings || isCertificates ? "afnetworking" : Generic.name)
        } else if areAFNetworkings, !names.contains("afnetworking") {
            throw .said(
                .request,
                "mode, allowInvalidCertificates and validatesDomainName are AFNetworking's, and the pins are for "
                    + "\(listed(names)): choose the client as well")
        }
        let known = ClientRegistry.entries.filter { names.contains($0.name) }
        return .named(known.map { ClientSettings(of: $0) })
    }

    /// The pins of a client that follows the sources.
    func pins(of client: ClientRegistry.Entry, _ own: Own?) -> PinSet? {
        let configured = own?.policy?.pins?.pins ?? []
        switch client.name {
        case "curl": return PinSet(curlPins)
        case Generic.name: return PinSet(setPins + configured)
        case "afnetworking" where own == nil: return PinSet(setPins)
        default: return PinSet(configured)
        }
    }

    private func clientNames(of configuration: PinConfiguration) -> [String] {
        switch configuration.kind {
        case .okHttp: configuration.isSource ? ["okhttp"] : []
        case .trustKit: ["trustkit"]
        case .nsPinnedDomains: ["nspinneddomains"]
        case .android: ["android"]
        case .reactNative: ["okhttp", "trustkit"]
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
    func uncovered(_ host: String) -> ClientConfigurationError? {
        let lists = readConfigurations.filter(\.isList)
        let hosts = lists.flatMap(\.entries).compactMap(\.hosts)
        guard setPins.isEmpty, let origin = lists.first?.entries.first?.origin, !hosts.isEmpty else { return nil }
        let nearest = Suggestion.nearest(to: host, in: hosts.map(\.name)).flatMap { name in
            hosts.first { $0.name == name }?.description
        }
        return ClientConfigurationError(
            client: Generic.name,
            message: "no line is for \(host) (\(origin)); "
                + (nearest.map { "the nearest is for \($0)" }
                    ?? "there are lines for \(listed(hosts.map(\.description)))"))
    }
}

extension PinConfiguration {
    /// Whether it is hosts with pins that no client reads by itself: lines, or a policy.
    var isList: Bool { kind == .policy || kind == .okHttp && !isSource }
}

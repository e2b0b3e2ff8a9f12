import Pinning

/// What an app's own configuration has its device decide by for a host, as it is shown.
package struct AppliedConfiguration: Hashable, Sendable {
    /// Which configuration it is a part of: `network-security-config` or `app-transport-security`.
    package let kind: String
    package let clients: [String]
    /// The hosts, `nil` for all without an entry of their own.
    package let hosts: String?
    package let origin: String
    package let settings: [String]

    /// What binds some of `clients`, each once; `host` is the URL's.
    static func all(of clients: [ConfiguredClient], on host: ServerName?) -> [AppliedConfiguration] {
        android(clients) + apple(clients, on: host)
    }

    private static func apple(_ clients: [ConfiguredClient], on host: ServerName?) -> [AppliedConfiguration] {
        let bound = clients.filter { $0.app?.settings != nil }
        // They are in one app.
        guard let settings = bound.first?.app?.settings, let host else { return [] }
        let ruling = settings.ruling(for: host)
        var exception: TransportSecurity.Rules?
        if case .on(let rules) = ruling { exception = rules }
        return [
            AppliedConfiguration(
                kind: "app-transport-security", clients: bound.map(\.client.name), hosts: exception?.hosts?.description,
                origin: exception?.origin ?? settings.origin, settings: ruling.shownSettings)
        ]
    }

    private static func android(_ clients: [ConfiguredClient]) -> [AppliedConfiguration] {
        var found: [(trust: AndroidTrust, place: AndroidTrust.Place, names: [String])] = []
        for client in clients {
            guard let trust = client.androidTrust, let place = trust.place else { continue }
            if let index = found.firstIndex(where: { $0.trust == trust }) {
                found[index].names.append(client.client.name)
            } else {
                found.append((trust, place, [client.client.name]))
            }
        }
        return found.map { trust, place, names in
            AppliedConfiguration(
                kind: "network-security-config", clients: names, hosts: place.hosts?.description, origin: place.origin,
                settings: trust.shownSettings)
        }
    }
}

extension TransportSecurity.Ruling {
    fileprivate var shownSettings: [String] {
        switch self {
        case .off(let why): return ["off: \(why)"]
        case .on(let requirement):
            var settings = ["at least \(requirement.minimumTLS)"]
            settings.append(requirement.requiresForwardSecrecy ? "forward secrecy" : "no forward secrecy asked for")
            if requirement.requiresTransparency { settings.append("Certificate Transparency") }
            if requirement.allowsInsecureLoads { settings.append("the app may accept what the system refuses") }
            return settings
        }
    }
}

extension AndroidTrust {
    fileprivate var shownSettings: [String] {
        ["anchors: \(words)"]
            + (transparency.lazy.compactMap(\.isEnabled).first.map { ["certificateTransparency: \($0 ? "on" : "off")"] }
                ?? []) + (targetSDK.map { ["targetSdkVersion: \($0)"] } ?? [])
    }
}

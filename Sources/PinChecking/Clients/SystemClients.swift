import PinFormats
import Pinning

/// The clients by which the system decides for every connection of an app, where its configuration pins the host and they were not
/// asked for: what another client of the app accepts, the system can still reject.
///
/// Android's `NetworkSecurityTrustManager` compares the pins of the network security configuration for whoever uses the process's
/// trust manager, OkHttp included; NSPinnedDomains is part of App Transport Security, which binds every load of NSURLSession (known
/// from Apple's documentation).
struct SystemClients {
    /// The clients that decide too, with what is set for the client that they stand behind.
    private(set) var clients: [ClientSettings] = []
    private(set) var remarks: [Finding] = []

    init(
        beside chosen: [ConfiguredClient], by policies: [(kind: PinConfiguration.Kind, policy: ConfiguredPins)],
        for host: String
    ) {
        for entry in ClientRegistry.entries {
            guard let kind = entry.bindsAppBy, !chosen.contains(where: { $0.entry.name == entry.name }),
                let policy = policies.first(where: { $0.kind == kind })?.policy, policy.pins != nil
            else { continue }
            let bound = chosen.filter { client in
                [entry.platform, nil].contains(client.entry.platform) && client.entry.configurations[kind] == nil
                    && !client.compares(nothingBut: policy)
            }
            guard !bound.isEmpty else { continue }
            // What the app is holds for the system as well.
            var words: [[String]] = []
            for client in bound {
                let shared = client.words.filter { ClientSetting.isOfAndroidApp($0) }
                if !words.contains(shared) { words.append(shared) }
            }
            clients += words.map { (try? ClientSettings($0, for: entry)) ?? ClientSettings(of: entry) }
            let place = policy.entries.first?.origin ?? entry.name
            let names = bound.map(\.entry.name).joined(separator: ", ")
            remarks.append(
                Finding(
                    .info, id: "system-pins",
                    message: "\(place) pins \(host) for all of the app: \(entry.name) decides beside \(names)"))
        }
    }
}

extension ConfiguredClient {
    /// Whether the client judges by no other pins than the system, so that it rejects what the system rejects for them.
    ///
    /// Not where the system goes by the place of a pin on the path, which the client does not know.
    fileprivate func compares(nothingBut policy: ConfiguredPins) -> Bool {
        guard case .success = procedure, entry.platform == .android, let pins, let system = policy.pins else {
            return false
        }
        return Set(pins.pins.map(\.spkiSHA256)).isSubset(of: system.pins.map(\.spkiSHA256))
    }
}

extension ClientSetting {
    /// Whether a word behind a client's name says what an Android app is, whichever client it uses.
    fileprivate static func isOfAndroidApp(_ word: String) -> Bool {
        androidApp.contains { word == $0.name || word.hasPrefix($0.name + "=") }
    }
}

import Base
package import Pinning
package import X509

/// Everything a chain from a server or a file is judged by for one host; a class, so that thousands of targets share one.
package final class HostPolicy: Sendable {
    /// The clients whose decisions are made, each with its pins for the host; at least one.
    package let clients: [ConfiguredClient]
    /// AFNetworking's pinning mode, given or suggested by the pins.
    package let mode: AFSecurityPolicy.PinningMode
    package let pins: PinSet?
    package let entries: [ConfiguredEntry]
    /// What an app's configuration has the device decide by, beside the pins.
    package let applied: [AppliedConfiguration]
    /// What should be said of the pins as they were read, and of the configurations about this host.
    package let warnings: [Finding]
    package let remarks: [Finding]
    /// Why an acceptance by these pins would be no verdict; `nil` for nothing.
    let obstacle: Reason?
    /// What is the same for every host.
    private let settings: SettingsPolicy

    init(
        _ settings: SettingsPolicy, clients: [ConfiguredClient], mode: AFSecurityPolicy.PinningMode = .none,
        pins: PinSet?, entries: [ConfiguredEntry] = [], applied: [AppliedConfiguration] = [], warnings: [Finding] = [],
        remarks: [Finding] = [], obstacle: Reason? = nil
    ) {
        (self.settings, self.clients, self.mode, self.pins, self.entries) = (settings, clients, mode, pins, entries)
        (self.applied, self.warnings, self.remarks) = (applied, warnings, remarks)
        self.obstacle = obstacle
    }

    package var devices: [JudgedDevice] { settings.devices }
    package var lists: Lists? { settings.lists }
    package var time: Timestamp? { settings.settings.time }
    package var outlook: OutlookRules { settings.settings.outlook }
    /// Whose anchors a path ends at that is only assumed: the strictest class that it can be.
    var assumedClass: AnchorClass { givenRoots == nil ? .system : .installedByHand }
    /// Whether pins are given, for whatever host.
    var namesPins: Bool { !settings.settings.pins.isEmpty }
    /// Whether the sources of pins choose the clients, and not the user.
    var followsSources: Bool { settings.settings.clients == nil }
    package var fetchable: [Certificate] { settings.fetchable }
    var givenRoots: TrustStore? { settings.givenRoots }
    var installedRoots: [Certificate] { settings.installedRoots }
    var publicRoots: Set<[UInt8]> { settings.publicRoots }

    /// Which trust store is used, named as reports name it.
    package enum Trust: String, Sendable, CaseIterable {
        case system
        case anchors
        case both = "anchors and system"
        case device
        case anchorsAndDevice = "anchors and device"
    }

    /// Lists of roots, the file they were read from, `nil` for the program's own, their roots, and a verifier by all of them.
    package typealias Lists = (data: DeviceData, file: String?, bundle: AnchorBundle, verifier: OpenSSLPathVerifier)

    /// A verifier for questions that no root decides.
    package var verifier: OpenSSLPathVerifier { devices[0].verifier }

    /// The keys of pins that were given as keys, by their hashes.
    var publicKeys: [SHA256Digest: PublicKey] { settings.sources.publicKeys }

    var configuredAnchors: [Certificate] {
        clients.flatMap { $0.androidTrust?.sources ?? [] }.flatMap(\.certificates)
    }
}

/// A device that chains are judged for: its roots, and the version of its system.
package struct JudgedDevice: Sendable {
    /// The device, `nil` for this machine.
    package let device: Device?
    package let trust: HostPolicy.Trust
    package let verifier: OpenSSLPathVerifier
    package let verifierWithInstalledRoots: OpenSSLPathVerifier

    package var name: String { device?.name ?? DeviceData.systemName }

    /// Whether paths may end at the roots it comes with: given anchors can stand in their place.
    package var usesOwnRoots: Bool { trust == .device || trust == .anchorsAndDevice }

    /// The version of its system; of this machine each client's newest.
    var release: PlatformRelease { device?.platformRelease ?? .newest }
    func runs(_ client: Client) -> Bool { device?.platform.runs(client.platform) ?? true }
}

package typealias ConfiguredEntry = (kind: PinConfiguration.Kind, entry: HostEntry)

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
        let exception: TransportSecurity.Rules? = if case .on(let rules) = ruling { rules } else { nil }
        return [
            AppliedConfiguration(
                kind: "app-transport-security", clients: bound.map(\.client.name), hosts: exception?.hosts?.description,
                origin: exception?.origin ?? settings.origin, settings: ruling.shownSettings)
        ]
    }

    private static func android(_ clients: [ConfiguredClient]) -> [AppliedConfiguration] {
        clients.compactMap(\.androidTrust).distinct.compactMap { trust in
            trust.place.map { place in
                AppliedConfiguration(
                    kind: "network-security-config",
                    clients: clients.filter { $0.androidTrust == trust }.map(\.client.name),
                    hosts: place.hosts?.description, origin: place.origin, settings: trust.shownSettings)
            }
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

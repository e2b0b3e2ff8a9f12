package import Base
package import PinFormats
package import Pinning
package import X509

/// The clients, pins and devices that judge chains for one host; a class, so that thousands of targets share one.
package final class HostPolicy: Sendable {
    /// The clients that decide, at least one.
    let clients: [ConfiguredClient]
    package let mode: AFSecurityPolicy.PinningMode
    package let pins: PinSet?
    package let entries: [ConfiguredEntry]
    package let applied: [AppliedConfiguration]
    let remarks: [Finding]
    private let warnings: [Finding]
    let code: AppCode?
    let settings: SettingsPolicy

    init(
        _ settings: SettingsPolicy, clients: [ConfiguredClient], mode: AFSecurityPolicy.PinningMode = .none,
        pins: PinSet?, entries: [ConfiguredEntry] = [], applied: [AppliedConfiguration] = [], warnings: [Finding] = [],
        remarks: [Finding] = [], code: AppCode? = nil
    ) {
        (self.settings, self.clients, self.mode, self.pins, self.entries) = (settings, clients, mode, pins, entries)
        (self.applied, self.warnings, self.remarks, self.code) = (applied, warnings, remarks, code)
    }

    func warnings(at time: Timestamp) -> [Finding] { warnings + (code?.warnings(at: time) ?? []) }

    package var devices: [JudgedDevice] { settings.devices }
    package var lists: Lists? { settings.lists }
    package var time: Timestamp? { settings.settings.time }
    package var outlook: OutlookRules { settings.settings.outlook }
    var running: [(device: JudgedDevice, client: ConfiguredClient, procedure: any ClientProcedure)] {
        devices.flatMap { device in
            clients.filter { $0.client.runs(on: device.device) }.compactMap { client in
                (try? client.procedure.get()).map { (device, client, $0) }
            }
        }
    }

    /// The anchor class of an assumed path: the strictest that is possible.
    var assumedClass: AnchorClass { givenRoots == nil ? .system : .installedByHand }
    /// `true` if the pins choose the clients.
    var followsSources: Bool { settings.settings.clients == nil }
    var fetchable: [Certificate] { settings.fetchable }
    /// The certificates that a path may go through even if the server does not send them.
    var intermediates: [Certificate] { (pins?.certificates ?? []) + fetchable }
    var givenRoots: TrustStore? { settings.givenRoots }

    /// The trust store in use, by its names in reports.
    package enum Trust: String, CaseIterable {
        case system
        case anchors
        case both = "anchors and system"
        case device
        case anchorsAndDevice = "anchors and device"
    }

    /// Lists of roots: their data, file (`nil` if built in), roots, and a verifier with all of these roots.
    package typealias Lists = (data: DeviceData, file: String?, bundle: AnchorBundle, verifier: OpenSSLPathVerifier)

    /// A verifier for questions that no root decides.
    var verifier: OpenSSLPathVerifier { devices[0].verifier }

    var configuredAnchors: [Certificate] { clients.flatMap { $0.androidTrust?.sources ?? [] }.flatMap(\.certificates) }
}

package final class JudgedDevice: Sendable {
    /// The device; `nil` if it is this machine.
    package let device: Device?
    package let trust: HostPolicy.Trust
    let verifier: OpenSSLPathVerifier
    let verifierWithInstalledRoots: OpenSSLPathVerifier

    init(
        device: Device?, trust: HostPolicy.Trust, verifier: OpenSSLPathVerifier,
        verifierWithInstalledRoots: OpenSSLPathVerifier
    ) {
        (self.device, self.trust) = (device, trust)
        (self.verifier, self.verifierWithInstalledRoots) = (verifier, verifierWithInstalledRoots)
    }

    package var name: String { device?.name ?? DeviceData.systemName }

    /// `true` if paths may end at the device's own roots, which given anchors can replace.
    var usesOwnRoots: Bool { trust == .device || trust == .anchorsAndDevice }

    var release: PlatformRelease { device?.platformRelease ?? .newest }
}

package typealias ConfiguredEntry = (kind: PinConfiguration.Kind, entry: HostEntry)

/// A part of an app's configuration that the device applies, as reports show it.
package struct AppliedConfiguration: Hashable {
    /// The configuration: `network-security-config` or `app-transport-security`.
    package let kind: String
    package let clients: [String]
    /// The hosts; `nil` if it is for all hosts without their own entry.
    package let hosts: String?
    package let origin: PinPlace
    package let settings: [String]

    static func all(of clients: [ConfiguredClient], on host: ServerName?) -> [AppliedConfiguration] {
        android(clients) + apple(clients, on: host)
    }

    private static func apple(_ clients: [ConfiguredClient], on host: ServerName?) -> [AppliedConfiguration] {
        let bound = clients.filter { $0.app?.settings != nil }
        // All these clients are in one app.
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

/// The pins in the code of apps, and their effect on one target; no client compares them, so an acceptance without
/// another compared pin says nothing about the app.
struct AppCode {
    private static let mostLines = 20
    private let apps: [CodePins]
    private let host: String
    /// The ends of the pins that clients compare and enforce for the target; `nil` if a pin has none.
    private let ends: [Timestamp?]
    /// `true` if the user chose clients that follow the app's configuration and ignore its code.
    private let followsConfiguration: Bool

    init(
        _ apps: [CodePins], beside clients: [ConfiguredClient], for name: ReferenceName, of host: String, isNamed: Bool
    ) {
        (self.apps, self.host) = (apps, host)
        ends = clients.compactMap { (try? $0.procedure.get())?.comparison(with: $0.pins, for: name) }
            .filter { !$0.conditions.isEmpty && $0.isEnforced }.map(\.expiration)
        followsConfiguration = isNamed && clients.allSatisfy { $0.client.bindsAppBy != nil }
    }

    func warnings(at time: Timestamp) -> [Finding] {
        guard followsConfiguration || isCompared(at: time) else { return [] }
        return pinsByApp(at: time).map { app, pins in
            let texts = pins.map { "\(shortened(app.file(of: $0), isPublic: true)): \($0.spkiSHA256)" }
            let beside = "beside what was judged (\(listed(texts))): for which hosts cannot be told"
            return .warning(.pinsInCode, "\(app.place): \(CodePins.count(pins)) \(beside)")
        }
    }

    /// The reason why an acceptance is not a verdict; `nil` if it is one.
    func obstacle(at time: Timestamp) -> Reason? {
        let found = pinsByApp(at: time)
        guard !followsConfiguration, !isCompared(at: time), let app = found.first?.app else { return nil }
        let lines = found.flatMap { $0.app.lines($0.pins) }
        let rest = lines.count - Self.mostLines
        return Reason(
            FindingID.pinsInCode.word,
            "\(app.place): nothing that was read pins \(host), and \(CodePins.count(found.flatMap(\.pins))): "
                + "for which hosts cannot be told",
            hints: lines.prefix(Self.mostLines) + (rest > 0 ? ["and \(rest) more"] : []), remedy: .givePinsOfHost)
    }

    private func isCompared(at time: Timestamp) -> Bool { ends.contains { $0.map { time <= $0 } ?? true } }

    private func pinsByApp(at time: Timestamp) -> [(app: CodePins, pins: [Pin])] {
        let isCompared = isCompared(at: time)
        return apps.map { (app: $0, pins: isCompared ? $0.new : $0.found) }.filter { !$0.pins.isEmpty }
    }
}

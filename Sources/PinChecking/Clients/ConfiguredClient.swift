import Base
import PinFormats
import Pinning
import X509

/// A client that is set up for one host; a class, so that copies of verdicts are cheap.
package final class ConfiguredClient: Sendable {
    package let client: Client
    package let settings: [ShownSetting]
    let procedure: Result<any ClientProcedure, ClientConfigurationError>
    let pins: PinSet?
    let androidTrust: AndroidTrust?
    let app: AppleApp?
    /// `true` if the user's roots are anchors, too; on Android only by a setting, since apps for API 24 trust none.
    let trustsInstalledRoots: Bool

    init(_ input: ClientInput) throws(Problem) {
        let client = input.client
        var input = input
        try input.readAndroidTrust()
        var shown: [ShownSetting] = []
        do {
            if let obstacle = input.obstacle { throw obstacle }
            procedure = .success(try client.make(input))
            shown = (client.hasSecurityPolicy ? input.shownSecurityPolicy : []) + client.shownSettings(input)
        } catch let error as ClientConfigurationError { procedure = .failure(error) } catch let error as Problem {
            throw error
        } catch { throw .software("\(error)") }
        self.client = client
        settings =
            shown
            + client.words.map { word in
                let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                return (parts[0], parts.count > 1 ? .text(parts[1]) : .flag(true))
            }
        pins = input.pins
        androidTrust = input.androidTrust
        app = client.platform == .apple ? (input.transportSecurity, input.urlHost) : nil
        trustsInstalledRoots = input.androidTrust == nil && (client.platform != .android || client.isSet("user-roots"))
    }
}

/// A setting in reports, by the client's own name in camel case or with hyphens.
package typealias ShownSetting = (name: String, value: SettingValue)

package enum SettingValue {
    case flag(Bool)
    case text(String)
}

/// The options, pins and settings that make a client's procedure for one host.
struct ClientInput {
    let client: Client
    /// The settings of AFNetworking; if no mode is given, it follows the pins.
    let afSecurityPolicy: AFSecurityPolicy
    /// The pins for the host, from the client's own configurations if it has any, else from all sources.
    let pins: PinSet?
    /// The entries for the host in the client's own configurations; `nil` if there are none.
    var policy: [HostEntry]?
    var installedRoots: [Certificate] = []
    /// The host in the URL, which some clients compare as text; `nil` if it is the reference name.
    var host: String?
    var referenceName: String?
    var networkSecurity: NetworkSecurityConfiguration?
    var androidTrust: AndroidTrust?
    var transportSecurity: TransportSecurity?
    var urlHost: ServerName?
    /// The reason why the app's start fails with the client's configuration; `nil` if it does not.
    var obstacle: ClientConfigurationError?

    var shownSecurityPolicy: [ShownSetting] {
        [
            ("mode", .text(afSecurityPolicy.mode.rawValue)),
            ("allowInvalidCertificates", .flag(afSecurityPolicy.allowInvalidCertificates)),
            ("validatesDomainName", .flag(afSecurityPolicy.validatesDomainName)),
        ]
    }

    mutating func readAndroidTrust() throws(Problem) {
        guard client.platform == .android else { return }
        var targetSDK: Int?
        if let text = client.text("target-sdk") {
            guard let level = Int(text), (1...10_000).contains(level) else {
                throw .usage("\(client.name) has no target-sdk \(quoted(text)): give an API level, as in target-sdk=34")
            }
            targetSDK = level
        }
        guard networkSecurity != nil || targetSDK != nil else { return }
        let isDebuggable = client.isSet("debuggable")
        var trust =
            networkSecurity?.trust(for: referenceName, targetSDK: targetSDK, isDebuggable: isDebuggable)
            ?? AndroidTrust(targetSDK: targetSDK)
        if client.isSet("user-roots"), !trust.trustsInstalledRoots {
            if let place = trust.place, place.namesAnchors {
                throw .data(
                    "\(client.name): the app's configuration trusts \(trust.words) and no root of the user's "
                        + "(\(place.origin)): leave user-roots out, or name src=\"user\" there")
            }
            trust.sources.append(.init(.user))
        }
        trust.installedRoots = installedRoots
        androidTrust = trust
        if isDebuggable, let message = networkSecurity?.debugObstacle {
            obstacle = ClientConfigurationError(client: client.name, message: message)
        }
    }

    func trustKit() throws -> TrustKit {
        // Pins for any host get this host's name as their key of TSKPinnedDomains.
        if policy == nil, pins != nil, let name = referenceName ?? host, !TrustKit.hasRegisteredSuffix(name) {
            throw ClientConfigurationError(client: client.name, message: TrustKit.lackOfSuffix(name).message)
        }
        return try TrustKit(
            pins: pins, enforcesPinning: policy?.enforcesPinning ?? true && !client.isSet("no-enforce"),
            expiration: client.date("expires") ?? policy?.expiration,
            rootsThatPassOnMacs: policy?.first?.exemptsInstalledRoots == false ? [] : Set(installedRoots))
    }

    func okHttp() throws -> OkHttp {
        let pattern = try client.text("pattern").map { text in
            do throws(Problem) { return try HostText.okHttpPattern(text) } catch {
                let message = "\(quoted(text)) is not a pattern: write a host, *.host or **.host (\(error.reason))"
                throw ClientConfigurationError(client: client.name, message: message)
            }
        }
        return OkHttp(
            pattern: pattern, host: pattern == nil && policy != nil ? nil : host?.lowercased(), trust: androidTrust,
            bringsConscrypt: client.isSet("conscrypt"), expiration: policy?.expiration)
    }

    func alamofire() throws(Problem) -> Alamofire {
        let hosts = client.texts("host")
        guard !hosts.isEmpty || !client.isSet("no-all-hosts") else {
            throw .usage(
                "no-all-hosts of \(client.name) is about hosts without an evaluator: name those that have one, host=HOST"
            )
        }
        var alamofire = Alamofire(try evaluator())
        alamofire.acceptSelfSigned = client.isSet("accept-self-signed")
        alamofire.performDefaultValidation = !client.isSet("no-default-validation")
        alamofire.validateHost = !client.isSet("no-validate-host")
        alamofire.evaluatedHosts = hosts.isEmpty ? nil : Set(hosts)
        alamofire.allHostsMustBeEvaluated = !client.isSet("no-all-hosts")
        alamofire.host = host
        return alamofire
    }

    private func evaluator() throws(Problem) -> Alamofire.Evaluator {
        let pinned: Alamofire.Evaluator = afSecurityPolicy.mode == .certificate ? .pinnedCertificates : .publicKeys
        let evaluator: Alamofire.Evaluator =
            switch client.text("evaluator") {
            case "default": .systemDefault
            case "pinned-certificates": .pinnedCertificates
            case "public-keys": .publicKeys
            case "composite": .composite([.systemDefault, pinned])
            case "disabled": .disabled
            default: afSecurityPolicy.mode == .none ? .systemDefault : pinned
            }
        if client.isSet("accept-self-signed"),
            ![.pinnedCertificates, .composite([.systemDefault, .pinnedCertificates])].contains(evaluator)
        {
            let names: [Alamofire.Evaluator: String] = [
                .systemDefault: "DefaultTrustEvaluator", .disabled: "DisabledTrustEvaluator",
            ]
            throw .usage(
                "\(names[evaluator] ?? "PublicKeysTrustEvaluator") has no acceptSelfSigned: "
                    + "leave accept-self-signed out, or pin certificate files")
        }
        return evaluator
    }

    func nsPinnedDomains() -> NSPinnedDomains {
        let pins = pins?.pins
        return switch client.text("key") {
        case "leaf": NSPinnedDomains(identities: pins.map { .positions(leaf: $0, authorities: nil) })
        case "ca": NSPinnedDomains(identities: pins.map { .positions(leaf: nil, authorities: $0) })
        default: NSPinnedDomains(identities: policy?.positions)
        }
    }
}

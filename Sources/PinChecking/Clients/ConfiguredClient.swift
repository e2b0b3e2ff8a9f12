import Base
package import Pinning
import X509

/// A client that was chosen and set up for one host, ready to decide.
package struct ConfiguredClient: Sendable {
    package let client: Client
    package let settings: [ShownSetting]
    /// Its procedure, or why it cannot be set up with these pins.
    package let procedure: Result<any ClientProcedure, ClientConfigurationError>
    package let pins: PinSet?
    /// What the app's network security configuration has it trust, `nil` where nothing says it.
    package var androidTrust: AndroidTrust?
    package var app: AppleApp?
    /// Whether it trusts user-installed roots, beside what its procedure has for anchors.
    package var trustsInstalledRoots = false
}

extension ConfiguredClient {
    /// Sets a client up; one that cannot be is a client without a verdict.
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
        settings = shown + client.words.map(ShownSetting.init(word:))
        pins = input.pins
        androidTrust = input.androidTrust
        app = client.platform == .apple ? (input.transportSecurity, input.urlHost) : nil
        trustsInstalledRoots = input.androidTrust == nil && (client.trustsInstalledRoots || client.isSet("user-roots"))
    }
}

package struct ShownSetting: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
        case flag(Bool)
        case text(String)
    }

    /// The client's own name for it, in camel case or with hyphens.
    package let name: String
    package let value: Value

    /// A setting as it is written behind a client's name, as in `expires=2027-06-01`.
    package init(word: String) {
        let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
        self.init(parts[0], parts.count > 1 ? .text(parts[1]) : .flag(true))
    }

    package init(_ name: String, _ value: Value) { (self.name, self.value) = (name, value) }
}

/// What a client's procedure is made from for one host: the flags, the pins, and the client's own settings.
struct ClientInput: Sendable {
    let client: Client
    /// AFNetworking's policy; its mode is given, or suggested by the pins.
    let afSecurityPolicy: AFSecurityPolicy
    /// The pins that are for the host: of the client's own configurations where there are some, else of all sources.
    let pins: PinSet?
    /// What the client's own configurations say of the host, `nil` where there are none or they say nothing.
    var policy: [HostEntry]?
    var installedRoots: [Certificate] = []
    /// The host as the URL has it, which some clients compare as text; `nil` where that is the reference name.
    var host: String?
    var referenceName: String?
    /// The network security configuration of its Android app, `nil` for another platform and where none is known.
    var networkSecurity: NetworkSecurityConfiguration?
    var androidTrust: AndroidTrust?
    /// App Transport Security of the app, `nil` for another platform and where its Info.plist is not known.
    var transportSecurity: TransportSecurity?
    /// The host of the URL, `nil` for the reference name.
    var urlHost: ServerName?
    /// Why the client throws for its configuration when the app starts, `nil` when it does not.
    var obstacle: ClientConfigurationError?

    var shownSecurityPolicy: [ShownSetting] {
        [
            ShownSetting("mode", .text(afSecurityPolicy.mode.rawValue)),
            ShownSetting("allowInvalidCertificates", .flag(afSecurityPolicy.allowInvalidCertificates)),
            ShownSetting("validatesDomainName", .flag(afSecurityPolicy.validatesDomainName)),
        ]
    }

    // MARK: Android

    /// Finds what Android trusts for the host in the app that the settings describe, where something says it.
    mutating func readAndroidTrust() throws(Problem) {
        guard client.platform == .android else { return }
        var targetSDK: Int?
        if let text = client.text("target-sdk") {
            guard let level = Int(text), (1...10_000).contains(level) else {
                throw .usage(
                    "\(client.name) has no target-sdk \(quoted(text)): give an API level, as in target-sdk=34")
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
}

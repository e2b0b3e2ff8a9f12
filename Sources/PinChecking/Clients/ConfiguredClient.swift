import Base
package import Pinning
import X509

/// A client that was chosen and set up for one host, ready to decide.
package struct ConfiguredClient: Sendable {
    package let client: Client
    /// What it is set to, as reports show it.
    package let settings: [ShownSetting]
    /// Its procedure, or why it cannot be set up with these pins.
    package let procedure: Result<any ClientProcedure, ClientConfigurationError>
    package let pins: PinSet?
    /// What the app's network security configuration has it trust, `nil` where nothing says it.
    package var androidTrust: AndroidTrust?
    /// The app that it is in, `nil` for another platform.
    package var app: AppleApp?
    /// Whether it trusts user-installed roots, beside what its procedure has for anchors.
    package var trustsInstalledRoots = false
}

extension ConfiguredClient {
    /// Sets a client up; one that cannot be is a client without a verdict.
    init(_ input: ClientInput) throws(CheckError) {
        let client = input.client
        var input = input
        try input.readAndroidTrust()
        var shown: [ShownSetting] = []
        do {
            if let obstacle = input.obstacle { throw obstacle }
            procedure = .success(try client.make(input))
            shown = client.shownSettings(input)
        } catch let error as ClientConfigurationError { procedure = .failure(error) } catch let error as CheckError {
            throw error
        } catch { throw .said(.software, "\(error)") }
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

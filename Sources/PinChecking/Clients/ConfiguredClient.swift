import Base
package import Pinning

/// A client that was chosen and set up for one host, ready to decide.
package struct ConfiguredClient: Sendable {
    package let entry: ClientRegistry.Entry
    package let settings: [ShownSetting]
    package let words: [String]
    /// Its procedure, or why it cannot be set up with these pins.
    package let procedure: Result<any ClientProcedure, ClientConfigurationError>
    package let pins: PinSet?
    /// What the app's network security configuration has it trust, `nil` where nothing says it.
    package let androidTrust: AndroidTrust?
    /// App Transport Security of its app, `nil` where it is not bound by it or the app is not known.
    package let transportSecurity: TransportSecurity?
    /// Whether it trusts roots that were installed on the device by hand, beside what its procedure has for anchors.
    package let trustsInstalledRoots: Bool

    package func isSame(as other: ConfiguredClient) -> Bool { entry.name == other.entry.name && words == other.words }
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

    package init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }
}

extension ConfiguredClient {
    /// Sets the clients of a selection up.
    ///
    /// A client that cannot be set up is one without a verdict.
    ///
    /// - Returns: at least one client, in the order named.
    /// - Throws: ``CheckError`` for settings and pins that a client cannot be set up with.
    static func chosen(
        _ selection: ClientSelection, input: (ClientRegistry.Entry, ClientSettings) throws(CheckError) -> ClientInput
    ) throws(CheckError) -> [ConfiguredClient] {
        var chosen: [ConfiguredClient] = []
        switch selection {
        case .all:
            for entry in ClientRegistry.entries where entry.isInAll {
                chosen.append(try ConfiguredClient(ClientSettings(of: entry), input))
            }
        case .named(let clients): for settings in clients { chosen.append(try ConfiguredClient(settings, input)) }
        }
        return chosen
    }

    private init(
        _ settings: ClientSettings, _ input: (ClientRegistry.Entry, ClientSettings) throws(CheckError) -> ClientInput
    ) throws(CheckError) {
        let entry = settings.entry
        let input = try input(entry, settings)
        var shown: [ShownSetting] = []
        do {
            if let obstacle = input.obstacle { throw obstacle }
            let made = try entry.make(input)
            // Everything on Apple's platforms here loads with NSURLSession.
            procedure = .success(
                entry.platform == .apple
                    ? UnderTransportSecurity(made, settings: input.transportSecurity, host: input.urlHost) : made)
            shown = entry.shownSettings(input)
        } catch let error as ClientConfigurationError { procedure = .failure(error) } catch let error as CheckError {
            throw error
        } catch { throw .said(.software, "\(error)") }
        self.entry = entry
        self.settings = shown + settings.words.map(ShownSetting.init(word:))
        words = settings.words
        pins = input.pins
        androidTrust = input.androidTrust
        transportSecurity = input.transportSecurity
        trustsInstalledRoots = input.androidTrust == nil && (entry.trustsInstalledRoots || settings.isSet("user-roots"))
    }
}

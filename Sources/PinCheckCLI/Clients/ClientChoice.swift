import Pinning
import Text

/// The clients that were chosen with `--client`, ready to decide.
enum ClientChoice {
    /// One chosen client.
    struct Chosen: Sendable {
        /// What it is.
        let entry: ClientRegistry.Entry
        /// Its settings as reports show them.
        let settings: [Report.Setting]
        /// What stands behind its name.
        let words: [String]
        /// Its procedure, or why it cannot be set up with these pins.
        let procedure: Result<any ClientProcedure, ClientConfigurationError>
        /// The pins it has for the host.
        let pins: PinSet?
        /// Whether it trusts roots that were installed on the device by hand.
        let trustsInstalledRoots: Bool
    }

    /// Sets the clients of a selection up.
    ///
    /// A client that was named and cannot be set up is an error; of `all`, those that cannot are reported as such.
    ///
    /// - Parameters:
    ///   - selection: the clients.
    ///   - input: makes what a procedure is made from, given the client's settings.
    /// - Returns: at least one client, in the order named.
    /// - Throws: ``CommandError`` with the status of a usage or a data error.
    static func chosen(
        _ selection: ClientSelection,
        input: (ClientRegistry.Entry, ClientSettings) throws(CommandError) -> ClientInput
    ) throws(CommandError) -> [Chosen] {
        var chosen: [Chosen] = []
        switch selection {
        case .all:
            for entry in ClientRegistry.entries where entry.isInAll {
                chosen.append(try self.chosen(ClientSettings(of: entry), input))
            }
        case .named(let clients):
            for settings in clients {
                let client = try self.chosen(settings, input)
                if case .failure(let error) = client.procedure {
                    throw CommandError(status: .data, description: "\(error)")
                }
                chosen.append(client)
            }
        }
        return chosen
    }

    private static func chosen(
        _ settings: ClientSettings,
        _ input: (ClientRegistry.Entry, ClientSettings) throws(CommandError) -> ClientInput
    ) throws(CommandError) -> Chosen {
        let entry = settings.entry
        let input = try input(entry, settings)
        let procedure: Result<any ClientProcedure, ClientConfigurationError>
        do {
            if let obstacle = input.obstacle { throw obstacle }
            procedure = .success(try entry.make(input))
        } catch let error as ClientConfigurationError {
            procedure = .failure(error)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(status: .software, description: "\(error)")
        }
        return Chosen(
            entry: entry,
            settings: Report.Setting.list(procedure, words: settings.words),
            words: settings.words,
            procedure: procedure,
            pins: input.pins,
            trustsInstalledRoots: entry.trustsInstalledRoots || settings.isSet("user-roots")
        )
    }
}

extension Report.Setting {
    /// What a client was set to: AFNetworking's own names for its policy, and the words behind a client's name.
    static func list(
        _ procedure: Result<any ClientProcedure, ClientConfigurationError>,
        words: [String]
    ) -> [Report.Setting] {
        var settings: [Report.Setting] = []
        func add(_ policy: AFSecurityPolicy) {
            settings.append(Report.Setting(name: "mode", value: .text(policy.mode.rawValue)))
            settings.append(
                Report.Setting(name: "allowInvalidCertificates", value: .flag(policy.allowInvalidCertificates))
            )
            settings.append(Report.Setting(name: "validatesDomainName", value: .flag(policy.validatesDomainName)))
        }
        switch procedure {
        case .success(let client as AFNetworking4): add(client.policy)
        case .success(let client as AFNetworking25):
            add(client.policy)
            settings.append(
                Report.Setting(name: "validatesCertificateChain", value: .flag(client.validatesCertificateChain))
            )
        default: break
        }
        return settings
            + words.map { word in
                let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                return Report.Setting(name: parts[0], value: parts.count > 1 ? .text(parts[1]) : .flag(true))
            }
    }
}

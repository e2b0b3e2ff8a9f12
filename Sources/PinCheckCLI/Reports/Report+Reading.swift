import Base
import PinChecking

// Documents on results, read again: the other direction of their tables of `fields`. Objects that hold nothing but what is
// written are read by their properties.

extension Report: Decodable {
    init(from decoder: any Decoder) throws {
        let members = try DocumentMembers(decoder)
        let exit: Exit = try members.one("exit")
        let reason: Message = try members.one("reason")
        let notes: [Message] = try members.one("notes")
        self.init(
            target: try members.one("target"), question: try members.any("question"),
            resultSet: try members.any("resultSet"), shard: try members.any("shard"),
            endpoint: try members.any("endpoint"), proxy: try members.any("proxy"), tls: try members.any("tls"),
            verifyName: try members.any("verifyName"), variant: try members.any("variant"),
            consistency: try members.any("consistency"), evaluatedAt: try members.one("evaluatedAt"),
            isOfAnotherTime: try members.any("isOfAnotherTime") ?? false, presented: try members.one("presented"),
            built: try members.one("built"), builtIsValid: try members.one("builtIsValid"),
            whyUnverified: try members.any("whyUnverified"), otherPaths: try members.one("otherPaths"),
            pins: try members.one("pins"), transparency: try members.any("transparency"),
            revocation: try members.any("revocation"), devices: try members.any("devices"),
            checks: try members.one("checks"), clients: try members.one("clients"),
            warnings: try members.one("warnings"), notes: notes,
            ownNotes: notes.filter { !Self.commonNotes.contains($0.id) }, unjudged: try members.any("unjudged"),
            outlook: try members.any("outlook"), next: try members.any("next"), change: try members.any("change"),
            http: try members.any("http"), verdict: try members.one("verdict"), reason: reason, exit: exit,
            monitoring: try members.any("monitoring")
                ?? Monitoring(status: exit.status, reason: reason, statusOfRun: exit.status))
        // Forms go by these to places of lists.
        try members.require(pins.matched.allSatisfy { pins.configured.indices.contains($0.pin) }, "pins")
        let links = built + otherPaths.flatMap(\.chain)
        try members.require(links.flatMap(\.pins).allSatisfy(pins.configured.indices.contains), "built")
        let standings = (outlook?.pins ?? []) + clients.flatMap { $0.outlook?.pins ?? [] }
        try members.require(standings.allSatisfy { pins.configured.indices.contains($0.pin) }, "outlook")
    }

    /// The ids of the notes that are not of the result itself.
    private static let commonNotes = Set(([clientCertificateNote] + notEmulated).map(\.id))
}

extension Report.Message: Decodable {
    init(from decoder: any Decoder) throws {
        let members = try DocumentMembers(decoder)
        self.init(id: try members.one("id"), message: try members.one("message"))
    }
}

extension Report.Exit: Decodable {
    init(from decoder: any Decoder) throws {
        let members = try DocumentMembers(decoder)
        let name: String = try members.one("name")
        let status = ExitStatus.allCases.first { $0.name == name }
        try members.require(status != nil, "name")
        self.init(status ?? .software)
    }
}

extension Report.Monitoring: Decodable {
    init(from decoder: any Decoder) throws {
        let members = try DocumentMembers(decoder)
        let (exit, run): (Report.Exit, Report.Exit) = (try members.one("exit"), try members.one("runExit"))
        self.init(status: exit.status, reason: try members.one("reason"), statusOfRun: run.status)
    }
}

extension Report.TLS: Decodable {
    init(from decoder: any Decoder) throws {
        let members = try DocumentMembers(decoder)
        self.init(
            version: try members.one("version"), cipher: try members.one("cipher"), group: try members.any("group"),
            alpn: try members.any("alpn"), clientCertificateRequested: try members.one("clientCertificateRequested"),
            clientCertificateSent: try members.one("clientCertificateSent"), readOffer: try members.any("offered"),
            timingsMs: try members.one("timingsMs"))
    }
}

extension Report.ChainLink: Decodable {
    init(from decoder: any Decoder) throws {
        let members = try DocumentMembers(decoder)
        self.init(
            certificate: try Report.Certificate(from: decoder), source: try members.one("source"),
            pins: try members.one("pins"), warnDays: try members.any("warnDays"), failDays: try members.any("failDays"),
            origin: try members.any("origin"))
    }
}

extension Report.Client: Decodable {
    init(from decoder: any Decoder) throws {
        let members = try DocumentMembers(decoder)
        let settings: SettingsObject = try members.one("settings")
        self.init(
            name: try members.one("name"), device: try members.any("device"), verdict: try members.one("verdict"),
            reason: try members.one("reason"), disposition: try members.any("disposition"), settings: settings.settings,
            outlook: try members.any("outlook"))
    }
}

extension Report.Outlook.Finding: Decodable {
    init(from decoder: any Decoder) throws {
        let members = try DocumentMembers(decoder)
        let message: String = try members.one("message")
        self.init(
            id: try members.one("id"), level: try members.one("level"), message: TerminalText.escaped(message),
            isTold: try members.any("isTold") ?? false)
    }
}

extension Report.Consistency: Decodable {
    /// More connections than are made to any target.
    private static let counts = 0..<1 << 20

    init(from decoder: any Decoder) throws {
        let members = try DocumentMembers(decoder)
        self.init(
            consistent: try members.any("consistent"), addresses: try members.number("addresses", within: Self.counts),
            accepted: try members.number("accepted", within: Self.counts),
            rejected: try members.number("rejected", within: Self.counts),
            unreachable: try members.number("unreachable", within: Self.counts), findings: try members.one("findings"),
            exit: try members.one("exit"), hasKnownDifferences: try members.any("hasKnownDifferences") ?? false,
            answeringOtherwise: try members.number("answeringOtherwise", within: Self.counts))
    }
}

extension Report.Consistency.Finding: Decodable {
    init(from decoder: any Decoder) throws {
        let members = try DocumentMembers(decoder)
        let message: String = try members.one("message")
        self.init(id: try members.one("id"), level: try members.one("level"), message: TerminalText.escaped(message))
    }
}

extension SettingsObject: Decodable {
    /// The value of a setting as it is written.
    private enum Written: Decodable {
        case flag(Bool)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else {
                self = .text(try container.decode(String.self))
            }
        }
    }

    init(from decoder: any Decoder) throws {
        var values = try decoder.singleValueContainer().decode([String: Written].self)
        // Names that are not known stand behind the others, as they are.
        let known = ClientRegistry.settingNames.map { (name: $0, key: SnakeCase.key($0)) }
        settings = (known + values.keys.sorted().map { (name: $0, key: $0) }).compactMap { name, key in
            switch values.removeValue(forKey: key) {
            case .flag(let flag): ShownSetting(name, .flag(flag))
            case .text(let text): ShownSetting(name, .text(text))
            case nil: nil
            }
        }
    }
}

import Base
package import PinFormats
package import Pinning

/// A client that decides about servers, with its settings; ``all`` contains every client.
public struct Client: Sendable, Hashable {
    /// The name in `--client`.
    public let name: String
    /// A description in one line.
    public let summary: String
    package var settings: [ClientSetting] = []
    /// `true` if `--client all` includes it: not a version too old to ship, or a client with every certificate pinned.
    package var isInAll = true
    var configurations: [PinConfiguration.Kind: PinConfiguration.Lookup] = [:]
    /// The configuration by which a system binds every connection of an app; `nil` if the client is not a system.
    var bindsAppBy: PinConfiguration.Kind?
    /// `true` if a dot at the end of a URL's host makes it another host.
    var comparesHostAsWritten = false
    /// The kinds of configuration that choose the client if the user names none; devices decide between platforms.
    package var namedBy: Set<PinConfiguration.Kind> = []
    /// The framework that makes an app choose this client among those named by its files.
    var framework: String?
    /// The first version of Apple's systems that has the client.
    var since = DeviceVersion(0)
    /// The pins outside of configurations that the client judges if the user names none.
    var looseSet: LooseSet?
    /// `true` if the client has AFSecurityPolicy's settings: mode, allowInvalidCertificates, validatesDomainName.
    var hasSecurityPolicy = false
    /// The platform that the client runs on; `nil` if its decisions do not depend on one.
    package let platform: PlatformFamily?
    package let pinForm: PinForm
    /// The settings after the name, as in `expires=2027-06-01`.
    var words: [String] = []
    /// The settings from options that reports show, in addition to those of AFSecurityPolicy.
    var shownSettings: @Sendable (ClientInput) -> [ShownSetting] = { _ in [] }
    let make: @Sendable (ClientInput) throws -> any ClientProcedure

    /// Clients in addition to the table's, during a call, so that tests run every command with their own.
    @TaskLocal static var added: [Client] = []

    /// Every client, without settings.
    public static var all: [Client] { added.isEmpty ? table : table + added }

    package static func named(_ name: String) throws(Problem) -> Client {
        if let client = all.first(where: { $0.name == name }) { return client }
        let word = name.prefix { $0 != "=" }
        if let owner = all.first(where: { $0.settings.contains { $0.name == word } }) {
            throw .usage("a client's setting follows its name and a colon: write \(quoted("\(owner.name):\(name)"))")
        }
        let remedy =
            Suggestion.nearest(to: name, in: all.map(\.name) + ["all"]).map { "did you mean '\($0)'?" }
            ?? "choose from \(all.map(\.name).listed), or all"
        throw .usage("the client \(quoted(name)) is not known: \(remedy)")
    }

    func with(_ words: [String]) throws(Problem) -> Client {
        for word in words {
            let parts = word.parts(at: "=", atMost: 2).map(String.init)
            guard let setting = settings.first(where: { $0.name == parts[0] }) else {
                let known = settings.map(\.usage)
                let remedy =
                    known.isEmpty ? "it has none" : Suggestion.remedy(for: word, among: known, by: ClientSetting.name)
                throw .usage("the client \(name) has no setting \(quoted(word)): \(remedy)")
            }
            guard parts.count == (setting.value == nil ? 1 : 2), parts.last != "" else {
                throw .usage("the setting \(quoted(word)) of \(name) is written \(setting.usage)")
            }
            if setting.value == ClientSetting.date { _ = try TimeText.read(parts[1]) }
            let choices = (setting.value ?? "").split(separator: "|").map(String.init)
            guard choices.count < 2 || choices.contains(parts[1]) else {
                let remedy = Suggestion.remedy(for: parts[1], among: choices)
                throw .usage("the client \(name) has no \(setting.name) \(quoted(parts[1])): \(remedy)")
            }
        }
        var client = self
        client.words = words
        return client
    }

    func isSet(_ setting: String) -> Bool { words.contains { ClientSetting.name($0) == setting } }

    package func texts(_ setting: String) -> [String] {
        words.filter { $0.hasPrefix(setting + "=") }.map { String($0.dropFirst(setting.count + 1)) }
    }

    package func text(_ setting: String) -> String? { texts(setting).last }
    package func date(_ setting: String) -> Timestamp? { text(setting).flatMap { try? TimeText.read($0) } }

    var loader: BundleLoader? { pinForm.loader }

    static func system(of platform: PlatformFamily) -> [Client] {
        all.filter { $0.bindsAppBy != nil && $0.platform == platform }
    }

    func runs(on device: Device?) -> Bool { device == nil || platform == nil || platform == device?.platform }

    var comparesLeafKeyAlone: Bool { if case .leafKey = pinForm { true } else { false } }

    static func judging(_ set: LooseSet) -> Client { all.first { $0.looseSet == set } ?? .generic }

    /// Compares the name and the settings.
    public static func == (left: Client, right: Client) -> Bool { left.name == right.name && left.words == right.words }

    /// Hashes the name and the settings.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(words)
    }
}

extension Client {
    /// Reads a client, such as `okhttp` or `trustkit:no-enforce:expires=2027-06-01`.
    ///
    /// - Throws: `Problem` for an unknown client or setting.
    public init(_ text: String) throws(Problem) {
        guard case .named(let clients) = try ClientSelection([text]), clients.count == 1 else {
            throw .usage("\(quoted(text)) is not one client: choose from \(Client.all.map(\.name).listed)")
        }
        self = clients[0]
    }
}

/// A set of pins outside of every client's configuration: lists, and pins given by themselves.
enum LooseSet {
    case inCurlsNotation
    /// Certificates in an app's files, or with settings of AFSecurityPolicy every pin.
    case certificates
    case others
}

/// A setting after a client's name, as in `trustkit:no-enforce:expires=2027-06-01`.
package struct ClientSetting {
    package static let date = "DATE"
    package let name: String
    /// The value in help, its choices with a bar between, `nil` if it is a flag; a day as ``date`` is its midnight in UTC.
    package let value: String?
    package let help: String

    package init(_ name: String, _ value: String?, _ help: String) {
        (self.name, self.value, self.help) = (name, value, help)
    }

    /// The facts of an Android app outside its configuration; apps for API 24 and later trust no root of the user.
    static let androidApp: [ClientSetting] = [
        .init("user-roots", nil, "roots given by --extra-root are trusted (API < 24, or src=\"user\")"),
        .init("target-sdk", "LEVEL", "targetSdkVersion: up to 23 the user's roots count, from 37 on SCTs"),
        .init("debuggable", nil, "a debuggable build, for which <debug-overrides> counts"),
    ]

    static func name(_ word: String) -> String { String(word.prefix { $0 != "=" }) }
    package var usage: String { name + (value.map { "=\($0)" } ?? "") }
}

package enum ClientSelection: Hashable {
    case all
    case named([Client])

    var clients: [Client] {
        switch self {
        case .all: Client.all.filter(\.isInAll)
        case .named(let clients): clients
        }
    }

    /// Reads lists of `NAME[:SETTING…][,NAME…]`, or only `all`.
    package init(_ lists: [String]) throws(Problem) {
        guard lists != ["all"] else {
            self = .all
            return
        }
        self = .named(
            try lists.words.map { (part) throws(Problem) in
                let words = part.parts(at: ":").map(String.init)
                return try Client.named(words.first ?? "").with(Array(words.dropFirst()))
            })
    }
}

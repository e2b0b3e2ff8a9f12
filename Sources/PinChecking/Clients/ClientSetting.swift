import Base
package import Pinning

/// Something that can be set for a client behind its name, as in `trustkit:no-enforce:expires=2027-06-01`.
package struct ClientSetting: Sendable {
    package enum Kind: Sendable {
        case flag
        /// A text, described for help.
        case text(String)
        /// A moment; of a date alone, midnight in UTC at its start.
        case date
    }

    package let name: String
    package let kind: Kind
    package let help: String

    package init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }

    /// Whether an Android app trusts roots that its user installed, which apps for API 24 and later do not.
    package static let userRoots = ClientSetting(
        "user-roots", .flag, "roots given by --extra-root are trusted (API < 24, or src=\"user\")")

    /// What an Android app is beside its network security configuration.
    package static let androidApp: [ClientSetting] = [
        .userRoots,
        .init("target-sdk", .text("LEVEL"), "targetSdkVersion: up to 23 the user's roots count, from 37 on SCTs"),
        .init("debuggable", .flag, "a debuggable build, for which <debug-overrides> counts"),
    ]

    static func name(_ written: String) -> String { String(written.prefix { $0 != "=" }) }

    package var usage: String {
        switch kind {
        case .flag: name
        case .text(let value): "\(name)=\(value)"
        case .date: "\(name)=DATE"
        }
    }
}

/// One client and the settings that were given for it.
package struct ClientSettings: Sendable {
    package let entry: ClientRegistry.Entry
    package let words: [String]
    private let values: [(name: String, value: Value)]

    private enum Value {
        case none
        case text(String)
        case date(Timestamp)
    }

    package init(of entry: ClientRegistry.Entry) {
        self.entry = entry
        words = []
        values = []
    }

    /// Reads what stands behind a client's name, separated by colons.
    ///
    /// - Throws: ``ClientSelectionError`` for a setting that the client does not have, or a value that does not go with it.
    package init(_ words: [String], for entry: ClientRegistry.Entry) throws(ClientSelectionError) {
        self.entry = entry
        self.words = words
        var values: [(name: String, value: Value)] = []
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let setting = entry.settings.first(where: { $0.name == parts[0] }) else {
                throw .unknownSetting(word, of: entry.name, known: entry.settings.map(\.usage))
            }
            values.append((parts[0], try Self.value(parts.count > 1 ? parts[1] : nil, of: setting, word, entry)))
        }
        self.values = values
    }

    private static func value(
        _ text: String?, of setting: ClientSetting, _ word: String, _ entry: ClientRegistry.Entry
    ) throws(ClientSelectionError) -> Value {
        switch (setting.kind, text) {
        case (.flag, nil): return .none
        case (.text, let text?) where !text.isEmpty: return .text(text)
        case (.date, let text?) where !text.isEmpty:
            do { return .date(try TimeText.read(text)) } catch { throw .date(error) }
        default: throw .wrongForm(word, of: entry.name, usage: setting.usage)
        }
    }

    package func isSet(_ name: String) -> Bool { values.contains { $0.name == name } }

    package func text(_ name: String) -> String? {
        if case .text(let text) = values.last(where: { $0.name == name })?.value { text } else { nil }
    }

    /// All texts given for a setting, in their order.
    package func texts(_ name: String) -> [String] {
        values.filter { $0.name == name }.compactMap { if case .text(let text) = $0.value { text } else { nil } }
    }

    package func date(_ name: String) -> Timestamp? {
        if case .date(let time) = values.last(where: { $0.name == name })?.value { time } else { nil }
    }
}

extension ClientSettings: Hashable {
    package static func == (left: ClientSettings, right: ClientSettings) -> Bool {
        left.entry.name == right.entry.name && left.words == right.words
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(entry.name)
        hasher.combine(words)
    }
}

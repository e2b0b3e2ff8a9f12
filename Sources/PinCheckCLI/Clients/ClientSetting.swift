import Pinning
import Text

/// Something that can be set for a client behind its name, as in `trustkit:no-enforce:expires=2027-06-01`.
struct ClientSetting: Sendable {
    /// What a setting takes.
    enum Kind: Sendable {
        /// Nothing: it is there or not.
        case flag
        /// A text, described for help.
        case text(String)
    }

    /// The word that stands for it.
    let name: String
    /// What it takes.
    let kind: Kind
    /// What it does, in a few words.
    let help: String

    init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }

    /// Whether an Android app trusts roots that its user installed, which apps for API 24 and later do not.
    static let userRoots = ClientSetting(
        "user-roots",
        .flag,
        "roots given by --extra-root are trusted (API < 24, or src=\"user\")"
    )

    /// As it is written, for help and messages.
    var usage: String {
        switch kind {
        case .flag: name
        case .text(let value): "\(name)=\(value)"
        }
    }
}

/// The settings that were given for one client.
struct ClientSettings: Sendable {
    /// The words as they were given, for reports.
    let words: [String]
    private let values: [(name: String, value: String?)]

    /// Reads what stands behind a client's name, separated by colons.
    ///
    /// - Throws: ``CommandError`` for a setting that the client does not have, or a value where none goes.
    init(_ words: [String], for entry: ClientRegistry.Entry) throws(CommandError) {
        self.words = words
        var values: [(name: String, value: String?)] = []
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let setting = entry.settings.first(where: { $0.name == parts[0] }) else {
                let known = entry.settings.map(\.usage).joined(separator: ", ")
                throw .usage(
                    "the client \(entry.name) has no setting \(quoted(word)): "
                        + (known.isEmpty ? "it has none" : "choose from \(known)")
                )
            }
            let isFlag = if case .flag = setting.kind { true } else { false }
            guard isFlag == (parts.count == 1), parts.count == 1 || !parts[1].isEmpty else {
                throw .usage("the setting \(quoted(word)) of \(entry.name) is written \(setting.usage)")
            }
            values.append((parts[0], parts.count > 1 ? parts[1] : nil))
        }
        self.values = values
    }

    /// Whether a flag was given.
    func isSet(_ name: String) -> Bool { values.contains { $0.name == name } }

    /// The last value given for a setting.
    func text(_ name: String) -> String? { values.last { $0.name == name }?.value }

    /// All values given for a setting, in their order.
    func texts(_ name: String) -> [String] { values.filter { $0.name == name }.compactMap(\.value) }

    /// The date given for a setting: midnight in UTC at its start.
    func date(_ name: String) throws(CommandError) -> Timestamp? {
        guard let text = text(name) else { return nil }
        return try TimeText.read(text)
    }
}

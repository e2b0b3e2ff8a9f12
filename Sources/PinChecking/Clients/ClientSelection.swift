import Base
import PinFormats
package import Pinning

/// The clients whose decisions are asked for, with what is set for each.
package enum ClientSelection: Hashable, Sendable {
    /// Every client that somebody can still mean to ship, as it is without settings.
    case all
    /// These, at least one.
    case named([ClientSettings])

    /// The clients, without their settings.
    var entries: [ClientRegistry.Entry] {
        switch self {
        case .all: ClientRegistry.entries.filter(\.isInAll)
        case .named(let clients): clients.map(\.entry)
        }
    }

    func includes(_ name: String) -> Bool { entries.contains { $0.name == name } }

    /// Reads lists of `NAME[:SETTING…][,NAME…]`, or `all` alone.
    ///
    /// - Throws: ``ClientSelectionError`` for a client or a setting that there is not.
    package init(_ lists: [String]) throws(ClientSelectionError) {
        guard lists != ["all"] else {
            self = .all
            return
        }
        var clients: [ClientSettings] = []
        for list in lists {
            for part in list.split(separator: ",", omittingEmptySubsequences: false) {
                let words = part.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
                let entry = try ClientRegistry.entry(named: words.first ?? "")
                clients.append(try ClientSettings(Array(words.dropFirst()), for: entry))
            }
        }
        self = .named(clients)
    }
}

/// Why clients cannot be asked for.
package enum ClientSelectionError: Error, Hashable, Sendable {
    case unknownClient(String)
    /// The client has no such setting; these are those it has.
    case unknownSetting(String, of: String, known: [String])
    /// The setting has no value where it takes one, or one where it takes none.
    case wrongForm(String, of: String, usage: String)
    /// The value should be a date.
    case date(TimeTextError)
}

extension ClientSelectionError: CustomStringConvertible {
    /// One line that quotes the text and says what to write.
    package var description: String {
        switch self {
        case .unknownClient(""): "a client's name is empty: write names with one comma between, as in 'okhttp,curl'"
        case .unknownClient(let name):
            "the client \(quoted(name)) is not known: "
                + (Suggestion.nearest(to: name, in: ClientRegistry.entries.map(\.name) + ["all"]).map {
                    "did you mean '\($0)'?"
                } ?? "choose from \(ClientRegistry.names), or all")
        case .unknownSetting(let word, let client, let known):
            "the client \(client) has no setting \(quoted(word)): "
                + (known.isEmpty ? "it has none" : Suggestion.remedy(for: word, among: known, by: ClientSetting.name))
        case .wrongForm(let word, let client, let usage): "the setting \(quoted(word)) of \(client) is written \(usage)"
        case .date(let error): error.description
        }
    }
}

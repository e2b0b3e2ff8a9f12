import Base
package import PinFormats

/// The clients whose decisions are asked for, with what is set for each.
package enum ClientSelection: Hashable, Sendable {
    /// Every client that can still be meant to ship, without settings.
    case all
    /// These, at least one.
    case named([Client])

    var clients: [Client] {
        switch self {
        case .all: Client.all.filter(\.isInAll)
        case .named(let clients): clients
        }
    }

    /// Reads lists of `NAME[:SETTING…][,NAME…]`, or `all` alone.
    ///
    /// - Throws: ``ClientSelectionError`` for an unknown client or setting.
    package init(_ lists: [String]) throws(ClientSelectionError) {
        guard lists != ["all"] else {
            self = .all
            return
        }
        var clients: [Client] = []
        for list in lists {
            for part in list.split(separator: ",", omittingEmptySubsequences: false) {
                let words = part.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
                clients.append(try Client.named(words.first ?? "").with(Array(words.dropFirst())))
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
                + (Suggestion.nearest(to: name, in: Client.all.map(\.name) + ["all"]).map { "did you mean '\($0)'?" }
                    ?? "choose from \(Client.all.map(\.name).joined(separator: ", ")), or all")
        case .unknownSetting(let word, let client, let known):
            "the client \(client) has no setting \(quoted(word)): "
                + (known.isEmpty ? "it has none" : Suggestion.remedy(for: word, among: known, by: ClientSetting.name))
        case .wrongForm(let word, let client, let usage): "the setting \(quoted(word)) of \(client) is written \(usage)"
        case .date(let error): error.description
        }
    }
}

import Base

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
    package init(_ lists: [String]) throws(CheckError) {
        guard lists != ["all"] else {
            self = .all
            return
        }
        var clients: [Client] = []
        for part in lists.words {
            let words = part.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            clients.append(try Client.named(words.first ?? "").with(Array(words.dropFirst())))
        }
        self = .named(clients)
    }
}

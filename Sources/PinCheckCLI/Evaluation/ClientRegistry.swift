import Pinning

/// The clients whose decision procedures can be chosen by name.
enum ClientRegistry {
    /// One client: its name and how its procedure is made from the policy flags.
    struct Entry: Sendable {
        /// The value of `--client`.
        let name: String
        /// Makes the procedure.
        let makeProcedure: @Sendable (AFSecurityPolicy) -> any ClientProcedure
    }

    /// Every client, the default first.
    static let entries: [Entry] = [
        Entry(name: defaultName) { AFNetworking4(policy: $0) }
    ]

    /// The client that is meant when none is named.
    static let defaultName = "afnetworking"

    /// All names in one line, for messages and help.
    static var names: String { entries.map(\.name).joined(separator: ", ") }

    /// The client called `name`.
    static func entry(named name: String) throws(CommandError) -> Entry {
        guard let entry = entries.first(where: { $0.name == name }) else {
            throw .usage("the client \(quoted(name)) is not known: choose from \(names)")
        }
        return entry
    }
}

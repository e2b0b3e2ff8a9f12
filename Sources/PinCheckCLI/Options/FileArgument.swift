import PinFormats
import Text

/// Arguments that are files where hosts are asked for.
enum FileArgument {
    /// Whether an argument can only be a file: none of these endings is a top-level domain.
    static func isMeant(by argument: String) -> Bool {
        if argument.contains("/"), !argument.contains("://") { return true }
        return [".pem", ".cer", ".crt", ".der", ".csr", ".pub", ".key", ".p7b", ".ipa", ".plist", ".xml", ".json"]
            .contains { argument.lowercased().hasSuffix($0) }
    }

    /// Refuses a target that is a file and can be nothing else.
    static func refuse(asTarget argument: String) throws(CommandError) {
        guard isMeant(by: argument), PinItemReader.isThere(argument) else { return }
        throw .usage("\(quoted(argument)) is a file, not a host: \(remedy)")
    }

    /// What to say when a host could not be reached that is a file as well, `nil` where there is none.
    static func hint(for arguments: [String]) -> SafeText? {
        guard let first = arguments.drop(while: { $0 == "check" }).first, !first.hasPrefix("-"), !first.contains(":"),
            PinItemReader.isThere(first)
        else { return nil }
        return "\(quoted(first)) was taken for a host, and there is a file of that name: \(remedy)"
    }

    private static let remedy =
        "'pincheck verify' judges the chain in a file, 'pincheck pins' prints its pins, and 'pincheck lint' judges pins"
}

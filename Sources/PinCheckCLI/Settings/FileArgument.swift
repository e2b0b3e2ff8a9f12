import Base
import PinFormats

/// Arguments that are files where hosts are asked for.
enum FileArgument {
    /// Whether an argument can only be a file: none of these endings is a top-level domain.
    static func isMeant(by argument: String) -> Bool {
        if argument.contains("/"), !argument.contains("://") { return true }
        return [".pem", ".cer", ".crt", ".der", ".csr", ".pub", ".key", ".p7b", ".ipa", ".plist", ".xml", ".json"]
            .contains { argument.lowercased().hasSuffix($0) }
    }

    /// Refuses a target that is a file or a directory and hardly anything else: a name without a dot is rarely a host's.
    static func refuse(asTarget argument: String) throws(CommandError) {
        let isDirectory = FileKind(at: argument) == .directory
        guard isMeant(by: argument) || isDirectory && !argument.contains(".") && !argument.contains(":"),
            PinFile.isThere(argument)
        else { return }
        guard isDirectory else { throw .usage("\(quoted(argument)) is a file, not a host: \(remedy)") }
        let host = isMeant(by: argument) ? "" : "; a host of that name is checked as \(quoted("https://" + argument))"
        throw .usage("\(quoted(argument)) is a directory, not a host: \(remedy(ofDirectory: argument))\(host)")
    }

    /// What to say when a host could not be reached that is a file as well, `nil` where there is none.
    static func hint(for targets: [String]) -> SafeText? {
        guard let first = targets.first, !first.contains(":"), PinFile.isThere(first) else { return nil }
        let isDirectory = FileKind(at: first) == .directory
        return
            "\(quoted(first)) was taken for a host, and there is a \(isDirectory ? "directory" : "file") of that name: \(isDirectory ? remedy(ofDirectory: first) : remedy)"
    }

    private static func remedy(ofDirectory name: String) -> String {
        "\(quoted("pincheck HOST --pins " + name)) checks a host by the pins in it, \(quoted("pincheck lint " + name)) judges "
            + "them, and 'pincheck verify' judges the chain in a file"
    }

    private static let remedy =
        "'pincheck verify' judges the chain in a file, 'pincheck pins' prints its pins, and 'pincheck lint' judges pins"
}

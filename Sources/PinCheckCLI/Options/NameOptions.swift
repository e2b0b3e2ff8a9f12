import ArgumentParser
import Pinning
import Text

/// The names a client uses, apart from the address it connects to.
struct NameOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The name the certificate must be valid for.", valueName: "name"))
    var verifyName: String?

    @Option(
        help: ArgumentHelp(
            "The name of the HTTP Host header; --verify-name and --sni follow it unless they are given.",
            valueName: "name"
        )
    )
    var host: String?

    @Option(help: ArgumentHelp("The same as --host in curl's words: 'Host: NAME'.", valueName: "header"))
    var header: [String] = []

    /// The host that `--host` or `--header` names.
    func givenHost() throws(CommandError) -> ServerName? { try givenPlace()?.host }

    private func givenPlace() throws(CommandError) -> Place? {
        var texts = host.map { [$0] } ?? []
        for line in header {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].lowercased() == "host" else {
                throw .usage("the header \(quoted(line)) plays no part in a check: only 'Host: NAME' does")
            }
            texts.append(String(parts[1].drop { $0 == " " || $0 == "\t" }))
        }
        guard let text = texts.first else { return nil }
        guard texts.allSatisfy({ $0 == text }) else {
            throw .usage("the hosts \(quoted(text)) and \(quoted(texts[1])) contradict each other: give one")
        }
        return try Place(text[...], of: "host", in: text)
    }

    /// What the options say, read.
    func settings() throws(CommandError) -> NameSettings {
        NameSettings(
            host: try givenHost(),
            referenceName: try givenReferenceName(),
            writtenName: try givenWrittenName()
        )
    }

    /// The name to check as it is written, `nil` where none is given.
    func givenWrittenName() throws(CommandError) -> String? {
        guard let verifyName else { return try givenPlace()?.writtenHost }
        guard case .name(let name) = HostName.reference(verifyName) else { return verifyName }
        return HostName.written(verifyName, as: name)
    }

    /// The name that `--verify-name` gives; one that is malformed makes the check fail, it never skips it.
    func givenReferenceName() throws(CommandError) -> ReferenceName? {
        guard let verifyName else { return nil }
        guard !verifyName.isEmpty else {
            throw .usage("--verify-name '' is empty: give a name, or leave the flag out")
        }
        return HostName.reference(verifyName)
    }
}

/// The names a client uses where they are given.
struct NameSettings: Sendable {
    /// The name of the HTTP Host header, `nil` for the target's host.
    var host: ServerName?
    /// The name the certificate must be valid for, `nil` for the host.
    var referenceName: ReferenceName?
    /// The name to check as it is written, `nil` for that of the target.
    var writtenName: String?
}

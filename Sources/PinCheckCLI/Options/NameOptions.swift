import ArgumentParser
import Base
import PinChecking
import Pinning
import TLSProbe

/// The names a client uses, apart from the address it connects to.
struct NameOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The name that the certificate must be valid for.", valueName: "name")) var verifyName:
        String?

    @Option(
        help: ArgumentHelp(
            "The HTTP Host header, and the name to verify.",
            discussion: "--verify-name names another one to verify. Neither is sent as SNI.", valueName: "name"))
    var host: String?

    @Option(help: ArgumentHelp("The same as --host, in curl's words: 'Host: NAME'.", valueName: "header")) var header:
        [String] = []
}

extension NameOptions {
    func read() throws(CommandError) -> CheckRequest.Names {
        CheckRequest.Names(host: try givenHost(), reference: try givenReferenceName())
    }

    /// What a message shows of a header: its name alone, since the value may be a password.
    static func shown(header line: String) -> SafeText {
        guard let colon = line.firstIndex(of: ":"), HTTPField(line: line[..<colon] + ":") != nil else {
            return "(\(line.unicodeScalars.count) characters)"
        }
        return "\(quoted(line[..<colon]))"
    }

    /// The host that `--host` or `--header` names.
    private func givenHost() throws(CommandError) -> CheckRequest.Names.Host? {
        var texts = host.map { [$0] } ?? []
        for line in header {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].lowercased() == "host" else {
                throw .usage("the header \(Self.shown(header: line)) plays no part in a check: only 'Host: NAME' does")
            }
            texts.append(String(parts[1].drop { $0 == " " || $0 == "\t" }))
        }
        guard let text = texts.first else { return nil }
        guard texts.allSatisfy({ $0 == text }) else {
            throw .usage("the hosts \(quoted(text)) and \(quoted(texts[1])) contradict each other: give one")
        }
        return try CommandError.reading { () throws(RequestError) in
            CheckRequest.Names.Host(try Place(text[...], of: .host, in: text))
        }
    }

    /// The name that `--verify-name` gives; one that is malformed makes the check fail, it never skips it.
    private func givenReferenceName() throws(CommandError) -> CheckRequest.Names.Reference? {
        guard let verifyName else { return nil }
        guard !verifyName.isEmpty else { throw .usage("--verify-name '' is empty: give a name, or leave the flag out") }
        return CheckRequest.Names.Reference(verifyName)
    }
}

import Base
import PinFormats

/// What to say of an option that there is not: the parser's own proposal is any that is not too long.
enum UnknownOption {
    /// Options of other programs, and what is meant by them here.
    private static let foreign = [
        "--verbose": "--explain", "-v": "--verbose", "-V": "--version", "--cacert": "--anchors",
        "--CAfile": "--anchors", "--servername": "--sni", "--silent": "--quiet", "-s": "--quiet", "--pin": "--pins",
        "-p": "--pins", "--dns-servers": "--doh", "--tlsv1.2": "--min-tls 1.2", "--tlsv1.3": "--min-tls 1.3",
        "-x": "--proxy", "--socks5": "--proxy", "--socks5-hostname": "--proxy", "--noproxy": "--no-proxy",
        "--curves": "--groups", "--cipher": "--ciphers", "--tls13-ciphers": "--ciphers", "--ciphersuites": "--ciphers",
        "-H": "--header", "--ca-certificate": "--anchors",
    ]

    /// Options of curl's and of others that no option here does the same as, and what to do instead.
    private static func advice(on name: String, for command: String) -> SafeText? {
        switch name {
        case "--insecure", "-k":
            switch command {
            case "pins", "snapshot":
                "an untrusted chain is shown as it is, with a warning; give a private root with --anchors"
            default:
                "give a private root with --anchors; or --allow-invalid-certificates, where the app trusts its pins alone"
            }
        case "-L", "--location":
            command == "fetch" ? "redirects are followed, each judged anew, up to --max-redirs of them" : nil
        case "-C", "--continue-at", "-c", "--continue":
            command == "fetch" ? "the same command goes on with what was interrupted" : nil
        case "-o", "--output": "the result goes to standard output: write '> FILE' behind the command"
        default: nil
        }
    }

    /// The message instead of the parser's, `nil` for a message about something else.
    static func message(insteadOf text: String, for arguments: [String]) throws(CommandError) -> SafeText? {
        let start = "Error: Unknown option '"
        guard text.hasPrefix(start) else { return nil }
        let name = String(text.dropFirst(start.count).prefix { $0 != "'" && $0 != "=" && !$0.isNewline })
        let program = try CommandDescription.program()
        guard let command = arguments.first.flatMap(program.subcommand) ?? program.subcommand("check") else {
            return nil
        }
        if !command.options.flatMap(\.names).contains(name),
            let advice = advice(on: name, for: command.name) ?? GoneWords.options[name]
        {
            return "Error: there is no option \(quoted(name)): \(advice)"
        }
        let remedy = proposal(for: name, of: command).map { "did you mean '\($0)'?" }
        return
            "Error: there is no option \(quoted(name)): \(remedy ?? "'pincheck help \(command.name)' lists those there are")"
    }

    private static func proposal(for name: String, of command: CommandDescription) -> String? {
        let names = command.options.flatMap(\.names)
        if names.contains("--format"), name.hasPrefix("--"),
            case .words(let words)? = command.option("--format")?.completion(in: command),
            words.words.contains(where: { "--" + $0.text == name })
        {
            return "--format " + name.dropFirst(2)
        }
        if let other = foreign[name], let option = other.split(separator: " ").first, names.contains(String(option)) {
            return other
        }
        return name.hasPrefix("--") ? Suggestion.nearest(to: name, in: names.filter { $0.hasPrefix("--") }) : nil
    }
}

import Base
import PinChecking
import PinFormats

enum Mistake {
    private static let foreignOptions = [
        "-v": "--verbose", "-V": "--version", "--cacert": "--anchors", "--CAfile": "--anchors", "--servername": "--sni",
        "--silent": "--quiet", "-s": "--quiet", "--pin": "--pins", "-p": "--pins", "--dns-servers": "--doh",
        "--tlsv1.2": "--min-tls 1.2", "--tlsv1.3": "--min-tls 1.3", "-x": "--proxy", "--socks5": "--proxy",
        "--socks5-hostname": "--proxy", "--noproxy": "--no-proxy", "--curves": "--groups", "--cipher": "--ciphers",
        "--tls13-ciphers": "--ciphers", "--ciphersuites": "--ciphers", "--tls-max": "--max-tls", "-H": "--header",
        "--ca-certificate": "--anchors", "--verbose": "--explain",
    ]

    static func unknownOption(_ name: String, of command: Command) -> Problem {
        let word = name.hasSuffix("…") ? String(name.prefix(2)) : name
        let remedy: SafeText =
            ForeignWords.options["\(command.name) \(word)"]
            ?? advice(on: word, of: command) ?? ForeignWords.options[word]
            ?? proposal(for: word, of: command).map { "did you mean '\($0)'?" }
            ?? "'pincheck help \(command.name)' lists those there are"
        return .usage("there is no option \(quoted(withoutSecrets(name))): \(remedy)")
    }

    private static func advice(on name: String, of command: Command) -> SafeText? {
        switch (name, command.name) {
        case ("--insecure", _) where command.option("--anchors") != nil,
            ("-k", _) where command.option("--anchors") != nil:
            "give a private root with --anchors; or --allow-invalid-certificates, where the app trusts its pins alone"
        case ("--pins", "snapshot"), ("--anchors", "snapshot"), ("--client", "snapshot"), ("--device", "snapshot"):
            "a snapshot judges nothing: 'pincheck diff FILE \(name) …' judges what it compares"
        case ("-o", _), ("--output", _): "the result goes to standard output: write '> FILE' behind the command"
        case ("--targets", "serve"): "name the hosts in a policy: --policy FILE"
        case (_, "serve"):
            Command.check.option(name).map { option in
                option.key.map { "write '\($0)' in the policy" }
                    ?? "a timer with 'pincheck check \(option.flag) … -f prometheus' writes it for node_exporter"
            }
        default: nil
        }
    }

    private static func proposal(for name: String, of command: Command) -> String? {
        if command.forms.contains(where: { "--" + $0 == name }) { return "--format " + name.dropFirst(2) }
        if let other = foreignOptions[name],
            other == "--version" || command.option(String(other.prefix { $0 != " " })) != nil
        {
            return other
        }
        let flags = command.options.map(\.flag) + ["--help", "--version"]
        return name.hasPrefix("--") ? Suggestion.nearest(to: name, in: flags.filter { $0.hasPrefix("--") }) : nil
    }

    /// Refuses a first word that is nearly a command: it is rarely the name of a host in the local network.
    static func refuseCommand(in arguments: [String], positionals: [String]) throws(Problem) {
        if let late = positionals.first, late != arguments.first, names.contains(late) {
            throw .usage(
                "the command comes first: write \(quoted("pincheck \(late) …")), or 'pincheck check \(late)' for a host"
            )
        }
        guard let first = arguments.first, !names.contains(first) else { return }
        guard first.utf8.count <= 20, first.utf8.allSatisfy({ (0x61...0x7A).contains($0 | 0x20) }),
            let command = arguments.count > 1 && foreignCommands[first] != nil
                ? foreignCommands[first] : Suggestion.nearest(to: first, in: names)
        else { return }
        try refuse(asTarget: first)
        let rest = arguments.dropFirst().prefix(3).map { " " + $0 }.joined() + (arguments.count > 4 ? " …" : "")
        throw .usage(
            "there is no command \(quoted(first)): did you mean \(quoted("pincheck \(command)\(rest)"))? "
                + "A host of that name is checked by \(quoted("pincheck check \(first)"))")
    }

    static func command(toHelpWith name: String) throws(Problem) -> Command {
        if let command = Command.named(name) { return command }
        let nearest = Suggestion.nearest(to: name, in: names)
        throw .usage(
            "there is no command \(quoted(withoutSecrets(name))): "
                + (nearest.map { "did you mean 'pincheck help \($0)'?" } ?? "'pincheck --help' lists them"))
    }

    private static let foreignCommands = [
        "get": "fetch", "download": "fetch", "compare": "diff", "validate": "verify", "exporter": "serve",
    ]

    private static let names = Command.all.map(\.name) + ["help"]

    /// Refuses a target that is a file, or a directory without a dot in its name: hosts rarely lack one.
    static func refuse(asTarget argument: String) throws(Problem) {
        let (isFile, isDirectory) = (PinFile.isMeant(by: argument), FileKind(at: argument) == .directory)
        guard isFile || isDirectory && !argument.contains(".") && !argument.contains(":"), PinFile.isThere(argument)
        else { return }
        guard isDirectory else {
            throw .usage(
                "\(quoted(argument)) is a file, not a host: 'pincheck verify' judges the chain in a file, 'pincheck pins' prints "
                    + "its pins, 'pincheck lint' judges pins, and --pins gives them: pincheck HOST --pins \(argument)")
        }
        let host = isFile ? "" : "; a host of that name is checked as \(quoted("https://" + argument))"
        throw .usage(
            "\(quoted(argument)) is a directory, not a host: \(quoted("pincheck HOST --pins " + argument)) checks a host by the "
                + "pins in it, and \(quoted("pincheck lint " + argument)) judges them\(host)")
    }
}

/// Words of other tools and libraries that have no equivalent here, each with the advice to give.
enum ForeignWords {
    /// Options of curl and of testssl.sh; the advice on one that begins with a command is only for that command.
    static let options = table([
        "--proxy-user,-U": "name the user in HTTPS_PROXY=http://user:password@host:port",
        "--head,-I": "pincheck https://HOST --request PATH asks, and shows the status line",
        "--starttls": "pincheck checks HTTPS: STARTTLS is left out",
        "fetch --speed-limit,fetch --speed-time": "leave it out: a download ends when nothing comes for 30 seconds",
        "fetch -f": "leave it out: the last line and the exit status say it",
        "fetch -L,fetch --location": "redirects are followed, each judged anew, up to --max-redirs of them",
        "fetch -C,fetch --continue-at,fetch -c,fetch --continue": "the same command goes on with what was interrupted",
        "pins -k,pins --insecure":
            "an untrusted chain is shown as it is, with a warning; give a private root with --anchors",
        "snapshot -k,snapshot --insecure": "leave it out: a snapshot judges nothing",
    ])

    /// Libraries and platforms named as the client, in small letters without hyphens, underscores, points and blanks.
    static let clients = table([
        "cronet,httpengine":
            "Chromium's own stack pins by addPublicKeyPins, and roots that the user installs pass by it: no client here "
            + "decides alike; generic compares the pins",
        "unity": "its CertificateHandler replaces every other check: no client here decides alike",
        "cordova":
            "a WebView follows the system: use android, nspinneddomains; cordova-plugin-advanced-http on "
            + "iOS: afnetworking with the files of www/certificates; on Android they are its only anchors: --anchors",
        "capacitor,ionic": "the WebView and CapacitorHttp follow the system: use android, nspinneddomains",
        "expo": "give its app.json to --pins: nspinneddomains and trustkit follow",
        "grpc": "it is given roots, not pins: use generic with --anchors",
        "maui,xamarin,dotnet":
            "a callback compares by hand: use generic; AndroidMessageHandler follows the system: android; "
            + "NSUrlSessionHandler: nspinneddomains",
        "moya": "it connects by Alamofire: use alamofire",
        "kingfisher,sdwebimage": "it connects by URLSession: use nspinneddomains, trustkit",
        "dart,flutter,dio": "dart:io compares by hand and reads no network_security_config.xml: use generic",
        "conscrypt,httpurlconnection,volley": "the system's trust manager decides: use android",
        "wkwebview,cfnetwork,webkit": "the system's rules decide: use nspinneddomains",
        "networkframework": "a verify block compares by hand: use generic",
        "httpcertificatepinning":
            "it compares the fingerprint of the whole certificate, as no client here does: use generic with the .cer",
        "reactnativesslpinning": "by hashes it is okhttp, by .cer files on iOS afnetworking",
        "reactnativesslpublickeypinning": "use okhttp and trustkit, which read its JSON",
        "trustkitandroid": "on Android 7 and later the system enforces this file: use android",
        "retrofit": "it connects by OkHttp: use okhttp",
        "ktor": "its engine decides: use okhttp, or generic",
        "urlsession,nsurlsession": "use nspinneddomains, or trustkit",
        "reactnative": "use okhttp, and trustkit",
        "webview": "the system decides: use android, or nspinneddomains",
        "node,go,java,python": "use generic",
        "chrome": "no browser compares an app's pins: use generic",
    ])

    private static func table(_ rows: KeyValuePairs<String, SafeText>) -> [String: SafeText] {
        let pairs = rows.flatMap { words, advice in [words].words.map { ($0, advice) } }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    static func refuse(clients list: String) throws(Problem) {
        for part in [list].words {
            let name = String(part.prefix { $0 != ":" })
            guard !Client.all.contains(where: { $0.name == name }) else { continue }
            let key = name.lowercased().filter { !"-_. ".contains($0) }
            if let instead = clients[key] { throw .usage("there is no client \(quoted(name)): \(instead)") }
        }
    }
}

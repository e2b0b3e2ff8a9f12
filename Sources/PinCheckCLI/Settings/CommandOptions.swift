import Base
import PinChecking
import PinFormats
import TLSProbe
import X509

extension OptionGroup {
    static let document = OptionGroup("Document") {
        output("Write the document to this file.", "It is there once it is whole; '-' is standard output, the default.")
        Option("--remote-name", "-O", help: "Name the file as the URL does, in this directory.", rival: "--output") {
            $0.namesFileAsURL = $1.isOn
        }
        Option(
            "--max-redirs", of: "n", .whole(0...1_000), help: "Follow so many redirects (default: 10).",
            "Each is judged by the pins for its host, and leads to no host without."
        ) { $0.mostRedirects = $1.number }
        Option("--sha256", of: "hash", help: "Refuse a document with another SHA-256.") {
            guard let hash = SHA256Digest(hexadecimal: $1.text) else {
                throw Problem.usage(
                    "\(quoted($1.text)) is no SHA-256: give 64 hexadecimal digits, as sha256sum prints them")
            }
            $0.sha256 = hash
        }
        Option("--quiet", "-q", help: "Say nothing of what goes well, and show no progress.") { $0.isQuiet = $1.isOn }
        explain
        Option.color
    }

    static let namesAndHeaders = OptionGroup(names.title) {
        names.options.dropLast()
        Option(
            "--header", of: "header", help: "Send this header, as in 'Host: NAME'.", "That of the host is --host.",
            isRepeatable: true
        ) {
            if let host = Settings.host(inHeader: $1.text) { return try $0.setHost(host) }
            $0.fields.append(try field($1.text))
        }
    }

    private static func field(_ line: String) throws -> HTTPField {
        guard let field = HTTPField(line: line) else {
            throw Problem.usage(
                "the header \(Settings.name(ofHeader: line)) is none: write 'Name: value', in one line without control characters"
            )
        }
        let own = [
            "connection", "content-length", "transfer-encoding", "range", "if-range", "accept-encoding", "te",
            "upgrade",
        ]
        guard !own.contains(field.name.lowercased()) else {
            throw Problem.usage("the header \(quoted(field.name)) is pincheck's own: leave it out")
        }
        return field
    }

    static let serve = OptionGroup("Exporter") {
        Option(
            "--listen", of: "addr:port", help: "Listen there (default: \(defaultPlace)).",
            "ADDR:PORT or [v6]:PORT; port 0 is one that is free. Repeatable.", isRepeatable: true
        ) { $0.places.append(try place($1.text)) }
        policy
        Option(
            "--module", of: "name=file", .form { Option.words([]) },
            help: "A policy that requests choose by module=NAME.",
            "Several files with one name are one module. Repeatable.", isRepeatable: true
        ) {
            let (name, file) = try module($1.text)
            $0.modules[name, default: []].append(file)
        }
        Option(
            "--allow-target", of: "target", help: "This target can be asked for, too.",
            """
            HOST or HOST:PORT; '*.example.com' is every name below. It is judged by --pins and the options below, in the \
            module for requests that name none. Repeatable.
            """, isRepeatable: true
        ) { try $0.allowedTargets.add($1.text) }
        Option(
            "--allow-any-target", help: "Every target can be asked for, on every port.",
            "Whoever reaches the exporter can then have it connect anywhere."
        ) { $0.allowedTargets.includesAll = $1.isOn }
        Option(
            "--allow-host", of: "name", help: "Answer requests that call this machine so.",
            """
            In the Host header, on any port. Its addresses and 'localhost' need none: a page that a browser shows cannot \
            use one of those for a name of its own. Repeatable.
            """, isRepeatable: true
        ) {
            let target = try Target(host: $1.text)
            guard target.port == nil, case .dns = target.host else {
                throw Problem.usage(
                    "\(quoted($1.text)) is not a name alone: write a name, which is allowed on every port; addresses need none"
                )
            }
            $0.allowedHosts.append(target.host)
        }
        Option.choice(
            "--log-level", of: "level", help: "Log what is as grave as this (default: info).",
            "One of error, warn, info. A probe that does not pass is warn."
        ) { $0.logLevel = $1 }
    }

    static let served = OptionGroup("What targets are judged by") {
        [judging, devices, outlook, connection, clientCertificate, variants].flatMap(\.options).filter {
            servedFlags.contains($0.flag)
        }
    }

    private static let servedFlags: Set = [
        "--pins", "--client", "--anchors", "--and-system", "--device", "--warn-before", "--fail-before", "--fail-on",
        "--ignore", "--timeout", "--retries", "--proxy", "--no-proxy", "--jobs", "--cert", "--key", "--all-addresses",
        "--key-types", "--thorough",
    ]

    static let defaultPlace = "127.0.0.1:9719"

    static func place(_ text: String) throws -> (address: String, port: Int) {
        let colon = text.lastIndex(of: ":")
        let host = text[..<(colon ?? text.endIndex)]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard let colon, let address = IPAddress(isBracketed ? host.dropFirst().dropLast() : host),
            address.isIPv6 == isBracketed, let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port), text.last?.isNumber == true
        else {
            throw Problem.usage(
                "\(quoted(text)) is no address with a port: write \(defaultPlace), [::1]:9719, or 0.0.0.0:9719 for every "
                    + "address of this machine")
        }
        return (address.description, port)
    }

    private static func module(_ text: String) throws -> (name: String, file: String) {
        let (name, file) = (text.prefix { $0 != "=" }, text.drop { $0 != "=" }.dropFirst())
        let isName = name.utf8.allSatisfy { $0.isAlphanumeric || "-_.".utf8.contains($0) }
        guard isName, (1...64).contains(name.utf8.count), !file.isEmpty else {
            throw Problem.usage(
                "\(quoted(text)) is no name with a file: write NAME=FILE, where the name is of letters, digits, '-', '_' and '.'"
            )
        }
        guard name != ProbeModule.defaultName else {
            throw Problem.usage("the module \(quoted(name)) is that of --policy: give its file there, or another name")
        }
        return (String(name), String(file))
    }

    static let pins = OptionGroup("Pins") {
        Option(
            "--key", of: "file", .file, help: "Pin the public half of this private key.",
            "For every host; nothing else of it is shown. Repeatable.", isRepeatable: true
        ) { $0.keyFiles.append($1.text) }
        Option(
            "--from", of: "source", .file, help: "Pins in any form that 'check --pins' takes.",
            "A configuration, a directory, an .ipa, a list. Repeatable.", isRepeatable: true, rival: "--recommend"
        ) { $0.pinSources.append($1.text) }
        keyTypes
        Option(
            "--recommend", help: "Say which pins to ship, and why.",
            """
            The server's key and one in reserve, where a --key, a request or a public key is given; else the roots that its CA \
            issues below.
            """
        ) { $0.recommends = $1.isOn }
    }

    static let pinsOutput = OptionGroup("Output") {
        Option(
            "--format", "-f", of: "form", .one { Option.words(pinForms) },
            help: "The form of the pins (default: text).",
            "One of \(pinForms.listed): all but the first two are blocks for a client."
        ) { $0.pinForm = try $1.text.known(among: pinForms) }
        Option(
            "--position", of: "position", .list { Option.words(positions) },
            help: "Only these positions, all of them to be pinned.", "Any of leaf, intermediate and root, with commas.",
            rival: "--recommend"
        ) {
            let names = try [$1.text].words.map { try $0.known(among: positions) }
            $0.positions = Set(names.compactMap(PinItem.Role.init))
        }
        Option(
            "--save", of: "dir", .directory, help: "Save the certificates to pin as .cer in a directory.",
            "In DER, as apps bundle them: the leaf, or what --position or --recommend names."
        ) { $0.directory = $1.text }
        Option.color
    }

    static let lint = OptionGroup("Judging") {
        Option(
            "--fail-on", of: "severity", .one { Option.words(failLevels) },
            help: "The mildest finding that fails (default: error).",
            "One of \(failLevels.listed). Such a finding ends with exit status 1."
        ) {
            // `check --fail-on` takes the short word `warn`, so `lint` does, too.
            $0.mildestFailure = $1.text == "warn" ? .warning : .init(rawValue: try $1.text.known(among: failLevels))
        }
        Option(
            "--ignore", of: "id", .list { Option.words(of: FindingID.ofLint) },
            help: "Leave out findings with this id.",
            "Several ids with commas. 'pincheck lint --rules' lists them. Repeatable.", isRepeatable: true
        ) { $0.request.judging.outlook.ignored.formUnion(try FindingID.ignored($1.text, byLint: true)) }
        Option(
            "--warn-before", of: "time", .threshold, help: "Warn when less is left: 12h, 33% (default: 30d).",
            "Of a pinned certificate, or of pins that expire."
        ) { $0.request.judging.outlook.warnBefore = try Threshold($1.text) }
        at
        Option(
            "--client", of: "name", .list { clientNames + [all] }, help: "The clients that ship the pins.",
            "For certificates, keys and lists, which do not say so themselves. Several with commas."
        ) {
            try ForeignWords.refuse(clients: $1.text)
            $0.shippingClients = $1.text == "all" ? Client.all.filter(\.isInAll) : try [$1.text].words.map(Client.named)
        }
        Option("--rules", help: "List every kind of finding, and judge nothing.") { $0.listsRules = $1.isOn }
    }

    static let deviceList = OptionGroup("Options") {
        deviceData
        Option.choice("--format", "-f", of: "form", help: "text or json (default: text).") { $0.devicesForm = $1 }
    }

    static let lintOutput = OptionGroup("Output") {
        Option.format(LintForm.self, of: "findings")
        Option.color
    }

    private static let pinForms = ["text", "json"] + PinBlockFormat.allCases.map(\.rawValue)
    private static let positions = [PinItem.Role.leaf, .intermediate, .root].map(\.rawValue)
    private static let failLevels = [Finding.Level.error, .warning, .note].map(\.rawValue) + ["never"]
}

enum DevicesForm: String, CaseIterable { case text, json }

enum LintForm: String, CaseIterable { case text, json, github, junit, sarif }

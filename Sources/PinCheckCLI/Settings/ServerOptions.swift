import Base
import PinChecking
import PinFormats
import TLSProbe

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
        ) { settings, value in
            let (name, file) = try module(value.text)
            settings.modules[name, default: []].append(file)
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
}

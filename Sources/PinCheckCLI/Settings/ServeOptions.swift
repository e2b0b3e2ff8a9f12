import Base
import Pinning

/// Where an exporter listens, what it answers for, and what it says.
extension OptionGroup {
    static let serve = OptionGroup(
        title: "Exporter",
        options: [
            Option(
                "--listen", of: "addr:port", help: "Listen there (default: \(defaultPlace)).",
                "ADDR:PORT or [v6]:PORT; port 0 is one that is free. Repeatable.", isRepeatable: true
            ) { $0.serve.places.append(try place($1.text)) },
            policy.saying(
                "The hosts of a policy (JSON5) can be asked for.",
                "It is the module for requests that name none. It is read again on SIGHUP. Repeatable."),
            Option(
                "--module", of: "name=file", .words(Option.Words(.form) { [] }),
                help: "A policy that requests choose by module=NAME.",
                "Several files with one name are one module. Repeatable.", isRepeatable: true
            ) { settings, value in
                let (name, file) = try module(value.text)
                if let index = settings.serve.modules.firstIndex(where: { $0.name == name }) {
                    settings.serve.modules[index].files.append(file)
                } else {
                    settings.serve.modules.append((name, [file]))
                }
            },
            list.saying(
                "The targets of a list can be asked for.",
                "As for 'check', with what each line says. For requests that name no module. Repeatable."),
            Option(
                "--allow-target", of: "target", help: "This target can be asked for, too.",
                """
                HOST or HOST:PORT, in every module; '*.example.com' is every name below. Without a port it is that of \
                --port. Repeatable.
                """, isRepeatable: true
            ) {
                _ = try AllowedTargets([$1.text], includesAll: false)
                $0.serve.allowedTargets.append($1.text)
            },
            Option(
                "--allow-any-target", help: "Every target can be asked for, on every port.",
                "Whoever reaches the exporter can then have it connect anywhere."
            ) { settings, _ in settings.serve.allowsAnyTarget = true },
            .whole(
                "--cache", of: "seconds", 0...86_400, help: "Give an answer again for so long (default: 0).",
                "In seconds. An answer without a verdict is not given again."
            ) { $0.serve.cacheTime = .seconds($1) },
            .choice("--log-format", of: "form", help: "The form of the log: text or json (default: text).") {
                $0.serve.logForm = $1
            },
            .choice(
                "--log-level", of: "level", help: "Log what is as grave as this (default: info).",
                "One of error, warn, info, debug. A probe that does not pass is warn."
            ) { $0.serve.logLevel = $1 },
        ])

    /// Where an exporter listens if nobody says otherwise.
    static let defaultPlace = "127.0.0.1:9719"

    static func place(_ text: String) throws -> (address: String, port: Int) {
        let colon = text.lastIndex(of: ":")
        let host = text[..<(colon ?? text.endIndex)]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard let colon, let address = IPAddress(isBracketed ? host.dropFirst().dropLast() : host),
            address.isIPv6 == isBracketed, let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port), text.last?.isNumber == true
        else {
            throw CommandError.usage(
                "\(quoted(text)) is no address with a port: write \(defaultPlace), [::1]:9719, or 0.0.0.0:9719 for every "
                    + "address of this machine")
        }
        return (address.description, port)
    }

    private static func module(_ text: String) throws -> (name: String, file: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let isName = parts[0].utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
            default: false
            }
        }
        guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.count <= 64, isName, !parts[1].isEmpty else {
            throw CommandError.usage(
                "\(quoted(text)) is no name with a file: write NAME=FILE, where the name is of letters, digits, '-', '_' and '.'"
            )
        }
        guard parts[0] != ProbeModule.defaultName else {
            throw CommandError.usage(
                "the module \(quoted(parts[0])) is that of --policy: give its file there, or another name")
        }
        return (String(parts[0]), String(parts[1]))
    }
}

import ArgumentParser
import Base
import PinChecking
import Pinning

/// Where an exporter listens, what it answers for, and what it says.
struct ServeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Listen there (default: \(ServeSettings.defaultPlace)).",
            discussion: "ADDR:PORT or [v6]:PORT; port 0 is one that is free. Repeatable.", valueName: "addr:port"))
    var listen: [String] = []

    @Option(
        help: ArgumentHelp(
            "The hosts of a policy (JSON5) can be asked for.",
            discussion: "It is the module for requests that name none. It is read again on SIGHUP. Repeatable.",
            valueName: "file"), completion: .file(extensions: ["json5", "json"])) var policy: [String] = []

    @Option(
        help: ArgumentHelp(
            "A policy that requests choose by module=NAME.",
            discussion: "Several files with one name are one module. Repeatable.", valueName: "name=file"),
        completion: .file(extensions: ["json5", "json"])) var module: [String] = []

    @Option(
        name: .customLong("targets"),
        help: ArgumentHelp(
            "The targets of a list can be asked for.",
            discussion: "As for 'check', with what each line says. For requests that name no module. Repeatable.",
            valueName: "file"), completion: .file()) var lists: [String] = []

    @Option(
        help: ArgumentHelp(
            "This target can be asked for, too.",
            discussion: """
                HOST or HOST:PORT, in every module; '*.example.com' is every name below. Without a port it is that of \
                --port. Repeatable.
                """, valueName: "target")) var allowTarget: [String] = []

    @Flag(
        help: ArgumentHelp(
            "Every target can be asked for, on every port.",
            discussion: "Whoever reaches the exporter can then have it connect anywhere.")) var allowAnyTarget = false

    @Option(
        help: ArgumentHelp(
            "Give an answer again for so long (default: 0).",
            discussion: "In seconds. An answer without a verdict is not given again.", valueName: "seconds")) var cache:
        String?

    @Option(help: ArgumentHelp("The form of the log: text or json (default: text).", valueName: "form")) var logFormat:
        String?

    @Option(
        help: ArgumentHelp(
            "Log what is as grave as this (default: info).",
            discussion: "One of error, warn, info, debug. A probe that does not pass is warn.", valueName: "level"))
    var logLevel: String?
}

/// What the options of an exporter say.
struct ServeSettings {
    /// Where an exporter listens if nobody says otherwise.
    static let defaultPlace = "127.0.0.1:9719"

    let places: [(address: String, port: Int)]
    /// The files of each module, in the order of their names; the one without a name is no part of them.
    let modules: [(name: String, files: [String])]
    let allowed: AllowedTargets
    /// How long an answer is given again.
    let cacheTime: Duration
    let logForm: ServeLog.Form
    let logLevel: ServeLog.Level

    init(_ options: ServeOptions) throws(CommandError) {
        let texts = options.listen.isEmpty ? [Self.defaultPlace] : options.listen
        places = try texts.map { (text) throws(CommandError) in try Self.place(text) }
        var modules: [(name: String, files: [String])] = []
        for text in options.module {
            let (name, file) = try Self.module(text)
            if let index = modules.firstIndex(where: { $0.name == name }) {
                modules[index].files.append(file)
            } else {
                modules.append((name, [file]))
            }
        }
        self.modules = modules
        for path in options.policy + options.lists + modules.flatMap(\.files) where path == "-" {
            throw .usage("what an exporter reads it reads again on SIGHUP: name a file, and not standard input")
        }
        allowed = try AllowedTargets(options.allowTarget, includesAll: options.allowAnyTarget)
        cacheTime = .seconds(try Self.seconds(options.cache))
        logForm = try Self.word(options.logFormat, "--log-format") ?? .text
        logLevel = try Self.word(options.logLevel, "--log-level") ?? .info
    }

    private static func place(_ text: String) throws(CommandError) -> (address: String, port: Int) {
        let colon = text.lastIndex(of: ":")
        let host = text[..<(colon ?? text.endIndex)]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard let colon, let address = IPAddress(isBracketed ? host.dropFirst().dropLast() : host),
            address.isIPv6 == isBracketed, let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port), text.last?.isNumber == true
        else {
            throw .usage(
                "--listen \(quoted(text)) is no address with a port: write \(defaultPlace), [::1]:9719, or 0.0.0.0:9719 for "
                    + "every address of this machine")
        }
        return (address.description, port)
    }

    private static func module(_ text: String) throws(CommandError) -> (name: String, file: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let isName = parts[0].utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
            default: false
            }
        }
        guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.count <= 64, isName, !parts[1].isEmpty else {
            throw .usage(
                "--module \(quoted(text)) is no name with a file: write NAME=FILE, where the name is of letters, digits, '-', "
                    + "'_' and '.'")
        }
        guard parts[0] != ProbeModule.defaultName else {
            throw .usage("the module \(quoted(parts[0])) is that of --policy: give its file there, or another name")
        }
        return (String(parts[0]), String(parts[1]))
    }

    private static func seconds(_ text: String?) throws(CommandError) -> Int {
        guard let text else { return 0 }
        guard let number = Int(text), (0...86_400).contains(number), !text.hasPrefix("+") else {
            throw .usage("--cache \(quoted(text)) is not a number of seconds from 0 to 86400")
        }
        return number
    }

    private static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ text: String?, _ option: SafeText
    ) throws(CommandError) -> Word? {
        guard let text else { return nil }
        guard let word = Word(rawValue: text) else {
            throw .unknown("\(option) \(quoted(text))", text, among: Word.allCases.map(\.rawValue))
        }
        return word
    }
}

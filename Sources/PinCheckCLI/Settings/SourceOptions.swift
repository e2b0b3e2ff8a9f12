import Base
import PinChecking
import PinFormats

extension OptionGroup {
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
            "One of \(pinForms.joined(separator: ", ")): all but the first two are blocks for a client."
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
            "One of \(failLevels.joined(separator: ", ")). Such a finding ends with exit status 1."
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

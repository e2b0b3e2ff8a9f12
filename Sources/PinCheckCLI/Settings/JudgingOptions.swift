import Base
import PinChecking
import PinFormats

extension OptionGroup {
    static let judging = OptionGroup("Pins and clients") {
        Option(
            "--pins", of: "source", .file, help: "The pins: a file, a directory, an app, or a pin.",
            """
            Files hold certificates, public keys or requests. Pins are sha256/…, sha256//…;sha256//…, \
            pin-sha256="…" or bare base64. Configurations are network_security_config.xml, Info.plist, \
            TrustKit's, Expo's or React Native's JSON, and OkHttp source in one chain. Apps are .ipa, .app, .apk, .aab, \
            .apks or .xapk. '-' is standard input. Repeatable.
            """, isRepeatable: true, key: "pins", isInLists: true
        ) { $0.request.judging.pins.append(PinSource($1.text, at: $1.place ?? .option)) }
        Option(
            "--pinnedpubkey", of: "value", .file, help: "The value of curl's --pinnedpubkey, verbatim.",
            "It is sha256//…;sha256//…, or the name of a file with one public key."
        ) {
            // The last one counts, as in curl.
            $0.request.judging.pins.removeAll(where: \.isCurlValue)
            $0.request.judging.pins.append(PinSource(pinnedPublicKey: $1.text))
        }
        Option(
            "--client", of: "name", clients, help: "The clients that decide (default: by the pins).",
            "Names with settings, as in 'trustkit:no-enforce,okhttp', or all. 'pincheck clients' lists them.",
            key: "client", isInLists: true
        ) {
            try ForeignWords.refuse(clients: $1.text)
            $0.request.judging.clients = try ClientSelection([$1.text])
        }
        Option.choice(
            "--mode", of: "mode", help: "What to compare: none, public-key or certificate.",
            "The default is certificate if all pins are certificate files, and public-key otherwise.", key: "mode"
        ) { $0.request.judging.mode = $1 }
        Option(
            "--allow-invalid-certificates", help: "AFNetworking: allowInvalidCertificates = YES.",
            "Pins may make up for a chain that the system does not trust.", key: "allowInvalidCertificates"
        ) { $0.request.judging.allowsInvalidCertificates = $1.isOn }
        Option(
            "--no-validate-domain-name", help: "AFNetworking: validatesDomainName = NO.",
            "Neither the name nor the purpose of the certificate counts.", key: "validatesDomainName", isNegation: true
        ) { $0.request.judging.validatesDomainName = !$1.isOn }
        trust.options
        at
        Option(
            "--extra-root", of: "file|dir", .file, help: "Act as if this root were installed on the device.",
            "An interceptor's, for example. A file or a directory. Repeatable.", isRepeatable: true, key: "extraRoots"
        ) { $0.request.judging.extraRoots.append($1.text) }
        Option(
            "--intermediate", of: "file|dir", .file, help: "Act as if this certificate had been fetched (AIA).",
            "It is for clients whose platform fetches what the server does not send. A file or a directory. Repeatable.",
            isRepeatable: true, key: "intermediates"
        ) { $0.request.judging.intermediates.append($1.text) }
    }

    static let trust = OptionGroup("Trust") {
        Option(
            "--anchors", of: "file|dir", .file, help: "Trust these certificates, not the system's roots.",
            "A file or a directory. Repeatable.", isRepeatable: true, key: "anchors"
        ) { $0.request.judging.trust.anchors.append($1.text) }
        Option("--and-system", help: "Trust the system's roots as well as --anchors.", key: "andSystem") {
            $0.request.judging.trust.includesSystem = $1.isOn
        }
    }

    static let at = Option(
        "--at", of: "time", help: "Judge as of another time.", "As in 2026-11-21 or 2026-11-21T08:00:00Z."
    ) { $0.request.judging.time = try TimeText.read($1.text) }

    static let devices = OptionGroup("Devices") {
        Option(
            "--device", of: "name", .list { Option.words(DeviceData.builtIn.names) + [all] },
            help: "Judge by the roots and rules of these devices.",
            """
            Each client is judged on those of its system, as in 'ios-12,android-9', or all. 'system' is this \
            machine, the default. 'pincheck devices' lists them. Repeatable.
            """, isRepeatable: true, key: "device", isInLists: true
        ) { $0.request.judging.devices = ($0.request.judging.devices ?? []) + [$1.text].words }
        deviceData
    }

    static let deviceData = Option(
        "--device-data", of: "file", .file, help: "Use this device data instead of the program's own.",
        key: "deviceData"
    ) { $0.request.judging.deviceData = $1.text }

    static let outlook = OptionGroup("Outlook") {
        Option(
            "--warn-before", of: "time", .threshold, help: "Warn when less is left: 30d, 12h or 33%.",
            "Of a certificate that the verdict rests on, or of pins that expire. The default is 14d, or 33% where that is less.",
            key: "warnBefore"
        ) { $0.request.judging.outlook.warnBefore = try Threshold($1.text) }
        Option(
            "--fail-before", of: "time", .threshold, help: "Fail when less is left, with exit status 1.",
            key: "failBefore"
        ) { $0.request.judging.outlook.failBefore = try Threshold($1.text) }
        Option(
            "--min-pin-life", of: "time", .threshold, help: "Fail unless some pin is sure to match for so long.",
            "A backup pin is enough as well.", key: "minPinLife"
        ) { $0.request.judging.outlook.minPinLife = try Threshold($1.text) }
        Option(
            "--fail-on", of: "level", .one { Option.words(["warn"]) },
            help: "warn: end with 3 when accepted with a warning.", key: "failOn", isRevocable: true
        ) {
            guard ["warn", "warning"].contains($1.text) else {
                throw Problem.usage("\(quoted($1.text)) is unknown: write --fail-on warn, or leave it out")
            }
            $0.request.judging.outlook.failsOnWarning = true
        }
        Option(
            "--ignore", of: "id", .list { Option.words(of: FindingID.ofChecks) },
            help: "Leave out warnings of these ids. Repeatable.", isRepeatable: true, key: "ignore"
        ) { $0.request.judging.outlook.ignored.formUnion(try FindingID.ignored($1.text)) }
    }

    static let all: Option.Word = ("all", "all of them")

    static let clients = Option.Values.list(
        { clientNames + [all] },
        afterColon: {
            Client.all.flatMap { entry in
                entry.settings.map { setting in
                    ("\(entry.name):\(setting.name)\(setting.value == nil ? "" : "=")", setting.help)
                }
            }
        })

    static var clientNames: [Option.Word] { Client.all.map { ($0.name, $0.summary) } }
}

extension FindingID {
    static let ofLint = allCases.filter { !$0.lintLevels.isEmpty }
    /// The ids of `check --ignore`: a failure cannot be ignored.
    static let ofChecks = allCases.filter { $0.levels.contains { $0 < .fail } }

    static func ignored(_ text: String, byLint isLint: Bool = false) throws(Problem) -> Set<FindingID> {
        let known = isLint ? ofLint : ofChecks
        return Set(
            try [text].words.map { (word) throws(Problem) in
                guard !word.isEmpty else {
                    throw .usage(
                        "an id is missing: write \(isLint ? "--ignore no-backup-pin" : "--ignore private-root")")
                }
                if let id = known.first(where: { $0.word == word }) { return id }
                throw .usage("\(quoted(word)) \(refusal(of: word, among: known, byLint: isLint))")
            })
    }

    private static func refusal(of word: String, among known: [FindingID], byLint isLint: Bool) -> SafeText {
        if !isLint, ["addresses-incomplete", "no-time"].contains(word) {
            return "is the reason of no verdict, which stays: write -4 to ask for IPv4 alone"
        }
        if let id = FindingID(word: word) {
            if isLint { return "is an id of a check: give it to 'pincheck check --ignore'" }
            if id.isMalformed { return "is refused: data with that cannot be used" }
            if !id.levels.isEmpty { return "is refused: it rejects, and what rejects stays" }
            return "is an id of 'pincheck lint' alone: give it to 'pincheck lint --ignore'"
        }
        let nearest = Suggestion.nearest(to: word, in: known.map(\.word)).map { "did you mean '\($0)'?" }
        if isLint { return "is unknown: \(nearest ?? "'pincheck lint --rules' lists all findings")" }
        return
            "is the id of no warning: \(nearest ?? "the ids stand in the JSON of a check, under warnings, notes and outlook")"
    }
}

extension Option { static func words(of ids: [FindingID]) -> [Word] { ids.map { ($0.word, $0.sentence) } } }

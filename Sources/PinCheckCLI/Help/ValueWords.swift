import ArgumentParser
import PinChecking
import PinFormats
import PinLint
import Pinning
import TLSProbe

/// The words that the value of an option, or an argument, can be.
struct ValueWords: Hashable, Sendable {
    /// How the words are put together.
    enum Kind: Sendable {
        case one
        /// Several, with commas between.
        case list
        /// One of them, perhaps with a file behind an equals sign.
        case form
    }

    struct Word: Hashable, Sendable {
        let text: String
        /// What it means, in a line; perhaps empty.
        var meaning = ""
    }

    let kind: Kind
    let words: [Word]
    /// What is offered once a colon is typed, as in `trustkit:no-enforce`.
    var afterColon: [Word] = []

    private init(_ kind: Kind, _ words: [Word], afterColon: [Word] = []) {
        self.kind = kind
        self.words = words
        self.afterColon = afterColon
    }

    private init(_ kind: Kind, _ texts: [String]) { self.init(kind, texts.map { Word(text: $0) }) }

    /// The words for an argument of a command, `nil` where there are none to choose from.
    ///
    /// Some are too many to be made at each start, so they are not declared with the options.
    static func of(_ argument: ArgumentDescription, in command: CommandDescription) -> ValueWords? {
        guard argument.kind != .flag else { return nil }
        switch (command.name, argument.longName) {
        case ("lint", "--client"): return ValueWords(.list, clients + [all])
        case (_, "--client"): return ValueWords(.list, clients + [all], afterColon: clientSettings)
        case ("lint", "--format"): return ValueWords(.form, LintSettings.Form.allCases.map(\.rawValue))
        case ("pins", "--format"): return ValueWords(.one, PinsOutputSettings.Form.names)
        case ("devices", "--format"): return ValueWords(.one, DevicesCommand.Form.allCases.map(\.rawValue))
        case (_, "--format"): return ValueWords(.form, OutputForm.allCases.map(\.rawValue))
        case ("lint", "--fail-on"): return ValueWords(.one, LintSettings.failLevels)
        case (_, "--fail-on"): return ValueWords(.one, ["warn"])
        case (_, "--log-format"): return ValueWords(.one, ServeLog.Form.allCases.map(\.rawValue))
        case (_, "--log-level"): return ValueWords(.one, ServeLog.Level.allCases.map(\.rawValue))
        case (_, "--mode"): return ValueWords(.one, AFSecurityPolicy.PinningMode.allCases.map(\.rawValue))
        case (_, "--allow"):
            return ValueWords(.list, Change.Kind.allCases.map { Word(text: $0.rawValue, meaning: $0.summary) })
        case (_, "--key-types"): return ValueWords(.list, CertificateKeyType.allCases.map(\.rawValue) + ["all"])
        case (_, "--device"): return ValueWords(.list, devices + [all])
        case ("devices", ""): return ValueWords(.one, devices.filter { $0.text != DeviceChoice.systemName })
        case ("help", ""): return ValueWords(.one, RootCommand.commandWords)
        case (let command, "--ignore") where command != "lint": return ValueWords(.list, IgnoredFindings.known)
        case (_, "--ignore"):
            let entries = LintKind.all.filter { !$0.isObstacle }
            return ValueWords(.list, entries.map { Word(text: $0.id, meaning: $0.explanation) })
        case (_, "--position"): return ValueWords(.list, PinsOutputSettings.knownPositions.map(\.rawValue))
        case (_, "--color"): return ValueWords(.one, TextStyle.Choice.allCases.map(\.rawValue))
        case (_, "--min-tls"), (_, "--max-tls"): return ValueWords(.one, TLSVersion.allCases.map(\.number))
        case (_, "--alpn"): return ValueWords(.list, ["h2", "http/1.1"])
        case (_, "--httpdns"): return ValueWords(.one, ["tencent", "aliyun:"])
        default: return nil
        }
    }

    private static let all = Word(text: "all", meaning: "all of them")

    private static var clients: [Word] { ClientRegistry.entries.map { Word(text: $0.name, meaning: $0.summary) } }

    private static var clientSettings: [Word] {
        ClientRegistry.entries.flatMap { entry in
            entry.settings.map { setting in
                let isFlag = if case .flag = setting.kind { true } else { false }
                return Word(text: "\(entry.name):\(setting.name)\(isFlag ? "" : "=")", meaning: setting.help)
            }
        }
    }

    private static var devices: [Word] { DeviceData.builtIn.names.map { Word(text: $0) } }
}

extension RootCommand {
    fileprivate static var commandWords: [ValueWords.Word] {
        commands.map { command in ValueWords.Word(text: command.name, meaning: command.configuration.abstract) }
    }
}

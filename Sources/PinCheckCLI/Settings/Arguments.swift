import Base
import Pinning

/// Reads argv: `--name value`, `--name=value`, `-n value`, `-nvalue`, and several switches after one dash.
struct Arguments {
    let command: Command
    let namesCommand: Bool
    private(set) var positionals: [String] = []
    private(set) var question: String?
    /// The option of the last word if its value is missing.
    private(set) var unfinished: Option?
    private var given: [(option: Option, name: String, text: String)] = []
    private var mistake: Problem?

    init(_ arguments: [String]) {
        let named = arguments.first.flatMap(Command.named)
        command = named ?? .check
        namesCommand = named != nil
        var rest = arguments.dropFirst(named == nil ? 0 : 1)
        while let argument = rest.popFirst() {
            if argument == "--" {
                positionals += rest
                break
            }
            if argument.utf8.first != "-" || argument.utf8.count == 1 {
                positionals.append(argument)
            } else if argument.hasPrefix("--") {
                takeLong(argument, &rest)
            } else {
                takeShort(argument, &rest)
            }
        }
    }

    private mutating func takeLong(_ argument: String, _ rest: inout ArraySlice<String>) {
        let equals = argument.utf8.firstIndex { $0 == "=" }
        let name = equals.map { String(argument[..<$0]) } ?? argument
        let text = equals.map { String(argument[argument.utf8.index(after: $0)...]) }
        let isQuestion = name == "--help" || name == "--version"
        let option = command.option(name)
        if isQuestion || option?.isSwitch == true, let text {
            return refuse(.usage("\(name) has no value: leave out \(quoted("=" + text))"))
        }
        if isQuestion { return question = name == "--help" ? name : question ?? name }
        guard let option else { return refuse(Mistake.unknownOption(name, of: command)) }
        take(option, name, text, &rest)
    }

    private mutating func takeShort(_ argument: String, _ rest: inout ArraySlice<String>) {
        var letters = argument.dropFirst()
        while let letter = letters.popFirst() {
            let name = "-\(letter)"
            if name == "-h" {
                question = question ?? name
                continue
            }
            guard let option = command.option(name) else {
                let isFirst = argument.dropFirst().first == letter
                // The text after an unknown letter may be a password, as for curl.
                return refuse(Mistake.unknownOption(isFirst && !letters.isEmpty ? name + "…" : name, of: command))
            }
            if !option.isSwitch, !letters.isEmpty {
                return take(option, name, String(letters.first == "=" ? letters.dropFirst() : letters), &rest)
            }
            if option.isSwitch, letters.first == "=" {
                return refuse(.usage("\(name) has no value: leave out \(quoted(letters))"))
            }
            take(option, name, nil, &rest)
        }
    }

    private mutating func take(_ option: Option, _ name: String, _ text: String?, _ rest: inout ArraySlice<String>) {
        if option.isSwitch || text != nil { return given.append((option, name, text ?? "")) }
        if rest.isEmpty { unfinished = option }
        let form = "\(name) <\(option.value)>"
        guard let next = rest.first, !next.hasPrefix("-") || next == "-" else {
            let next: SafeText = rest.first.map { " before \(quoted(withoutSecrets($0)))" } ?? ""
            return refuse(.usage("\(name) has no value\(next): write \(quoted(form))"))
        }
        rest.removeFirst()
        given.append((option, name, next))
    }

    private mutating func refuse(_ error: Problem) { mistake = mistake ?? error }

    /// `true` for a monitoring plugin, even with mistakes: one that was called wrongly is unknown, not critical.
    var isMonitoring: Bool {
        let texts = given.filter { $0.option.flag == "--format" }.map(\.text)
        let file = given.last { $0.option.flag == "--output" }?.text ?? "-"
        return texts.contains("nagios=-") || texts.contains("nagios") && file == "-"
    }

    var color: TextStyle.Choice {
        given.last { $0.option.flag == "--color" }.flatMap { TextStyle.Choice(rawValue: $0.text) } ?? .auto
    }

    func settings() throws(Problem) -> Settings {
        if let mistake { throw mistake }
        try command.refuse(positionals)
        var settings = Settings()
        settings.arguments = positionals
        var inputs: [String] = []
        for (index, text) in positionals.enumerated() {
            guard case .file? = command.argument(at: index)?.values else { continue }
            ReadLog.current?.add(text)
            if text == "-" { inputs.append("an argument") }
        }
        for (index, one) in given.enumerated() {
            try one.option.read(Option.Value(text: one.text), calling: "\(one.name)", into: &settings)
            let before = given[..<index].map(\.option)
            let others = given[..<index].filter { $0.option.flag == one.option.flag }
            if one.option.countsOnce, others.contains(where: { $0.text != one.text }) {
                throw .usage("\(one.option.flag) is given twice: give it once, values of a list with commas between")
            }
            if let rival = before.first(where: one.option.excludes) {
                throw .usage("\(rival.flag) and \(one.option.flag) contradict each other: give one of them")
            }
            if case .file = one.option.values, one.text == "-" { inputs.append(one.option.flag) }
        }
        guard inputs.count < 2 else {
            throw .usage(
                "standard input is asked for twice, by \(inputs[0]) and by \(inputs[1]): name a file for one of them")
        }
        return settings
    }
}

/// The completion script of zsh, to be found in `fpath` as `_pincheck` or to be read by `source`.
enum ZshCompletions {
    static func script(_ program: CommandDescription, comment: String) -> String {
        var functions = WordFunctions()
        let commands = program.subcommands.map { command in
            let lines = arguments(of: command, &functions).map { "                \($0)" }
            return """
                        \(command.name)) _arguments -s \\
                \(lines.joined(separator: " \\\n"))
                            ;;
                """
        }
        let names = program.subcommands.map { command in "        " + word(command.name, command.abstract) }
        return """
            #compdef pincheck
            \(comment)
            # One of some words.
            _pincheck_one() { _describe -t values value items "$@" }

            # Some of them with commas between; behind a colon what can be set for one of them.
            _pincheck_list() {
                compset -P '*,'
                compset -S ',*'
                if [[ $PREFIX == *:* ]]; then
                    items=("${(@)settings}")
                    _pincheck_one -S ''
                else
                    _pincheck_one -q -S ,
                fi
            }

            # One of them, perhaps with a file behind an equals sign.
            _pincheck_form() {
                if compset -P '*='; then _files; else _pincheck_one; fi
            }

            \(functions.all.map { function($0.name, $0.words) }.joined(separator: "\n"))

            _pincheck() {
                local curcontext=$curcontext command=check
                local -a items settings commands
                local -A opt_args
                commands=(
            \(names.joined(separator: "\n"))
                )
                if ((CURRENT == 2)) && [[ $PREFIX != -* ]]; then
                    _describe -t commands command commands
                    _hosts
                    return
                elif ((CURRENT > 2)) && [[ " \(program.subcommands.map(\.name).joined(separator: " ")) " == *" $words[2] "* ]]; then
                    command=$words[2]
                    shift words
                    ((CURRENT--))
                fi
                case $command in
            \(commands.joined(separator: "\n"))
                esac
            }

            if [[ $funcstack[1] == _pincheck ]]; then _pincheck "$@"; else compdef _pincheck pincheck; fi

            """
    }

    private static func function(_ name: String, _ words: ValueWords) -> String {
        let items = words.words.map { "        " + word($0.text, $0.meaning) }
        let settings = words.afterColon.map { "        " + word($0.text, $0.meaning) }
        return """
            \(name)() {
                local -a items settings
                items=(
            \(items.joined(separator: "\n"))
                )
            \(settings.isEmpty ? "" : "    settings=(\n\(settings.joined(separator: "\n"))\n    )\n")\
                _pincheck_\(words.kind)
            }

            """
    }

    /// The arguments of `_arguments`: options, then what stands alone.
    private static func arguments(of command: CommandDescription, _ functions: inout WordFunctions) -> [String] {
        var lines: [String] = []
        for option in command.options {
            let others = option.isRepeating ? "*" : "(\(option.names.joined(separator: " ")))"
            for name in option.names {
                let explanation = "[" + escaped(option.abstract, "[]") + "]"
                guard let completion = option.completion(in: command) else {
                    lines.append(quoted(others + name + explanation))
                    continue
                }
                let joint = name.hasPrefix("--") ? "=" : "+"
                let value = action(completion, named: option.longName, &functions)
                lines.append(
                    quoted("\(others)\(name)\(joint)\(explanation):\(escaped(option.valueName, ":")):\(value)"))
            }
        }
        for (index, argument) in command.positionals.enumerated() {
            guard let completion = argument.completion(in: command) else { continue }
            let value = action(completion, named: command.name, &functions)
            let isLast = index == command.positionals.count - 1
            let position = argument.isRepeating && isLast ? "*" : String(index + 1)
            lines.append(quoted("\(position):\(escaped(argument.valueName, ":")):\(value)"))
        }
        return lines
    }

    private static func action(
        _ completion: ValueCompletion, named name: String, _ functions: inout WordFunctions
    ) -> String {
        switch completion {
        case .words(let words): return functions.name(of: words, for: name)
        case .files: return "_files"
        case .directories: return "_files -/"
        case .target: return "_hosts"
        case .targetOrFile: return "_files"
        case .anything: return " "
        }
    }

    /// A word with its meaning, as `_describe` takes it.
    private static func word(_ text: String, _ meaning: String) -> String {
        quoted(escaped(text, ":") + (meaning.isEmpty ? "" : ":" + meaning))
    }

    private static func escaped(_ text: String, _ characters: String) -> String {
        text.map { $0 == "\\" || characters.contains($0) ? "\\\($0)" : String($0) }.joined()
    }

    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: #"'\''"#) + "'" }
}

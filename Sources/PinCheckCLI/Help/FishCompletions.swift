/// The completion script of fish.
enum FishCompletions {
    static func script(_ program: CommandDescription) -> String {
        var functions = WordFunctions()
        let names = program.subcommands.map(\.name).joined(separator: " ")
        var lines = program.subcommands.map { command in
            "complete -c pincheck -n '__pincheck_begins \(command.name)' -a \(command.name) -d \(quoted(command.abstract))"
        }
        for command in program.subcommands {
            guard let completion = command.argumentCompletion, completion != .anything else { continue }
            lines.append(
                "complete -c pincheck -n '__pincheck_is \(command.name)' \(offer(completion, for: command.name, &functions))"
            )
        }
        lines += options(program, &functions)
        return """
            function __pincheck_command --description 'The command that is being written'
                set -l words (commandline -opc)
                if set -q words[2]; and contains -- $words[2] \(names)
                    echo $words[2]
                else
                    echo check
                end
            end

            function __pincheck_is --description 'Whether one of these commands is being written'
                contains -- (__pincheck_command) $argv
            end

            function __pincheck_begins --description 'Whether the first word is being written, and begins this one: fish offers any part of it'
                set -l word (commandline -ct)
                set -l start (string sub -l (string length -- "$word") -- $argv[1])
                test (count (commandline -opc)) -eq 1; and test "$start" = "$word"
            end

            function __pincheck_value --description 'The value at the cursor, also behind an equals sign'
                string replace -r -- '^--[a-z0-9-]+=' '' (commandline -ct)
            end

            function __pincheck_list --description 'Offers words behind the last comma; behind a colon those with one'
                set -l value (__pincheck_value)
                set -l head (string replace -r -- '[^,]*$' '' "$value")
                set -l last (string replace -r -- '^.*,' '' "$value")
                for word in $argv
                    set -l text (string split -m 1 \\t -- $word)[1]
                    if string match -q -- '*:*' "$last"
                        string match -q -- '*:*' $text; and echo -- "$head$word"
                    else if not string match -q -- '*:*' $text
                        echo -- "$head$word"
                    end
                end
            end

            function __pincheck_form --description 'Offers forms, and files behind an equals sign'
                set -l value (__pincheck_value)
                if string match -q -- '*=*' "$value"
                    set -l form (string match -r -- '^[^=]*=' $value)
                    for file in (__fish_complete_path (string replace -- $form '' $value))
                        echo -- $form$file
                    end
                else
                    printf '%s\\n' $argv
                end
            end

            function __pincheck_one
                printf '%s\\n' $argv
            end

            \(functions.all.map { function($0.name, $0.words) }.joined(separator: "\n"))
            complete -c pincheck -e
            complete -c pincheck -f
            \(lines.joined(separator: "\n"))

            """
    }

    private static func options(_ program: CommandDescription, _ functions: inout WordFunctions) -> [String] {
        var order: [String] = []
        var commands: [String: [String]] = [:]
        for command in program.subcommands {
            for option in command.options {
                let names = option.names.map { name in
                    name.hasPrefix("--") ? "-l \(name.dropFirst(2))" : "-s \(name.dropFirst())"
                }
                var value = ""
                if let completion = option.completion(in: command) {
                    value = " " + offer(completion, for: option.longName, &functions)
                }
                let line = "\(names.joined(separator: " ")) -d \(quoted(option.abstract))\(value)"
                if commands[line] == nil { order.append(line) }
                commands[line, default: []].append(command.name)
            }
        }
        return order.map { line in
            "complete -c pincheck -n '__pincheck_is \(commands[line, default: []].joined(separator: " "))' \(line)"
        }
    }

    private static func offer(
        _ completion: ValueCompletion, for place: String, _ functions: inout WordFunctions
    ) -> String {
        let isArgument = !place.hasPrefix("-")
        let exclusive = isArgument ? "" : "-x "
        switch completion {
        case .words(let words): return "\(exclusive)-a '(\(functions.name(of: words, for: place)))'"
        case .files, .targetOrFile: return isArgument ? "-F" : "-r -F"
        case .directories: return exclusive + "-a '(__fish_complete_directories)'"
        case .target: return exclusive + "-a '(__fish_print_hostnames)'"
        case .anything: return "-x"
        }
    }

    /// The function that offers some words, each with its meaning behind a tab.
    private static func function(_ name: String, _ words: ValueWords) -> String {
        let texts = (words.words + words.afterColon).map { word in
            quoted(word.meaning.isEmpty ? word.text : "\(word.text)\t\(word.meaning)")
        }
        return """
            function \(name)
                __pincheck_\(words.kind) \(texts.joined(separator: " "))
            end

            """
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: #"\\"#).replacing("'", with: #"\'"#) + "'"
    }
}

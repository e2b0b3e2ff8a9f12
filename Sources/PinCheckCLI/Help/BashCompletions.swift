/// The completion script of bash, which does without what bash 3.2 has not.
enum BashCompletions {
    static func script(_ program: CommandDescription) -> String {
        let names = program.subcommands.map(\.name).joined(separator: " ")
        return """
            _pincheck_commands='\(names)'

            # Says in words which options a command has.
            _pincheck_options() {
                case $1 in
            \(program.subcommands.map(options).joined(separator: "\n"))
                esac
            }

            # Says in kind what stands behind an option of a command, or behind the command alone: in words, and in settings
            # for behind a colon.
            _pincheck_value() {
                kind=none words= settings=
                case "$1 $2" in
            \(values(program).joined(separator: "\n"))
                esac
            }

            \(completer)
            """
    }

    private static func options(of command: CommandDescription) -> String {
        let names = command.options.flatMap(\.names).joined(separator: " ")
        return "        \(command.name)) words='\(names)' ;;"
    }

    /// A line for everything that has values, those with the same together.
    private static func values(_ program: CommandDescription) -> [String] {
        var order: [String] = []
        var places: [String: [String]] = [:]
        func add(_ completion: ValueCompletion?, _ place: String) {
            guard let assignment = completion.map(assignment) else { return }
            if places[assignment] == nil { order.append(assignment) }
            places[assignment, default: []].append("'\(place)'")
        }
        for command in program.subcommands {
            add(command.argumentCompletion, command.name + " ")
            for option in command.options {
                let completion = option.completion(in: command)
                for name in option.names { add(completion, "\(command.name) \(name)") }
            }
        }
        return order.map { "        \(places[$0, default: []].joined(separator: " | "))) \($0) ;;" }
    }

    private static func assignment(_ completion: ValueCompletion) -> String {
        switch completion {
        case .words(let words):
            let settings = words.afterColon.map(\.text).joined(separator: " ")
            return "kind=\(words.kind) words='\(words.words.map(\.text).joined(separator: " "))'"
                + (settings.isEmpty ? "" : " settings='\(settings)'")
        case .files, .targetOrFile: return "kind=file"
        case .directories: return "kind=directory"
        case .target: return "kind=target"
        case .anything: return "kind=anything"
        }
    }

    private static let completer = #"""
        _pincheck() {
            local line=${COMP_LINE:0:COMP_POINT} IFS=$' \t\n'
            local command=check kind=none words= settings= cur= value= head= before= other= word blank i n
            local -a args
            args=()
            # Bash breaks words at ':' and '=' as well: what no blank parts is one argument.
            for ((i = 0; i <= COMP_CWORD; i++)); do
                blank=${line%%[![:space:]]*}
                line=${line#"$blank"}
                if ((i == COMP_CWORD)); then word=$line; else word=${COMP_WORDS[i]}; fi
                line=${line#"$word"}
                n=${#args[@]}
                if ((n)) && [[ -z $blank ]]; then args[n - 1]+=$word; else args[n]=$word; fi
            done
            n=${#args[@]}
            cur=${args[n - 1]}
            if ((n > 2)) && [[ " $_pincheck_commands " == *" ${args[1]} "* ]]; then command=${args[1]}; fi

            if [[ $cur == --*=* ]]; then
                value=${cur#*=}
                _pincheck_value "$command" "${cur%%=*}"
            else
                value=$cur
                if ((n > 2)); then _pincheck_value "$command" "${args[n - 2]}"; fi
                if [[ $kind == none && $cur == -* ]]; then
                    kind=one
                    _pincheck_options "$command"
                elif [[ $kind == none ]]; then
                    _pincheck_value "$command" ''
                    if ((n == 2)); then words=$_pincheck_commands; fi
                fi
            fi

            COMPREPLY=()
            case $kind in
                # The shell's own completion of files knows best how to quote them.
                file) return 0 ;;
                form) if [[ $value == *=* ]]; then return 0; fi ;;
            esac
            compopt +o default +o bashdefault 2>/dev/null
            case $kind in
                directory) compopt -o dirnames 2>/dev/null; return 0 ;;
                target) COMPREPLY=($(compgen -W "$words" -- "$value") $(compgen -A hostname -- "$value")) ;;
                list)
                    head=${value%"${value##*,}"}
                    value=${value##*,}
                    if [[ $value == *:* ]]; then words=$settings; fi
                    COMPREPLY=($(compgen -P "$head" -W "$words" -- "$value"))
                    value=$head$value
                    ;;
                one | form) COMPREPLY=($(compgen -W "$words" -- "$value")) ;;
            esac
            if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[=:] ]]; then compopt -o nospace 2>/dev/null; fi

            # Readline replaces what is behind the last character that it breaks words at.
            if [[ $COMP_WORDBREAKS == *:* && $cur == *:* ]]; then before=${cur%"${cur##*:}"}; fi
            if [[ $COMP_WORDBREAKS == *=* && $cur == *=* ]]; then other=${cur%"${cur##*=}"}; fi
            if ((${#other} > ${#before})); then before=$other; fi
            head=${cur%"$value"}
            for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do
                word=$head${COMPREPLY[i]}
                COMPREPLY[i]=${word#"$before"}
            done
        }

        complete -o bashdefault -o default -F _pincheck pincheck

        """#
}

/// What can stand where TAB is pressed: the scripts of the shells ask the program, which goes by the table.
enum Completion {
    /// What `--complete WORD…` prints, of which the last stands before the cursor: first `words`, `files`, `directories` or `hosts`,
    /// which the shell offers itself, then a word in each line, with what it means behind a tab.
    static func answer(to words: [String]) -> String {
        let offer = offer(Array(words.dropLast()), words.last ?? "")
        return ([offer.kind] + offer.words.map { $0.meaning.isEmpty ? $0.text : "\($0.text)\t\($0.meaning)" }).map {
            $0 + "\n"
        }.joined()
    }

    private typealias Offer = (kind: String, words: [Option.Word])

    private static func offer(_ before: [String], _ word: String) -> Offer {
        let commands: [Option.Word] = Command.all.map { ($0.name, $0.abstract) }
        if before.isEmpty, !word.hasPrefix("-") {
            return matching(commands + [("help", "Show the help of a command.")], word)
        }
        if before.first == "help" { return matching(commands + Option.words(["options"]), word) }
        let given = Arguments(before)
        let command = given.command
        if let option = given.unfinished { return values(option.values, word) }
        if !before.contains("--") {
            if let equals = word.firstIndex(of: "="), let option = command.option(String(word[..<equals])) {
                let end = word.index(after: equals)
                return values(option.values, String(word[end...]), behind: String(word[..<end]))
            }
            if word.hasPrefix("-") {
                let options = command.options.flatMap { option in option.names.map { ($0, option.help) } }
                return matching(options + [("--help", "Show help."), ("--version", "Show the version.")], word)
            }
        }
        guard let argument = command.argument(at: given.positionals.count) else { return ("words", []) }
        return argument.values.map { values($0, word) } ?? ("hosts", [])
    }

    private static func matching(_ words: [Option.Word], _ word: String, behind start: String = "") -> Offer {
        ("words", words.filter { $0.text.hasPrefix(word) }.map { (start + $0.text, $0.meaning) })
    }

    private static func values(_ values: Option.Values, _ text: String, behind start: String = "") -> Offer {
        switch values {
        case .file, .written: return ("files", [])
        case .form where text.contains("="): return ("files", [])
        case .directory: return ("directories", [])
        case .one(let words), .form(let words): return matching(words(), text, behind: start)
        case .list(let words, let afterColon):
            let head = text.lastIndex(of: ",").map { text[...$0] } ?? ""
            let tail = String(text.dropFirst(head.count))
            return matching(tail.contains(":") ? afterColon() : words(), tail, behind: start + head)
        default: return ("words", [])
        }
    }

    static let scripts: [(name: String, made: String)] = [("bash", bash), ("zsh", zsh), ("fish", fish)].map {
        let line =
            "# Completions of pincheck \(ProgramVersion.number) for \($0.0): pincheck --generate-completion-script \($0.0)\n"
        // What zsh loads by itself begins with its own word.
        return ($0.0, $0.0 == "zsh" ? "#compdef pincheck\n" + line + $0.1 : line + $0.1)
    }

    private static let bash = #"""
        _pincheck() {
            local line word current kind= found
            local -a words
            line=${COMP_LINE:0:COMP_POINT}
            read -ra words <<<"$line"
            [[ $line == *[[:space:]] ]] && words+=('')
            word=${words[${#words[@]} - 1]}
            # Bash replaces what stands behind the last '=' or ':' alone.
            current=${COMP_WORDS[COMP_CWORD]}
            [[ $current == [=:] ]] && current=
            COMPREPLY=()
            while IFS=$'\t' read -r found _; do
                if [[ -z $kind ]]; then kind=$found; else COMPREPLY+=("${found#"${word%"$current"}"}"); fi
            done < <(command pincheck --complete "${words[@]:1}" 2>/dev/null)
            local IFS=$'\n'
            case $kind in
                files) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")) ;;
                directories) compopt -o filenames; COMPREPLY=($(compgen -d -- "$current")) ;;
                hosts) COMPREPLY=($(compgen -A hostname -- "$current")) ;;
            esac
            [[ ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace
        }
        complete -F _pincheck pincheck

        """#

    private static let zsh = #"""
        _pincheck() {
            local -a lines open closed
            local line
            lines=("${(@f)$(command pincheck --complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
            case $lines[1] in
                files) compset -P '*='; _files ;;
                directories) compset -P '*='; _files -/ ;;
                hosts) _hosts ;;
                *)
                    for line in "${(@)lines[2,-1]}"; do
                        case ${line%%$'\t'*} in
                            *[=:]) open+=("${line%%$'\t'*}") ;;
                            *) closed+=("${line%%$'\t'*}") ;;
                        esac
                    done
                    (( $#open )) && compadd -S '' -a open
                    (( $#closed )) && compadd -a closed ;;
            esac
        }
        if [ "$funcstack[1]" = _pincheck ]; then _pincheck "$@"; else compdef _pincheck pincheck; fi

        """#

    private static let fish = #"""
        function __pincheck_complete
            set -l word (commandline -ct)
            set -l words (commandline -opc) "$word"
            set -l found (command pincheck --complete $words[2..-1] 2>/dev/null)
            # What stands before an equals sign is no part of a file's name.
            set -l start (string match -r '^.*=' -- "$word"; or echo)
            set -l rest (string replace -r '^.*=' '' -- "$word")
            switch "$found[1]"
                case files
                    printf '%s\n' $start(__fish_complete_path "$rest")
                case directories
                    printf '%s\n' $start(__fish_complete_directories "$rest")
                case hosts
                    __fish_print_hostnames
                case '*'
                    printf '%s\n' $found[2..-1]
            end
        end
        complete -c pincheck -f -a '(__pincheck_complete)'

        """#
}

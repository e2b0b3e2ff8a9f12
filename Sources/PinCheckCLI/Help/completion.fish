# Completions of pincheck for fish, as 'pincheck --generate-completion-script fish' prints them.
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

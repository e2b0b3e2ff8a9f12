#compdef pincheck
# Completions of pincheck for zsh, as 'pincheck --generate-completion-script zsh' prints them.
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

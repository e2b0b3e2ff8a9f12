# Completions of pincheck for bash, as 'pincheck --generate-completion-script bash' prints them.
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

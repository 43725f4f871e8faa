# SPDX-License-Identifier: MIT OR Apache-2.0
# Completion of fresco in bash: the program says which words can follow, and whether files can.

_fresco() {
    local cur=$2 kind= word i front
    local -a words=("${COMP_WORDS[0]}")
    # Readline takes "=" and ":" for ends of words, the program does not: they are put together again.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((i > 1)) && [[ $word == [=:] || ${COMP_WORDS[i - 1]} == [=:] ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
    done
    [[ $cur == [=:] ]] && cur=
    front=${words[${#words[@]} - 1]%"$cur"}
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        case $word in
            :*) kind=$word ;;
            *) COMPREPLY+=("${word#"$front"}") ;;
        esac
    done < <("${words[0]/#\~/$HOME}" completions bash -- "${words[@]}" 2>/dev/null)
    # Without a word of the program's, bash completes files by itself (-o default).
    case $kind in
        '') compopt +o default 2>/dev/null ;;
        :directories) _fresco_paths "$cur" -d ;;
        :commands) _fresco_paths "$cur" -c -f ;;
        :files) if ((${#COMPREPLY[@]})); then _fresco_paths "$cur" -f; fi ;;
    esac
}

# Adds what compgen finds of these kinds; a value may stand behind its option where COMP_WORDBREAKS has no "=".
_fresco_paths() {
    local value=${1#--*=} name
    local front=${1%"$value"}
    shift
    while IFS= read -r name; do COMPREPLY+=("$front$name"); done < <(compgen "$@" -- "$value" | sort -u)
    compopt -o filenames 2>/dev/null
}

complete -o default -F _fresco fresco

#compdef fresco
# SPDX-License-Identifier: MIT OR Apache-2.0
# Completion of fresco in zsh: the program says which words can follow, and whether files can.

_fresco() {
    local line word kind
    local -a names
    for line in "${(@f)$(${(e)~words[1]} completions zsh -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
        word=${line%%$'\t'*}
        case $word in
            '') ;;
            :*) kind=$word ;;
            *) names+=("${word//:/\\:}:${line#*$'\t'}") ;;
        esac
    done
    local found=1
    (( $#names )) && _describe -t values 'value' names && found=0
    [[ $PREFIX == --*=* ]] && compset -P '--*='
    case $kind in
        :files) _files && found=0 ;;
        :directories) _files -/ && found=0 ;;
        :commands) _command_names -e && found=0; _files && found=0 ;;
    esac
    return found
}

if [[ $funcstack[1] == _fresco ]]; then
    _fresco "$@"
else
    compdef _fresco fresco
fi

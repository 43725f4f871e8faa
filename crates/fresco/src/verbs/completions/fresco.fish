# SPDX-License-Identifier: MIT OR Apache-2.0
# Completion of fresco in fish: the program says which words can follow, and whether files can.

function __fresco_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l kind
    for line in ($words[1] completions fish -- $words "$word" 2>/dev/null)
        switch $line
            case ':*'
                set kind $line
            case '*'
                echo $line
        end
    end
    test -n "$kind"; or return
    set -l value (string replace -r '^--[^=]*=' '' -- "$word")
    set -l front (string replace -r '^(--[^=]*=)?.*$' '$1' -- "$word")
    switch $kind
        case :directories
            printf "$front%s\n" (__fish_complete_directories "$value")
        case :files :commands
            printf "$front%s\n" (__fish_complete_path "$value")
    end
end

complete -c fresco -f -a '(__fresco_complete)'

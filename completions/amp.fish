# fish completion for amp, which is asked at each Tab. Printed by: amp completion fish
function __amp_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    set -l offers ($program __complete $words[2..-1] "$current" 2>/dev/null)
    if test "$offers" = :files
        set -l before (string match -r -- '^--[^=]*=' $current)
        set offers "$before"(__fish_complete_path (string replace -- "$before" '' $current))
    end
    printf '%s\n' $offers
end
complete -c amp -c amp-admin -f -k -a '(__amp_complete)'

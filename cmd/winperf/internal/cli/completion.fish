# Completion of winperf for fish. Counter paths are handed on as they are, and
# fish quotes what it puts in.
function __winperf_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    switch "$typed"
        case "'*"
            set typed (string unescape -- "$typed'")
        case '"*'
            set typed (string unescape -- "$typed\"")
        case '*'
            set typed (string unescape -- "$typed")
    end
    set -l lines ($words[1] __complete $words[2..-1] "$typed" 2>/dev/null)
    or return
    set -l directive (string sub -s 2 -- $lines[-1])
    if test (count $lines) -gt 1
        string join \n -- $lines[1..-2]
    else if test (math "bitand($directive, 4)") -eq 0
        __fish_complete_path "$typed"
    end
end
complete -c winperf -f -a '(__winperf_complete)'

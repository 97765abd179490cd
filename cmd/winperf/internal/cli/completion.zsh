#compdef winperf
# Completion of winperf for zsh. Counter paths are handed on as they are, and
# zsh quotes what it puts in.
_winperf() {
	local plain=$PREFIX line directive tab=$'\t'
	local -a lines names shown options
	[[ -n $compstate[quote] ]] || plain=${(Q)PREFIX}

	lines=("${(@f)$("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT-1]}" "$plain" 2>/dev/null)}")
	directive=${lines[-1]#:}
	((directive & 1)) && return 1
	for line in "${(@)lines[1,-2]}"; do
		names+=("${line%%$tab*}")
		shown+=("${line/$tab/  -- }")
	done
	((directive & 2)) && options+=(-S '')
	# zsh would compare the names with a path whose backslash it has taken as a quote.
	[[ $plain == \\* || $names[1] != \\* ]] || options+=(-U)
	((${#names})) && compadd $options -l -d shown -a names && return
	((directive & 4)) || _files
}

compdef _winperf winperf
# Loaded from a directory of $fpath this file is the function itself.
[[ $funcstack[1] != _winperf ]] || _winperf "$@"

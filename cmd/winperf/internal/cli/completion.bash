# Completion of winperf for bash. Counter paths are full of characters that the
# shell takes for its own, so they are completed in single quotes, whether or
# not one was typed.
_winperf() {
	local typed=${COMP_WORDS[COMP_CWORD]} line=${COMP_LINE:0:COMP_POINT}
	local quote="" before plain prefix="" words reply directive
	case $typed in
	[\'\"]*) quote=${typed:0:1} ;;
	esac
	before=${line%"$typed"}
	plain=${typed#"$quote"}
	# A backslash before a letter, a digit or % is that of a path without quotes.
	[ -n "$quote" ] || plain=$(printf '%s' "$plain" | sed 's/\\\([^[:alnum:]%]\)/\1/g')

	# What stands before, as words. What is set against the typed text is part of
	# it: bash breaks words at : and =.
	mapfile -t words < <(printf '%s' "$before" | xargs -n 1 printf '%s\n' 2>/dev/null)
	if [[ $before != *[[:blank:]] && ${#words[@]} -gt 0 ]]; then
		prefix=${words[-1]}
		unset 'words[-1]'
	fi

	mapfile -t reply < <("${words[0]:-winperf}" __completeNoDesc "${words[@]:1}" "$prefix$plain" 2>/dev/null)
	[ ${#reply[@]} -gt 0 ] || return
	prefix=${prefix#-*=} # of --flag=value only the value is completed
	directive=${reply[-1]#:}
	unset 'reply[-1]'
	((directive & 1)) && return
	((directive & 2)) && compopt -o nospace
	((directive & 4)) || compopt -o default

	local candidate
	COMPREPLY=()
	for candidate in "${reply[@]}"; do
		[[ $candidate == "$prefix$plain"* ]] || continue
		candidate=${candidate#"$prefix"}
		if [[ -z $quote && $candidate == *[\\\ \(\)\;\&\#]* ]]; then
			candidate="'$candidate"
		fi
		COMPREPLY+=("$candidate")
	done
	# bash closes the quote that was typed; the one put in here is ours to close.
	if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == \'* && -z $quote ]] && ! ((directive & 2)); then
		COMPREPLY[0]+="'"
	fi
}
complete -F _winperf winperf

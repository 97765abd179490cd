# Shared by scripts/test and scripts/soak. To be sourced, from the root of the
# project.
# shellcheck shell=bash

# die MESSAGE... ends the script with a message on standard error.
die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# as_root COMMAND... runs a command as root.
as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# publish_apart DIRECTORY lets programs and tests publish there, and see what is published
# there only: never in the directory of the machine's users.
publish_apart() {
	mkdir -p "$1"
	export WINPERF_PUBLISH=$1
}

# tests REGEXP prints "package name" for each test function that matches.
tests() {
	go test -list "$1" ./... | awk '
		$1 == "ok"                     { for (i = 0; i < n; i++) print $2, name[i]; n = 0; next }
		/^(Test|Fuzz|Benchmark)[^ ]*$/ { name[n++] = $1 }'
}

# fuzz NAME DURATION LOG COMMAND... fuzzes one target with a command that runs tests, and
# writes what it says to a file. Go's fuzzer now and then takes the end of its own time
# for a failure of the target and says so in just these three words, which no input can
# cause. That counts as done. By default the fuzzer spends up to a minute on making each
# input that reaches new code smaller; ten tries leave that minute for new ones.
fuzz() {
	"${@:4}" -test.run '^$' -test.fuzz "^$1\$" -test.fuzztime "$2" -test.fuzzminimizetime 10x >"$3" 2>&1 ||
		grep -qx ' *context deadline exceeded' "$3"
}

package linuxhost

import "bytes"

// cutPair cuts the first word "name=value" off a line. A word without the sign
// is a name with an empty value.
func cutPair(line []byte) (name, value, rest []byte) {
	word, rest := cutWord(line)
	name, value, _ = bytes.Cut(word, []byte{'='})
	return name, value, rest
}

// microseconds reads a decimal number of microseconds as a time in 100 ns.
func microseconds(word []byte) (uint64, bool) {
	n, ok := decimal(word)
	if !ok {
		return 0, false
	}
	return scaled(n, perMicrosecond, 1)
}

// perMicrosecond is the number of units of 100 ns in a microsecond.
const perMicrosecond = 10

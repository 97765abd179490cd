package pdhtext

import (
	"errors"
	"unicode/utf8"
)

// ErrNoHead means that a file is no text log: no line begins with (PDH-CSV or (PDH-TSV.
// Errors that wrap it also wrap winperf.ErrBadData.
var ErrNoHead = errors.New("no PDH-CSV or PDH-TSV header")

// brief shortens text for a message.
func brief(b []byte) []byte {
	const most = 40
	if len(b) <= most {
		return b
	}
	n := most
	for n > most-utf8.UTFMax && !utf8.RuneStart(b[n]) {
		n--
	}
	return append(b[:n:n], "..."...)
}

package pdhlog

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/winperf/winperf"
)

// ErrNoHead says that a file is no text log, as no line begins with (PDH-CSV or
// (PDH-TSV. It goes with winperf.ErrBadData.
var ErrNoHead = errors.New("no PDH-CSV or PDH-TSV head")

// TextError is damage in a text log. It wraps winperf.ErrBadData.
type TextError struct {
	Line   int64  // number of the line, from 1
	Offset int64  // of the line's first byte, from the start of the log; of UTF-16 as UTF-8
	Column int    // field of the line, from 1; 0 is the line as a whole
	Msg    string // what was found and what was expected
}

// Error returns one line such as
//
//	bad data in line 12 (offset 3456), field 3: the field does not end
func (e *TextError) Error() string {
	if e.Column > 0 {
		return fmt.Sprintf("%v in line %d (offset %d), field %d: %s", winperf.ErrBadData, e.Line, e.Offset, e.Column, e.Msg)
	}
	return fmt.Sprintf("%v in line %d (offset %d): %s", winperf.ErrBadData, e.Line, e.Offset, e.Msg)
}

// Unwrap returns winperf.ErrBadData.
func (e *TextError) Unwrap() error { return winperf.ErrBadData }

// maxDamage is how many findings are kept until somebody asks for them.
const maxDamage = 100

// damageList keeps findings in bounded memory.
type damageList struct {
	found []error
	more  int64
}

func (l *damageList) add(line, offset int64, column int, format string, args ...any) {
	l.put(func() error { return &TextError{line, offset, column, fmt.Sprintf(format, args...)} })
}

// put takes a finding, which is made only if there is room for it.
func (l *damageList) put(finding func() error) {
	if len(l.found) == maxDamage {
		l.more++
		return
	}
	l.found = append(l.found, finding())
}

// take returns the findings and forgets them.
func (l *damageList) take() []error {
	found := l.found
	if l.more > 0 {
		found = append(found, fmt.Errorf("%w: %d findings more", winperf.ErrBadData, l.more))
	}
	l.found, l.more = nil, 0
	return found
}

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

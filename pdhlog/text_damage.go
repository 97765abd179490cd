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

// maxDamage is how many findings are kept until somebody asks for them.
const maxDamage = 100

// damageList keeps findings in bounded memory.
type damageList struct {
	found []error
	more  int64
}

// text takes a finding in a line of a text log, which begins at an offset (of UTF-16
// as UTF-8), and in a field of it, from 1; 0 is the line as a whole.
func (l *damageList) text(line int, offset int64, field int, format string, args ...any) {
	l.put(func() error {
		err := &winperf.DataError{Line: line, Offset: offset, Msg: fmt.Sprintf(format, args...)}
		if field > 0 {
			err.Part, err.Number = "field", field
		}
		return err
	})
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

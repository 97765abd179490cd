package pdhlog

import (
	"errors"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/findings"
)

// ErrNoLog says that a file is not an event trace file, and so not a binary log. It
// goes with winperf.ErrBadData.
var ErrNoLog = errors.New("not a binary performance log")

// damageList is what was found wrong in a log.
type damageList struct{ findings.List }

// at takes a finding at a place in the file.
func (l *damageList) at(offset int64, format string, args ...any) {
	l.Add(func() error { return &winperf.DataError{Offset: offset, Msg: fmt.Sprintf(format, args...)} })
}

package pdhlog

import (
	"errors"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/findings"
)

// ErrNoLog means that a file is not an event trace file, and so not a binary log. Errors
// that wrap it also wrap winperf.ErrBadData.
var ErrNoLog = errors.New("not a binary performance log")

// damageList collects the damage of a log.
type damageList struct{ findings.List }

func (l *damageList) at(offset int64, format string, args ...any) {
	l.Add(func() error { return &winperf.DataError{Offset: offset, Msg: fmt.Sprintf(format, args...)} })
}

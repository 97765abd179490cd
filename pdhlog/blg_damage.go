package pdhlog

import (
	"errors"
	"fmt"

	"github.com/winperf/winperf"
)

// ErrNoBLG tells that a file is no event trace file, and so no binary log. It goes with
// winperf.ErrBadData.
var ErrNoBLG = errors.New("no binary performance log")

// blg takes a finding in a binary log.
func (l *damageList) blg(offset int64, format string, args ...any) {
	l.put(func() error { return &winperf.DataError{Offset: offset, Msg: fmt.Sprintf(format, args...)} })
}

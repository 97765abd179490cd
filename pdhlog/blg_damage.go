package pdhlog

import (
	"errors"
	"fmt"

	"github.com/winperf/winperf"
)

// ErrNoBLG tells that a file is no event trace file, and so no binary log. It goes with
// winperf.ErrBadData.
var ErrNoBLG = errors.New("no binary performance log")

// BLGError is damage in a binary log. It wraps winperf.ErrBadData.
type BLGError struct {
	Offset int64  // in the file: of the structure that is damaged
	Msg    string // what was found, what was expected, and what is lost by it
}

// Error returns one line such as
//
//	bad data at offset 0x10048: an event of 12 bytes, expected 48 at least
func (e *BLGError) Error() string {
	return fmt.Sprintf("%v at offset %#x: %s", winperf.ErrBadData, e.Offset, e.Msg)
}

// Unwrap returns winperf.ErrBadData.
func (e *BLGError) Unwrap() error { return winperf.ErrBadData }

// blg takes a finding in a binary log.
func (l *damageList) blg(offset int64, format string, args ...any) {
	l.put(func() error { return &BLGError{offset, fmt.Sprintf(format, args...)} })
}

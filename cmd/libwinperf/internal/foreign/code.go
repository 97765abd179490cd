package foreign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
)

// Code is the result of an operation. It is an error, so that other errors can wrap it.
type Code int32

// The codes. Their numbers do not change; new ones are added at the end.
const (
	OK            Code = -iota
	Failed             // the source or the system failed
	UnknownHandle      // no such handle, or it was closed
	WrongKind          // the handle's object has another kind
	WrongState
	BadArgument // an invalid pointer, number or text
	Anomaly     // the measurement is usable, but unusual
	TooSmall
	NotFound     // no such object, counter, instance, machine or file
	NotSupported // the source or the system does not support this
	Timeout
	End // the log is at its end
	Damaged
	TooMany  // too many handles or too much data
	numCodes = iota
)

var codeTexts = [numCodes]string{
	"success", "failed", "no such handle, or it was closed", "handle of an object of another kind",
	"not allowed in this state", "bad argument", "measurement anomaly", "array too small", "not found",
	"not supported", "timeout", "end of the recorded data", "damaged data", "too many",
}

// Error returns the meaning of the code.
func (c Code) Error() string {
	if c <= OK && c > -numCodes {
		return codeTexts[-c]
	}
	return fmt.Sprintf("unknown code %d", int32(c))
}

// causes maps errors of other packages to codes, special errors first.
var causes = []struct {
	err  error
	code Code
}{
	{context.DeadlineExceeded, Timeout},
	{io.EOF, End},
	{winperf.ErrState, WrongState},
	{winperf.ErrNoMachine, NotFound},
	{winperf.ErrNoObject, NotFound},
	{winperf.ErrNoCounter, NotFound},
	{winperf.ErrNoInstance, NotFound},
	{fs.ErrNotExist, NotFound},
	{winperf.ErrPath, BadArgument},
	{sensor.ErrName, BadArgument},
	{winperf.ErrNotSupported, NotSupported},
	{winperf.ErrBadData, Damaged},
	{context.Canceled, UnknownHandle}, // another call destroyed the object
}

func codeOf(err error) Code {
	var code Code
	switch {
	case err == nil:
		return OK
	case errors.As(err, &code):
		return code
	}

	for _, c := range causes {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return Failed
}

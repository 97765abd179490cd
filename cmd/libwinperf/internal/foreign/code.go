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

// Code is the result of an operation. It is an error, so that other errors can wrap one.
type Code int32

// The codes. Their numbers do not change; new ones come last.
const (
	OK            Code = -iota
	Failed             // the source or the system failed
	UnknownHandle      // no such handle, or it was closed
	WrongKind          // the handle is of an object of another kind
	WrongState         // the operation is not allowed now
	BadArgument        // a pointer, number or text that cannot be meant
	Anomaly            // the measurement is usable, but something was unusual
	TooSmall           // the array is too small
	NotFound           // no such object, counter, instance, machine or file
	NotSupported       // the source or the system cannot do this
	Timeout            // the time for the operation has passed
	End                // the recorded data are at their end
	Damaged            // what was read is damaged
	TooMany            // more handles or data than there may be
	numCodes      = iota
)

var codeTexts = [numCodes]string{
	"success", "failed", "no such handle, or it was closed", "handle of an object of another kind",
	"not allowed in this state", "bad argument", "measurement anomaly", "array too small", "not found",
	"not supported", "timeout", "end of the recorded data", "damaged data", "too many",
}

// Error says what the code means.
func (c Code) Error() string {
	if c <= OK && c > -numCodes { // -c of the lowest number is no code
		return codeTexts[-c]
	}
	return fmt.Sprintf("unknown code %d", int32(c))
}

// causes are the codes of errors that other packages return, the more special first.
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
	{context.Canceled, UnknownHandle}, // by who destroyed the object meanwhile
}

// codeOf returns the code of an error: that which it wraps, or that of its cause.
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

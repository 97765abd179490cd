package perfdata

import "fmt"

// Error is one finding: a check that failed, and where. Its text is made only
// when it is asked for.
type Error struct {
	Check    Check
	Offset   int64  // in bytes from the start of the block: the field that was read
	Object   uint32 // title index of the object, 0 where it is not known
	Counter  int    // position of the counter in its object, -1 = none
	Instance int    // position of the instance in its object, -1 = none
	Got      int64  // what was read
	Want     int64  // what it was compared with; see the error's text
}

// Error returns one line such as
//
//	truncated at byte 12345: object 230: instance 7: counter block of 300 bytes, want 4 to 120
func (e *Error) Error() string {
	b := fmt.Appendf(nil, "%v at byte %d: ", e.Check.Kind(), e.Offset)
	if e.Object != 0 {
		b = fmt.Appendf(b, "object %d: ", e.Object)
	}
	if e.Counter >= 0 {
		b = fmt.Appendf(b, "counter %d: ", e.Counter)
	}
	if e.Instance >= 0 {
		b = fmt.Appendf(b, "instance %d: ", e.Instance)
	}
	return string(fmt.Appendf(b, rules[e.Check].text, e.Got, e.Want))
}

// Unwrap returns the kind of damage, such as [ErrTruncated].
func (e *Error) Unwrap() error { return e.Check.Kind() }

// Severity tells what the damage cost.
func (e *Error) Severity() Severity { return e.Check.Severity() }

// fault is a finding about the block as a whole.
func fault(c Check, offset uint32, got, want int64) *Error {
	return &Error{Check: c, Offset: int64(offset), Counter: -1, Instance: -1, Got: got, Want: want}
}

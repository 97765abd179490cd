package index

import (
	"fmt"

	"github.com/winperf/winperf"
)

// NewKind returns a sentinel error for a kind of damage. It wraps winperf.ErrBadData.
func NewKind(text string) error { return &kind{text} }

type kind struct{ Text string }

func (k *kind) Error() string { return k.Text }
func (k *kind) Unwrap() error { return winperf.ErrBadData }

// Check is a check of a codec. The codec's errors wrap it; it wraps its kind of damage.
type Check struct {
	Kind    error
	Text    string // with the value read, %[1]d, and its limit, %[2]d
	Warning bool   // nothing is lost
}

// NewCheck returns a check that discards invalid data.
func NewCheck(kind error, text string) *Check { return &Check{Kind: kind, Text: text} }

// NewWarning returns a check whose failure loses nothing.
func NewWarning(kind error, text string) *Check { return &Check{Kind: kind, Text: text, Warning: true} }

// Error returns the text of the kind of damage.
func (c *Check) Error() string { return c.Kind.Error() }

// Unwrap returns the kind of damage.
func (c *Check) Unwrap() error { return c.Kind }

// Describe formats the value read and its limit.
func (c *Check) Describe(got, want int64) string { return fmt.Sprintf(c.Text, got, want) }

// Fault returns the error of a check that failed at a byte offset. Its text is formatted on
// demand.
func (c *Check) Fault(offset uint32, got, want int64) *winperf.DataError {
	return &winperf.DataError{Err: c, Offset: int64(offset), Got: got, Want: want, Warning: c.Warning}
}

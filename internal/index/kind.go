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

// Check is one of a codec's checks. The codec's errors wrap it, and it wraps the kind of damage.
type Check struct {
	Kind    error
	Text    string // format of the message: %[1]d is the number found, %[2]d the limit
	Warning bool   // a failure loses no data
}

// NewCheck returns a check. If it fails, the checked part is lost.
func NewCheck(kind error, text string) *Check { return &Check{Kind: kind, Text: text} }

// NewWarning returns a check whose failure loses no data.
func NewWarning(kind error, text string) *Check { return &Check{Kind: kind, Text: text, Warning: true} }

// Error returns the text of the kind of damage.
func (c *Check) Error() string { return c.Kind.Error() }

// Unwrap returns the kind of damage.
func (c *Check) Unwrap() error { return c.Kind }

// Describe returns the message for a failure.
func (c *Check) Describe(got, want int64) string { return fmt.Sprintf(c.Text, got, want) }

// Fault returns the error of a failed check at a byte offset. Its text is made on demand.
func (c *Check) Fault(offset uint32, got, want int64) *winperf.DataError {
	return &winperf.DataError{Err: c, Offset: int64(offset), Got: got, Want: want, Warning: c.Warning}
}

package index

import (
	"fmt"

	"github.com/winperf/winperf"
)

// NewKind returns a sentinel error for a kind of damage that a codec may find. It
// wraps winperf.ErrBadData.
func NewKind(text string) error { return &kind{text} }

type kind struct{ Text string }

func (k *kind) Error() string { return k.Text }
func (k *kind) Unwrap() error { return winperf.ErrBadData }

// Check is one of the checks that a codec makes. It is what the errors of a codec wrap,
// and wraps the kind of damage that it finds.
type Check struct {
	Kind    error
	Text    string // what was read, %[1]d, and what it was compared with, %[2]d
	Warning bool   // a failure costs nothing
}

// NewCheck returns a check whose failure costs what was checked.
func NewCheck(kind error, text string) *Check { return &Check{Kind: kind, Text: text} }

// NewWarning returns a check whose failure costs nothing.
func NewWarning(kind error, text string) *Check { return &Check{Kind: kind, Text: text, Warning: true} }

// Error returns the kind of damage in words.
func (c *Check) Error() string { return c.Kind.Error() }

// Unwrap returns the kind of damage.
func (c *Check) Unwrap() error { return c.Kind }

// Describe says what was read and what it was compared with.
func (c *Check) Describe(got, want int64) string { return fmt.Sprintf(c.Text, got, want) }

// Fault is a check that failed at a byte offset. Its text is made only when it is asked
// for.
func (c *Check) Fault(offset uint32, got, want int64) *winperf.DataError {
	return &winperf.DataError{Err: c, Offset: int64(offset), Got: got, Want: want, Warning: c.Warning}
}

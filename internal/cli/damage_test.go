package cli

import (
	"errors"
	"fmt"
	"testing"
)

// several stands for errors that were not kept.
type several int

func (s several) Error() string { return "and more" }

func (s several) Count() int { return int(s) }

// TestCountErrors checks that an error that stands for several counts as so many, also
// where another one tells more of it.
func TestCountErrors(t *testing.T) {
	one := errors.New("one")
	tests := []struct {
		errs []error
		want int
	}{
		{nil, 0},
		{[]error{one}, 1},
		{[]error{one, several(95)}, 96},
		{[]error{one, fmt.Errorf("a source: %w", several(7)), one}, 9},
	}
	for _, tt := range tests {
		if got := countErrors(tt.errs); got != tt.want {
			t.Errorf("%v count as %d, want %d", tt.errs, got, tt.want)
		}
	}
}

package console

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/winperf/winperf"
)

// several stands for errors that were not kept.
type several int

func (s several) Error() string { return "and more" }

func (s several) Count() int { return int(s) }

// notice is an error about what another account published.
type notice struct{ error }

func (n notice) Topic() string { return n.Error() }

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

// TestCostly leaves out what costs nothing and what others published, wherever it
// stands in an error.
func TestCostly(t *testing.T) {
	lost := &winperf.DataError{Msg: "lost"}
	harmless := &winperf.DataError{Msg: "harmless", Warning: true}
	other, plain := notice{lost}, errors.New("plain")
	errs := []error{lost, harmless, other, fmt.Errorf("a file: %w", harmless), plain}
	if got, want := Costly(errs), []error{lost, plain}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

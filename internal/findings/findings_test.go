package findings

import (
	"errors"
	"testing"

	"github.com/winperf/winperf"
)

// TestList adds more findings than fit. Those that do not fit are not made.
func TestList(t *testing.T) {
	var l List
	made := 0
	for range Most + 7 {
		l.Add(func() error {
			made++
			return winperf.ErrState
		})
	}
	found := l.Take()
	if made != Most || len(found) != Most+1 {
		t.Fatalf("%d made, %d found", made, len(found))
	}
	last := found[Most]
	if !errors.Is(last, winperf.ErrBadData) || last.Error() != "bad data: 7 more findings" {
		t.Errorf("the last one is %v", last)
	}
	if again := l.Take(); len(again) != 0 {
		t.Errorf("taken twice: %v", again)
	}
}

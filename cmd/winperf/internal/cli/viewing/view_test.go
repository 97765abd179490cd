package viewing

import (
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/view"
)

// described is a source with a description only.
type described struct {
	winperf.Source
	is winperf.Description
}

func (d described) Describe() winperf.Description { return d.is }

// TestMoreMemory: each live source needs memory for its history, logs need none.
func TestMoreMemory(t *testing.T) {
	live := view.Source{Source: described{}}
	log := view.Source{Source: described{is: winperf.Description{Recorded: true}}}
	for _, tt := range []struct {
		sources []view.Source
		memory  int64
		want    int64
	}{
		{nil, 0, 0},
		{[]view.Source{log, log}, 1 << 30, 0},
		{[]view.Source{live}, 0, 0},
		{[]view.Source{live, log}, 16 << 20, 0},
		{[]view.Source{live}, 100 << 20, 36 << 20},
		{[]view.Source{live, live, log}, 0, 64 << 20},
		{[]view.Source{live, live}, 100 << 20, 136 << 20},
	} {
		if got := moreMemory(tt.sources, tt.memory); got != tt.want {
			t.Errorf("%d sources with %d bytes: %d, want %d", len(tt.sources), tt.memory, got, tt.want)
		}
	}
}

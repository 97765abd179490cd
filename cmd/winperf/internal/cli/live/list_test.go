package live

import (
	"context"
	"errors"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
)

// refusing is a source that keeps the selection and compiles nothing.
type refusing struct {
	winperf.Source
	pathsGiven winperf.Selection
}

var errRefused = errors.New("refused")

func (r *refusing) Describe() winperf.Description { return winperf.Description{} }

func (r *refusing) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	r.pathsGiven = sel
	return nil, errRefused
}

// TestListAsksForNames: list shows no values, so a source may leave them out.
func TestListAsksForNames(t *testing.T) {
	src := &refusing{}
	l := &lister{app: &console.App{}, sel: winperf.Selection{Global: true, Costly: true}}
	if err := l.list(t.Context(), src, output.ShownZone{}, "table"); !errors.Is(err, errRefused) {
		t.Fatal(err)
	}
	if got := src.pathsGiven; !got.NamesOnly || got.Metadata || !got.Global || !got.Costly {
		t.Errorf("asked for %+v, want the names of everything", got)
	}
}

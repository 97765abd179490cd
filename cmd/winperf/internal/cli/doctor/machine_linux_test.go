package doctor

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/source"
)

// TestObjects compares the list with the objects of this host that are not costly: each of these must be in it.
func TestObjects(t *testing.T) {
	t.Setenv(publish.Environment, filepath.Join(t.TempDir(), "none"))
	src, err := source.Open(t.Context(), "local:")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	m := measure.New(src, winperf.Selection{Global: true}, measure.Options{FramesOnly: true})
	defer m.Close()
	cycle, err := m.Cycle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for o := range cycle.Frame.Objects() {
		if name := cycle.Names.Title(o.ID().Index); !slices.Contains(objects, name) {
			t.Errorf("%s is not in the list", name)
		}
	}
}

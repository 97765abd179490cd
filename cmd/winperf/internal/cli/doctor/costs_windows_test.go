package doctor

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/diagnosis"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wintest"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/nametable"
)

// TestCosts reads the objects of a fake registry, which has one.
func TestCosts(t *testing.T) {
	t.Setenv("WINPERF_FAKE", "")
	var out strings.Builder
	r := registry{winapi.NewRegistry(winapi.NewDLL(wintest.DLL(t, "registry")))}
	if err := writeCosts(&console.App{Stdout: &out}, r); err != nil {
		t.Fatal(err)
	}

	table := wire.AppendUTF16Z(wire.AppendUTF16Z(nil, "4"), "Memory")
	names, _ := nametable.Parse(append(table, 0, 0), nametable.Options{Kind: nametable.Counter})
	costs, last := parseCosts(out.String(), names)
	if len(costs) != 1 || costs[0].Object != "Memory" || costs[0].Time < 0 || last != "Memory" {
		t.Errorf("%+v, last %s\n%s", costs, last, out.String())
	}
}

// TestParseCosts reads the output of a process that ended while it read object 6.
func TestParseCosts(t *testing.T) {
	const out = "\nobject 4\n\nobject 4 2000000\nloaded by a DLL\r\n\nobject 6\n"
	none, _ := nametable.Parse(nil, nametable.Options{Tolerant: true})
	costs, last := parseCosts(out, none)
	if d := cmp.Diff([]diagnosis.Cost{{Object: "#4", Time: 2 * time.Millisecond}}, costs); d != "" || last != "#6" {
		t.Errorf("%s, last %s", d, last)
	}
	if costs, last := parseCosts("", none); costs != nil || last != "all objects" {
		t.Errorf("%+v, last %s", costs, last)
	}
}

package trial

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment"
)

// Seeds that are drawn are exact in whatever reads them, and are not the word for none.
func TestDrawSeed(t *testing.T) {
	seen := map[uint64]bool{}
	for range 1000 {
		seed := DrawSeed()
		if seed == 0 || uint64(float64(seed)) != seed || seed >= 1<<53 {
			t.Fatalf("seed %d", seed)
		}
		seen[seed] = true
	}
	if len(seen) < 999 {
		t.Errorf("%d seeds in 1000", len(seen))
	}
}

// Every block has each variant once; one seed gives one order, and others give others.
func TestPlan(t *testing.T) {
	plan := Plan(3, 4, 1, Blocks, 7)
	if len(plan) != 15 {
		t.Fatalf("%d runs", len(plan))
	}
	orders := map[string]bool{}
	for block := range 5 {
		var variants []int
		for i, s := range plan[block*3 : block*3+3] {
			variants = append(variants, s.Variant)
			if s.Number != block*3+i+1 || s.Warmup != (block == 0) || s.Repetition != max(block, 1) {
				t.Errorf("block %d has %+v", block, s)
			}
		}
		orders[string(rune('0'+variants[0]))+string(rune('0'+variants[1]))] = true
		slices.Sort(variants)
		if !slices.Equal(variants, []int{0, 1, 2}) {
			t.Errorf("block %d has the variants %v", block, variants)
		}
	}
	if len(orders) < 2 {
		t.Error("all blocks have one order")
	}
	if diff := cmp.Diff(plan, Plan(3, 4, 1, Blocks, 7)); diff != "" {
		t.Errorf("the same seed gave another plan:\n%s", diff)
	}
	if cmp.Equal(plan, Plan(3, 4, 1, Blocks, 8)) {
		t.Error("another seed gave the same plan")
	}
	for i, s := range Plan(2, 2, 0, InTurn, 7) {
		if s.Variant != i%2 {
			t.Errorf("run %d in turn is of variant %d", i, s.Variant)
		}
	}
}

// results are runs of a variant that took these times.
func results(name string, variant int, seconds ...float64) (all []*Result) {
	for _, s := range seconds {
		all = append(all, &Result{
			Step: Step{Variant: variant}, Variant: name, Exit: Exit{Time: time.Duration(s * float64(time.Second))},
		})
	}
	return all
}

func TestReport(t *testing.T) {
	slow := results("slow", 1, 2.0, 2.1, 2.2, 2.0, 2.1, 2.2)
	all := slices.Concat(slow, results("fast", 0, 1.0, 1.1, 1.2, 1.0, 1.1, 1.2), results("same", 2, 1.1, 1.0, 1.2, 1.2, 1.0, 1.1))
	all = append(all, &Result{Variant: "fast", Exit: Exit{Status: 1}}, &Result{Step: Step{Warmup: true}, Variant: "fast"})
	groups, failed := Variants(all)
	if failed != 1 || len(groups) != 3 || groups[0].Name != "fast" || len(groups[0].Results) != 6 {
		t.Fatalf("%d failed, groups %+v", failed, groups)
	}

	rows := Report(groups)
	if rows[0].Name != "elapsed time" {
		t.Fatalf("first measure %q", rows[0].Name)
	}
	cells := rows[0].Cells
	if math.Abs(cells[0].Mean-1.1) > 1e-9 || !math.IsNaN(cells[0].Difference) || cells[0].Significant() {
		t.Errorf("fast: %+v", cells[0])
	}
	if math.Abs(cells[1].Difference-1) > 1e-9 || cells[1].DifferenceHalf > 0.2 || !cells[1].Significant() {
		t.Errorf("slow: %+v", cells[1])
	}
	if cells[2].Significant() || math.Abs(cells[2].Difference) > 1e-9 {
		t.Errorf("same: %+v", cells[2])
	}
	for _, row := range rows {
		if strings.HasPrefix(row.Name, "peak memory") {
			t.Errorf("%s of runs that have none", row.Name)
		}
	}
}

// Groups that are too small to show any difference are told from those that show none.
func TestTooFew(t *testing.T) {
	for _, c := range []struct {
		n, m int
		want bool
	}{{1, 1, true}, {1, 30, true}, {1, 39, true}, {1, 40, false}, {2, 2, true}, {3, 3, true}, {3, 4, true}, {4, 4, false}, {2, 8, false}} {
		groups := [][]float64{make([]float64, c.n), make([]float64, c.m)}
		for i := range groups[1] {
			groups[0][i%c.n] = float64(i % c.n)
			groups[1][i] = 1000 + float64(i)
		}
		cell := compare(Measure{}, groups).Cells[1]
		if cell.TooFew != c.want || cell.Significant() == c.want || cell.P > 1 {
			t.Errorf("%d and %d: %+v", c.n, c.m, cell)
		}
	}
	if cell := compare(Measure{}, [][]float64{{0.3}, {0, 0}}).Cells[1]; !(cell.P <= 1) {
		t.Errorf("a probability of %v", cell.P)
	}
}

// What a folder keeps is read again; half a line at its end is that of a run that was cut off.
func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	f, err := Create(dir, Conditions{Seed: 5, Plan: Plan(1, 2, 0, InTurn, 5), Order: InTurn})
	if err != nil {
		t.Fatal(err)
	}
	want := results("one", 0, 1, 2)
	want[1].Tree.Processes = []Process{{PID: 1, Name: "a\nb\x00", User: time.Second}}
	for _, r := range want {
		if err := f.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, Conditions{}); err == nil {
		t.Error("a folder with results was taken for others")
	}

	runs := filepath.Join(dir, FileRuns)
	whole, err := os.ReadFile(runs)
	if err != nil {
		t.Fatal(err)
	}
	check := func(text []byte) error {
		if err := os.WriteFile(runs, text, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadRuns(dir)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Process{})); err == nil && diff != "" {
			t.Errorf("read again (-want +got):\n%s", diff)
		}
		return err
	}
	if err := check(append(slices.Clone(whole), `{"number":`...)); err != nil {
		t.Error(err)
	}
	var data *winperf.DataError
	if err := check(append(slices.Clone(whole), "nonsense\n"...)); !errors.As(err, &data) || data.Line != 3 {
		t.Errorf("error %v", err)
	}
	if err := check(bytes.Repeat([]byte("x"), maxRun+100<<10)); !errors.As(err, &data) || data.Line != 1 {
		if err == nil {
			t.Error("a line without end was read")
		}
	}
}

// Two sources may have counters of the same path, which are two series.
func TestCompareSources(t *testing.T) {
	dir := t.TempDir()
	var text []byte
	for i := range 2 {
		r := experiment.Record{Experiment: "x", Session: "s", Number: uint64(i + 1), Event: experiment.EventInfo{Name: "tick"}}
		for source, v := range map[string]int{"here": 10 + i, "log": 1000 + i} {
			r.Values = append(r.Values, experiment.Value{
				Path: `\\H\System\Threads`, Source: source, Value: counter.Int(uint64(v)), Unit: counter.Count,
			})
		}
		text = append(r.AppendJSON(text), '\n')
	}
	if err := os.WriteFile(filepath.Join(dir, FileRecords), text, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := ReadSensors(dir, Conditions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[sensorKey][]float64{
		{"tick", `here: \System\Threads`}: {10, 11}, {"tick", `log: \System\Threads`}: {1000, 1001},
	}
	if diff := cmp.Diff(want, s.values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Sensors are compared by event and path, whatever the machine; a series that one folder
// lacks is left out.
func TestCompareSensors(t *testing.T) {
	folder := func(machine string, values ...float64) *Sensors {
		dir := t.TempDir()
		var text []byte
		for i, v := range values {
			r := experiment.Record{Experiment: "x", Session: "s", Number: uint64(i + 1), Event: experiment.EventInfo{Name: "tick"}}
			r.Values = []experiment.Value{
				{Path: `\\` + machine + `\System\Processes`, Value: counter.Float(v), Unit: counter.Count},
				{Path: `\\` + machine + `\Only\` + machine, Value: counter.Float(v), Unit: counter.Count},
				{Path: `\\` + machine + `\System\Threads`, Status: counter.NoPrevious},
			}
			text = append(r.AppendJSON(text), '\n')
		}
		if err := os.WriteFile(filepath.Join(dir, FileRecords), append(text, `{"exper`...), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := ReadSensors(dir, Conditions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	rows := CompareSensors([]*Sensors{folder("A", 1, 2, 3, 1, 2, 3), folder("B", 11, 12, 13, 11, 12, 13)})
	if len(rows) != 1 || rows[0].Name != `tick \System\Processes` {
		t.Fatalf("%+v", rows)
	}
	if c := rows[0].Cells[1]; c.Difference != 10 || !c.Significant() || c.Count != 6 {
		t.Errorf("%+v", c)
	}
	if none, err := ReadSensors(t.TempDir(), Conditions{}, nil); err != nil || len(none.values) != 0 {
		t.Errorf("%+v, error %v", none, err)
	}
}

package measure_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/recook"
	"github.com/winperf/winperf/measure"
)

// Columns hold the same readings in the same order, through churn and resets.
func TestColumnsAreTheReadings(t *testing.T) {
	for name, sel := range map[string]winperf.Selection{
		"everything": everything(t),
		"global":     {Global: true},
		"some":       selection(t, `\winperf\Missed Samples`, `\#230(_Total)\#6`, `\#232(*)\*`, `\#230(*)\*`, `\nothing\there`, `\#230(nobody)\#6`),
	} {
		t.Run(name, func(t *testing.T) {
			c := measure.New(newRing(perftest.Small, 5), sel, measure.Options{})
			for range ringLen + 3 { // round, where time and counters go back
				compareForms(t, cycle(t, c))
			}
		})
	}
	t.Run("a log", func(t *testing.T) {
		src := newTextLog(t, loggedPaths, values(1, 2, 3, 4), values(5, 6, 7, 8))
		c := measure.New(src, selection(t, `\System\*`, `\Processor(*)\*`, `\winperf\Readings`, `\Nothing\x`), measure.Options{})
		for range 2 {
			compareForms(t, cycle(t, c))
		}
	})
}

// A value's place in the frame is that of the counter and of the instance of its series; a path that
// matches nothing has none.
func TestPlace(t *testing.T) {
	c := measure.New(newRing(perftest.Small, 5), selection(t, `\#230(_Total)\#6`, `\#232(*)\*`, `\nothing\here`), measure.Options{})
	places, nowhere := 0, 0
	for range 3 {
		cy := cycle(t, c)
		for i := range cy.Columns() {
			col := &cy.Columns()[i]
			for n := range col.Len() {
				o, k, at, ok := recook.Place(col, n)
				if !ok {
					nowhere++
					continue
				}
				places++
				s := col.Series(n)
				if o.ID() != s.ObjectID || o.Counter(k).ID != s.CounterID || o.Instance(at).Full() != s.Path.Instance {
					t.Fatalf("%v is at counter %d of instance %d of object %v", s, k, at, o.ID())
				}
			}
		}
	}
	if nowhere != 3 || places < 100 {
		t.Errorf("%d values have a place, and %d have none", places, nowhere)
	}
}

// compareForms compares the columns of a cycle with its readings, part by part.
func compareForms(t *testing.T, c *measure.Cycle) {
	t.Helper()
	columns, readings := c.Columns(), c.Readings()
	if len(c.Parts) != len(c.ColumnParts) || len(readings) == 0 {
		t.Fatalf("%d parts, %d of columns, %d readings", len(c.Parts), len(c.ColumnParts), len(readings))
	}
	at, column := 0, 0
	for w, end := range c.ColumnParts {
		for ; column < end; column++ {
			col := &columns[column]
			for i := range col.Len() {
				sameReading(t, &readings[at], measure.ReadingOf(col, i))
				var s winperf.Series
				if col.Describe(&s, i); s.Path != readings[at].Path || s.ID != readings[at].ID {
					t.Fatalf("reading %d is of %s, want %s", at, readings[at].Series, s.Path)
				}
				at++
			}
		}
		if at != c.Parts[w] {
			t.Fatalf("part %d ends at %d, want %d", w, at, c.Parts[w])
		}
	}
	if at != len(readings) || column != len(columns) {
		t.Fatalf("%d values in %d columns, want %d in %d", at, column, len(readings), len(columns))
	}
}

func sameReading(t *testing.T, want *winperf.Reading, got winperf.Reading) {
	t.Helper()
	if got.Series.String() != want.Series.String() || got.Type != want.Type || got.Status != want.Status ||
		got.Value != want.Value || !got.Time.Equal(want.Time) || got.Anomalies != want.Anomalies {
		t.Fatalf("%v %v %v %v [%v], want %v %v %v %v [%v]",
			got.Series, got.Value, got.Status, got.Time, got.Anomalies, want.Series, want.Value, want.Status, want.Time, want.Anomalies)
	}
}

// The values of a column of a log may be of several kinds: the readings have them all.
func TestReadingsOfSeveralKinds(t *testing.T) {
	const paths = `
\\HOST\Process(editor)\% Processor Time
\\HOST\Process(shell)\% Processor Time
\\HOST\Process(viewer)\% Processor Time`
	src := newTextLog(t, paths, []counter.Value{counter.Int(81), counter.Float(2.5), counter.Text("idle")})
	c := measure.New(src, winperf.Selection{Global: true}, measure.Options{})

	cy := cycle(t, c)
	if columns := cy.Columns(); len(columns) != 1 {
		t.Fatalf("%d columns, want one with all values", len(columns))
	}
	want := []string{
		`\\HOST\Process(editor)\% Processor Time 81`, `\\HOST\Process(shell)\% Processor Time 2.5`,
		`\\HOST\Process(viewer)\% Processor Time idle`,
	}
	if diff := cmp.Diff(want, lines(cy.Readings())); diff != "" {
		t.Errorf("readings (-want +got):\n%s", diff)
	}
}

func TestColumnsOfText(t *testing.T) {
	src := newTextLog(t, loggedPaths, values(1, 2, 3, 4))
	c := measure.New(src, winperf.Selection{Global: true}, measure.Options{})
	var got []string
	for _, col := range cycle(t, c).Columns() {
		for n := range col.Len() {
			got = append(got, lines([]winperf.Reading{measure.ReadingOf(&col, n)})...)
		}
	}
	want := []string{
		`\\HOST\Processor(0)\% Processor Time 1`, `\\HOST\Processor(_Total)\% Processor Time 2`,
		`\\HOST\System\Processes 3`, `\\HOST\Process(a#1)\ID Process 4`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

// What others cooked of a block that they share stays as it is, whatever is sampled next:
// also where that is a block that nobody shares.
func TestSharedColumnsStay(t *testing.T) {
	src := &scripted{schema: englishSchema, script: func(n int) sample {
		return sample{at: int64(n), shared: n%3 == 1, objects: []object{
			{Object: system, instances: []instance{{raw: []uint64{uint64(n), 100 * uint64(n*n)}}}},
		}}
	}}
	m := measure.New(src, selection(t, `\System\*`), measure.Options{})
	defer m.Close()
	var want, got []uint64
	for n := range 9 {
		c := cycle(t, m)
		for i := range c.Columns() {
			column := &c.Columns()[i]
			if n%3 == 1 {
				if err := c.Frame.Keep(); err != nil {
					t.Fatal(err)
				}
				want, got = column.Bits, slices.Clone(column.Bits)
			}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Fatalf("sample %d changed the columns of a shared block:\n%s", n, diff)
			}
		}
	}
}

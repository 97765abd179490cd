package measure_test

import (
	"context"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
)

// sharing serves a ring's blocks as a source does that has several readers.
type sharing struct {
	*ring
	on bool
}

func (s sharing) Compile(context.Context, winperf.Selection) (winperf.Query, error) { return s, nil }

func (s sharing) Next(ctx context.Context, to *winperf.Sample) error {
	err := ringQuery{s.ring}.Next(ctx, to)
	to.Parts[0].Block.Shared = s.on
	return err
}

// column is what a reader sees of a measure.Column.
type column struct {
	Path    winperf.Path
	Kind    counter.Kind
	Bits    []uint64
	Status  []counter.Status
	Touched winperf.AnomalySet
	Marks   []winperf.AnomalySet
}

func columnsOf(c *measure.Cycle) []column {
	var list []column
	for i := range c.Columns() {
		col := &c.Columns()[i]
		list = append(list, column{
			col.Series(0).Path, col.Kind, slices.Clone(col.Bits), slices.Clone(col.Status),
			col.Touched, slices.Clone(col.Marks),
		})
	}
	return list
}

// TestCookTogether holds that columns and anomalies do not depend on how many processors
// a sample was cooked on. Among the samples are some whose processes come, leave and move, and
// one with earlier times than the sample before.
func TestCookTogether(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	blocks := perftest.Series(perftest.Desktop, 4, 3, 1)
	for name, shared := range map[string]bool{"alone": false, "shared": true} {
		t.Run(name, func(t *testing.T) {
			sel := selection(t, `\#230(*)\*`, `\*(*)\#6`, `\*(*)\*`, `\*\*`)
			one := measure.New(sharing{&ring{blocks: blocks}, shared}, sel, measure.Options{})
			several := measure.New(sharing{&ring{blocks: blocks}, shared}, sel, measure.Options{})
			several.CookTogether()
			for n := range 2 * len(blocks) {
				want, got := cycle(t, one), cycle(t, several)
				if a, b := columnsOf(want), columnsOf(got); !reflect.DeepEqual(a, b) { // fast where they are
					t.Fatalf("columns of sample %d: %s", n, cmp.Diff(a, b))
				}
				if diff := cmp.Diff(want.Anomalies, got.Anomalies); diff != "" {
					t.Fatalf("anomalies of sample %d: %s", n, diff)
				}
			}
		})
	}
}

// TestCookTogetherAllocatesNothing holds that helpers cost no memory, once the runtime keeps
// as many goroutines for use again as it wants to.
func TestCookTogetherAllocatesNothing(t *testing.T) {
	c := measure.New(newRing(perftest.Small, 0), everything(t), measure.Options{})
	c.CookTogether()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for range 50*ringLen + 5 {
		cycle(t, c)
	}

	n := testing.AllocsPerRun(ringLen-6, func() {
		runtime.GOMAXPROCS(2) // AllocsPerRun allows for one
		if _, err := c.Cycle(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations a cycle, want none", n)
	}
}

// TestCookTogetherPanics holds that the caller can recover from a panic of a helper.
func TestCookTogetherPanics(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for range 10 { // or it might be that no helper came in time
		func() {
			c := measure.New(newSmallRing(), everything(t), measure.Options{})
			c.CookTogether()
			cycle(t, c)
			c.Misplace()
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			_, _ = c.Cycle(t.Context())
		}()
	}
}

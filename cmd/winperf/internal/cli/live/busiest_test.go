package live

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// readingOf is a reading by title indices; v < 0 stands for none.
func readingOf(object, index uint32, instance string, v float64) winperf.Reading {
	r := winperf.Reading{Series: winperf.NewSeries(winperf.Path{
		Object: fmt.Sprint(object), Instance: instance, HasInstance: true, Counter: fmt.Sprint(index),
	})}
	r.ObjectID, r.CounterID = winperf.ObjectID{Index: object}, winperf.CounterID{Index: index}
	if r.Value = counter.Float(v); v < 0 {
		r.Value, r.Status = counter.Value{}, counter.NoPrevious
	}
	return r
}

// narrowed is what narrowStandard leaves of readings.
func narrowed(readings []winperf.Reading) (left []*winperf.Series) {
	for _, c := range narrowStandard(winperf.ColumnsOf(readings)) {
		left = append(left, c.AllSeries()...)
	}
	return left
}

// The busiest come first, of equals the largest, of what has no value yet the
// last; Idle and _Total have no id and are none.
func TestNarrowStandard(t *testing.T) {
	processes := []struct {
		name           string
		busy, id, size float64
	}{
		{"Idle", 190, 0, 0}, {"small", 0, 3, 10}, {"large", 0, 4, 20}, {"busy", 50, 5, 1}, {"new", -1, 6, 900}, {"gone", -1, -1, -1}, {"_Total", 240, 0, 30},
	}
	for n := range mostProcesses {
		processes = append(processes, struct {
			name           string
			busy, id, size float64
		}{fmt.Sprint("p", n), float64(n), float64(100 + n), 1})
	}
	readings := []winperf.Reading{readingOf(238, 6, "_Total", 1), readingOf(238, 6, "0", 2)}
	for _, p := range processes {
		readings = append(readings, readingOf(230, 6, p.name, p.busy))
	}
	for _, p := range processes {
		readings = append(readings, readingOf(230, 784, p.name, p.id))
	}
	for _, p := range processes {
		readings = append(readings, readingOf(230, 180, p.name, p.size))
	}
	readings = append(readings, readingOf(510, 264, "lo", 0))
	want := []string{"238(_Total)6", "238(0)6"}
	for _, index := range []string{"6", "784", "180"} {
		for _, name := range []string{"busy", "p9", "p8", "p7", "p6", "p5", "p4", "p3", "p2", "p1"} {
			want = append(want, "230("+name+")"+index)
		}
	}
	want = append(want, "510(lo)264")
	var got []string
	for _, r := range narrowed(readings) {
		got = append(got, r.Path.Object+"("+r.Path.InstanceText()+")"+r.Path.Counter)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Few processes are all shown, in their order, for each counter.
func TestNarrowFew(t *testing.T) {
	var readings []winperf.Reading
	for _, index := range []uint32{6, 784, 180} {
		for i, name := range []string{"new", "small", "large"} {
			v := map[uint32][]float64{6: {-1, 0, 0}, 784: {1, 2, 3}, 180: {5, 1, 2}}[index][i]
			readings = append(readings, readingOf(230, index, name, v))
		}
	}
	var got []string
	for _, s := range narrowed(readings) {
		got = append(got, s.Path.InstanceText())
	}
	want := slices.Repeat([]string{"large", "small", "new"}, 3)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

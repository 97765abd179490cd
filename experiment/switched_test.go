package experiment_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/measure"
)

// owners lists the values of records: event, instance, process id, and anomalies.
func owners(records []*experiment.Record) (all []string) {
	for _, r := range records {
		for _, v := range r.Values {
			id, _, _ := strings.Cut(v.Series.Key, "@")
			all = append(all, fmt.Sprintf("%s %s=%s %s", r.Event.Name, v.Series.Path.InstanceText(), id, v.Touched))
		}
	}
	return all
}

// A value whose series goes on with another process than in the previous record of its event is marked, also
// where the process changed in a sample of another event or of a region's begin.
func TestSeriesSwitches(t *testing.T) {
	first := []string{"x 10 -9 1", "x 11 -9 1", "x 12 -9 1"}
	fewer := first[1:]
	for _, tt := range []struct {
		name  string
		then  []string // processes from sample 3 on; 1 and 2 are of attaching and the first event
		path  string
		names string
		want  []string
	}{
		{"number", fewer, "x#1", "", []string{
			"a x#1=11 ", "b x#1=12 instances_renamed", "a x#1=12 instances_renamed", "a x#1=12 ", "b x#1=12 ",
		}},
		{"no number", fewer, "x", "", []string{
			"a x=10 ", "b x=11 instances_renamed", "a x=11 instances_renamed", "a x=11 ", "b x=11 ",
		}},
		{"new process", []string{"x 10 -9 1", "x 13 1 1"}, "x#1", "", []string{
			"a x#1=11 ", "b x#1=13 instances_came", "a x#1=13 instances_came", "a x#1=13 ", "b x#1=13 ",
		}},
		{"same process", []string{"x 10 -9 1", "x 11 -9 1"}, "x#1", "", []string{
			"a x#1=11 ", "b x#1=11 ", "a x#1=11 ", "a x#1=11 ", "b x#1=11 ",
		}},
		{"by id", fewer, "12", "pid", []string{"a 12=12 ", "b 12=12 ", "a 12=12 ", "a 12=12 ", "b 12=12 "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(func(n int) string {
					if n < 3 {
						return processes(n, first...)
					}
					return processes(n, tt.then...)
				})
				names, err := measure.ParseNaming(tt.names)
				if err != nil {
					t.Fatal(err)
				}
				r := begin(t, f, experiment.Options{Names: names, Bindings: []experiment.Binding{
					{Events: []string{"*"}, Paths: paths(`\Process(` + tt.path + `)\ID Process`)},
				}})
				for _, name := range []string{"a", "b", "a", "a", "b"} {
					r.program.Event(t.Context(), name)
				}
				if diff := cmp.Diff(tt.want, owners(r.end())); diff != "" {
					t.Errorf("values (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// The value of a region is marked if its series was another process at the begin of the region or in the
// previous record of the event.
func TestRegionSwitches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(func(n int) string {
			all := []string{"x 10 -9 1", "x 11 -9 1", "x 12 -9 1", "x 13 -9 1", "x 14 -9 1"}
			switch { // 1 is of attaching
			case n < 4:
				return processes(n, all...)
			case n < 7:
				return processes(n, all[1:]...)
			default:
				return processes(n, all[2:]...)
			}
		})
		r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{
			{Events: []string{"*"}, Paths: paths(`\Process(x#1)\ID Process`)},
		}})
		region := func(name string) experiment.OpenRegion {
			_, open := r.program.Region(t.Context(), name)
			return open
		}

		region("r").End()      // 2, 3
		region("r").End()      // 4, 5: it was another process in the record before
		outer := region("out") // 6
		inner := region("in")  // 7
		inner.End()            // 8: the begin has the same process
		outer.End()            // 9: the begin does not
		region("in").End()
		region("r").End()
		want := []string{
			"r x#1=11 ", "r x#1=12 instances_renamed", "in x#1=13 ", "out x#1=13 instances_renamed",
			"in x#1=13 ", "r x#1=13 instances_renamed",
		}
		if diff := cmp.Diff(want, owners(r.end())); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
	})
}

// Records of an interval are marked, too.
func TestIntervalSwitches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(func(n int) string {
			if n < 4 {
				return processes(n, "x 10 -9 1", "x 11 -9 1", "x 12 -9 1")
			}
			return processes(n, "x 11 -9 1", "x 12 -9 1")
		})
		r := begin(t, f, experiment.Options{
			Events:   []experiment.EventSource{experiment.Interval{Name: "tick", Every: time.Second}},
			Bindings: []experiment.Binding{{Events: []string{"tick"}, Paths: paths(`\Process(x#1)\ID Process`)}},
		})
		for f.samples() < 6 {
			time.Sleep(time.Second)
		}
		got := owners(r.end())
		marked := 0
		for i, text := range got {
			want := "tick x#1=12 "
			switch {
			case i < 2:
				want = "tick x#1=11 "
			case i == 2:
				want += winperf.InstancesRenamed.String()
				marked++
			}
			if text != want {
				t.Errorf("record %d: %s, want %s", i+1, text, want)
			}
		}
		if marked != 1 {
			t.Errorf("records %q", got)
		}
	})
}

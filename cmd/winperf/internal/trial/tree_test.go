package trial

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/titles"
	"github.com/winperf/winperf/perfdata"
)

// one is a process in a frame: the values of treeCounters.
type one struct {
	name   string
	values [11]uint64
}

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// processes is a frame with these processes, some seconds after epoch.
func processes(t *testing.T, seconds int, all ...one) frame.Frame {
	t.Helper()
	now := winperf.ToFiletime(epoch.Add(time.Duration(seconds) * time.Second))
	o := perfdata.Object{Title: titles.Process, Form: perfdata.Multiple}
	for _, title := range treeCounters {
		o.Counters = append(o.Counters, perfdata.NewCounter(title, counter.LargeRawCount))
	}
	o.Layout(false)
	for i, p := range all {
		if _, err := o.AddInstance(p.name); err != nil {
			t.Fatal(err)
		}
		for k, v := range p.values {
			if err := o.SetValue(i, k, v); err != nil {
				t.Fatal(err)
			}
		}
	}

	b := perfdata.Block{PerfTime: now, PerfFreq: ticksPerSecond, Time100ns: now, Objects: []perfdata.Object{o}}
	bytes, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var pool frame.Pool
	var sample winperf.Sample
	err = perftest.Fill(&sample, func(raw *winperf.Raw) error {
		raw.Format, raw.Bytes = winperf.FormatV1, append(raw.Bytes, bytes...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := pool.Decode(&sample, frame.Frame{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const second = ticksPerSecond

// A tree is the process and what descends from it, found whatever the order; a process that
// takes the id of one that ended is another one, and one whose parent ended stays.
func TestTree(t *testing.T) {
	tree := NewTree(10)
	tree.Add(processes(t, 0,
		one{"_Total", [11]uint64{0, 0, 9, 99 * second}},
		one{"grandchild", [11]uint64{12, 11, 3, 1 * second, 0, 300, 300, 7, 8, 1, 2}},
		one{"child", [11]uint64{11, 10, 2, 2 * second, 1 * second, 200, 250, 5, 6, 3, 4}},
		one{"root", [11]uint64{10, 1, 1, 4 * second, 0, 100, 100}},
		one{"stranger", [11]uint64{13, 1, 1, 50 * second}},
	))
	tree.Add(processes(t, 1,
		one{"grandchild", [11]uint64{12, 1, 3, 3 * second, 0, 400, 400, 70, 80, 10, 20}}, // its parent ended
		one{"other", [11]uint64{11, 13, 99, 60 * second}},                                // took its id
		one{"root", [11]uint64{10, 1, 1, 5 * second, 0, 100, 100}},
		one{"late", [11]uint64{14, 12, 5, 1 * second, 0, 20, 20}},
	))

	got := tree.Usage()
	if withChildren {
		// That of the child that ended is in its parent by now, which the values above leave out.
		if got.Read != 70 || got.Written != 80 {
			t.Errorf("read %d, written %d: want those of the processes that were there", got.Read, got.Written)
		}
		got.Read, got.Written = 75, 86
	}
	at := func(n int) time.Time { return epoch.Add(time.Duration(n) * time.Second) }
	want := TreeUsage{
		User: 11 * time.Second, System: time.Second, PeakMemory: 600, Read: 75, Written: 86, IOKnown: true,
		Processes: []Process{
			{PID: 10, Parent: 1, Name: "root", First: at(0), Last: at(1), User: 5 * time.Second, Peak: 100, IOKnown: true},
			{
				PID: 11, Parent: 10, Name: "child", First: at(0), Last: at(0), User: 2 * time.Second, System: time.Second,
				Peak: 250, Read: 5, Written: 6, Reads: 3, Writes: 4, IOKnown: true,
			},
			{
				PID: 12, Parent: 11, Name: "grandchild", First: at(0), Last: at(1), User: 3 * time.Second,
				Peak: 400, Read: 70, Written: 80, Reads: 10, Writes: 20, IOKnown: true,
			},
			{PID: 14, Parent: 12, Name: "late", First: at(1), Last: at(1), User: time.Second, Peak: 20, IOKnown: true},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Process{})); diff != "" {
		t.Errorf("used (-want +got):\n%s", diff)
	}
}

package linuxhost

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/provider"
)

// named returns the instance of an object that a path such as "_Total" or
// "_Total#1" names, with its process id.
func (r *rig) named(o frame.Object, name string, number int) (id uint64) {
	r.t.Helper()
	k, ok := o.FindCounter(winperf.CounterID{Index: 784})
	if !ok {
		r.t.Fatal("there is no process id")
	}
	labels := o.Labels()
	for i := range o.Len() {
		if labels.Full(i) == name && labels.Occurrence(i) == number {
			id, _ := o.Raw(i, k)
			return id
		}
	}
	r.t.Fatalf("there is no %s#%d", name, number)
	return 0
}

// frame takes a sample and decodes it.
func (r *rig) frame(query string) frame.Frame {
	r.t.Helper()
	var pool frame.Pool
	raw := winperf.Raw{Format: winperf.FormatV1}
	var err error
	if raw.Bytes, err = r.d.Collect(r.t.Context(), provider.ParseQuery(query), nil); err != nil {
		r.t.Fatal(err)
	}
	f, err := pool.Decode(raw.Sample(), frame.Frame{})
	if err != nil || len(f.Damage()) > 0 {
		r.t.Fatal(err, f.Damage())
	}
	return f
}

// TestProcessesOfSyntheticNames: processes that are called as what is no process
// do not take its place, in any object that has both.
func TestProcessesOfSyntheticNames(t *testing.T) {
	root := fixtures(t, "small.txtar", "threads.txtar", "details.txtar")
	impostors := map[string]int{"Idle": 1, "_Total": 300, "System": 4000}
	for name, pid := range impostors {
		root.Set(fmt.Sprintf("proc/%d/stat", pid), pidStat(pid, name, 7, 2500))
	}
	r := newRig(t, root, func(s *System) { s.FoldKernelThreads = true })
	for range 2 {
		f := r.frame("230 232")
		o, _ := f.Find(winperf.ObjectID{Index: 230})
		for name, pid := range impostors {
			want := uint64(0)
			if name == "System" {
				want = 2 // kthreadd stands for all threads of the kernel's own
			}
			if id := r.named(o, name, 0); id != want {
				t.Errorf("%s is process %d, want %d", name, id, want)
			}
			if id := r.named(o, name, 1); id != uint64(pid) {
				t.Errorf("%s#1 is process %d, want %d", name, id, pid)
			}
		}
		threads, _ := f.Find(winperf.ObjectID{Index: 232})
		if id := r.named(threads, "_Total/_Total", 0); id != 0 {
			t.Errorf("the total of all threads belongs to process %d", id)
		}
	}
}

// TestTotalsComeFirst: in every object that has a total that is the first of its
// name, before all that the name of an instance is taken from the system.
func TestTotalsComeFirst(t *testing.T) {
	r := newRig(t, everyObject(t, 3), nil)
	b := r.askFor(everything)
	for index, want := range map[uint32][]string{
		238: {"_Total"}, 230: {"Idle", "_Total"}, 232: {"_Total"}, titleMemoryDetails: {"_Total"},
		titleProcessorInformation: {"_Total"},
	} {
		if diff := cmp.Diff(want, b[index].names()[:len(want)]); diff != "" {
			t.Errorf("object %d: %s", index, diff)
		}
	}
}

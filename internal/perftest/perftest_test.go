package perftest_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/perftest"
)

// TestSizes compares the reference blocks with what they are said to be.
func TestSizes(t *testing.T) {
	for size, bytes := range map[perftest.Size]float64{
		perftest.Small: 17e3, perftest.Desktop: 1.1e6, perftest.Huge: 14e6, perftest.Crowded: 5.9e6,
	} {
		b := perftest.Block(size)
		ix := decode(t, b)
		objects, instances, values := size.Count()
		if len(ix.Objects) != objects || len(ix.Instances) != instances {
			t.Errorf("%v: %d objects, %d instances; want %d and %d", size, len(ix.Objects), len(ix.Instances), objects, instances)
		}
		_, n, err := perftest.Walk(b)
		if err != nil || math.Abs(float64(n)/float64(values)-1) > 0.02 {
			t.Errorf("%v: %d values, want about %d; %v", size, n, values, err)
		}
		if math.Abs(float64(len(b))/bytes-1) > 0.1 {
			t.Errorf("%v: %d bytes, want about %.0f", size, len(b), bytes)
		}
	}
}

func decode(t testing.TB, b []byte) *index.Index {
	t.Helper()
	ix := new(index.Index)
	if err := datablock.Decode(b, ix, datablock.Options{}); err != nil || len(ix.Damage) > 0 {
		t.Fatalf("error %v, damage %v", err, ix.Damage)
	}
	return ix
}

// TestSame makes the same samples twice.
func TestSame(t *testing.T) {
	one, two := perftest.Series(perftest.Small, 3, 20, 7), perftest.Series(perftest.Small, 3, 20, 7)
	other := perftest.Series(perftest.Small, 3, 20, 8)
	for i := range one {
		if !bytes.Equal(one[i].Bytes, two[i].Bytes) {
			t.Errorf("sample %d differs with the same seed", i)
		}
		if bytes.Equal(one[i].Bytes, other[i].Bytes) {
			t.Errorf("sample %d is the same with another seed", i)
		}
	}
}

// TestChurn compares the identities with what the bytes show: the process id
// and the start time, the same for the same process and for no other.
func TestChurn(t *testing.T) {
	const churn = 20
	samples := perftest.Series(perftest.Desktop, 5, churn, 1)
	var reused, replaced int // process ids; processes in place and under the same name
	for i := 1; i < len(samples); i++ {
		before, now := processes(t, samples[i-1]), processes(t, samples[i])
		if len(before) != len(now) {
			t.Fatalf("sample %d: %d processes, before %d", i, len(now), len(before))
		}
		known, pids, kept := map[process]uint64{}, map[uint64]bool{}, 0
		for _, p := range before {
			known[p.process], pids[p.pid] = p.id, true
		}
		for k, p := range now {
			id, same := known[p.process]
			if same && id != p.id {
				t.Errorf("sample %d: process %v has identity %d, before %d", i, p.process, p.id, id)
			}
			if same {
				kept++
				continue
			}
			if pids[p.pid] {
				reused++
			}
			if before[k].name == p.name {
				replaced++
			}
		}
		// A new process can be replaced again on the way to the same sample.
		if gone := len(now) - kept; gone < len(now)*churn/100*8/10 || gone > len(now)*churn/100 {
			t.Errorf("sample %d: %d of %d processes are new, want about %d %%", i, gone, len(now), churn)
		}
	}
	if reused == 0 || replaced == 0 {
		t.Errorf("%d process ids reused, %d processes replaced under the same name, want some", reused, replaced)
	}
}

// process is what makes a process the same over time; _Total, whose start
// moves, has none.
type process struct {
	name  string
	pid   uint64
	start uint64
}

type seen struct {
	process
	id uint64
}

// processes reads a sample's processes but for _Total.
func processes(t *testing.T, s perftest.Sample) (list []seen) {
	ix := decode(t, s.Bytes)
	o := &ix.Objects[0]
	if o.Title != perftest.Process || len(s.IDs[o.Title]) != int(o.InstanceEnd) {
		t.Fatalf("object %d with %d instances, %d identities", o.Title, o.InstanceEnd, len(s.IDs[o.Title]))
	}
	at := map[uint32]int{}
	for k := range ix.Counters[:o.CounterEnd] {
		at[ix.Counters[k].Title] = k
	}
	for i := range int(o.InstanceEnd) - 1 {
		pid, _ := ix.Value(0, i, at[784])
		start, _ := ix.Value(0, i, at[684])
		name := string(ix.AppendName(nil, &ix.Instances[i], 0))
		list = append(list, seen{process{name, pid, start}, s.IDs[o.Title][i]})
	}
	return list
}

// TestThreads checks that threads name their processes.
func TestThreads(t *testing.T) {
	s := perftest.Series(perftest.Small, 2, 20, 1)[1]
	ix := decode(t, s.Bytes)
	process, thread := &ix.Objects[0], &ix.Objects[1]
	if thread.Title != perftest.Thread || thread.InstanceEnd == thread.Instance0 {
		t.Fatalf("object %d with %d instances", thread.Title, thread.InstanceEnd-thread.Instance0)
	}
	for i := range int(thread.InstanceEnd - thread.Instance0) {
		parent := ix.Link(thread, i).Parent
		own, _ := ix.Value(1, i, 10)
		pid, _ := ix.Value(0, int(parent)-int(process.Instance0), 15)
		if own != pid {
			t.Errorf("thread %d is of process %d, its parent is process %d", i, own, pid)
		}
	}
}

// TestWalk changes a block and expects the walk to end, with an error where the
// decoder has one or finds damage.
func TestWalk(t *testing.T) {
	good := perftest.Block(perftest.Small)
	for i := range good {
		if _, _, err := perftest.Walk(good[:i]); !errors.Is(err, perftest.ErrWalk) {
			t.Fatalf("cut to %d bytes: %v", i, err)
		}
		b := bytes.Clone(good)
		b[i] ^= 0x80
		var ix index.Index
		err := datablock.Decode(b, &ix, datablock.Options{})
		_, _, walkErr := perftest.Walk(b)
		if (err != nil || len(ix.Damage) > 0) && walkErr == nil {
			t.Fatalf("byte %d changed: the decoder finds %v %v, the walk nothing", i, err, ix.Damage)
		}
	}
}

func ExampleSeries() {
	samples := perftest.Series(perftest.Small, 2, 10, 1)
	before, now := samples[0].IDs[perftest.Process], samples[1].IDs[perftest.Process]
	for i := range now {
		if now[i] != before[i] {
			fmt.Printf("place %d: process %d, before %d\n", i, now[i], before[i])
		}
	}
	// Output:
	// place 5: process 61, before 6
	// place 8: process 60, before 9
}

package pdhlog

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/datablock"
)

// joined makes one frame of several, with a part for each; a zero Frame gives none.
func joined(t *testing.T, frames ...frame.Frame) frame.Frame {
	t.Helper()
	var s winperf.Sample
	for _, f := range frames {
		for b := range f.Blocks() {
			s.Parts = append(s.Parts, winperf.Part{Name: f.Machine(), Block: b})
		}
	}
	var pool frame.Pool
	f, err := pool.Decode(&s, frame.Frame{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestSeveralMachines writes samples of two machines, which differ in their clocks: the
// log has counters, values and blocks of each.
func TestSeveralMachines(t *testing.T) {
	eachLayout(t, func(t *testing.T, opt Options) {
		first, second := newMachine(t), newMachine(t)
		second.name, second.at = "OTHER", second.at.Add(37*time.Second)
		frames := []frame.Frame{
			joined(t, first.frame("a"), second.frame("b", "c")),
			joined(t, first.frame("a", "b"), second.frame("b")),
			joined(t, first.frame("a")), // the other did not answer
			joined(t, first.frame("a"), second.frame("b")),
			joined(t, second.frame("b")),
		}
		log, w := writeBLG(t, opt, first, frames...)
		if n := w.Late(); n > 0 {
			t.Errorf("%d came too late", n)
		}

		got := readWhole(t, log)
		if len(got.damage) > 0 || len(got.samples) != len(frames) {
			t.Fatalf("%d samples, damage %v", len(got.samples), got.damage)
		}
		for n := range got.samples {
			s := &got.samples[n]
			values := map[string]int{}
			for i := range s.Values {
				if v := &s.Values[i]; v.Valid() && (v.Kind != Object || machineOf(t, v.Block) == v.Counter.Path.Machine) {
					values[v.Counter.Path.Machine]++
				}
			}
			// Of a machine that did not answer whole objects are there, and empty.
			objects := opt.Layout == Objects
			if (values["HOST"] > 0) != (objects || n != 4) || (values["OTHER"] > 0) != (objects || n != 2) {
				t.Errorf("sample %d: values of %v", n, values)
			}
		}
	})
}

func machineOf(t *testing.T, block []byte) string {
	t.Helper()
	head, ok := datablock.HeadOf(block)
	if !ok {
		t.Error("no block")
	}
	return head.Machine()
}

// TestMachinesOfPaths writes what paths name of two machines.
func TestMachinesOfPaths(t *testing.T) {
	first, second := newMachine(t), newMachine(t)
	second.name = "OTHER"
	paths := parsePaths(t, `\\OTHER\Process(*)\ID Process`, `\System\Processes`)
	log, _ := writeBLG(t, Options{Paths: paths}, first, joined(t, first.frame("a", "b"), second.frame("c")))
	got := readWhole(t, log)
	if len(got.damage) > 0 || len(got.samples) != 1 {
		t.Fatalf("%d samples, damage %v", len(got.samples), got.damage)
	}
	lines := texts(&got.samples[0])
	slices.Sort(lines)
	want := []string{`\\HOST\System\Processes: 2/`, `\\OTHER\Process(*)\ID Process: c 3/`, `\\OTHER\System\Processes: 1/`}
	for i := range lines {
		lines[i] = lines[i][:strings.Index(lines[i], "/")+1]
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

// TestMachineThatComes checks that a sample of a machine that the log does not have is
// refused, and that an additional one is counted.
func TestMachineThatComes(t *testing.T) {
	eachLayout(t, func(t *testing.T, opt Options) {
		first, second := newMachine(t), newMachine(t)
		second.name = "OTHER"
		var out seekBuffer
		w, err := NewWriter(&out, opt)
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(w.Write(first.frame("a"), first.names()), w.Write(joined(t, first.frame("a"), second.frame("b")), first.names()))
		if err != nil || w.Late() == 0 {
			t.Errorf("beside the other: %v, %d late", err, w.Late())
		}
		if err := w.Write(second.frame("b"), first.names()); !errors.Is(err, winperf.ErrNotSupported) {
			t.Errorf("alone: %v", err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if got := readWhole(t, out.b); len(got.damage) > 0 || len(got.samples) != 2 {
			t.Errorf("%d samples, damage %v", len(got.samples), got.damage)
		}
	})
}

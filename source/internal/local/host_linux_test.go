package local

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
)

// openHere opens this machine.
func openHere(t *testing.T) winperf.Source {
	t.Helper()
	src, err := Open(Options{})
	if errors.Is(err, winperf.ErrNotSupported) {
		t.Skipf("skipped: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	})
	return src
}

func TestMachineName(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	got := openHere(t).Describe().Machine
	if !strings.HasPrefix(strings.ToUpper(name), got) || strings.Contains(got, ".") || got != strings.ToUpper(got) {
		t.Errorf("the host %q is the machine %q", name, got)
	}
}

// This process sees itself, with its own id, and one sample after another of
// it belong together.
func TestThisMachine(t *testing.T) {
	src := openHere(t)
	sel := winperf.Selection{Paths: parse(t, `\Process(*)\ID Process`, `\Process(*)\% Processor Time`, `\Memory\Available Bytes`)}
	c := measure.New(src, sel, measure.Options{})
	defer c.Close()
	self, busy := "", false
	for range 2 {
		if err := c.Rest(t.Context()); err != nil {
			t.Fatal(err)
		}
		cy, err := c.Cycle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(cy.Damage) > 0 {
			t.Errorf("damage: %v", cy.Damage)
		}
		for _, r := range cy.Readings() {
			switch v, _ := r.Value.Uint64(); {
			case r.CounterID.Index == 784 && v == uint64(os.Getpid()):
				self = r.Path.InstanceText()
			case r.CounterID.Index == 6 && r.Path.InstanceText() == self:
				busy = r.Status == counter.OK
			}
		}
		if last := cy.Readings()[len(cy.Readings())-1]; last.Path.Object != "Memory" || last.Status != counter.OK {
			t.Errorf("%s: %v", last, last.Status)
		}
	}
	if self == "" || !busy {
		t.Errorf("this process is %q, has a processor time: %v", self, busy)
	}
}

// Closing gives every descriptor back.
func TestDescriptors(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	count := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skipf("skipped: %v", err)
		}
		return len(list)
	}
	if src, err := Open(Options{}); err == nil {
		_ = src.Close() // what the runtime opens once is open from here on
	}
	before := count()
	for range 3 {
		src, err := Open(Options{})
		if errors.Is(err, winperf.ErrNotSupported) {
			t.Skipf("skipped: %v", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := perftest.Take(t.Context(), q, &winperf.Raw{}); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(q.Close(), src.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if after := count(); after > before {
		t.Errorf("%d descriptors were open, now %d", before, after)
	}
}

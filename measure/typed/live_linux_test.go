package typed_test

import (
	"os"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure/typed"
	"github.com/winperf/winperf/source"
)

// information is what Linux and Windows both know of a processor.
type information struct {
	Name       string               `perf:"@instance"`
	Busy       float64              `perf:"% Processor Time"`
	User       typed.Value[float64] `perf:"% User Time"`
	Interrupts float64              `perf:"Interrupts/sec"`
	Idle       typed.Value[uint64]  `perf:"% Idle Time,raw"`
	MHz        typed.Value[uint32]  `perf:"Processor Frequency,optional"`
}

// This machine's processors, live, and its processes, of which this is one.
func TestLive(t *testing.T) {
	src, err := source.Open(t.Context(), "local:")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r, err := typed.Open[information](t.Context(), src, "Processor Information", typed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all, err := r.Read(t.Context())
	if err != nil || len(r.Damage()) > 0 {
		t.Fatal(err, r.Damage())
	}
	names := map[string]bool{}
	for _, p := range all {
		names[p.Name] = true
		if p.User.Status == counter.TooClose {
			t.Errorf("%s: no rate right after opening", p.Name)
		}
		if _, ok := p.Idle.Get(); !ok {
			t.Errorf("%s: idle time: %v", p.Name, p.Idle.Status)
		}
	}
	if !names["_Total"] || !names["0,0"] {
		t.Errorf("processors %v", names)
	}
	type process struct {
		Name string              `perf:"@instance"`
		ID   typed.Value[uint32] `perf:"ID Process"`
	}
	ps, err := typed.Open[process](t.Context(), src, "Process", typed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer ps.Close()
	rows, err := ps.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range rows {
		if id, ok := p.ID.Get(); ok && int(id) == os.Getpid() {
			return
		}
	}
	t.Errorf("this process is not among %d", len(rows))
}

// What a fraction is of is there too.
func TestLiveBase(t *testing.T) {
	src, err := source.Open(t.Context(), "local:")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	type memory struct {
		Limit typed.Value[uint64] `perf:"% Committed Bytes In Use,base"`
	}
	r, err := typed.Open[memory](t.Context(), src, "Memory", typed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows, err := r.Read(t.Context())
	if err != nil || len(rows) != 1 || rows[0].Limit.V == 0 {
		t.Errorf("%+v, %v", rows, err)
	}
}

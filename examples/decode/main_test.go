package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/perfdata"
)

func TestRun(t *testing.T) {
	o := perfdata.Object{Title: 238, Counters: []perfdata.Counter{
		perfdata.NewCounter(6, counter.TimerInv100NSec),
		perfdata.NewCounter(148, counter.CounterCounter),
	}}
	o.Layout(false)
	for i, name := range []string{"_Total", "0"} {
		if _, err := o.AddInstance(name); err != nil {
			t.Fatal(err)
		}
		for k := range o.Counters {
			if err := o.SetValue(i, k, uint64(10*i+k)); err != nil {
				t.Fatal(err)
			}
		}
	}

	block := perfdata.Block{PerfFreq: 1000, Objects: []perfdata.Object{o}}
	data, err := block.Encode()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "block")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}

	var out strings.Builder
	if err := run(t.Context(), "perfdata:"+filepath.ToSlash(file), &out); err != nil {
		t.Fatal(err)
	}
	want := `object 238
  counter 6: PERF_100NSEC_TIMER_INV, 8 bytes
  counter 148: PERF_COUNTER_COUNTER, 4 bytes
  _Total [0 1]
  0 [10 11]
`
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
}

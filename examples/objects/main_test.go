package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
)

func TestUserLanguage(t *testing.T) {
	for lang, want := range map[string]string{
		"de_DE.UTF-8": "007", "fr": "00C", "pt_BR.UTF-8": "416", "zh_CN": "804", "en_GB": "009",
		"": "", "C.UTF-8": "", "xx_YY": "",
	} {
		if got := userLanguage(lang); got != want {
			t.Errorf("%q is %q, want %q", lang, got, want)
		}
	}
}

// A block whose objects, counters and instances are in no order of names or
// numbers, with two threads of one name, and German names for it.
func TestList(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}

	thread := perfdata.Object{Title: 232, Help: 233, Counters: []perfdata.Counter{
		perfdata.NewCounter(680, counter.RawCount), perfdata.NewCounter(146, counter.CounterCounter),
	}}
	thread.Layout(false)
	for _, name := range []string{"9", "1", "1"} {
		if _, err := thread.AddInstance(name); err != nil {
			t.Fatal(err)
		}
	}

	memory := perfdata.Object{Title: 4, Counters: []perfdata.Counter{perfdata.NewCounter(24, counter.RawCount)}}
	memory.Layout(false)
	data, err := (&perfdata.Block{PerfFreq: 1, Objects: []perfdata.Object{thread, memory}}).Encode()
	block := write("block.bin", data, err)

	table, err := nametable.FromMap(nametable.Mixed, map[uint32]string{
		4: "Speicher", 24: "Verfügbare Bytes", 232: "Thread", 233: "Threads führen Befehle aus.",
		146: "Kontextwechsel/s", 147: "Wie oft er begann.", 680: "ID", 681: "Seine Nummer.",
	})
	if err != nil {
		t.Fatal(err)
	}
	names := write("names.bin", table.Encode(nil), nil)

	var out strings.Builder
	if err := run(t.Context(), "perfdata:"+block+"?names="+names, "", &out); err != nil {
		t.Fatal(err)
	}
	want := `Thread (232)
    Threads führen Befehle aus.
  counters
    0  ID (680): PERF_COUNTER_RAWCOUNT, count, gauge
        Seine Nummer.
    1  Kontextwechsel/s (146): PERF_COUNTER_COUNTER, per_second, gauge
        Wie oft er begann.
  instances
    0  9
    1  1
    2  1#1

Speicher (4)
    
  counters
    0  Verfügbare Bytes (24): PERF_COUNTER_RAWCOUNT, count, gauge
        
  instances

2 objects, 3 counters, 6 values
`
	if out.String() != want {
		t.Errorf("found\n%swant\n%s", out.String(), want)
	}
}

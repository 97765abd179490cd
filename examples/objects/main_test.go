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

// A block of two threads of one name, and German names for it.
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

	switches := perfdata.NewCounter(146, counter.CounterCounter)
	o := perfdata.Object{Title: 232, Help: 233, Counters: []perfdata.Counter{switches}}
	o.Layout(false)
	for _, name := range []string{"1", "1"} {
		if _, err := o.AddInstance(name); err != nil {
			t.Fatal(err)
		}
	}
	data, err := (&perfdata.Block{Objects: []perfdata.Object{o}}).Encode()
	block := write("block.bin", data, err)

	table, err := nametable.FromMap(nametable.Mixed, map[uint32]string{
		232: "Thread", 233: "Threads führen Befehle aus.", 146: "Kontextwechsel/s", 147: "Wie oft er begann.",
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
    Kontextwechsel/s (146): PERF_COUNTER_COUNTER, per_second, gauge
        Wie oft er begann.
  instances
    1
    1#1

1 objects, 1 counters, 2 values
`
	if out.String() != want {
		t.Errorf("found\n%swant\n%s", out.String(), want)
	}
}

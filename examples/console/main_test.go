package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/perfdata"
)

// block is a sample at a second: how long the processor was idle until then, in
// seconds, and how many bytes went over the network.
func block(t *testing.T, second int64, idle float64, sent ...uint64) []byte {
	t.Helper()
	time := perfdata.NewCounter(processorTime, counter.TimerInv100NSec)
	cpu := object(t, processor, time, []string{"_Total"}, []uint64{uint64(idle * 1e7)})
	total := perfdata.NewCounter(bytesTotal, counter.BulkCount)
	net := object(t, network, total, []string{"lo", "eth0"}[:len(sent)], sent)

	const midnight = 133_500_960_000_000_000 // 2024-01-18 as a FILETIME
	b := perfdata.Block{
		PerfTime:  second * 1000,
		PerfFreq:  1000,
		Time100ns: midnight + second*1e7,
		Objects:   []perfdata.Object{cpu, net},
	}
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// object is an object of one counter.
func object(
	t *testing.T, title uint32, c perfdata.Counter, instances []string, values []uint64,
) perfdata.Object {
	t.Helper()
	o := perfdata.Object{Title: title, Counters: []perfdata.Counter{c}}
	o.Layout(false)
	for i, name := range instances {
		if _, err := o.AddInstance(name); err != nil {
			t.Fatal(err)
		}
		if err := o.SetValue(i, 0, values[i]); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// The processor is idle for a half, then for a quarter of a second; an interface
// counts as soon as it is in two blocks.
func TestBlocks(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for i, b := range [][]byte{
		block(t, 1, 0, 1000),
		block(t, 2, 0.5, 3500, 70_000),
		block(t, 3, 0.75, 3500, 90_000),
	} {
		name := filepath.Join(dir, string(rune('a'+i)))
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}

	var out strings.Builder
	if err := run(t.Context(), "perfdata:"+strings.Join(files, ","), 0, time.Millisecond, &out); err != nil {
		t.Fatal(err)
	}
	want := "00:00:02  _Total  50.0 %  network       2.5 KB/s\n" +
		"00:00:03  _Total  75.0 %  network      20.0 KB/s\n"
	if out.String() != want {
		t.Errorf("found\n%swant\n%s", out.String(), want)
	}
}

// Without the object, and as long as no interface is in two blocks, there is no number of the network.
func TestNoNetwork(t *testing.T) {
	var older, newer *perfdata.Block
	for i, b := range []**perfdata.Block{&older, &newer} {
		var err error
		if *b, err = perfdata.Parse(block(t, int64(i), 0), 0); err != nil {
			t.Fatal(err)
		}
	}

	for _, objects := range []int{2, 1} {
		older.Objects, newer.Objects = older.Objects[:objects], newer.Objects[:objects]
		var out strings.Builder
		if err := show(&out, older, newer); err != nil {
			t.Fatal(err)
		}
		if want := "00:00:01  _Total 100.0 %\n"; out.String() != want {
			t.Errorf("%d objects: %q, want %q", objects, out.String(), want)
		}
	}
}

func TestLive(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("skipped: whether this system has the objects is not sure")
	}
	var out strings.Builder
	if err := run(t.Context(), "local:", 2, 50*time.Millisecond, &out); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "_Total"); lines != 2 {
		t.Errorf("%d lines, want 2:\n%s", lines, out.String())
	}
}

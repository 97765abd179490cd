package pdhlog

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/zone"
	"github.com/winperf/winperf/nametable"
)

// The real logs: of single counters, and of whole objects.
const (
	realCounters = "Tx_BasicPerfCounters.blg"
	realObjects  = "PAL_SampleLog.blg"
)

// realLog reads a real log, or skips where the data are not at hand.
func realLog(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(perftest.Data(t, "blg", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRealCounters(t *testing.T) {
	got := readWhole(t, realLog(t, realCounters))
	for _, err := range got.damage {
		t.Error(err)
	}
	guid, err := winperf.ParseGUID("{84c9b5fa-8231-45ce-87a3-3814569c135f}")
	if err != nil {
		t.Fatal(err)
	}
	zone := zone.Info{
		Bias: 480, StandardName: "@tzres.dll,-212", StandardDate: zone.Date{Month: 11, Day: 1, Hour: 2},
		DaylightName: "@tzres.dll,-211", DaylightDate: zone.Date{Month: 3, Day: 2, Hour: 2}, DaylightBias: -60,
	}
	want := Header{
		Machine: "GEORGIS3", LogName: `C:\PerfLogs\Admin\Basic\BasicPerfCounters02.blg`, GUID: guid,
		Major: 6, Minor: 2, Build: 9200, PointerSize: 8, PerfFreq: 2_725_536, Processors: 1,
		BufferSize: 0x10000, Buffers: 6, zone: zone,
		Start: time.Date(2013, 2, 20, 2, 50, 17, 844_722_500, time.UTC), End: time.Date(2013, 2, 20, 3, 0, 17, 856_334_900, time.UTC),
	}
	if diff := cmp.Diff(want, got.head, cmp.AllowUnexported(Header{})); diff != "" {
		t.Error(diff)
	}
	types := map[string]counter.Type{
		`\\GEORGIS3\PhysicalDisk(0 C:)\Avg. Disk Bytes/Read`:         counter.AverageBulk,
		`\\GEORGIS3\PhysicalDisk(0 C:)\Avg. Disk Bytes/Write`:        counter.AverageBulk,
		`\\GEORGIS3\PhysicalDisk(0 C:)\Avg. Disk Queue Length`:       counter.QueueLen100NS,
		`\\GEORGIS3\PhysicalDisk(0 C:)\Avg. Disk Read Queue Length`:  counter.QueueLen100NS,
		`\\GEORGIS3\PhysicalDisk(0 C:)\Avg. Disk Write Queue Length`: counter.QueueLen100NS,
		`\\GEORGIS3\Processor(*)\% Processor Time`:                   counter.TimerInv100NSec,
	}
	if len(got.list) != len(types) {
		t.Errorf("%d counters, want %d", len(got.list), len(types))
	}
	for _, c := range got.list {
		if types[c.Path.String()] != c.Type {
			t.Errorf("%v has the type %v", c.Path, c.Type)
		}
	}
	if len(got.samples) != 601 {
		t.Fatalf("%d samples, want 601", len(got.samples))
	}
	items := 0
	for i, s := range got.samples {
		if second := testStart.Add(time.Duration(i) * time.Second); s.Time.Sub(second).Abs() > 20*time.Millisecond || s.Ahead != -8*time.Hour {
			t.Errorf("sample %d at %v, local time %v ahead", i, s.Time, s.Ahead)
		}
		for k := range s.Values {
			if !s.Values[k].Valid() {
				t.Errorf("sample %d: value %d has the status %#x", i, k, s.Values[k].Status)
			}
		}
		items += len(s.Values[5].Items)
	}
	if items != 601*5 {
		t.Errorf("%d values of instances, want %d", items, 601*5)
	}
}

func TestRealObjects(t *testing.T) {
	log := realLog(t, realObjects)
	got := readWhole(t, log)
	for _, err := range got.damage {
		t.Error(err)
	}
	h := got.head
	if h.Machine != "ZACH-PC" || h.Major != 6 || h.Minor != 0 || h.Build != 6000 || h.PointerSize != 4 || h.PerfFreq != 3_579_545 || h.Buffers != 7 || h.zone.Bias != 300 {
		t.Errorf("head %+v", h)
	}
	if len(got.samples) != 11 {
		t.Fatalf("%d samples, want 11", len(got.samples))
	}
	first := time.Date(2007, 8, 14, 19, 40, 38, 0, time.UTC)
	blocks := 0
	for i, s := range got.samples {
		if s.Time.Sub(first.Add(time.Duration(i)*time.Minute)).Abs() > time.Second || s.Ahead != -4*time.Hour {
			t.Errorf("sample %d at %v, local time %v ahead", i, s.Time, s.Ahead)
		}
		for k := range s.Values {
			if v := &s.Values[k]; v.Counter.Path == got.list[k].Path && v.Kind == Object && len(v.Block) > 500 {
				blocks++
			}
		}
	}
	if blocks != 88 {
		t.Errorf("%d blocks, want 88", blocks)
	}
	objects := catalogueOf(t, log)
	if got.told != 11 || len(objects) != 8 {
		t.Fatalf("%d samples, catalogue %+v", got.told, objects)
	}
	counters, instances := 0, 0
	for _, o := range objects {
		counters += o.counters
		instances += len(o.instances)
	}
	if process := objects[5]; counters != 188 || instances != 66 || process.instances[10] != "svchost#12" {
		t.Errorf("%d counters and %d instances in the catalogue, instance 10 of Process %s", counters, instances, process.instances[10])
	}
}

// TestRealNames compares the names in the log with the table that was cut out of
// it.
func TestRealNames(t *testing.T) {
	r, err := NewReader(bytes.NewReader(realLog(t, realObjects)))
	if err != nil {
		t.Fatal(err)
	}
	var s Sample
	if err := r.Next(&s); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(perftest.Data(t, "names", "vista_en_ZACH-PC_Counter009.multisz.bin"))
	if err != nil {
		t.Fatal(err)
	}
	names := r.Names()
	if !bytes.Equal(names.Counter, want) {
		t.Errorf("%d bytes of names, which are not the %d of the table", len(names.Counter), len(want))
	}
	table, damage := nametable.Parse(names.Counter, nametable.Options{Kind: nametable.Counter})
	if table.Len() != 1839 || len(damage) > 0 {
		t.Errorf("%d names, damage %v", table.Len(), damage)
	}
}

// TestRealCut cuts the real logs in many places. What was read before must be
// the same, and that something is missing must be told.
func TestRealCut(t *testing.T) {
	for _, name := range []string{realCounters, realObjects} {
		log := realLog(t, name)
		whole := readWhole(t, log)
		for at := minBuffer; at < len(log); at += 9973 {
			r, err := NewReader(bytes.NewReader(log[:at]))
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			var s Sample
			for ; ; n++ {
				if err := r.Next(&s); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				if n == len(whole.samples) {
					t.Fatalf("%s cut at %d: more samples than in the whole log", name, at)
				}
				if message := partOf(&s, &whole.samples[n]); message != "" {
					t.Errorf("%s cut at %d: sample %d: %s", name, at, n, message)
				}
			}
			if len(r.Damage()) == 0 {
				t.Errorf("%s cut at %d: no damage", name, at)
			}
		}
	}
}

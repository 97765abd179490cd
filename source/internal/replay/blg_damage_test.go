package replay_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/pdhlog"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/source/internal/replay"
)

// editBLG changes a log in place.
func editBLG(t *testing.T, file string, edit func(b []byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, edit(b), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOpenBLGErrors(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.blg")
	if err := os.WriteFile(text, bytes.Repeat([]byte("no log "), 100), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]error{
		text:                           pdhlog.ErrNoLog,
		filepath.Join(dir, "none.blg"): fs.ErrNotExist,
		dir:                            winperf.ErrNotSupported,
	} {
		if _, err := replay.OpenBLG(replay.At(file)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", file, err, want)
		}
	}
}

// TestBLGQuery checks the information of a source and its queries apart from the samples.
func TestBLGQuery(t *testing.T) {
	file, _ := writeSeries(t, pdhlog.Options{Layout: pdhlog.Objects})
	src := openBLG(t, file)
	if n := src.Describe().Samples; n != 4 {
		t.Errorf("%d samples, want 4", n)
	}
	info := src.Describe().Log
	if info.Format != "PDH binary (.blg)" || info.Zone != "HERE" || info.Location == nil || !strings.HasPrefix(info.System, "Windows 6.2, build 9200") {
		t.Errorf("%+v", info)
	}
	q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var sample winperf.Sample
	if err := q.Next(ended, &sample); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	if err := q.Next(t.Context(), &sample); err != nil {
		t.Fatal(err)
	}
	schema, err := src.Schema(t.Context())
	if err != nil || sample.Schema != schema {
		t.Errorf("the samples have another schema than the source: %v", err)
	}
	if sample.At <= 0 || sample.At > sample.Of {
		t.Errorf("at %d of %d", sample.At, sample.Of)
	}
	if len(sample.Damage) > 0 {
		t.Errorf("damage %v", sample.Damage)
	}

	// The query holds the block that it gave last, and so takes turns with two.
	places := map[*byte]bool{&sample.Parts[0].Block.Bytes[0]: true}
	for range 3 {
		if err := q.Next(t.Context(), &sample); err != nil {
			t.Fatal(err)
		}
		places[&sample.Parts[0].Block.Bytes[0]] = true
	}
	if len(places) > 2 {
		t.Errorf("4 samples stood in %d places: memory that was large enough is not used", len(places))
	}
}

// TestBLGDamaged reads a log whose last part is gone: what is there is read, and
// the end of the loop tells what is not.
func TestBLGDamaged(t *testing.T) {
	file, samples := writeSeries(t, pdhlog.Options{Layout: pdhlog.Objects})
	editBLG(t, file, func(b []byte) []byte { return b[:len(b)-70_000] })
	src := openBLG(t, file)
	if n := src.Describe().Samples; n != -1 {
		t.Errorf("%d samples of a log that does not tell", n)
	}
	cycles := 0
	var told []error
	for cycle, err := range measure.Watch(t.Context(), src, winperf.Selection{Global: true}, measure.Options{FramesOnly: true}) {
		if err != nil {
			told = append(told, err)
			break
		}
		cycles++
		told = append(told, cycle.Damage...)
	}
	text := errors.Join(told...)
	if cycles == 0 || cycles > len(samples) || text == nil || !errors.Is(text, winperf.ErrBadData) || !strings.Contains(text.Error(), "test.blg: bad data at byte ") {
		t.Errorf("%d samples, damage %v", cycles, text)
	}
}

// TestBLGLostList reads a log of whole objects without its list of counters: the
// blocks tell what they are of.
func TestBLGLostList(t *testing.T) {
	file, want := writeSeries(t, pdhlog.Options{Layout: pdhlog.Objects})
	list := []byte{0xFF, 0x06, 0, 0, 0x08, 0, 0x02, 0}
	editBLG(t, file, func(b []byte) []byte {
		at := bytes.Index(b, list)
		b[at-72+4] = 99 // the type of the event, and what tells it all the same
		b[at+4] = 9
		return b
	})
	src := openBLG(t, file)
	if src.Describe().Machine != "REFERENCE" {
		t.Errorf("machine %q", src.Describe().Machine)
	}
	got := frames(t, src, winperf.Selection{Global: true})
	if len(got) != len(want) {
		t.Fatalf("%d samples, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i].NumObjects() != want[i].NumObjects() || len(rawValues(got[i])) != len(rawValues(want[i])) || got[i].Machine() != "REFERENCE" {
			t.Errorf("sample %d of %s has %d objects, want %d", i, got[i].Machine(), got[i].NumObjects(), want[i].NumObjects())
		}
	}
}

// TestBLGAppended reads two logs in one file, with different counters.
func TestBLGAppended(t *testing.T) {
	one, samples := writeSeries(t, pdhlog.Options{})
	two, _ := writeSeries(t, pdhlog.Options{Paths: []winperf.Path{{Object: "Process", Instance: "*", HasInstance: true, Counter: "ID Process"}}})
	editBLG(t, one, func(b []byte) []byte {
		more, err := os.ReadFile(two)
		if err != nil {
			t.Fatal(err)
		}
		return append(b, more...)
	})
	got := frames(t, openBLG(t, one), winperf.Selection{Global: true})
	n := len(samples)
	if len(got) != 2*n || got[0].NumObjects() != samples[0].NumObjects() || got[n].NumObjects() != 1 || got[n].Object(0).NumCounters() != 1 {
		t.Fatalf("%d samples", len(got))
	}
	for i := range n {
		o, _ := samples[i].Find(winperf.ObjectID{Index: 230})
		if got[n+i].Object(0).Len() != o.Len() {
			t.Errorf("sample %d has %d processes, want %d", n+i, got[n+i].Object(0).Len(), o.Len())
		}
	}
}

// TestBLGMachines reads a log of two machines: a machine in a path selects, and
// without one the samples are of both, each computed with its own samples before.
func TestBLGMachines(t *testing.T) {
	paths := []winperf.Path{
		{Object: "Process", Instance: "*", HasInstance: true, Counter: "ID Process"},
		{Object: "Process", Instance: "*", HasInstance: true, Counter: "Elapsed Time"},
		{Object: "Process", Instance: "*", HasInstance: true, Counter: "Counter 6"}, // a rate
	}
	file, samples := writeSeries(t, pdhlog.Options{Paths: paths})
	name := func(s string) (b []byte) {
		for _, c := range []byte(s) {
			b = append(b, c, 0)
		}
		return b
	}
	editBLG(t, file, func(b []byte) []byte {
		first := bytes.Index(b, name(`\\REFERENCE`))
		second := first + 2 + bytes.Index(b[first+2:], name(`\\REFERENCE`))
		copy(b[second:], name(`\\SECONDARY`))
		third := second + 2 + bytes.Index(b[second+2:], name(`\\REFERENCE`))
		copy(b[third:], name(`\\SECONDARY`))
		return b
	})
	src := openBLG(t, file)
	if src.Describe().Machine != "REFERENCE" {
		t.Errorf("machine %s", src.Describe().Machine)
	}
	for _, test := range []struct {
		machine string
		want    []string
	}{
		{"", []string{"REFERENCE", "SECONDARY"}},
		{"secondary", []string{"SECONDARY"}},
		{"REFERENCE", []string{"REFERENCE"}},
		{"NOBODY", []string{"REFERENCE", "SECONDARY"}},
	} {
		var machines []string
		all := frames(t, src, winperf.Selection{Paths: []winperf.Path{{Machine: test.machine, Object: "*", Instance: "*", HasInstance: true, Counter: "*"}}})
		for o := range all[0].Objects() {
			machines = append(machines, o.Machine())
		}
		if !slices.Equal(machines, test.want) || len(all) != len(samples) {
			t.Errorf("machine %q: %d samples of %v, want %v", test.machine, len(all), machines, test.want)
		}
	}
	for i, readings := range watchBLG(t, src, `\Process(*)\*`) {
		of := map[string]int{}
		for _, r := range readings {
			if r.Status == counter.OK {
				of[r.Path.Machine+" "+r.Path.Counter]++
			}
		}
		if of["REFERENCE ID Process"] == 0 || of["SECONDARY Elapsed Time"] == 0 || i > 0 && of["SECONDARY Counter 6"] == 0 {
			t.Errorf("sample %d: values of %v", i, of)
		}
	}
	cycles := watchBLG(t, src, `\\SECONDARY\Process(*)\Elapsed Time`)
	for i, readings := range cycles {
		if len(readings) == 0 || readings[0].Status != counter.OK || readings[0].Path.Machine != "SECONDARY" {
			t.Errorf("sample %d: %d readings", i, len(readings))
		}
	}
}

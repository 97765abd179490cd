package replay

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/pdhlog"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/source/internal/pdhraw"
)

// seedLog writes a log of a small sample in one of the layouts.
func seedLog(f *testing.F, layout pdhlog.Layout) []byte {
	table, err := nametable.FromMap(nametable.Counter, map[uint32]string{2: "S", 4: "% T", 6: "F", 8: "P", 10: "N"})
	if err != nil {
		f.Fatal(err)
	}
	schema := &winperf.Schema{Names: []winperf.NameTable{table.NameTable("009")}}
	names, _ := nametable.FromSchema(schema)
	var out bytes.Buffer
	w, err := pdhlog.NewWriter(&out, pdhlog.Options{Layout: layout, Location: time.UTC, BufferSize: 16 << 10})
	if err != nil {
		f.Fatal(err)
	}
	var pool frame.Pool
	for i := range 2 {
		b := perfdata.Block{PerfFreq: 10, Time100ns: 130_058_022_178_447_225 + int64(i), Objects: []perfdata.Object{
			{Title: 2, Form: perfdata.Single, Counters: []perfdata.Counter{
				perfdata.NewCounter(4, counter.Timer100NSec), perfdata.NewCounter(6, counter.RawFraction), perfdata.NewCounter(6, counter.RawBase)}},
			{Title: 8, Counters: []perfdata.Counter{perfdata.NewCounter(10, counter.RawCount)}},
		}}
		for k := range b.Objects {
			b.Objects[k].Layout(k == 1)
			for _, name := range []string{"a", "b"}[:k+1] {
				if _, err := b.Objects[k].AddInstance(name); err != nil {
					f.Fatal(err)
				}
			}
		}
		encoded, err := b.Encode()
		if err != nil {
			f.Fatal(err)
		}
		fr, err := pool.Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: encoded, Schema: schema}.Sample(), frame.Frame{})
		if err != nil {
			f.Fatal(err)
		}
		if err := w.Write(fr, names); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	return out.Bytes()
}

// FuzzBLGBlocks makes blocks of whatever a log's reader gives. A block must
// decode, whatever the log holds: at worst its stored objects are damaged, and
// these cost themselves. It must not be much larger than what it is made of.
func FuzzBLGBlocks(f *testing.F) {
	f.Add(seedLog(f, pdhlog.Counters))
	f.Add(seedLog(f, pdhlog.Objects))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<20 {
			t.Skip("too long to be of use")
		}
		r, err := pdhlog.NewReader(bytes.NewReader(b))
		if err != nil {
			return
		}
		var s pdhlog.Sample
		var machines []blgMachine
		lists := 0
		titles := pdhraw.NewTitles(r.Names())
		for r.Next(&s) == nil {
			if machines == nil || lists != r.Lists() {
				lists, machines = r.Lists(), nil
				_, entries := machinesOf(r.Counters())
				for _, of := range append(entries, nil) {
					m := newBLGMachine("H", r.Counters(), of, 10, titles, func(string) {})
					m.orphans = true
					machines = append(machines, m)
				}
			}
			size := 0
			for i := range machines {
				block := machines[i].block(nil, &s)
				size += len(block)
				var pool frame.Pool
				raw := winperf.Raw{Format: winperf.FormatV1, Bytes: block, Schema: titles.Schema()}
				if _, err := pool.Decode(raw.Sample(), frame.Frame{}); err != nil {
					t.Fatalf("a block that does not decode: %v", err)
				}
			}
			// A value takes a definition, an instance with its name, and at most 64 places.
			if most := (1<<20 + 1000*len(b)) * len(machines); size > most {
				t.Fatalf("%d bytes of blocks of a log of %d", size, len(b))
			}
		}
	})
}

// TestMachines keeps the machines of a log apart.
func TestMachines(t *testing.T) {
	entry := func(machine string) pdhlog.Counter {
		return pdhlog.Counter{Kind: pdhlog.Single, Path: winperf.Path{Machine: machine, Object: "S", Counter: "N"}}
	}
	names, entries := machinesOf([]pdhlog.Counter{entry("A"), entry("B"), {}, entry("a")})
	if diff := cmp.Diff([]string{"A", "B"}, names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]int{{0, 3}, {1}}, entries); diff != "" {
		t.Error(diff)
	}
}

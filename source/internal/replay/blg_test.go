package replay_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/pdhlog"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/source/internal/replay"
)

// The real logs: of single counters, and of whole objects.
const (
	realCounters = "Tx_BasicPerfCounters.blg"
	realObjects  = "PAL_SampleLog.blg"
)

// openBLG opens a log that must be one.
func openBLG(t testing.TB, file string) winperf.Source {
	t.Helper()
	src, err := replay.OpenBLG(replay.At(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	return src
}

// watch reads all samples of paths. It fails the test at damage.
func watchBLG(t testing.TB, src winperf.Source, paths ...string) (cycles [][]winperf.Reading) {
	t.Helper()
	var sel winperf.Selection
	for _, text := range paths {
		p, err := winperf.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		sel.Paths = append(sel.Paths, p)
	}
	for cycle, err := range measure.Watch(t.Context(), src, sel, measure.Options{KeepFirst: true}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range cycle.Damage {
			t.Error(err)
		}
		cycles = append(cycles, append([]winperf.Reading(nil), cycle.Readings()...))
	}
	return cycles
}

// TestBLGRealCounters cooks the real log of single counters. The expected values
// of the first intervals and over all of them are what Windows' own programs
// showed for this log.
func TestBLGRealCounters(t *testing.T) {
	src := openBLG(t, perftest.Data(t, "blg", realCounters))
	if src.Describe().Machine != "GEORGIS3" || src.Describe().Samples != -1 {
		t.Errorf("machine %s, %d samples", src.Describe().Machine, src.Describe().Samples)
	}
	cycles := watchBLG(t, src, `\Processor(_Total)\% Processor Time`)
	var values []float64
	for _, readings := range cycles[1:] {
		v, ok := readings[0].Value.Float64()
		if len(readings) != 1 || readings[0].Status != counter.OK || !ok {
			t.Fatalf("readings %v", readings)
		}
		values = append(values, v)
	}
	if len(values) != 600 {
		t.Fatalf("%d values, want 600", len(values))
	}
	sum, least, most := 0.0, values[0], values[0]
	for _, v := range values {
		sum += v
		least, most = min(least, v), max(most, v)
	}
	for _, c := range []struct {
		what      string
		got, want float64
		digits    float64
	}{
		{"first", values[0], 9.37826238255423, 1e-13},
		{"second", values[1], 5.86541344045712, 1e-13},
		{"third", values[2], 8.20410303650782, 1e-13},
		{"fourth", values[3], 3.1283808195094, 1e-13},
		{"average", sum / 600, 11.527, 5e-4},
		{"minimum", least, 1.569, 5e-4},
		{"maximum", most, 53.908, 5e-4},
		{"last", values[599], 32.816, 5e-4},
		{"average of the facts", sum / 600, 11.527341637, 1e-9},
		{"minimum of the facts", least, 1.568819282, 1e-9},
		{"maximum of the facts", most, 53.907872443, 1e-9},
		{"last of the facts", values[599], 32.815778590, 1e-9},
	} {
		if diff := c.got - c.want; diff > c.digits || diff < -c.digits {
			t.Errorf("%s value %.15g, want %.15g", c.what, c.got, c.want)
		}
	}
}

// TestBLGRealEverything reads every counter of the real logs.
func TestBLGRealEverything(t *testing.T) {
	for name, want := range map[string][2]int{ // samples; readings with a value in all of them
		realCounters: {601, 600 * 10}, // 5 of the disk, 5 of processors
		realObjects:  {11, 0},
	} {
		cycles := watchBLG(t, openBLG(t, perftest.Data(t, "blg", name)), `\*(*)\*`, `\*\*`)
		ok := 0
		for _, readings := range cycles {
			for _, r := range readings {
				if r.Status == counter.OK {
					ok++
				}
			}
		}
		if len(cycles) != want[0] || want[1] != 0 && ok != want[1] {
			t.Errorf("%s: %d samples and %d values, want %v", name, len(cycles), ok, want)
		}
	}
}

// TestBLGRealObjects compares the objects in the log of whole objects with the
// blocks that were cut out of it.
func TestBLGRealObjects(t *testing.T) {
	src := openBLG(t, perftest.Data(t, "blg", realObjects))
	if n := src.Describe().Samples; n != 11 {
		t.Errorf("%d samples, want 11", n)
	}
	q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	titles := []string{"LogicalDisk_236", "TCPv4_638", "Memory_4", "NetworkInterface_510", "PhysicalDisk_234", "Process_230", "Processor_238", "System_2"}
	var raw winperf.Raw
	for sample := range 6 {
		if err := perftest.Take(t.Context(), q, &raw); err != nil {
			t.Fatal(err)
		}
		at := 104 // the head with a machine's name of 8 characters
		for _, title := range titles {
			block, err := os.ReadFile(perftest.Data(t, "perfdata", fmt.Sprintf("vista_sample%02d_%s.bin", sample, title)))
			if err != nil {
				t.Fatal(err)
			}
			object := block[104:]
			if !bytes.Equal(raw.Bytes[at:][:len(object)], object) {
				t.Errorf("sample %d: %s is not as it stands in the log", sample, title)
			}
			at += len(object)
		}
		if at != len(raw.Bytes) {
			t.Errorf("sample %d: %d bytes behind the objects", sample, len(raw.Bytes)-at)
		}
	}
}

// TestBLGSelection makes the samples hold only what is asked for.
func TestBLGSelection(t *testing.T) {
	file, want := writeSeries(t, pdhlog.Options{Layout: pdhlog.Objects})
	src := openBLG(t, file)
	all := objectsOf(t, src, winperf.Selection{Global: true})
	if len(all) != want[0].NumObjects() {
		t.Errorf("%d objects, want %d", len(all), want[0].NumObjects())
	}
	names := namesOf(want[0])
	one := names.Title(want[0].Object(3).ID().Index)
	got := objectsOf(t, src, winperf.Selection{Paths: []winperf.Path{{Object: one, Counter: "*"}}})
	if len(got) >= len(all) || !slices.Contains(got, want[0].Object(3).ID().Index) {
		t.Errorf("asked for %s: objects %v of %v", one, got, all)
	}
}

// objectsOf returns the title indices of the objects in the first sample of a
// selection.
func objectsOf(t *testing.T, src winperf.Source, sel winperf.Selection) (titles []uint32) {
	t.Helper()
	for _, f := range frames(t, src, sel)[:1] {
		for o := range f.Objects() {
			titles = append(titles, o.ID().Index)
		}
	}
	return titles
}

// frames reads all samples of a source as frames.
func frames(t testing.TB, src winperf.Source, sel winperf.Selection) (all []frame.Frame) {
	t.Helper()
	q, err := src.Compile(t.Context(), sel)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	var pool frame.Pool
	var sample winperf.Sample
	for {
		if err := q.Next(t.Context(), &sample); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		f, err := pool.Decode(&sample, frame.Frame{})
		if err != nil || len(f.Damage()) > 0 {
			t.Fatal(err, f.Damage())
		}
		if err := f.Keep(); err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
}

// series are decoded samples of the machine REFERENCE with names, of which
// instances come and go.
func series(t testing.TB) (all []frame.Frame) {
	t.Helper()
	titles := map[uint32]string{}
	var pool frame.Pool
	for _, s := range perftest.Series(perftest.Small, 4, 10, 1) {
		f, err := pool.Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: s.Bytes}.Sample(), frame.Frame{})
		if err != nil || len(f.Damage()) > 0 {
			t.Fatal(err, f.Damage())
		}
		for o := range f.Objects() {
			titles[o.ID().Index] = fmt.Sprint("Object ", o.ID().Index)
			for k := range o.NumCounters() {
				title := o.Counter(k).ID.Index
				titles[title] = fmt.Sprint("Counter ", title)
			}
		}
		if err := f.Keep(); err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	// Those by which processes and threads are known again.
	titles[230], titles[232], titles[684], titles[784], titles[804] = "Process", "Thread", "Elapsed Time", "ID Process", "ID Thread"
	table, err := nametable.FromMap(nametable.Counter, titles)
	if err != nil {
		t.Fatal(err)
	}
	schema := &winperf.Schema{Names: []winperf.NameTable{table.NameTable(nametable.English)}}
	for i, f := range all {
		sample := winperf.Sample{Schema: schema, Parts: []winperf.Part{{Block: f.Object(0).Block()}}}
		if all[i], err = pool.Decode(&sample, frame.Frame{}); err == nil {
			err = all[i].Keep()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// writeSeries writes a log of series.
func writeSeries(t testing.TB, opt pdhlog.Options) (file string, samples []frame.Frame) {
	t.Helper()
	samples = series(t)
	file = filepath.Join(t.TempDir(), "test.blg")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	names := namesOf(samples[0])
	opt.Location = time.FixedZone("HERE", 5400)
	w, err := pdhlog.NewWriter(out, opt)
	for _, f := range samples {
		if err == nil {
			err = w.Write(f, names)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err := errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
	return file, samples
}

func namesOf(f frame.Frame) *nametable.Names {
	names, _ := nametable.FromSchema(f.Schema())
	return names
}

// rawValues are all raw values of a frame by path, of bases too: they are
// behind their counters.
func rawValues(f frame.Frame) map[string]uint64 {
	names := namesOf(f)
	all := map[string]uint64{}
	for o := range f.Objects() {
		path := winperf.Path{Object: names.Title(o.ID().Index), HasInstance: !o.Single()}
		for i := range o.Len() {
			path.Instance, path.Index = o.Labels().Full(i), o.Labels().Occurrence(i)
			for k := range o.NumCounters() {
				c := o.Counter(k)
				if c.Type.IsBase() || c.Type.Samples() == 0 {
					continue
				}
				path.Counter = names.Title(c.ID.Index)
				if v, ok := o.Raw(i, k); ok {
					all[path.String()] = v
				}
				if c.Base >= 0 {
					if v, ok := o.Raw(i, c.Base); ok {
						all[path.String()+" base"] = v
					}
				}
			}
		}
	}
	return all
}

// TestBLGRoundTrip writes frames in both layouts and reads the same raw values
// and readings.
func TestBLGRoundTrip(t *testing.T) {
	for _, layout := range []pdhlog.Layout{pdhlog.Counters, pdhlog.Objects} {
		file, want := writeSeries(t, pdhlog.Options{Layout: layout})
		src := openBLG(t, file)
		got := frames(t, src, winperf.Selection{Global: true})
		if len(got) != len(want) || src.Describe().Machine != "REFERENCE" {
			t.Fatalf("%d samples of %s, want %d", len(got), src.Describe().Machine, len(want))
		}
		for i := range want {
			if diff := cmp.Diff(rawValues(want[i]), rawValues(got[i])); diff != "" {
				t.Errorf("layout %d, sample %d: %s", layout, i, diff[:min(len(diff), 2000)])
			}
			w, g := want[i].Clocks(), got[i].Clocks()
			if w != g {
				t.Errorf("layout %d, sample %d: clocks %+v, want %+v", layout, i, g, w)
			}
		}
		var older, newer frame.Cooker
		for i := 1; i < len(want); i++ {
			if err := older.Set(want[i-1], want[i], counter.Options{}); err != nil {
				t.Fatal(err)
			}
			if err := newer.Set(got[i-1], got[i], counter.Options{}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(cooked(&older, want[i]), cooked(&newer, got[i])); diff != "" {
				t.Errorf("layout %d, sample %d: %s", layout, i, diff[:min(len(diff), 2000)])
			}
		}
	}
}

// cooked are all displayable values of a frame by path.
func cooked(c *frame.Cooker, f frame.Frame) map[string]string {
	names := namesOf(f)
	all := map[string]string{}
	for o := range f.Objects() {
		pair := c.Object(o)
		path := winperf.Path{Object: names.Title(o.ID().Index), HasInstance: !o.Single()}
		for k := range o.NumCounters() {
			if t := o.Counter(k).Type; t.IsBase() || t.Samples() == 0 {
				continue
			}
			col := pair.Column(k)
			path.Counter = names.Title(o.Counter(k).ID.Index)
			for i := range o.Len() {
				path.Instance, path.Index = o.Labels().Full(i), o.Labels().Occurrence(i)
				all[path.String()] = col.Status[i].String()
				if col.Status[i] == counter.OK {
					all[path.String()] = col.Value(i).String()
				}
			}
		}
	}
	return all
}

// TestEnd: the end of a log is the time of its last sample, also if a sample has more than a buffer.
func TestEnd(t *testing.T) {
	for _, size := range []int{0, 16 << 10} {
		file, samples := writeSeries(t, pdhlog.Options{BufferSize: size, Layout: pdhlog.Objects})
		src := openBLG(t, file)
		times, blocks := samplesOf(t, src, winperf.Selection{Global: true, Costly: true})
		is := src.Describe()
		if want := times[len(times)-1]; !is.Log.End.Equal(want) || is.Samples != len(samples) {
			t.Errorf("buffers of %d bytes, samples of %d: %d samples until %v, want %d until %v", size,
				len(blocks[0]), is.Samples, is.Log.End, len(samples), want)
		}
	}
}

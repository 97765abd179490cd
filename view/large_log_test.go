package view_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/pdhlog"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
)

// server generates samples of a server with 500 processes, one second apart: about 17,000 values in 160 KB.
// A quarter of the processes work. Some end and others begin.
type server struct {
	random *rand.Rand
	block  perfdata.Block
	second int
	pid    uint64
}

// serverObjects are the objects of a server, with the types of their counters. Their names are the title
// indices, except the ones in serverNames.
var serverObjects = []struct {
	title     uint32
	instances int // 0 for an object without instances
	counters  []uint32
	types     []counter.Type
}{
	{2, 0, []uint32{146, 150, 10, 16, 674, 44}, []counter.Type{
		counter.CounterCounter, counter.CounterCounter, counter.CounterCounter, counter.BulkCount, counter.ElapsedTime,
		counter.RawCount,
	}},
	{4, 0, []uint32{24, 26, 818, 30, 28, 34, 40, 48}, []counter.Type{
		counter.LargeRawCount, counter.LargeRawCount, counter.LargeRawCount, counter.LargeRawCount,
		counter.CounterCounter, counter.CounterCounter, counter.CounterCounter, counter.CounterCounter,
	}},
	{238, 17, []uint32{6, 142, 144, 148, 696, 698}, []counter.Type{
		counter.TimerInv100NSec, counter.Timer100NSec, counter.Timer100NSec, counter.CounterCounter,
		counter.Timer100NSec, counter.Timer100NSec,
	}},
	{234, 5, []uint32{198, 212, 218, 220, 222, 224, 214}, []counter.Type{
		counter.RawCount, counter.CounterCounter, counter.BulkCount, counter.BulkCount, counter.BulkCount,
		counter.BulkCount, counter.CounterCounter,
	}},
	{510, 4, []uint32{388, 264, 506, 400, 402}, []counter.Type{
		counter.BulkCount, counter.BulkCount, counter.BulkCount, counter.CounterCounter, counter.CounterCounter,
	}},
	{230, 500, []uint32{
		784, 684, 6, 142, 144, 172, 174, 28, 178, 180, 1478, 182, 184, 186, 680, 682, 1410, 56, 58, 952, 1412, 1414,
		1416, 1418, 1420, 1422, 1424, 1426,
	}, []counter.Type{
		counter.RawCount, counter.ElapsedTime, counter.Timer100NSec, counter.Timer100NSec, counter.Timer100NSec,
		counter.LargeRawCount, counter.LargeRawCount, counter.CounterCounter, counter.LargeRawCount,
		counter.LargeRawCount, counter.LargeRawCount, counter.LargeRawCount, counter.LargeRawCount,
		counter.LargeRawCount, counter.RawCount, counter.RawCount, counter.RawCount, counter.RawCount,
		counter.RawCount, counter.RawCount, counter.BulkCount, counter.BulkCount, counter.BulkCount,
		counter.BulkCount, counter.BulkCount, counter.BulkCount, counter.BulkCount, counter.BulkCount,
	}},
	{1760, 120, []uint32{1762, 1764, 1766, 1768}, []counter.Type{
		counter.RawCount, counter.BulkCount, counter.CounterCounter, counter.LargeRawCount,
	}},
}

var serverNames = map[uint32]string{
	2: "System", 4: "Memory", 238: "Processor", 234: "PhysicalDisk", 510: "Network Interface", 230: "Process",
	1760: "Connection", 6: "% Processor Time", 24: "Available Bytes", 26: "Committed Bytes", 818: "Cache Bytes",
	218: "Disk Bytes/sec", 198: "Current Disk Queue Length", 388: "Bytes Total/sec", 180: "Working Set",
	784: "ID Process", 684: "Elapsed Time", 146: "Context Switches/sec", 186: "Private Bytes",
}

// serverSchema has the names of a server.
func serverSchema() *winperf.Schema {
	var texts []string
	add := func(title uint32) {
		name := serverNames[title]
		if name == "" {
			name = fmt.Sprintf("Counter %d/sec", title)
		}
		texts = append(texts, fmt.Sprint(title), name)
	}
	for _, o := range serverObjects {
		add(o.title)
		for _, c := range o.counters {
			add(c)
		}
	}
	return &winperf.Schema{Interface: "registry", Names: []winperf.NameTable{names("009", texts...)}}
}

// newServer returns a server after some seconds.
func newServer(t testing.TB, second int) *server {
	m := &server{random: rand.New(rand.NewPCG(uint64(second), 3)), second: second, pid: uint64(second)}
	m.block.PerfFreq = 10_000_000
	for _, of := range serverObjects {
		o := perfdata.Object{Title: of.title, Help: of.title + 1, Detail: 100, Freq: 10_000_000}
		if of.instances == 0 {
			o.Form = perfdata.Single
		}
		for i, title := range of.counters {
			o.Counters = append(o.Counters, perfdata.NewCounter(title, of.types[i]))
		}
		o.Layout(false)
		m.block.Objects = append(m.block.Objects, o)
		for i := range max(of.instances, 1) {
			m.add(t, &m.block.Objects[len(m.block.Objects)-1], i)
		}
	}
	return m
}

// add adds an instance to an object, with values of its past.
func (m *server) add(t testing.TB, o *perfdata.Object, i int) {
	name := fmt.Sprintf("%d", i)
	switch programs := []string{"svchost", "chrome", "java", "sqlservr", "w3wp", "conhost"}; {
	case o.Title == 230:
		m.pid += 4
		name = programs[m.pid/4%uint64(len(programs))]
	case i > 0 && i == 16 || o.Title == 234 && i == 4:
		name = "_Total"
	}

	if o.Form == perfdata.Single && len(o.Instances) == 0 || o.Form != perfdata.Single {
		if _, err := o.AddInstance(name); err != nil {
			t.Fatal(err)
		}
	}

	last := len(o.Instances) - 1
	for k, c := range o.Counters {
		v := m.random.Uint64N(1 << 30)
		switch {
		case c.Title == 784:
			v = m.pid
		case c.Type == counter.ElapsedTime:
			v = uint64(winperf.ToFiletime(at(m.second - m.random.IntN(1000))))
		}
		_ = o.SetValue(last, k, v) // every counter has a place
	}
}

// next appends the next sample to b.
func (m *server) next(t testing.TB, b []byte) []byte {
	m.second++
	now := at(m.second)
	m.block.Time100ns, m.block.PerfTime = winperf.ToFiletime(now), int64(m.second)*m.block.PerfFreq
	m.block.SystemTime = [8]uint16{
		uint16(now.Year()), uint16(now.Month()), uint16(now.Weekday()), uint16(now.Day()), uint16(now.Hour()),
		uint16(now.Minute()), uint16(now.Second()), 0,
	}

	for n := range m.block.Objects {
		o := &m.block.Objects[n]
		o.Time = m.block.Time100ns
		if o.Title == 230 && m.second%8 == 0 {
			i := m.random.IntN(len(o.Instances))
			o.Instances = slices.Delete(o.Instances, i, i+1)
			m.add(t, o, 0)
		}
		for i := range o.Instances {
			pid, _ := o.Value(i, 0)
			if o.Title != 230 || pid/4%4 == 0 && m.random.IntN(2) == 0 {
				m.work(o, i)
			}
		}
	}
	b, err := m.block.AppendTo(b)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// work changes most values of an instance.
func (m *server) work(o *perfdata.Object, i int) {
	r := m.random.Uint64()
	for k := range o.Counters {
		c := &o.Counters[k]
		v, _ := o.Value(i, k)
		r = r>>5 | r<<59
		switch {
		case c.Title == 784 || c.Type == counter.ElapsedTime || r%4 == 0:
			continue
		case c.Type == counter.Timer100NSec || c.Type == counter.TimerInv100NSec:
			v += r >> 8 % 64 * 156_250
		case c.Type == counter.RawCount:
			v += r>>8%3 - 1
		case c.Type == counter.LargeRawCount:
			v += (r>>8%64 - 20) * 4096
		default:
			v += r >> 8 % 300_000
		}
		_ = o.SetValue(i, k, v)
	}
}

// writeLarge writes a log of about size bytes: a .blg, or a directory of captures.
func writeLarge(t testing.TB, dir string, size int64) (blg, captures string) {
	t.Helper()
	const files, atOnce, perSample = 16, 2, 16_800
	samples := int(size / files / perSample)
	blg, captures = filepath.Join(dir, "large.blg"), filepath.Join(dir, "captures")
	if err := os.MkdirAll(captures, 0o700); err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	for worker := range atOnce {
		work.Go(func() {
			for i := worker; i < files; i += atOnce {
				writeLargeCapture(t, filepath.Join(captures, fmt.Sprintf("%06d.capture", i)), i*samples, samples)
			}
		})
	}
	work.Wait()
	writeLargeBLG(t, blg, size)
	return blg, captures
}

func create(t testing.TB, name string) (*os.File, *bufio.Writer) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	return f, bufio.NewWriterSize(f, 1<<20)
}

func writeLargeCapture(t testing.TB, name string, second, samples int) {
	f, out := create(t, name)
	w := capture.NewWriter(out, capture.Options{System: "Windows 6.2, build 9200"})
	m, names := newServer(t, second), serverSchema()
	var b []byte
	for range samples {
		b = m.next(t, b[:0])
		if err := w.Write(winperf.Raw{Format: winperf.FormatV1, Bytes: b, Schema: names}.Sample()); err != nil {
			t.Error(err)
			return
		}
	}
	if err := errors.Join(w.Close(), out.Flush(), f.Close()); err != nil {
		t.Error(err)
	}
	t.Logf("%s: %d samples", name, m.second-second)
}

func writeLargeBLG(t testing.TB, name string, size int64) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := pdhlog.NewWriter(f, pdhlog.Options{Layout: pdhlog.Objects, Location: time.UTC})
	if err != nil {
		t.Fatal(err)
	}

	m, schema := newServer(t, 0), serverSchema()
	titles, _ := nametable.FromSchema(schema)
	var pool frame.Pool
	var before frame.Frame
	var blocks [2][]byte
	for i := 0; w.Size() < size; i++ {
		b := &blocks[i%2]
		*b = m.next(t, (*b)[:0])
		sample := winperf.Raw{Format: winperf.FormatV1, Bytes: *b, Schema: schema}.Sample()
		if before, err = pool.Decode(sample, before); err == nil {
			err = w.Write(before, titles)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d samples of %d bytes", name, m.second, len(blocks[0]))
}

package pdhlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
)

// machine makes frames of a small machine: System with a count and an elapsed
// time, and Process with counters of several kinds.
type machine struct {
	t    testing.TB
	pool frame.Pool
	name string
	at   time.Time

	passing bool // frames are not kept
}

var machineTitles = map[uint32]string{
	2: "System", 230: "Process", 232: "Thread", 248: "Processes", 674: "System Up Time", 6: "% Processor Time", 28: "Page Faults/sec", 784: "ID Process", 400: "Hit %", 402: "Note",
}

func (m *machine) names() *nametable.Names {
	table, err := nametable.FromMap(nametable.Counter, machineTitles)
	if err != nil {
		m.t.Fatal(err)
	}
	names, _ := nametable.FromSchema(&winperf.Schema{Names: []winperf.NameTable{table.NameTable("009")}})
	return names
}

// frame makes a frame with processes, by name; one named ? has no values, one named !
// values that may not be read.
func (m *machine) frame(processes ...string) frame.Frame {
	m.t.Helper()
	utc := winperf.ToFiletime(m.at)
	b := perfdata.Block{PerfTime: utc / 5, PerfFreq: 2_000_000, Time100ns: utc, Objects: []perfdata.Object{
		{Title: 2, Form: perfdata.Single, Time: utc + 7, Freq: 10_000_000, Counters: []perfdata.Counter{
			perfdata.NewCounter(248, counter.RawCount), perfdata.NewCounter(674, counter.ElapsedTime)}},
		{Title: 230, Counters: []perfdata.Counter{
			perfdata.NewCounter(6, counter.Timer100NSec), perfdata.NewCounter(28, counter.CounterCounter), perfdata.NewCounter(784, counter.RawCount),
			perfdata.NewCounter(400, counter.RawFraction), perfdata.NewCounter(400, counter.RawBase), perfdata.NewCounter(402, counter.NoData)}},
	}}
	check := func(err error) {
		if err != nil {
			m.t.Fatal(err)
		}
	}
	check(b.SetMachine(m.name))
	for i := range b.Objects {
		b.Objects[i].Layout(true)
	}
	_, err := b.Objects[0].AddInstance("")
	check(err)
	check(b.Objects[0].SetValue(0, 0, uint64(len(processes))))
	check(b.Objects[0].SetValue(0, 1, uint64(utc-10_000_000)))
	for i, name := range processes {
		_, err := b.Objects[1].AddInstance(name)
		check(err)
		for k := range 5 {
			check(b.Objects[1].SetValue(i, k, uint64(100*i+k+1)))
			check(b.Objects[1].SetMissing(i, k, name == "?"))
			if name == "!" {
				check(b.Objects[1].Deny(i, k))
			}
		}
	}
	encoded, err := b.Encode()
	check(err)
	f, err := m.pool.Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: encoded}.Sample(), frame.Frame{})
	check(err)
	if !m.passing {
		check(f.Keep())
	}
	m.at = m.at.Add(time.Second)
	return f
}

func newMachine(t testing.TB) *machine {
	return &machine{t: t, name: "HOST", at: time.Date(2024, 7, 1, 12, 0, 0, 123_456_700, time.UTC)}
}

// writeBLG writes frames and returns the log.
func writeBLG(t testing.TB, opt Options, m *machine, frames ...frame.Frame) ([]byte, *Writer) {
	t.Helper()
	var out seekBuffer
	w, err := NewWriter(&out, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range frames {
		if err := w.Write(f, m.names()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if int64(len(out.b)) != w.Size() {
		t.Errorf("size %d, but the log has %d bytes", w.Size(), len(out.b))
	}
	return out.b, w
}

func parsePaths(t testing.TB, texts ...string) (paths []winperf.Path) {
	t.Helper()
	for _, text := range texts {
		p, err := winperf.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	return paths
}

// texts are the values of a sample as text.
func texts(s *Sample) (all []string) {
	for i := range s.Values {
		v := &s.Values[i]
		text := fmt.Sprintf("%s: ", v.Counter.Path)
		switch {
		case !v.Valid():
			text += fmt.Sprintf("status %#x", v.Status)
		case v.Kind == Array:
			for _, it := range v.Items {
				text += fmt.Sprintf("%s %d/%d ", it.Name, it.First, it.Second)
			}
		default:
			text += fmt.Sprintf("%d/%d*%d", v.First, v.Second, v.Multi)
		}
		all = append(all, strings.TrimSpace(text))
	}
	return all
}

func TestWriterPaths(t *testing.T) {
	m := newMachine(t)
	utc := winperf.ToFiletime(m.at)
	frames := []frame.Frame{m.frame("a", "b", "a"), m.frame("b"), m.frame("?", "a", "c", "late")}
	paths := parsePaths(t, `\System\*`, `\process(A#1)\*`, `\Process(*)\Page Faults/sec`, `\Process(late)\ID Process`, `\Process(?)\Hit %`,
		`\Process(c*)\ID Process`, `\Nothing\At all`, `\Process(a)\Nothing`, `\System(x)\Processes`, `\Process\ID Process`)
	paths[4].Instance = "b"
	log, w := writeBLG(t, Options{Paths: paths, Location: time.FixedZone("", 7200)}, m, frames...)
	got := readWhole(t, log)
	for _, err := range got.damage {
		t.Error(err)
	}
	const sec = 10_000_000
	if len(got.samples) != 3 {
		t.Fatal(len(got.samples))
	}
	want := [][]string{
		{
			`\\HOST\System\Processes: 3/0*1`,
			fmt.Sprintf(`\\HOST\System\System Up Time: %d/%d*1`, utc-sec, utc+7),
			fmt.Sprintf(`\\HOST\Process(a#1)\%% Processor Time: 201/%d*1`, utc),
			fmt.Sprintf(`\\HOST\Process(a#1)\Page Faults/sec: 202/%d*1`, utc/5),
			`\\HOST\Process(a#1)\ID Process: 203/0*1`,
			`\\HOST\Process(a#1)\Hit %: 204/205*1`,
			fmt.Sprintf(`\\HOST\Process(*)\Page Faults/sec: a 2/%d b 102/%[1]d a 202/%[1]d`, utc/5),
			`\\HOST\Process(late)\ID Process: status 0x800007d1`,
			`\\HOST\Process(b)\Hit %: 104/105*1`,
		},
		{
			`\\HOST\System\Processes: 1/0*1`,
			fmt.Sprintf(`\\HOST\System\System Up Time: %d/%d*1`, utc, utc+sec+7),
			`\\HOST\Process(a#1)\% Processor Time: status 0x800007d1`,
			`\\HOST\Process(a#1)\Page Faults/sec: status 0x800007d1`,
			`\\HOST\Process(a#1)\ID Process: status 0x800007d1`,
			`\\HOST\Process(a#1)\Hit %: status 0x800007d1`,
			fmt.Sprintf(`\\HOST\Process(*)\Page Faults/sec: b 2/%d`, (utc+sec)/5),
			`\\HOST\Process(late)\ID Process: status 0x800007d1`,
			`\\HOST\Process(b)\Hit %: 4/5*1`,
		},
		{
			`\\HOST\System\Processes: 4/0*1`,
			fmt.Sprintf(`\\HOST\System\System Up Time: %d/%d*1`, utc+sec, utc+2*sec+7),
			`\\HOST\Process(a#1)\% Processor Time: status 0x800007d1`,
			`\\HOST\Process(a#1)\Page Faults/sec: status 0x800007d1`,
			`\\HOST\Process(a#1)\ID Process: status 0x800007d1`,
			`\\HOST\Process(a#1)\Hit %: status 0x800007d1`,
			fmt.Sprintf(`\\HOST\Process(*)\Page Faults/sec: a 102/%d c 202/%[1]d late 302/%[1]d`, (utc+2*sec)/5),
			`\\HOST\Process(late)\ID Process: 303/0*1`,
			`\\HOST\Process(b)\Hit %: status 0x800007d1`,
		},
	}
	for i, s := range got.samples {
		if diff := cmp.Diff(want[i], texts(&s)); diff != "" {
			t.Errorf("sample %d: %s", i, diff)
		}
		if s.Time.UnixMicro() != newMachine(t).at.UnixMicro()+int64(i)*1_000_000 || s.Ahead != 2*time.Hour {
			t.Errorf("sample %d at %v, local time %v ahead", i, s.Time, s.Ahead)
		}
	}
	if w.Late() != 1 { // \Process(c)\ID Process
		t.Errorf("%d came late, want 1", w.Late())
	}
}

// TestWriterNames: paths may name objects and counters as they do everywhere, also by
// title index.
func TestWriterNames(t *testing.T) {
	m := newMachine(t)
	paths := parsePaths(t, `\#230(a)\#784`, `\#2\PROC*`, `\Proc*(**)\id process`, `\#231(a)\*`)
	log, _ := writeBLG(t, Options{Paths: paths, Location: time.UTC}, m, m.frame("a"))
	var got []string
	for _, c := range readWhole(t, log).list {
		got = append(got, c.Path.String())
	}
	want := []string{`\\HOST\System\Processes`, `\\HOST\Process(a)\ID Process`, `\\HOST\Process(*)\ID Process`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestWriterWithoutNames writes objects that no language has a name for.
func TestWriterWithoutNames(t *testing.T) {
	m := newMachine(t)
	var out seekBuffer
	w, err := NewWriter(&out, Options{Layout: Objects, Location: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(m.frame("a"), new(nametable.Names)), w.Close()); err != nil {
		t.Fatal(err)
	}
	if got := readWhole(t, out.b); len(got.samples) != 1 || len(got.list) != 2 || len(got.damage) > 0 {
		t.Errorf("%d samples of %v, damage %v", len(got.samples), got.list, got.damage)
	}
}

// bytesOf are the bytes of a frame's first block.
func bytesOf(f frame.Frame) []byte { return f.Object(0).Block().Bytes }

// TestWriterObjects keeps whole objects byte for byte, and nothing for those
// that are not in a sample.
func TestWriterObjects(t *testing.T) {
	m := newMachine(t)
	frames := []frame.Frame{m.frame("a"), m.frame("a", "b")}
	log, w := writeBLG(t, Options{Layout: Objects, Paths: parsePaths(t, `\Process(nobody)\ID Process`, `\Other(*)\*`), Location: time.UTC}, m, frames...)
	got := readWhole(t, log)
	if len(got.samples) != 2 || len(got.list) != 1 || got.list[0].Path.String() != `\\HOST\Process(*)\*` || len(got.damage) > 0 || w.Late() != 0 {
		t.Fatalf("%d samples of %v, damage %v", len(got.samples), got.list, got.damage)
	}
	for i, s := range got.samples {
		raw := bytesOf(frames[i])
		block, err := perfdata.Parse(s.Values[0].Block, 0)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := perfdata.Parse(bytes.Clone(raw), 0)
		if err != nil {
			t.Fatal(err)
		}
		whole.Objects = whole.Objects[1:]
		whole.DefaultObject = 230
		at := frames[i].Time()
		whole.SystemTime = [8]uint16{uint16(at.Year()), uint16(at.Month()), uint16(at.Weekday()), uint16(at.Day()), uint16(at.Hour()), uint16(at.Minute()), uint16(at.Second()), 123}
		if diff := cmp.Diff(whole, block, everyField); diff != "" {
			t.Errorf("sample %d: %s", i, diff)
		}
	}
	want := []listed{{counters: 6, instances: []string{"a#0", "b#0"}}}
	if c := catalogueOf(t, log); got.told != 2 || !reflect.DeepEqual(want, c) {
		t.Errorf("%d samples, catalogue %+v", got.told, c)
	}
	if got.head.Machine != "HOST" {
		t.Errorf("the log is of %q", got.head.Machine)
	}
	if got.head.End.IsZero() || got.head.Buffers*got.head.BufferSize != len(log) {
		t.Errorf("head %+v of %d bytes", got.head, len(log))
	}
}

// TestWriterDenied keeps why there is no value.
func TestWriterDenied(t *testing.T) {
	m := newMachine(t)
	paths := parsePaths(t, `\Process(!)\ID Process`, `\Process(?)\ID Process`)
	log, _ := writeBLG(t, Options{Paths: paths, Location: time.UTC}, m, m.frame("?", "!"))
	got := readWhole(t, log)
	for i, want := range []uint32{cstatusDenied, cstatusInvalidData} {
		if v := &got.samples[0].Values[i]; v.Status != want {
			t.Errorf("%v has the status %#x, want %#x", v.Counter.Path, v.Status, want)
		}
	}
}

// TestWriterOtherForms keeps objects of frames whose bytes cannot be taken
// over: those of several samples.
func TestWriterOtherForms(t *testing.T) {
	m := newMachine(t)
	one, two := m.frame("a", "?", "!"), m.frame("b")
	part := func(o frame.Object) winperf.Part {
		return winperf.Part{Block: o.Block(), Only: []winperf.ObjectID{o.ID()}}
	}
	joined, err := m.pool.Decode(&winperf.Sample{Parts: []winperf.Part{part(two.Object(0)), part(one.Object(1))}}, frame.Frame{})
	if err != nil {
		t.Fatal(err)
	}
	for _, layout := range []Layout{Counters, Objects} {
		log, _ := writeBLG(t, Options{Layout: layout, Location: time.UTC}, m, joined)
		got := readWhole(t, log)
		if len(got.samples) != 1 || len(got.damage) > 0 {
			t.Fatalf("%d samples, damage %v", len(got.samples), got.damage)
		}
		v := got.samples[0].Values
		if layout == Counters {
			if v[0].First != 1 || v[1].Second != winperf.ToFiletime(two.Time())+7 || v[2].Kind != Object {
				t.Errorf("values %v", texts(&got.samples[0]))
			}
			wantDenied(t, v[2].Block)
			continue
		}
		system, err := perfdata.Parse(v[0].Block, 0)
		if err != nil {
			t.Fatal(err)
		}
		process := wantDenied(t, v[1].Block)
		if system.Time100ns != winperf.ToFiletime(two.Time()) || process.Time100ns != winperf.ToFiletime(one.Time()) {
			t.Error("the objects do not have the times of their samples")
		}
	}
}

// everyField makes cmp compare what is private in a block, too.
var everyField = cmp.Exporter(func(reflect.Type) bool { return true })

// wantDenied checks a block with the processes a, ? and !, of which the last two have no value, the
// last because it may not be read: an array could not tell, nor that they are there.
func wantDenied(t *testing.T, b []byte) *perfdata.Block {
	t.Helper()
	process, err := perfdata.Parse(b, 0)
	if err != nil {
		t.Fatal(err)
	}
	o := &process.Objects[0]
	if len(o.Instances) != 3 || o.IsMissing(0, 0) || !o.IsMissing(1, 0) || !o.IsMissing(2, 0) {
		t.Errorf("the object has %d instances", len(o.Instances))
	} else if v, _ := o.Value(2, 0); v != index.AccessDenied {
		t.Errorf("a value that may not be read became %d", v)
	}
	return process
}

func TestWriterErrors(t *testing.T) {
	for _, opt := range []Options{{BufferSize: 8 << 10}, {BufferSize: 1 << 30}, {BufferSize: 65_537}, {Layout: 2}} {
		if _, err := NewWriter(io.Discard, opt); !errors.Is(err, winperf.ErrNotSupported) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	m := newMachine(t)
	w, err := NewWriter(io.Discard, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(frame.Frame{}, m.names()); !errors.Is(err, winperf.ErrNotSupported) {
		t.Errorf("a frame without a sample: %v", err)
	}
	if err := w.Write(m.frame("a"), m.names()); err != nil {
		t.Fatal(err)
	}
	other := newMachine(t)
	other.name = "OTHER"
	if err := w.Write(other.frame("a"), m.names()); !errors.Is(err, winperf.ErrNotSupported) {
		t.Errorf("another machine: %v", err)
	}
	if err := w.Write(m.frame("a"), m.names()); err != nil {
		t.Errorf("the log does not go on: %v", err)
	}
	for range 2 {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := w.Write(m.frame("a"), m.names()); !errors.Is(err, winperf.ErrState) {
		t.Errorf("write after Close: %v", err)
	}
	for good := range 3 {
		broken := &brokenWriter{good: good, err: syscall.ENOSPC}
		w, err := NewWriter(broken, Options{BufferSize: 16 << 10})
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			if err = w.Write(m.frame("a", "b"), m.names()); err != nil {
				break
			}
		}
		if broken.good = 1; !errors.Is(err, syscall.ENOSPC) || !errors.Is(w.Write(m.frame("a"), m.names()), syscall.ENOSPC) || !errors.Is(w.Close(), syscall.ENOSPC) {
			t.Errorf("a writer that fails after %d buffers: %v", good, err)
		}
	}
}

// TestWriterRefusesMany shows that a log goes on after frames of another machine, however many were decoded
// since its last one.
func TestWriterRefusesMany(t *testing.T) {
	m := newMachine(t)
	m.passing = true
	w, err := NewWriter(io.Discard, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n, name := range []string{"HOST", "OTHER", "OTHER", "OTHER", "HOST"} {
		m.name = name
		err := w.Write(m.frame("a"), m.names())
		if refused := errors.Is(err, winperf.ErrNotSupported); refused != (name == "OTHER") || err != nil && !refused {
			t.Errorf("frame %d, of %s: %v", n, name, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// TestWriterNoSamples leaves a log without samples empty.
func TestWriterNoSamples(t *testing.T) {
	log, _ := writeBLG(t, Options{}, newMachine(t))
	if len(log) != 0 {
		t.Errorf("%d bytes", len(log))
	}
}

// TestWriterNoSeeking writes a log to what cannot go back.
func TestWriterNoSeeking(t *testing.T) {
	m := newMachine(t)
	var out bytes.Buffer
	w, err := NewWriter(&out, Options{Location: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := w.Write(m.frame("a"), m.names()); err != nil {
			t.Fatal(err)
		}
	}
	before := out.Len()
	if err := w.Flush(); err != nil || out.Len() != before+64<<10 {
		t.Errorf("flushed %d bytes, %v", out.Len()-before, err)
	}
	if err := errors.Join(w.Flush(), w.Write(m.frame("a"), m.names()), w.Close()); err != nil {
		t.Fatal(err)
	}
	got := readWhole(t, out.Bytes())
	if len(got.samples) != 4 || got.head.Buffers != 0 || !got.head.End.IsZero() || len(got.damage) > 0 {
		t.Errorf("%d samples, head %+v, damage %v", len(got.samples), got.head, got.damage)
	}
}

// TestWriterBehind writes a log behind other data of a file.
func TestWriterBehind(t *testing.T) {
	m := newMachine(t)
	out := seekBuffer{b: []byte("other data"), at: 10}
	w, err := NewWriter(&out, Options{})
	if err == nil {
		err = errors.Join(w.Write(m.frame("a"), m.names()), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	got := readWhole(t, out.b[10:])
	if string(out.b[:10]) != "other data" || len(got.samples) != 1 || got.head.Buffers != 2 || out.at != int64(len(out.b)) {
		t.Errorf("head %+v, at %d of %d", got.head, out.at, len(out.b))
	}
}

// TestManyCounters writes a list and samples of many events.
func TestManyCounters(t *testing.T) {
	m := newMachine(t)
	var processes []string
	for i := range 300 {
		processes = append(processes, fmt.Sprint("process ", i))
	}
	f := m.frame(processes...)
	log, _ := writeBLG(t, Options{Paths: parsePaths(t, `\Process(process*)\*`), Location: time.UTC}, m, f, f)
	got := readWhole(t, log)
	if len(got.list) != 300*4 || len(got.samples) != 2 || len(got.damage) > 1 { // the time stands still, which is none
		t.Fatalf("%d counters, %d samples, damage %v", len(got.list), len(got.samples), got.damage)
	}
	for i, v := range got.samples[1].Values {
		if !v.Valid() || v.Counter.Path != got.list[i].Path || v.First == 0 {
			t.Fatalf("value %d: %+v", i, v)
		}
	}
}

// TestWriterParents keeps the object that instances have their parents in,
// though nobody asked for it.
func TestWriterParents(t *testing.T) {
	m := newMachine(t)
	block, err := perfdata.Parse(bytes.Clone(bytesOf(m.frame("editor"))), 0)
	if err != nil {
		t.Fatal(err)
	}
	thread := perfdata.Object{Title: 232, Counters: []perfdata.Counter{perfdata.NewCounter(784, counter.RawCount)}}
	thread.Layout(false)
	in, err := thread.AddInstance("7")
	if err != nil {
		t.Fatal(err)
	}
	in.ParentObject = 230
	block.Objects = append(block.Objects, thread)
	encoded, err := block.Encode()
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.pool.Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: encoded}.Sample(), frame.Frame{})
	if err != nil || len(f.Damage()) > 0 {
		t.Fatal(err, f.Damage())
	}
	paths := parsePaths(t, `\Thread(*)\*`)
	log, _ := writeBLG(t, Options{Layout: Objects, Paths: paths}, m, f)
	got := readWhole(t, log)
	if len(got.list) != 2 || got.list[0].Path.Object != "Process" || got.list[1].Path.Object != "Thread" {
		t.Errorf("objects %v", got.list)
	}
	if in := catalogueOf(t, log)[1].instances; len(in) != 1 || in[0] != "editor/7#0" {
		t.Errorf("instances %v", in)
	}
	log, _ = writeBLG(t, Options{Paths: parsePaths(t, `\Thread(editor/*)\*`)}, m, f)
	if got := readWhole(t, log); len(got.list) != 1 || got.list[0].Parent != "editor" || got.list[0].Path.Instance != "editor/7" {
		t.Errorf("counters %+v", got.list)
	}
}

// TestWriterOwnClocks writes values with the clock and the frequency that they have
// of their own.
func TestWriterOwnClocks(t *testing.T) {
	m := newMachine(t)
	clock := perfdata.NewCounter(28, datablock.ValueClock)
	block := perfdata.Block{PerfTime: 7, PerfFreq: 2_000_000, Time100ns: winperf.ToFiletime(m.at), Objects: []perfdata.Object{{
		Title: 230, Counters: []perfdata.Counter{perfdata.NewCounter(28, counter.CounterCounter), clock, clock},
	}}}
	o := &block.Objects[0]
	o.Layout(true)
	for i, name := range []string{"a", "b", "c"} {
		if _, err := o.AddInstance(name); err != nil {
			t.Fatal(err)
		}
		for k, v := range []uint64{5, uint64(100 + i), 10} {
			if err := o.SetValue(i, k, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := o.SetMissing(2, 1, true); err != nil {
		t.Fatal(err)
	}
	encoded, err := block.Encode()
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.pool.Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: encoded}.Sample(), frame.Frame{})
	if err != nil || len(f.Damage()) > 0 {
		t.Fatal(err, f.Damage())
	}

	b, _ := writeBLG(t, Options{}, m, f)
	log := readWhole(t, b)
	if len(log.list) != 1 || log.list[0].TimeBase != 10 || len(log.samples) != 1 {
		t.Fatalf("%+v", log)
	}
	var got []int64
	for _, it := range log.samples[0].Values[0].Items {
		got = append(got, it.Second)
	}
	if diff := cmp.Diff([]int64{100, 101}, got); diff != "" {
		t.Error(diff)
	}
}

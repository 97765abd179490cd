package measure_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/provider"
)

// second in the unit of FILETIME and of the 100 ns timers.
const second = 10_000_000

// epoch is the FILETIME of 2024-01-01 00:00 UTC, the time of the first sample.
const epoch = 133_485_408_000_000_000

// sample is one scripted sample.
type sample struct {
	quirks  winperf.Quirks
	at      int64           // seconds since the first sample
	clocks  *counter.Clocks // instead of at
	machine string
	objects []object
	schema  *winperf.Schema     // instead of the source's
	change  func([]byte) []byte // makes other bytes of the block
	delay   time.Duration       // how long sampling lasts
	err     error               // sampling fails
	damage  []error             // comes along, also with err
	shared  bool                // others read the block, too
	partErr error               // the interface fails, and the sample has no block
}

// object is one object of a sample. A single-instance object has one instance.
type object struct {
	*provider.Object
	keep      func(i int) bool // which of the declared counters are there; nil is all
	instances []instance
}

// instance holds raw values in the order of the declared counters. Of a
// counter with a base the base's value follows.
type instance struct {
	name   string
	raw    []uint64
	parent int // 1 + position among the processes, 0 = none
}

// scripted serves what script says; n counts samples from 0. Past the end of a
// script there is io.EOF.
type scripted struct {
	script  func(n int) sample
	schema  *winperf.Schema
	compile func() error // may fail Compile

	onSample func() // called within Sample
	asked    winperf.Selection

	compiled, taken, open int
}

// recording is a source of recorded samples.
type recording struct {
	*scripted
	count int
}

func (r recording) Describe() winperf.Description {
	return winperf.Description{Machine: "HOST", Recorded: true, Samples: r.count}
}

// script serves samples one after the other.
func script(samples ...sample) *scripted {
	return &scripted{schema: englishSchema, script: func(n int) sample {
		if n >= len(samples) {
			return sample{err: io.EOF}
		}
		return samples[n]
	}}
}

func (s *scripted) Describe() winperf.Description                   { return winperf.Description{Machine: "HOST"} }
func (s *scripted) Schema(context.Context) (*winperf.Schema, error) { return s.schema, nil }
func (s *scripted) Close() error                                    { return nil }

func (s *scripted) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	s.compiled++
	s.asked = sel
	if s.compile != nil {
		if err := s.compile(); err != nil {
			return nil, err
		}
	}
	s.open++
	return query{s}, nil
}

type query struct{ *scripted }

func (q query) Close() error {
	q.open--
	return nil
}

func (q query) Next(ctx context.Context, s *winperf.Sample) error {
	scripted := q.script(q.taken)
	err := perftest.Fill(s, func(raw *winperf.Raw) error { return q.fill(ctx, scripted, raw) })
	s.Damage = append(s.Damage, scripted.damage...)
	if err == nil && scripted.shared {
		s.Parts[0].Block.Keep()
	}
	if err == nil && scripted.partErr != nil {
		s.Parts[0] = winperf.Part{Err: scripted.partErr}
	}
	return err
}

func (q query) fill(ctx context.Context, s sample, raw *winperf.Raw) error {
	q.taken++
	if q.onSample != nil {
		q.onSample()
	}
	if s.delay > 0 {
		select {
		case <-time.After(s.delay):
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("sampling: %w", ctx.Err())
	}
	if s.err != nil {
		return s.err
	}
	raw.Format, raw.Quirks, raw.Schema = winperf.FormatV1, s.quirks, q.schema
	if s.schema != nil {
		raw.Schema = s.schema
	}
	raw.Bytes = append(raw.Bytes[:0], s.block()...)
	return nil
}

// block is the sample as a performance data block, made by package provider.
func (s *sample) block() []byte {
	machine := s.machine
	if machine == "" {
		machine = "HOST"
	}
	clocks := func() counter.Clocks {
		if s.clocks != nil {
			return *s.clocks
		}
		return counter.Clocks{PerfTime: s.at * 1000, PerfFreq: 1000, Time100ns: epoch + s.at*second}
	}
	d, err := provider.NewDispatcher(provider.Options{Machine: machine, Clocks: clocks, OnProblem: func(p provider.Problem) { panic(p.Err) }}, writer{s})
	if err != nil {
		panic(err)
	}
	defer d.Close()
	b, err := d.Collect(context.Background(), &provider.Query{Global: true}, nil)
	if err != nil {
		panic(err)
	}
	if s.change != nil {
		b = s.change(b)
	}
	return b
}

// writer is the provider of a sample's objects, and its session.
type writer struct{ *sample }

func (w writer) Name() string                                   { return "test" }
func (w writer) Open(context.Context) (provider.Session, error) { return w, nil }
func (w writer) Close() error                                   { return nil }

func (w writer) Objects() (all []*provider.Object) {
	for _, o := range w.objects {
		all = append(all, o.Object)
	}
	return all
}

func (w writer) Collect(_ context.Context, _ *provider.Query, out *provider.Writer) error {
	for _, o := range w.objects {
		layout, err := provider.NewLayout(o.Object, o.keep)
		if err != nil {
			return err
		}
		ow := out.Object(layout)
		ow.Clock(epoch+w.at*second, second)
		for _, in := range o.instances {
			if o.Multi {
				def := provider.Instance{Name: in.name}
				if in.parent > 0 {
					def.ParentObject, def.ParentPosition = process.Index, uint32(in.parent-1)
				}
				ow.Instance(def)
			}
			setRaw(&ow, o.Object, in.raw)
		}
		ow.End()
	}
	return nil
}

// setRaw sets the declared counters from left to right, as many as there are
// values.
func setRaw(ow *provider.ObjectWriter, o *provider.Object, raw []uint64) {
	for i := range o.Counters {
		if len(raw) == 0 {
			return
		}
		ow.Set(i, raw[0])
		raw = raw[1:]
		if o.Counters[i].Type.NeedsBase() && len(raw) > 0 {
			ow.SetBase(i, raw[0])
			raw = raw[1:]
		}
	}
}

// The objects of the tests, under the title indices that Windows gives them.
var (
	system = &provider.Object{Index: 2, Name: "System", Counters: []provider.Counter{
		{Index: 248, Name: "Processes", Type: counter.RawCount},
		{Index: 146, Name: "Context Switches/sec", Type: counter.CounterCounter},
	}}
	processor = &provider.Object{Index: 238, Name: "Processor", Multi: true, Counters: []provider.Counter{
		{Index: 6, Name: "% Processor Time", Type: counter.Timer100NSec},
		{Index: 148, Name: "Interrupts/sec", Type: counter.CounterCounter, Scale: -2},
	}}
	process = &provider.Object{Index: 230, Name: "Process", Multi: true, Counters: []provider.Counter{
		{Index: 6, Name: "% Processor Time", Type: counter.Timer100NSec},
		{Index: 784, Name: "ID Process", Type: counter.RawCount},
		{Index: 684, Name: "Elapsed Time", Type: counter.ElapsedTime},
	}}
	thread = &provider.Object{Index: 232, Name: "Thread", Multi: true, Counters: []provider.Counter{
		{Index: 146, Name: "Context Switches/sec", Type: counter.CounterCounter},
	}}
	disk = &provider.Object{Index: 236, Name: "LogicalDisk", Multi: true, Counters: []provider.Counter{
		{Index: 208, Name: "Avg. Disk sec/Read", Type: counter.AverageTimer},
		{Index: 410, Name: "Free Megabytes", Type: counter.RawCount},
	}}
)

// englishSchema names everything but the counter 410.
var englishSchema = schema(english())

func english() map[uint32]string {
	texts := map[uint32]string{}
	for _, o := range []*provider.Object{system, processor, process, thread, disk} {
		texts[o.Index] = o.Name
		for i := range o.Counters {
			texts[o.Counters[i].Index] = o.Counters[i].Name
		}
	}
	delete(texts, 410)
	return texts
}

// schema makes a schema of English names; further languages may be added.
func schema(texts map[uint32]string) *winperf.Schema {
	return &winperf.Schema{Names: []winperf.NameTable{names(nametable.English, texts)}, Costly: []uint32{thread.Index}}
}

func names(language string, texts map[uint32]string) winperf.NameTable {
	t, err := nametable.FromMap(nametable.Counter, texts)
	if err != nil {
		panic(err)
	}
	return t.NameTable(language)
}

// proc is an instance of process: busy is in 1/100 of a second, start in
// seconds before the first sample.
func proc(name string, pid, start, busy uint64) instance {
	return instance{name: name, raw: []uint64{busy * second / 100, pid, epoch - start*second}}
}

// patch overwrites the 4 bytes at an offset of the definition of a counter,
// found by its title index: the first in the block.
func patch(t *testing.T, title uint32, offset int, v uint32) func([]byte) []byte {
	return func(b []byte) []byte {
		const definitionSize = 40 // PERF_COUNTER_DEFINITION
		for at := 0; at+definitionSize <= len(b); at += 4 {
			if binary.LittleEndian.Uint32(b[at:]) == definitionSize && binary.LittleEndian.Uint32(b[at+4:]) == title {
				binary.LittleEndian.PutUint32(b[at+offset:], v)
				return b
			}
		}
		t.Fatalf("no counter %d in the block", title)
		return nil
	}
}

// Offsets in PERF_COUNTER_DEFINITION.
const (
	atCounterType = 28
	atCounterSize = 32
)

// cut shortens a block to the first n objects and half of the next one.
func cut(n int) func([]byte) []byte {
	return func(b []byte) []byte {
		at := binary.LittleEndian.Uint32(b[24:])
		for range n {
			at += binary.LittleEndian.Uint32(b[at:])
		}
		return b[:at+binary.LittleEndian.Uint32(b[at:])/2]
	}
}

// cycle runs the three steps, which must succeed.
func cycle(t testing.TB, c *measure.Measurement) *measure.Cycle {
	t.Helper()
	cy, err := c.Cycle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return cy
}

// lines are readings as text: path, then value or status.
func lines(readings []winperf.Reading) []string {
	var text []string
	for _, r := range readings {
		switch {
		case r.Status != counter.OK:
			text = append(text, fmt.Sprintf("%s %v", r.Path, r.Status))
		default:
			text = append(text, fmt.Sprintf("%s %v", r.Path, r.Value))
		}
	}
	return text
}

// paths parses paths.
func paths(t testing.TB, texts ...string) []winperf.Path {
	t.Helper()
	var ps []winperf.Path
	for _, text := range texts {
		p, err := winperf.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, p)
	}
	return ps
}

// selection selects paths.
func selection(t testing.TB, texts ...string) winperf.Selection {
	return winperf.Selection{Paths: paths(t, texts...)}
}

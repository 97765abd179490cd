package experiment_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
)

// Titles of the fake's names. Ticks is the number of the sample, so that a value tells which
// sample it is of; Work grows by 10 with each sample.
var titles = map[uint32]string{
	2: "System", 6: "Ticks", 8: "Work", 10: "Level", 230: "Process", 784: "ID Process", 684: "Elapsed Time",
	232: "Work Rate",
}

// fake is a source whose samples are made by text.
type fake struct {
	// text is sample n, from 1.
	text func(n int) string
	// before is called when a sample is begun; an error fails it.
	before func(ctx context.Context, n int) error
	quirks winperf.Quirks // of the samples
	// mangle, where it is not nil, changes the bytes of a sample.
	mangle func(n int, bytes []byte)

	mu     sync.Mutex
	taken  int
	begins []time.Time
	open   int
	schema *winperf.Schema
}

func newFake(text func(n int) string) *fake {
	table, err := nametable.FromMap(nametable.Counter, titles)
	if err != nil {
		panic(err)
	}
	if text == nil {
		text = counting
	}
	return &fake{text: text, schema: &winperf.Schema{Names: []winperf.NameTable{table.NameTable(nametable.English)}}}
}

// header is that of sample n: a second passes from one to the next.
func header(n int) string {
	return fmt.Sprintf("block name=\"HOST\" perftime=%d perffreq=1000 time100ns=%d\n", n*1000, 133_485_408_000_000_000+int64(n)*10_000_000)
}

// counting is a sample of one object without instances.
func counting(n int) string {
	return header(n) + "object 2 form=single\n counter 6 PERF_COUNTER_RAWCOUNT\n counter 8 PERF_COUNTER_BULK_COUNT\n" +
		fmt.Sprintf(" values : %d %d\n", n, 10*n)
}

// processes is a sample of processes, each "name pid start work"; they start so many seconds after the
// fake was made, which takes sample n then.
func processes(n int, all ...string) string {
	var b strings.Builder
	b.WriteString(header(n))
	fmt.Fprintf(&b, "object 230 time=%d freq=10000000\n counter 784 PERF_COUNTER_RAWCOUNT\n", 133_485_408_000_000_000+int64(n)*10_000_000)
	b.WriteString(" counter 684 PERF_ELAPSED_TIME\n counter 232 PERF_COUNTER_BULK_COUNT\n")
	for _, p := range all {
		var name string
		var pid, start, work int
		if _, err := fmt.Sscan(p, &name, &pid, &start, &work); err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, " instance %q : %d %d %d\n", name, pid, 133_485_408_000_000_000+10_000_000*int64(start), work)
	}
	return b.String()
}

// crowd are so many processes.
func crowd(count int) (all []string) {
	for i := range count {
		all = append(all, fmt.Sprintf("p%d %d 1 7", i, 100+i))
	}
	return all
}

func (f *fake) Describe() winperf.Description                   { return winperf.Description{Machine: "HOST"} }
func (f *fake) Schema(context.Context) (*winperf.Schema, error) { return f.schema, nil }
func (f *fake) Close() error                                    { return errors.New("experiments do not close sources") }

func (f *fake) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if sel.Metadata {
		return nil, winperf.ErrNotSupported
	}
	f.open++
	return &fakeQuery{fake: f}, nil
}

type fakeQuery struct {
	*fake
}

func (q *fakeQuery) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open--
	return nil
}

func (q *fakeQuery) Next(ctx context.Context, s *winperf.Sample) error {
	q.mu.Lock()
	q.taken++
	n := q.taken
	q.begins = append(q.begins, time.Now())
	before := q.before
	q.mu.Unlock()
	if before != nil {
		if err := before(ctx, n); err != nil {
			return err
		}
	}

	b, err := perfdata.ParseText([]byte(q.text(n)))
	if err != nil {
		panic(err)
	}
	bytes, err := b.Encode()
	if err != nil {
		panic(err)
	}
	if q.mangle != nil {
		q.mangle(n, bytes)
	}
	return perftest.Fill(s, func(raw *winperf.Raw) error {
		raw.Format, raw.Schema, raw.Bytes = winperf.FormatV1, q.schema, append(raw.Bytes[:0], bytes...)
		raw.Quirks = q.quirks
		return nil
	})
}

// samples is how many samples were begun.
func (f *fake) samples() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.taken
}

// setBefore says what the samples from now on wait for.
func (f *fake) setBefore(before func(ctx context.Context, n int) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before = before
}

// rig is an experiment over a fake.
type rig struct {
	t       testing.TB
	fake    *fake
	program *experiment.Program
	*experiment.Experiment
}

// begin attaches an experiment. Options without sources get the fake, without a program one of
// their own.
func begin(t testing.TB, f *fake, opt experiment.Options) *rig {
	t.Helper()
	r := &rig{t: t, fake: f, program: opt.Program}
	if r.program == nil {
		r.program = &experiment.Program{}
	}
	opt.Program = r.program
	if opt.Sources == nil {
		opt.Sources = []sensor.Origin{{Source: f}}
	}
	e, err := experiment.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Attach(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Experiment = e
	t.Cleanup(func() { _ = e.Detach(context.Background()) })
	return r
}

// end detaches the experiment and returns its records, without Change records.
func (r *rig) end() []*experiment.Record {
	r.t.Helper()
	if err := r.Detach(context.Background()); err != nil {
		r.t.Fatal(err)
	}
	records, changes := r.rest(), 0
	last := uint64(0)
	var others []*experiment.Record
	for _, rec := range records {
		if rec.Number <= last {
			r.t.Errorf("record %d comes after record %d", rec.Number, last)
		}
		last = rec.Number
		if rec.Session != r.Session() || rec.Experiment != r.Name() {
			r.t.Errorf("record %d is of experiment %q, session %q", rec.Number, rec.Experiment, rec.Session)
		}
		if rec.Kind == experiment.Change {
			changes++
			continue
		}
		others = append(others, rec)
	}
	if n := r.fake.open; n != 0 {
		r.t.Errorf("%d queries are open at the end", n)
	}
	return others
}

// rest takes all records there are, until the end of the experiment.
func (r *rig) rest() (all []*experiment.Record) {
	r.t.Helper()
	for {
		records, err := r.Next(r.t.Context(), 7)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			r.t.Fatal(err)
		}
		all = append(all, records...)
	}
}

// paths reads counter paths.
func paths(texts ...string) (all []winperf.Path) {
	for _, text := range texts {
		p, err := winperf.ParsePath(text)
		if err != nil {
			panic(err)
		}
		all = append(all, p)
	}
	return all
}

// bound is a binding of events to the counters of the fake.
func bound(events ...string) experiment.Binding {
	return experiment.Binding{Events: events, Paths: paths(`\System\Ticks`, `\System\Work`), Raw: true}
}

// text is what a record says, in short.
func text(r *experiment.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", []string{"point", "span", "change", "summary"}[r.Kind], r.Event.Name)
	for _, v := range r.Values {
		fmt.Fprintf(&b, " %s=", v.Path[strings.LastIndexByte(v.Path, '\\')+1:])
		if v.Status == 0 {
			b.WriteString(v.Value.String())
		} else {
			b.WriteString(v.Status.String())
		}
		if v.HasDifference {
			fmt.Fprintf(&b, "(+%d)", v.Difference)
		}
	}
	if r.Dropped > 0 {
		fmt.Fprintf(&b, " dropped=%d", r.Dropped)
	}
	if r.Err != "" {
		fmt.Fprintf(&b, " error=%s", r.Err)
	}
	return b.String()
}

// texts are those of records, one a line.
func texts(records []*experiment.Record) string {
	var b strings.Builder
	for _, r := range records {
		b.WriteString(text(r))
		b.WriteByte('\n')
	}
	return b.String()
}

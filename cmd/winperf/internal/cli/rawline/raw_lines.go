package rawline

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/live"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/sink"
)

// RawTypes are the original types of counters that became plain numbers, in the order of each object's
// definitions.
type RawTypes map[rawObject][]counter.Type

type rawObject struct {
	machine string
	title   uint32
}

// Note stores the types in a block.
func (t RawTypes) Note(block *perfdata.Block) {
	if t == nil {
		return
	}
	for i := range block.Objects {
		o := &block.Objects[i]
		key := rawObject{block.Machine(), o.Title}
		t[key] = t[key][:0]
		for k := range o.Counters {
			t[key] = append(t[key], o.Counters[k].Type)
		}
	}
}

// RawLinesError returns the error for JSON lines of raw values used as a log by needer.
func RawLinesError(log, needer string) error {
	const form = "%s holds raw values as JSON lines for winperf cook; " +
		"use the original log for %s"
	return fmt.Errorf(form, log, needer)
}

// rawLines writes readings with raw values as JSON lines, plus the input of winperf cook: the type and the
// raw samples.
type rawLines struct {
	out   *bufio.Writer
	types RawTypes

	older  map[string]frame.Frame // last kept sample of each machine
	cooker frame.Cooker
	pair   *frame.Pair // of the last object
	places map[string]int
	line   bytes.Buffer
	sink   sink.Sink // writes to line
	named  logs.View
}

type rawFields struct {
	Type counter.Type `json:"type"`
	Prev *CookSample  `json:"prev"`
	Cur  *CookSample  `json:"cur"`
}

// NewRawLines returns a writer of raw values as JSON lines.
func NewRawLines(out io.Writer, types RawTypes) (w *rawLines, err error) {
	w = &rawLines{out: bufio.NewWriter(out), types: types, older: map[string]frame.Frame{}}
	w.sink, err = sink.New("jsonl", &w.line, sink.Options{})
	return w, err
}

func (w *rawLines) Write(m *logs.Moment) error {
	for _, cycle := range m.Cycles {
		if err := w.cycle(m.Time, cycle); err != nil {
			return err
		}
	}
	return nil
}

func (w *rawLines) cycle(t time.Time, cycle *measure.Cycle) error {
	machine := cycle.Frame.Machine()
	if err := w.cooker.Set(w.older[machine], cycle.Frame, counter.Options{}); err != nil {
		return err
	}
	var o frame.Object
	w.pair = nil

	for _, c := range w.named.Named(cycle.Columns()) {
		s := c.Counter()
		if w.pair == nil || o.ID() != s.ObjectID || o.Machine() != s.Path.Machine {
			o = w.find(cycle.Frame, s)
		}
		for n := range c.Len() {
			if err := w.value(t, o, c.Slice(n, n+1)); err != nil {
				return err
			}
		}
	}

	w.older[machine] = cycle.Frame
	return cycle.Frame.Keep() // the machine's next sample may be much later
}

func (w *rawLines) find(f frame.Frame, s *winperf.Series) frame.Object {
	found, _ := f.Find(s.ObjectID)
	for o := range f.Objects() {
		if o.ID() == s.ObjectID && o.Machine() == s.Path.Machine {
			found = o
			break
		}
	}

	w.pair = w.cooker.Object(found)
	w.places = map[string]int{}
	if !found.Single() {
		for in := range found.Instances() {
			w.places[catalogue.InstanceName(in)] = in.Position()
		}
	}
	return found
}

// value writes the line of a single value. Without a raw value the line is only a reading.
func (w *rawLines) value(t time.Time, o frame.Object, c winperf.Column) error {
	w.line.Reset()
	if err := w.sink.Write(t, []winperf.Column{c}); err != nil {
		return err
	}

	counter := c.Counter()
	position := w.places[live.InstanceText(&c, 0)]
	k, found := o.FindCounter(counter.CounterID)
	types := w.types[rawObject{o.Machine(), counter.ObjectID.Index}]
	if found && len(types) == o.NumCounters() {
		more := rawFields{Type: types[k], Cur: rawSample(o, types, position, k)}
		if was, _ := w.pair.From(position); was >= 0 {
			more.Prev = w.olderSample(o, counter.CounterID, types, was)
		}
		text, err := json.Marshal(more)
		if err != nil {
			return err
		}
		w.line.Truncate(w.line.Len() - len("}\n"))
		w.line.WriteByte(',')
		w.line.Write(text[len("{"):])
		w.line.WriteByte('\n')
	}
	_, err := w.out.Write(w.line.Bytes())
	return err
}

func (w *rawLines) olderSample(
	o frame.Object, id winperf.CounterID, types []counter.Type, position int,
) *CookSample {
	for older := range w.older[o.Machine()].Objects() {
		if older.ID() != o.ID() || older.Machine() != o.Machine() || older.NumCounters() != len(types) {
			continue
		}
		if k, found := older.FindCounter(id); found {
			return rawSample(older, types, position, k)
		}
	}
	return nil
}

// rawSample returns the raw sample of a counter of an instance, or nil without a value. The next
// definition has the base, or the number of components of a multi-timer.
func rawSample(o frame.Object, types []counter.Type, position, k int) *CookSample {
	value, ok := o.Raw(position, k)
	if !ok || types[k].IsText() {
		return nil
	}

	c := o.Clocks()
	s := &CookSample{
		Value: value, PerfTime: c.PerfTime, PerfFreq: c.PerfFreq, Time100ns: c.Time100ns,
		ObjectTime: c.ObjectTime, ObjectFreq: c.ObjectFreq,
	}
	if k+1 < len(types) && types[k+1].IsBase() {
		base, there := o.Raw(position, k+1)
		switch {
		case there && types[k].IsMulti():
			s.Multi = &base
		case there && types[k].NeedsBase():
			s.Base = &base
		}
	}
	return s
}

func (w *rawLines) Flush() error { return w.out.Flush() }

func (w *rawLines) Late() int { return 0 }

func (w *rawLines) Close() error { return w.out.Flush() }

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/sink"
)

// rawTypes are the types that counters had before they became plain numbers, in the order of
// each object's definitions.
type rawTypes map[rawObject][]counter.Type

// rawObject is an object of a machine.
type rawObject struct {
	machine string
	title   uint32
}

// note keeps the types of a sample.
func (t rawTypes) note(block *perfdata.Block) {
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

// rawLinesError says of JSON lines of raw values that they are no samples, as needer needs them.
func rawLinesError(log, needer string) error {
	const form = "%s holds raw values as JSON lines, which winperf cook reads; " +
		"samples for %s are in the log that they are from: %w"
	return fmt.Errorf(form, log, needer, winperf.ErrNotSupported)
}

// rawLines writes raw values as JSON lines: those of readings, with what winperf cook takes
// beside them, which are the type and the raw samples that it computes the displayable value of.
type rawLines struct {
	out   *bufio.Writer
	types rawTypes

	older  map[string]frame.Frame // the last sample of each machine
	cooker frame.Cooker
	pair   *frame.Pair // of the object that was asked for last
	places map[string]int
	line   bytes.Buffer
	sink   sink.Sink // writes to line
}

// rawFields are the fields that a line has beside those of a reading.
type rawFields struct {
	Type counter.Type `json:"type"`
	Prev *cookSample  `json:"prev"`
	Cur  *cookSample  `json:"cur"`
}

func newRawLines(out io.Writer, types rawTypes) (w *rawLines, err error) {
	w = &rawLines{out: bufio.NewWriter(out), types: types, older: map[string]frame.Frame{}}
	w.sink, err = sink.New("jsonl", &w.line, sink.Options{})
	return w, err
}

// Write implements logs.Writer.
func (w *rawLines) Write(m *logs.Moment) error {
	for _, cycle := range m.Cycles {
		if err := w.cycle(m.Time, cycle); err != nil {
			return err
		}
	}
	return nil
}

// cycle writes the readings of a cycle, which are ordered by object and counter.
func (w *rawLines) cycle(t time.Time, cycle *measure.Cycle) error {
	machine := cycle.Frame.Machine()
	if err := w.cooker.Set(w.older[machine], cycle.Frame, counter.Options{}); err != nil {
		return err
	}
	var o frame.Object
	w.pair = nil

	for i := range cycle.Len() {
		r := cycle.At(i)
		if logs.NamesNothing(r.Status) {
			continue
		}
		if w.pair == nil || o.ID() != r.ObjectID || o.Machine() != r.Path.Machine {
			o = w.find(cycle.Frame, r)
		}
		if err := w.reading(t, o, r); err != nil {
			return err
		}
	}

	w.older[machine] = cycle.Frame
	return nil
}

// find finds the object of a reading, and where its instances stand.
func (w *rawLines) find(f frame.Frame, r *winperf.Reading) frame.Object {
	found, _ := f.Find(r.ObjectID)
	for o := range f.Objects() {
		if o.ID() == r.ObjectID && o.Machine() == r.Path.Machine {
			found = o
			break
		}
	}

	w.pair = w.cooker.Object(found)
	w.places = map[string]int{}
	if !found.Single() {
		for in := range found.Instances() {
			w.places[instanceName(in)] = in.Position()
		}
	}
	return found
}

// reading writes the line of a reading. Without a raw value it is no more than that.
func (w *rawLines) reading(t time.Time, o frame.Object, r *winperf.Reading) error {
	w.line.Reset()
	if err := w.sink.Write(t, winperf.ReadingList{*r}); err != nil {
		return err
	}

	position := w.places[r.Path.InstanceText()]
	k, found := o.FindCounter(r.CounterID)
	types := w.types[rawObject{o.Machine(), r.ObjectID.Index}]
	if found && len(types) == o.NumCounters() {
		more := rawFields{Type: types[k], Cur: rawSample(o, types, position, k)}
		if was, _ := w.pair.From(position); was >= 0 {
			more.Prev = w.olderSample(o, r.CounterID, types, was)
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

// olderSample is the raw sample of the instance at a position of the older object.
func (w *rawLines) olderSample(
	o frame.Object, id winperf.CounterID, types []counter.Type, position int,
) *cookSample {
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

// rawSample is the raw sample of a counter of an instance; nil where there is no value. The
// base, and the number of components of a multi-timer, stand in the next definition.
func rawSample(o frame.Object, types []counter.Type, position, k int) *cookSample {
	value, ok := o.Raw(position, k)
	if !ok || types[k].IsText() {
		return nil
	}

	c := o.Clocks()
	s := &cookSample{
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

// Flush implements logs.Writer.
func (w *rawLines) Flush() error { return w.out.Flush() }

// Late implements logs.Writer.
func (w *rawLines) Late() int { return 0 }

// Close implements logs.Writer.
func (w *rawLines) Close() error { return w.out.Flush() }

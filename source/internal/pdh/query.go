package pdh

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/source/internal/pdhraw"
)

// column is one counter of a query with PDH's handle.
type column struct {
	handle    uintptr
	object    *object
	entry     *entry
	info      winapi.CounterInfo
	array     bool // all matching instances
	frequency int64
	buf       winapi.Memory
}

// same reports whether two columns read the same counter.
func (c *column) same(o *column) bool {
	return c.entry == o.entry && c.object == o.object && c.array == o.array &&
		c.info.HasInstance == o.info.HasInstance &&
		strings.EqualFold(c.info.Instance, o.info.Instance) &&
		strings.EqualFold(c.info.Parent, o.info.Parent) && c.info.Index == o.info.Index
}

// instance returns the instance of a column that is not an array: its name, and its number among
// equal names.
func (c *column) instance() (name string, occurrence int) {
	name = c.info.Instance
	if c.info.Parent != "" {
		name = c.info.Parent + "/" + name
	}
	if i := int32(c.info.Index); i > 0 && c.info.HasInstance { // -1 means no index
		occurrence = int(i)
	}
	return name, occurrence
}

// query is an open query of PDH. Its samples are performance data blocks built from raw values.
type query struct {
	source *source
	round  call.Round
	run    func(context.Context) // takes a sample

	// For the call on the source's line:
	buf       []byte
	err       error
	handle    uintptr
	open      bool
	metadata  bool
	formatted bool
	columns   []column
	builder   *pdhraw.Builder
	raw       winapi.PDH_RAW_COUNTER
	found     []error // errors of the builder
}

func newQuery(s *source) *query {
	q := &query{source: s, formatted: s.opt.Formatted}
	q.run = func(context.Context) { q.buf, q.err = q.sample(q.buf) }
	return q
}

// settle prepares the query for its current columns.
func (q *query) settle() {
	counters := make([]pdhraw.Counter, len(q.columns))
	for i := range q.columns {
		c := &q.columns[i]
		name, occurrence := c.instance()
		counters[i] = pdhraw.Counter{
			Path: winperf.Path{
				Object: c.object.name, Counter: c.info.Counter,
				HasInstance: c.info.HasInstance, Instance: name, Index: occurrence,
			},
			Array: c.array, ObjectTitle: c.object.title, Title: c.entry.title,
			Type: c.entry.typ, Scale: c.info.DefaultScale, TimeBase: c.frequency,
		}
	}

	q.builder = pdhraw.New(q.source.machine, counters,
		pdhraw.Options{ValueClocks: true, Bad: func(text string) {
			q.found = append(q.found, fmt.Errorf("pdh: %s: %w", text, winperf.ErrBadData))
		}})
}

// Next implements winperf.Query. It collects the data of PDH and reads every value. A call that
// does not return is abandoned with its buffer, and the sample gets a new one.
func (q *query) Next(ctx context.Context, s *winperf.Sample) error {
	s.Clear()
	if err := q.round.Take(ctx, q.source.line, 0); err != nil {
		return fmt.Errorf("pdh: %w", err)
	}

	b := s.Add()
	q.buf, b.Bytes = b.Bytes, nil
	if err := q.round.Call(q.source.line, q.run); err != nil {
		s.Clear()
		return fmt.Errorf("pdh: %w", err)
	}

	b.Bytes, q.buf = q.buf, nil
	if q.err != nil {
		s.Clear()
	} else {
		b.Format = winperf.FormatV1
		b.Schema = q.source.schema.Load()
		s.Schema = b.Schema
	}
	s.Damage, q.found = append(s.Damage, q.found...), nil
	return q.err
}

// Close implements winperf.Query.
func (q *query) Close() error {
	var err error
	left := q.source.line.Do(context.Background(), closeGrace, func(context.Context) { err = q.close() })
	switch {
	case errors.Is(left, winperf.ErrState):
		return nil // the closed source has closed the query
	case left != nil:
		return left
	}
	return err
}

func (q *query) close() error {
	if !q.open {
		return nil
	}
	q.open = false
	delete(q.source.queries, q)
	return failed("PdhCloseQuery", "", q.source.calls.closeQuery(q.handle))
}

// collect takes a sample. The status "no data" is not an error: PDH returns it if the only instance
// is missing.
func (q *query) collect() error {
	if len(q.columns) == 0 {
		return nil
	}
	err := q.source.calls.collect(q.handle)
	if errors.Is(err, winapi.PDH_NO_DATA) {
		return nil
	}
	return failed("PdhCollectQueryData", "", err)
}

// sample collects data and builds the block in buf's memory.
func (q *query) sample(buf []byte) ([]byte, error) {
	if !q.open {
		return buf[:0], fmt.Errorf("pdh: the query is closed: %w", winperf.ErrState)
	}
	if q.metadata {
		return q.builder.AppendDefinitions(buf[:0], q.source.calls.now())
	}
	if err := q.collect(); err != nil {
		return buf[:0], err
	}

	now := q.source.calls.now()
	q.builder.Begin()
	for i := range q.columns {
		if err := q.read(i); err != nil {
			return buf[:0], err
		}
	}
	return q.builder.Append(buf[:0], now), nil
}

// read reads the value of a column, or the values of its instances.
func (q *query) read(i int) error {
	c, calls := &q.columns[i], q.source.calls
	if !c.array {
		q.raw = winapi.PDH_RAW_COUNTER{}
		err := calls.rawValue(c.handle, &q.raw)
		switch {
		case absent(q.raw.CStatus) || absent(status(err)):
			q.builder.Set(i, pdhraw.Value{Absent: true})
		case err != nil && q.raw.CStatus != winapi.PDH_ACCESS_DENIED:
			return failed("PdhGetRawCounterValue", c.info.FullPath, err)
		default:
			q.builder.Set(i, value(&q.raw))
		}
		return nil
	}

	const function = "PdhGetRawCounterArray"
	buf, count, err := array(c.buf, func(buf winapi.Memory) (size, count uint32, err error) {
		return calls.rawArray(c.handle, buf)
	})
	c.buf = buf
	if absent(status(err)) {
		return nil
	}
	if err != nil {
		return failed(function, c.info.FullPath, err)
	}

	items, err := buf.RawItems(count)
	if err != nil {
		return failed(function, c.info.FullPath, err)
	}

	for k := range items {
		name, err := buf.NameBytes(items[k].Name)
		if err != nil {
			return failed(function, c.info.FullPath, err)
		}
		q.builder.Item(i, name, value(&items[k].RawValue))
	}
	return nil
}

// value converts a raw value of PDH.
func value(raw *winapi.PDH_RAW_COUNTER) pdhraw.Value {
	return pdhraw.Value{
		First: raw.FirstValue, Second: raw.SecondValue, Multi: raw.MultiCount,
		Valid:  raw.CStatus.Err() == nil,
		Denied: raw.CStatus == winapi.PDH_ACCESS_DENIED,
	}
}

// status returns the PDH status of an error, success for other errors.
func status(err error) winapi.PdhStatus {
	if err == nil {
		return 0
	}
	var s winapi.PdhStatus
	if errors.As(err, &s) {
		return s
	}
	return 0
}

// absent reports whether a status means that the instance or the object does not exist now.
func absent(s winapi.PdhStatus) bool {
	return s == winapi.PDH_CSTATUS_NO_INSTANCE || s == winapi.PDH_NO_DATA || s == winapi.PDH_CSTATUS_NO_OBJECT
}

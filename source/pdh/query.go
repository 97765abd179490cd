package pdh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counterset"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/winapi"
)

// column is one counter of a query: PDH's handle and what it stands for.
type column struct {
	handle    uintptr
	object    *object
	entry     *entry
	info      winapi.CounterInfo
	array     bool // of all instances that match
	frequency int64
	buf       winapi.Memory
}

// same tells whether two columns read the same.
func (c *column) same(o *column) bool {
	return c.entry == o.entry && c.object == o.object && c.array == o.array && c.info.HasInstance == o.info.HasInstance &&
		strings.EqualFold(c.info.Instance, o.info.Instance) && strings.EqualFold(c.info.Parent, o.info.Parent) && c.info.Index == o.info.Index
}

// instance is the one instance of a column that is no array: its name, and its
// number among equal ones.
func (c *column) instance() (name string, occurrence int) {
	name = c.info.Instance
	if c.info.Parent != "" {
		name = c.info.Parent + "/" + name
	}
	if i := int32(c.info.Index); i > 0 { // -1 is none
		occurrence = int(i)
	}
	return name, occurrence
}

// query is an open query of PDH. Its samples are made of raw values, in the form
// of counter sets.
type query struct {
	source *source
	round  call.Round
	run    func(context.Context) // takes a sample

	// Of the call on the source's line:
	buf       []byte
	err       error
	handle    uintptr
	open      bool
	metadata  bool
	formatted bool
	blocks    winperf.Blocks
	columns   []column
	groups    []group
	frequency int64 // of the machine's performance clock, 0 where no counter uses it
	trailer   []byte
}

func newQuery(s *source) *query {
	q := &query{source: s, formatted: s.opt.Formatted}
	q.run = func(context.Context) { q.buf, q.err = q.sample(q.buf) }
	return q
}

// group are the columns of one object.
type group struct {
	object  *object
	entries []*entry
	columns []int // in query.columns
}

// settle puts the columns of an object together.
func (q *query) settle() {
	at := map[*object]int{}
	for i := range q.columns {
		c := &q.columns[i]
		g, known := at[c.object]
		if !known {
			g = len(q.groups)
			at[c.object] = g
			q.groups = append(q.groups, group{object: c.object})
		}
		q.groups[g].columns = append(q.groups[g].columns, i)
		if !slices.Contains(q.groups[g].entries, c.entry) {
			q.groups[g].entries = append(q.groups[g].entries, c.entry)
		}
	}
	q.trailer, _ = counterset.AppendIdentifier(nil, counterset.Identifier{Instance: q.source.machine})
	for i, g := range q.groups {
		id := counterset.Identifier{Set: g.object.info.GUID, Counter: counterset.Any, InstanceID: counterset.Any, Index: uint32(i)}
		if !g.object.info.Single() {
			id.Instance = counterset.AllInstances
		}
		if q.metadata {
			id.Status = counterset.InstanceNotFound
		}
		q.trailer, _ = counterset.AppendIdentifier(q.trailer, id) // "*" can be written
	}
}

// Next implements winperf.Query. It collects what PDH has and asks for every
// value; unlike other sources' it allocates memory. A call that does not return is
// left behind with its buffer, which the block then has no longer.
func (q *query) Next(ctx context.Context, s *winperf.Sample) error {
	s.Release()
	if err := q.round.Take(ctx, q.source.line, 0); err != nil {
		return fmt.Errorf("pdh: %w", err)
	}
	b := s.Add(&q.blocks)
	q.buf, b.Bytes = b.Bytes, nil
	if err := q.round.Call(q.source.line, q.run); err != nil {
		s.Release()
		return fmt.Errorf("pdh: %w", err)
	}

	b.Bytes, q.buf = q.buf, nil
	if q.err != nil {
		s.Release()
		return q.err
	}
	b.Format, b.Schema = winperf.FormatV2, q.source.schema.Load()
	s.Schema = b.Schema
	return nil
}

// Close implements winperf.Query.
func (q *query) Close() error {
	var err error
	left := q.source.line.Do(context.Background(), closeGrace, func(context.Context) { err = q.close() })
	switch {
	case errors.Is(left, winperf.ErrState):
		return nil // the source is closed, and this with it
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

// collect takes a sample. That there is no data, which PDH says when the only
// instance is missing, is none of an error.
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

// sample collects and writes everything down in buf's memory.
func (q *query) sample(buf []byte) ([]byte, error) {
	if !q.open {
		return buf[:0], fmt.Errorf("pdh: the query is closed: %w", winperf.ErrState)
	}
	d := counterset.Data{}
	if !q.metadata {
		if err := q.collect(); err != nil {
			return buf[:0], err
		}
	}
	now := q.source.calls.now()
	d.Clocks.Time100ns, d.Clocks.PerfFreq = winperf.ToFiletime(now), q.frequency
	if !q.metadata {
		for i := range q.groups {
			a, err := q.answer(&q.groups[i])
			if err != nil {
				return buf[:0], err
			}
			d.Answers = append(d.Answers, a)
		}
	}
	b, err := counterset.AppendData(buf[:0], &d)
	if err != nil {
		return buf[:0], err
	}
	return append(b, q.trailer...), nil
}

// answer reads the values of one object.
func (q *query) answer(g *group) (counterset.Answer, error) {
	a := counterset.Answer{Form: counterset.FullSet}
	if g.object.info.Single() {
		a.Form = counterset.MultipleCounters
	}
	starts := map[*entry]int{}
	for _, e := range g.entries {
		starts[e] = len(a.Counters)
		a.Counters = e.ids(a.Counters)
	}
	rows := rowTable{width: len(a.Counters), at: map[rowKey]int{}}
	for _, i := range g.columns {
		c := &q.columns[i]
		if err := c.read(q.source.calls, func(name string, occurrence int, raw *winapi.PDH_RAW_COUNTER) {
			row := rows.row(name, occurrence)
			if raw.CStatus.Err() == nil {
				c.entry.values(row[starts[c.entry]:][:0], raw, c.frequency)
			}
		}); err != nil {
			return a, err
		}
	}
	a.Instances = rows.all
	switch {
	case a.Form == counterset.MultipleCounters && len(a.Instances) == 0:
		return counterset.Answer{Status: counterset.InstanceNotFound}, nil
	case a.Form == counterset.MultipleCounters:
		a.Instances = a.Instances[:1]
		a.Instances[0].InstanceName = counterset.InstanceName{}
	}
	return a, nil
}

// rowTable collects the values of instances that several counters have.
type rowTable struct {
	width int
	all   []counterset.Instance
	at    map[rowKey]int
}

type rowKey struct {
	name       string
	occurrence int
}

// row returns the values of an instance, all missing at first.
func (t *rowTable) row(name string, occurrence int) []counterset.Value {
	key := rowKey{strings.ToLower(name), occurrence}
	i, known := t.at[key]
	if !known {
		i = len(t.all)
		t.at[key] = i
		t.all = append(t.all, counterset.Instance{
			InstanceName: counterset.InstanceName{Name: strings.ReplaceAll(name, "\x00", ""), ID: counterset.Any},
			Values:       make([]counterset.Value, t.width),
		})
	}
	return t.all[i].Values
}

// read reads the values of a column. An instance that is not there has none.
func (c *column) read(calls *calls, each func(name string, occurrence int, raw *winapi.PDH_RAW_COUNTER)) error {
	if !c.array {
		var raw winapi.PDH_RAW_COUNTER
		err := calls.rawValue(c.handle, &raw)
		switch {
		case absent(raw.CStatus) || absent(status(err)):
			return nil
		case err != nil:
			return failed("PdhGetRawCounterValue", c.info.FullPath, err)
		}
		name, occurrence := c.instance()
		each(name, occurrence, &raw)
		return nil
	}
	buf, count, err := array(c.buf, func(buf winapi.Memory) (uint32, uint32, error) { return calls.rawArray(c.handle, buf) })
	c.buf = buf
	if err != nil {
		if absent(status(err)) {
			return nil
		}
		return failed("PdhGetRawCounterArray", c.info.FullPath, err)
	}
	items, err := buf.RawItems(count)
	if err != nil {
		return failed("PdhGetRawCounterArray", c.info.FullPath, err)
	}
	names := namer{}
	for i := range items {
		name, err := buf.Name(items[i].Name)
		if err != nil {
			return failed("PdhGetRawCounterArray", c.info.FullPath, err)
		}
		name, occurrence := names.split(name)
		each(name, occurrence, &items[i].RawValue)
	}
	return nil
}

// status is the PDH status of an error, success for any other.
func status(err error) winapi.PdhStatus {
	var s winapi.PdhStatus
	if errors.As(err, &s) {
		return s
	}
	return 0
}

// absent tells whether a status says that there is nothing now.
func absent(s winapi.PdhStatus) bool {
	return s == winapi.PDH_CSTATUS_NO_INSTANCE || s == winapi.PDH_NO_DATA || s == winapi.PDH_CSTATUS_NO_OBJECT
}

// namer tells the names of instances from the numbers that tell equal ones apart:
// a # with the number of equal names before is such a number, any other is part
// of the name.
type namer struct{ seen map[string]int }

func (n *namer) split(name string) (plain string, occurrence int) {
	if n.seen == nil {
		n.seen = map[string]int{}
	}
	plain = name
	if at := strings.LastIndexByte(name, '#'); at > 0 {
		number, err := strconv.Atoi(name[at+1:])
		if err == nil && number > 0 && n.seen[strings.ToLower(name[:at])] == number {
			plain = name[:at]
		}
	}
	key := strings.ToLower(plain)
	occurrence = n.seen[key]
	n.seen[key]++
	return plain, occurrence
}

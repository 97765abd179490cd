package cache

import (
	"context"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/provider"
)

// titleCache is the title index of the object "winperf cache", beside Windows' own and
// those of the hosts' objects. Its counters follow, each two further: they are fixed,
// and new ones go to the end.
const titleCache = 900_000

// meterCounters are the counters of the object, but for the age behind them.
var meterCounters = []struct {
	name, help string
	of         func(*ObjectStats) uint64
}{
	{
		"Hits/sec", "How often a measurement was given the object from the cache.",
		func(o *ObjectStats) uint64 { return o.Hits },
	},
	{
		"Misses/sec", "How often the cache could not give the object to a measurement that asked for it.",
		func(o *ObjectStats) uint64 { return o.Misses },
	},
	{
		"Banned/sec", "How often the object was refused because its newest sample had been given before.",
		func(o *ObjectStats) uint64 { return o.Banned },
	},
	{
		"Stale/sec", "How often the object was refused because it was too old.",
		func(o *ObjectStats) uint64 { return o.Stale },
	},
	{
		"Joined/sec", "How often a measurement was given the object from the query of another one.",
		func(o *ObjectStats) uint64 { return o.Joined },
	},
	{
		"Refreshes/sec", "How often a new sample of the object came into the cache.",
		func(o *ObjectStats) uint64 { return o.Refreshes },
	},
	{
		"Bans", "The measurements that have the newest sample of the object and are not given it again.",
		func(o *ObjectStats) uint64 { return uint64(o.Bans) },
	},
}

// meterObject declares the object. Its instances are the objects in the cache
// and _Total.
func meterObject() *provider.Object {
	o := &provider.Object{
		Index: titleCache, Name: "winperf cache", Multi: true,
		Help: "What the object cache between measurements and their source does, by object.",
	}
	add := func(name, help string, t counter.Type) {
		index := titleCache + 2*uint32(len(o.Counters)+1)
		o.Counters = append(o.Counters, provider.Counter{Index: index, Name: name, Help: help, Type: t})
	}

	for _, c := range meterCounters {
		t := counter.BulkCount
		if c.name == "Bans" {
			t = counter.RawCount
		}
		add(c.name, c.help, t)
	}
	add("Age", "Seconds since the newest sample of the object was taken.", counter.ElapsedTime)
	return o
}

// Meter returns a source of what the cache does: the object "winperf cache",
// with an instance for each object that was ever asked for or refreshed and
// one for their total. It can be read as long as the cache exists, also when
// that is closed. The age of an object of which no sample is kept is missing,
// and so is that of the total.
func (s *Source) Meter() (winperf.Source, error) {
	m := &meter{cache: s, object: meterObject()}
	layout, err := provider.NewLayout(m.object, nil)
	if err != nil {
		return nil, err
	}

	m.layout = layout
	d, err := provider.NewDispatcher(provider.Options{Machine: s.Describe().Machine, Clocks: s.clocks}, m)
	if err != nil {
		return nil, err
	}

	m.dispatcher = d
	m.schema = &winperf.Schema{Names: d.Names(), Interface: "winperf"}
	return m, nil
}

// filetimeFreq is how many units of FILETIME a second has.
const filetimeFreq = 10_000_000

// clocks are the clocks of a sample of the meter.
func (s *Source) clocks() counter.Clocks {
	return counter.Clocks{
		PerfTime: int64(s.clock.Elapsed() / 100), PerfFreq: filetimeFreq,
		Time100ns: winperf.ToFiletime(s.clock.Now()),
	}
}

// meter is the provider of the object, its session, and the source over it.
type meter struct {
	cache      *Source
	object     *provider.Object
	layout     *provider.Layout
	dispatcher *provider.Dispatcher
	schema     *winperf.Schema

	// Of the session, which is asked by one goroutine at a time.
	names  *nametable.Names
	source *winperf.Schema // that names are of
}

// Describe, Schema and Compile implement winperf.Source.
func (m *meter) Describe() winperf.Description {
	return winperf.Description{Machine: m.cache.Describe().Machine}
}

func (m *meter) Schema(context.Context) (*winperf.Schema, error) { return m.schema, nil }

func (m *meter) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	if err := selection.CheckMachine(sel.Paths, m.Describe().Machine); err != nil {
		return nil, err
	}
	return &meterQuery{meter: m, query: provider.Query{Global: true, Metadata: sel.Metadata}}, nil
}

// Name, Objects, Open and Close implement provider.Provider and its session.
func (m *meter) Name() string                                   { return "cache" }
func (m *meter) Objects() []*provider.Object                    { return []*provider.Object{m.object} }
func (m *meter) Open(context.Context) (provider.Session, error) { return session{m}, nil }
func (m *meter) Close() error                                   { return m.dispatcher.Close() }

type session struct{ *meter }

func (s session) Close() error { return nil }

// Collect implements provider.Session.
func (s session) Collect(ctx context.Context, q *provider.Query, w *provider.Writer) error {
	if q.Metadata {
		w.Definitions(s.layout)
		return nil
	}

	now := s.cache.clock.Now()
	out := w.Object(s.layout)
	out.Clock(winperf.ToFiletime(now), filetimeFreq)

	names, objects := s.titles(ctx), s.cache.Stats().Objects
	total := make([]uint64, len(meterCounters))
	for i := range objects {
		for k, c := range meterCounters {
			total[k] += c.of(&objects[i])
		}
	}

	// The total comes first: no published object of that name can take its place.
	out.Instance(provider.Instance{Name: "_Total"})
	for k, n := range total {
		out.Set(k, n)
	}

	for i := range objects {
		o := &objects[i]
		out.Instance(provider.Instance{Name: objectName(names, o.ObjectID)})
		for k, c := range meterCounters {
			out.Set(k, c.of(o))
		}
		if !o.Taken.IsZero() {
			out.Set(len(meterCounters), uint64(winperf.ToFiletime(now.Add(-o.Age))))
		}
	}
	out.End()
	return nil
}

// titles are the names of the source's objects, as far as it tells them.
func (s session) titles(ctx context.Context) *nametable.Names {
	schema, err := s.cache.Schema(ctx)
	if err == nil && (schema != s.source || s.names == nil) {
		s.meter.names, _ = nametable.FromSchema(schema) // measurements of the source tell the damage
		s.meter.source = schema
	}
	return s.meter.names
}

// objectName is the name of an object, or its GUID.
func objectName(names *nametable.Names, id winperf.ObjectID) string {
	switch {
	case id.Index == 0:
		return id.GUID.String()
	case names == nil:
		return fmt.Sprintf("#%d", id.Index)
	}
	return names.Title(id.Index)
}

// meterQuery takes samples of the meter.
type meterQuery struct {
	meter *meter
	query provider.Query
}

func (q *meterQuery) Next(ctx context.Context, s *winperf.Sample) (err error) {
	b := s.Begin()
	s.Schema = q.meter.schema
	b.Format, b.Schema = winperf.FormatV1, s.Schema
	if b.Bytes, err = q.meter.dispatcher.Collect(ctx, &q.query, b.Bytes[:0]); err != nil {
		s.Clear()
	}
	return err
}

func (q *meterQuery) Close() error { return nil }

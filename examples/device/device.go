package main

import (
	"context"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
)

// Title indices of the object and its counters.
const (
	pumpTitle    = 90000
	strokesTitle = 90002
	levelTitle   = 90004
)

// station is a source: a station of pumps. read returns their registers.
type station struct {
	name   string
	read   func(ctx context.Context) ([]pump, error)
	now    func() time.Time
	schema *winperf.Schema
}

// pump is the registers of a pump: its number of strokes, and the level of the liquid in millimetres.
type pump struct {
	name    string
	strokes uint64
	level   uint64
}

// newStation returns a source of the pumps that read returns, at the times that now returns.
func newStation(
	name string, read func(context.Context) ([]pump, error), now func() time.Time,
) (*station, error) {
	names, err := nametable.FromMap(nametable.Mixed, map[uint32]string{
		pumpTitle: "Pump", strokesTitle: "Strokes/sec", levelTitle: "Level",
	})
	if err != nil {
		return nil, err
	}
	schema := &winperf.Schema{
		Names:     []winperf.NameTable{names.NameTable(nametable.English)},
		Interface: "station",
	}
	return &station{name: name, read: read, now: now, schema: schema}, nil
}

// Compile implements winperf.Source. The device returns all its registers at once, so the query ignores
// the selection: other values are omitted later.
func (s *station) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	return &query{s}, nil
}

// Schema implements winperf.Source.
func (s *station) Schema(context.Context) (*winperf.Schema, error) { return s.schema, nil }

// Describe implements winperf.Source.
func (s *station) Describe() winperf.Description { return winperf.Description{Machine: s.name} }

// Close implements winperf.Source.
func (s *station) Close() error { return nil }

type query struct{ *station }

// Next implements winperf.Query: it reads the registers into a performance data block.
func (q *query) Next(ctx context.Context, sample *winperf.Sample) error {
	pumps, err := q.read(ctx)
	if err != nil {
		return err
	}
	bytes, err := q.block(pumps)
	if err != nil {
		return err
	}
	*sample = *winperf.Raw{Format: winperf.FormatV1, Bytes: bytes, Schema: q.schema}.Sample()
	return nil
}

func (q *query) block(pumps []pump) ([]byte, error) {
	object := perfdata.Object{Title: pumpTitle, Detail: 100, DefaultCounter: -1, Counters: []perfdata.Counter{
		perfdata.NewCounter(strokesTitle, counter.BulkCount),
		perfdata.NewCounter(levelTitle, counter.LargeRawCount),
	}}
	object.Layout(false)
	for i, p := range pumps {
		if _, err := object.AddInstance(p.name); err != nil {
			return nil, err
		}
		for k, value := range []uint64{p.strokes, p.level} {
			if err := object.SetValue(i, k, value); err != nil {
				return nil, err
			}
		}
	}

	now := q.now()
	block := perfdata.Block{
		DefaultObject: -1,
		PerfTime:      now.UnixNano(), PerfFreq: int64(time.Second), Time100ns: winperf.ToFiletime(now),
		Objects: []perfdata.Object{object},
	}
	if err := block.SetMachine(q.name); err != nil {
		return nil, err
	}
	return block.Encode()
}

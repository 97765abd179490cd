package control

import (
	"context"
	"fmt"
	"sync"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
)

// fakeSource has \System\Ticks, which is the number of the sample, and \System\Work, ten
// times that.
type fakeSource struct {
	schema *winperf.Schema
	before func() // each sample; nil is nothing

	mu    sync.Mutex
	taken int
}

// samples is how many samples were begun.
func (f *fakeSource) samples() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.taken
}

func newFakeSource() *fakeSource {
	table, err := nametable.FromMap(nametable.Counter, map[uint32]string{2: "System", 6: "Ticks", 8: "Work"})
	if err != nil {
		panic(err)
	}
	return &fakeSource{schema: &winperf.Schema{Names: []winperf.NameTable{table.NameTable(nametable.English)}}}
}

func (f *fakeSource) Describe() winperf.Description                   { return winperf.Description{Machine: "HOST"} }
func (f *fakeSource) Schema(context.Context) (*winperf.Schema, error) { return f.schema, nil }
func (f *fakeSource) Close() error                                    { return nil }
func (f *fakeSource) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	return &fakeQuery{f}, nil
}

type fakeQuery struct{ *fakeSource }

func (q *fakeQuery) Next(_ context.Context, s *winperf.Sample) error {
	q.mu.Lock()
	q.taken++
	n := q.taken
	q.mu.Unlock()
	if q.before != nil {
		q.before()
	}
	text := fmt.Sprintf("block name=\"HOST\" perftime=%d perffreq=1000 time100ns=%d\n"+
		"object 2 form=single\n counter 6 PERF_COUNTER_RAWCOUNT\n counter 8 PERF_COUNTER_BULK_COUNT\n values : %d %d\n",
		n*1000, int64(133_485_408_000_000_000)+int64(n)*10_000_000, n, 10*n)
	b, err := perfdata.ParseText([]byte(text))
	if err != nil {
		return err
	}
	data, err := b.Encode()
	if err != nil {
		return err
	}
	*s = *winperf.Raw{Format: winperf.FormatV1, Bytes: data, Schema: q.schema}.Sample()
	return nil
}

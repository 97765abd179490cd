package typed_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
)

// texts are samples in the text form of package perfdata, served one after the
// other.
type texts struct {
	samples []string
	schema  *winperf.Schema
	more    map[string]string // of further machines, in parts of their own
	taken   int
	open    int // queries
}

// serve makes a source of samples under English names.
func serve(names map[uint32]string, samples ...string) *texts {
	table, err := nametable.FromMap(nametable.Counter, names)
	if err != nil {
		panic(err)
	}
	return &texts{samples: samples, schema: &winperf.Schema{Names: []winperf.NameTable{table.NameTable(nametable.English)}}}
}

func (s *texts) Describe() winperf.Description                   { return winperf.Description{Machine: "HOST"} }
func (s *texts) Schema(context.Context) (*winperf.Schema, error) { return s.schema, nil }
func (s *texts) Close() error                                    { return nil }

func (s *texts) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	s.open++
	return textQuery{s}, nil
}

type textQuery struct{ *texts }

func (q textQuery) Close() error {
	q.open--
	return nil
}

func (q textQuery) Next(_ context.Context, s *winperf.Sample) error {
	if q.taken == len(q.samples) {
		return io.EOF
	}
	err := perftest.Fill(s, func(raw *winperf.Raw) error { return q.fill(raw, "HOST", q.samples[q.taken]) })
	for _, machine := range slices.Sorted(maps.Keys(q.more)) {
		raw := winperf.Raw{}
		if err := q.fill(&raw, machine, q.more[machine]); err != nil {
			return err
		}
		s.Parts = append(s.Parts, winperf.Part{Name: machine, Block: raw.Block()})
	}
	q.taken++
	return err
}

func (q textQuery) fill(raw *winperf.Raw, machine, text string) error {
	// One second apart.
	head := fmt.Sprintf("block name=%q perftime=%d perffreq=1000 time100ns=%d\n", machine, q.taken*1000, 133500000000000000+int64(q.taken)*1e7)
	b, err := perfdata.ParseText([]byte(head + text))
	if err != nil {
		return err
	}
	raw.Format, raw.Schema = winperf.FormatV1, q.schema
	raw.Bytes, err = b.Encode()
	return err
}

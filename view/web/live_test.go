package web_test

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/perfdata"
)

type countedQuery struct{ c *counted }

// Next implements winperf.Query: the counter Value of the object Process counts the samples.
func (q *countedQuery) Next(ctx context.Context, s *winperf.Sample) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	n := q.c.samples.Add(1)
	if n > 1_000_000 {
		return io.EOF
	}
	now := winperf.ToFiletime(time.Now())
	block, err := perfdata.ParseText(fmt.Appendf(nil, `block name="HOST" perftime=%d perffreq=10000000 time100ns=%d
object 4
  counter 24 PERF_COUNTER_RAWCOUNT
  instance %q : %d
`, now, now, hostile+"\u0085", n))
	if err != nil {
		return err
	}
	bytes, err := block.Encode()
	if err != nil {
		return err
	}
	return perftest.Fill(s, func(raw *winperf.Raw) error {
		*raw = winperf.Raw{Format: winperf.FormatV1, Bytes: bytes, Schema: names}
		return nil
	})
}

func (q *countedQuery) Close() error { q.c.open.Add(-1); return nil }

var names = &winperf.Schema{Interface: "registry", Names: []winperf.NameTable{{
	Language: "009", Counter: encode("4\x00Process\x0024\x00Value\x00\x00"),
}}}

// encode returns text in UTF-16LE.
func encode(text string) []byte {
	var b []byte
	for _, r := range text {
		b = append(b, byte(r), byte(r>>8))
	}
	return b
}

package frame_test

import (
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/perfdata"
)

// block makes a block of its text form.
func block(tb testing.TB, text string) []byte {
	tb.Helper()
	b, err := perfdata.ParseText([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	raw, err := b.Encode()
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

// take puts a block into a frame as a query would and decodes it.
func take(tb testing.TB, p *frame.Pool, b []byte, before frame.Frame) frame.Frame {
	tb.Helper()
	f := p.Get()
	raw := f.Raw()
	raw.Format, raw.Bytes = winperf.FormatV1, append(raw.Bytes[:0], b...)
	if err := f.Decode(before); err != nil {
		tb.Fatal(err)
	}
	return f
}

// pair decodes two text forms and returns the pair of the first object; an
// empty older text is no sample.
func pair(tb testing.TB, older, newer string, opt counter.Options) (*frame.Pair, frame.Frame) {
	tb.Helper()
	var pool frame.Pool
	prev := frame.Frame{}
	if older != "" {
		prev = take(tb, &pool, block(tb, older), frame.Frame{})
	}
	cur := take(tb, &pool, block(tb, newer), prev)
	var ck frame.Cooker
	ck.Set(prev, cur, opt)
	return ck.Object(cur.Object(0)), cur
}

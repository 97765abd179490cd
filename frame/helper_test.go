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

// take takes a block as a query would, decodes it and keeps the frame.
func take(tb testing.TB, p *frame.Pool, b []byte, before frame.Frame) frame.Frame {
	tb.Helper()
	f := new(taker).take(tb, p, b, before)
	keep(tb, f)
	return f
}

func keep(tb testing.TB, f frame.Frame) {
	tb.Helper()
	if err := f.Keep(); err != nil {
		tb.Fatal(err)
	}
}

// taker takes blocks in the memory of three samples.
type taker struct {
	samples [3]winperf.Sample
	taken   int
	shared  bool
}

func (q *taker) take(tb testing.TB, p *frame.Pool, b []byte, before frame.Frame) frame.Frame {
	tb.Helper()
	sample := &q.samples[q.taken%len(q.samples)]
	q.taken++
	block := sample.Begin()
	block.Format, block.Bytes = winperf.FormatV1, append(block.Bytes[:0], b...)
	if q.shared {
		block.Keep()
	}
	f, err := p.Decode(sample, before)
	if err == nil {
		_, err = block.Decoded()
	}
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// blockOf returns the block of a frame that has one.
func blockOf(f frame.Frame) *winperf.Block {
	for b := range f.Blocks() {
		return b
	}
	return nil
}

// piece are some objects of a frame.
type piece struct {
	frame.Frame
	only []uint32
}

// join makes a sample of pieces of frames and decodes it.
func join(tb testing.TB, p *frame.Pool, before frame.Frame, pieces ...piece) frame.Frame {
	tb.Helper()
	var s winperf.Sample
	for _, piece := range pieces {
		part := winperf.Part{Block: blockOf(piece.Frame)}
		for _, title := range piece.only {
			part.Only = append(part.Only, winperf.ObjectID{Index: title})
		}
		s.Parts = append(s.Parts, part)
	}
	f, err := p.Decode(&s, before)
	if err != nil {
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
	must(tb, ck.Set(prev, cur, opt))
	return ck.Object(cur.Object(0)), cur
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

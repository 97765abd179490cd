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

// take takes a block as a query would and decodes it.
func take(tb testing.TB, p *frame.Pool, b []byte, before frame.Frame) frame.Frame {
	tb.Helper()
	return new(taker).take(tb, p, b, before)
}

// taker takes blocks in the same memory again and again.
type taker struct {
	blocks winperf.Blocks
	sample winperf.Sample
	shared bool
}

func (q *taker) take(tb testing.TB, p *frame.Pool, b []byte, before frame.Frame) frame.Frame {
	tb.Helper()
	block := q.sample.Begin(&q.blocks)
	block.Format, block.Bytes, block.Shared = winperf.FormatV1, append(block.Bytes[:0], b...), q.shared
	f, err := p.Decode(&q.sample, before)
	if err == nil {
		_, _, err = block.Outcome()
	}
	if err != nil {
		tb.Fatal(err)
	}
	q.sample.Release()
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
		part.Block.Retain()
		s.Parts = append(s.Parts, part)
	}
	defer s.Release()
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
	ck.Set(prev, cur, opt)
	return ck.Object(cur.Object(0)), cur
}

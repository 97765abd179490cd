package frame_test

import (
	"errors"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
)

// TestFrameOfRefilledSample shows that a frame is refused as soon as the sample that it was decoded of is filled again.
func TestFrameOfRefilledSample(t *testing.T) {
	var pool frame.Pool
	var s winperf.Sample
	b := s.Begin()
	b.Format, b.Bytes = winperf.FormatV1, append(b.Bytes, block(t, small)...)
	f, err := pool.Decode(&s, frame.Frame{})
	if err != nil {
		t.Fatal(err)
	}
	s.Begin()
	if err := f.Keep(); !errors.Is(err, winperf.ErrState) {
		t.Errorf("keep: %v, want ErrState", err)
	}
}

// TestOlderBlockIsInUse shows that the older block of an independent part is in use as long as a valid frame is cooked
// against it.
func TestOlderBlockIsInUse(t *testing.T) {
	newBlock := func() *winperf.Block {
		return winperf.Raw{Format: winperf.FormatV1, Bytes: block(t, small)}.Block()
	}
	var pool frame.Pool
	var before frame.Frame
	older, newer := newBlock(), newBlock()
	for _, independent := range []*winperf.Block{older, newer, newer, newer} {
		s := winperf.Sample{Parts: []winperf.Part{{Block: newBlock()}, {Block: independent, Independent: true}}}
		f, err := pool.Decode(&s, before)
		if err != nil {
			t.Fatal(err)
		}
		before = f
	}
	if !pool.InUse(older) || !pool.InUse(newer) || pool.InUse(newBlock()) {
		t.Errorf("in use: older block %v, newer one %v, another one %v; want only the first two",
			pool.InUse(older), pool.InUse(newer), pool.InUse(newBlock()))
	}
}

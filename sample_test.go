package winperf_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winperf/winperf"
)

// contents are what a reader made of a block, and how often.
type contents struct{ made int }

// A block is decoded once. Its memory serves the next sample, unless it was kept.
func TestBlocks(t *testing.T) {
	var s winperf.Sample
	b := s.Begin()
	b.Format, b.Bytes = winperf.FormatV1, append(b.Bytes, "first"...)
	decode := func(_ *winperf.Block, old any) (any, error) {
		if old == nil {
			old = &contents{}
		}
		old.(*contents).made++
		return old, winperf.ErrBadData
	}
	if c, err := b.Decoded(); c != nil || err != nil {
		t.Error("decoded before Decode")
	}
	for range 3 {
		if c, err := b.Decode(decode); c.(*contents).made != 1 || !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("made %+v, %v", c, err)
		}
	}
	if _, err := b.Decoded(); err == nil || string(b.Bytes) != "first" {
		t.Errorf("%q, %v", b.Bytes, err)
	}

	number := b.Number()
	if again := s.Begin(); again != b || len(again.Bytes) != 0 || again.Format != winperf.FormatNone || again.Number() == number {
		t.Errorf("%v does not serve again as it was", again)
	}
	if c, _ := b.Decode(decode); c.(*contents).made != 2 {
		t.Errorf("contents %+v", c)
	}

	b.Bytes = append(b.Bytes, "kept"...)
	s.Keep()
	copied, number := s, b.Number()
	other := s.Begin()
	other.Bytes = append(other.Bytes, "other"...)
	if other == b || string(copied.Parts[0].Block.Bytes) != "kept" || b.Number() != number || other.Number() == number {
		t.Errorf("a block that was kept is used again: %q", copied.Parts[0].Block.Bytes)
	}
}

// Several readers of a block may keep it: the race detector watches.
func TestKeepBlock(t *testing.T) {
	var s winperf.Sample
	b := s.Begin()
	b.Bytes = append(b.Bytes, "kept"...)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			b.Keep()
			if !b.Kept() || string(b.Bytes) != "kept" {
				t.Errorf("%q, kept %v", b.Bytes, b.Kept())
			}
		})
	}
	wait.Wait()
	if s.Begin() == b {
		t.Error("a block that was kept is used again")
	}
}

// TestDecodeOnce: goroutines that decode a block at the same time get one result.
func TestDecodeOnce(t *testing.T) {
	b := winperf.Raw{Bytes: []byte("block")}.Block()
	var calls atomic.Int32
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			got, err := b.Decode(func(*winperf.Block, any) (any, error) { return calls.Add(1), nil })
			if got != int32(1) || err != nil {
				t.Errorf("result %v, %v, want that of the first call", got, err)
			}
		})
	}
	wait.Wait()
}

// Memory is there for blocks that are a little larger than the last one, also while that
// is read, and was kept.
func TestBlocksGrow(t *testing.T) {
	for _, keep := range []bool{false, true} {
		samples := make([]winperf.Sample, 4)
		for i, size := range []int{100_000, 101_000, 102_000, 300_000} {
			if i > 0 {
				samples[i].Like(&samples[i-1])
			}
			b := samples[i].Begin()
			b.Bytes = append(b.Bytes, make([]byte, size)...)
			if room, grew := b.Grew(); i > 0 && grew != (size == 300_000) {
				t.Errorf("%d bytes in a room of %d: grew %v", size, room, grew)
			}
			if keep {
				samples[i].Keep()
			}
		}
	}
}

// A sample inside another one grows with the last one at its place.
func TestLikeWithin(t *testing.T) {
	var last, next winperf.Sample
	last.Within(1).Begin()
	b := last.Within(1).Begin()
	b.Bytes = append(b.Bytes, make([]byte, 100_000)...)
	next.Like(&last)
	if b := next.Within(1).Begin(); cap(b.Bytes) < 100_000 {
		t.Errorf("room for %d bytes", cap(b.Bytes))
	}
}

// A query over several others fills samples within one.
func TestSampleWithin(t *testing.T) {
	var s winperf.Sample
	first, second := s.Within(0), s.Within(1)
	a, b := first.Begin(), second.Begin()
	s.Parts = append(s.Parts, first.Parts[0], second.Parts[0])
	if s.Keep(); !s.Kept() {
		t.Error("the sample is not kept")
	}
	if s.Clear(); s.Kept() || len(s.Parts) != 0 {
		t.Errorf("the next sample is kept or has %d parts", len(s.Parts))
	}
	if s.Within(0) != first || first.Begin() == a || second.Begin() == b {
		t.Error("a block that was kept is used again")
	}
}

func TestSampleRaw(t *testing.T) {
	no := errors.New("no answer")
	for name, tt := range map[string]struct {
		s    winperf.Sample
		want error
	}{
		"one":     {*winperf.Raw{Bytes: []byte("x")}.Sample(), nil},
		"cooked":  {*winperf.Raw{Format: winperf.FormatValues}.Sample(), winperf.ErrNotSupported},
		"none":    {winperf.Sample{}, winperf.ErrNotSupported},
		"two":     {winperf.Sample{Parts: make([]winperf.Part, 2)}, winperf.ErrNotSupported},
		"failed":  {winperf.Sample{Parts: []winperf.Part{{Err: no}}}, no},
		"not yet": {winperf.Sample{Parts: make([]winperf.Part, 1)}, winperf.ErrState},
	} {
		if raw, err := tt.s.Raw(); !errors.Is(err, tt.want) || (raw != nil) != (tt.want == nil) {
			t.Errorf("%s: %v, %v", name, raw, err)
		}
	}
}

func TestWithin(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	for _, tt := range []struct {
		begin, end, t time.Time
		want          bool
	}{
		{time.Time{}, time.Time{}, at(5), true}, {at(5), at(5), at(5), true}, {at(6), time.Time{}, at(5), false},
		{time.Time{}, at(4), at(5), false}, {at(1), at(9), at(5), true}, {at(6), at(9), time.Time{}, true},
	} {
		sel := winperf.Selection{Begin: tt.begin, End: tt.end}
		if got := sel.Within(tt.t); got != tt.want {
			t.Errorf("%v between %v and %v: %v", tt.t, tt.begin, tt.end, got)
		}
	}
}

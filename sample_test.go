package winperf_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf"
)

// contents are what a reader made of a block, and how often it was forgotten.
type contents struct{ made, forgotten int }

func (c *contents) Forget() { c.forgotten++ }

// A block is decoded once for all who hold it, and serves again when nobody does.
func TestBlocks(t *testing.T) {
	var blocks winperf.Blocks
	var s, other winperf.Sample
	b := s.Begin(&blocks)
	b.Format, b.Bytes = winperf.FormatV1, append(b.Bytes, "first"...)
	made := 0
	decode := func(_ *winperf.Block, old winperf.Contents) (winperf.Contents, error) {
		made++
		if old == nil {
			old = &contents{}
		}
		old.(*contents).made++
		return old, winperf.ErrBadData
	}
	if done, _, _ := b.Outcome(); done {
		t.Error("decoded by nobody")
	}
	b.Retain()
	other.Parts = append(other.Parts, winperf.Part{Block: b})
	for range 3 {
		if c, err := b.Decode(decode); c.(*contents).made != 1 || !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("made %+v, %v", c, err)
		}
	}

	s.Release()
	if done, c, err := b.Outcome(); !done || err == nil || c.(*contents).forgotten != 0 || string(b.Bytes) != "first" {
		t.Error("a block that is held was given back")
	}
	other.Release()
	if again := s.Begin(&blocks); again != b || len(again.Bytes) != 0 || again.Format != winperf.FormatNone {
		t.Errorf("%v does not serve again as it was", again)
	}
	if c, _ := b.Decode(decode); made != 2 || c.(*contents).made != 2 || c.(*contents).forgotten != 1 {
		t.Errorf("decoded %d times, contents %+v", made, c)
	}
	s.Release()
	if err := b.Release(); !errors.Is(err, winperf.ErrReleased) {
		t.Errorf("one release too many: %v", err)
	}
}

// Memory is there for blocks that are a little larger than the last one, also while that
// is held.
func TestBlocksGrow(t *testing.T) {
	var blocks winperf.Blocks
	held := make([]winperf.Sample, 4)
	for i, size := range []int{100_000, 101_000, 102_000, 300_000} {
		b := held[i].Begin(&blocks)
		b.Bytes = append(b.Bytes, make([]byte, size)...)
		_, _ = b.Decode(func(*winperf.Block, winperf.Contents) (winperf.Contents, error) { return nil, nil })
		if room, grew := b.Grew(); i > 0 && grew != (size == 300_000) {
			t.Errorf("%d bytes in a room of %d: grew %v", size, room, grew)
		}
	}
}

// Many goroutines hold blocks of one pool: nobody's bytes are another's.
func TestBlocksShared(t *testing.T) {
	var blocks winperf.Blocks
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			var s winperf.Sample
			for range 500 {
				b := s.Begin(&blocks)
				for range 64 {
					b.Bytes = append(b.Bytes, byte(n))
				}
				b.Retain()
				s.Release()
				for _, is := range b.Bytes {
					if is != byte(n) {
						t.Errorf("byte %d in a block of %d", is, n)
					}
				}
				_ = b.Release()
			}
		})
	}
	all.Wait()
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

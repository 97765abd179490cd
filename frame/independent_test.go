package frame_test

import (
	"fmt"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// An independent part is cooked against its own last block, also where the others
// have another number of parts than before, as those of a cache have.
func TestPartBesideMoves(t *testing.T) {
	var pool frame.Pool
	sample := func(head string, a, b int) *winperf.Block {
		return winperf.Raw{Format: winperf.FormatV1, Bytes: block(t, head+fmt.Sprintf(twoObjects, a, b))}.Block()
	}
	// Those of the others hold the object 230 as well, which came along unasked.
	early, late := sample(at0, 0, 1000), sample(at1, 100, 1100)
	first, second := sample(at0, 0, 0), sample(at1, 0, 100)
	only := func(title uint32) []winperf.ObjectID { return []winperf.ObjectID{{Index: title}} }
	beside := func(b *winperf.Block) winperf.Part {
		return winperf.Part{Block: b, Independent: true, Only: only(230)}
	}
	none := []winperf.ObjectID{}
	samples := []winperf.Sample{
		{Parts: []winperf.Part{{Block: early, Only: only(2)}, beside(first)}},
		{Parts: []winperf.Part{{Block: early, Only: none}, {Block: late, Only: only(2)}, beside(second)}},
		{Parts: []winperf.Part{{Block: late, Only: only(2)}, beside(second)}},
	}
	want := []string{
		"[2()10=no_previous 230(a)12=no_previous 230(b)12=no_previous 230(a)14=1 230(b)14=2]",
		"[2()10=50 230(a)12=50 230(b)12=0 230(a)14=1 230(b)14=2]",
		"[2()10=invalid_data 230(a)12=50 230(b)12=0 230(a)14=1 230(b)14=2]",
	}
	var ck frame.Cooker
	var before frame.Frame
	for n := range samples {
		f, err := pool.Decode(&samples[n], before)
		if err != nil {
			t.Fatal(err)
		}
		must(t, ck.Set(before, f, counter.Options{}))
		if got := fmt.Sprint(values(&ck, f)); got != want[n] {
			t.Errorf("sample %d: %s, want %s", n, got, want[n])
		}
		before = f
	}
}

// Objects that are sampled independently may come in other parts than before, each
// is cooked against its own last other block all the same, and none is held for ever.
func TestObjectBesideMoves(t *testing.T) {
	var pool frame.Pool
	sample := func(head string, a, b int) *winperf.Block {
		return winperf.Raw{Format: winperf.FormatV1, Bytes: block(t, head+fmt.Sprintf(twoObjects, a, b))}.Block()
	}
	blocks := []*winperf.Block{sample(at0, 0, 0), sample(at1, 100, 100), sample(at2, 400, 400)}
	other := winperf.Part{Block: sample(at0, 0, 0), Only: []winperf.ObjectID{}}
	beside := func(n int, titles ...uint32) winperf.Part {
		p := winperf.Part{Block: blocks[n], Independent: true}
		for _, title := range titles {
			p.Only = append(p.Only, winperf.ObjectID{Index: title})
		}
		return p
	}
	var ck frame.Cooker
	var before frame.Frame
	for n, tt := range []struct {
		parts []winperf.Part
		want  string
	}{
		{
			[]winperf.Part{beside(0, 2), beside(1, 230)},
			"[2()10=no_previous 230(a)12=no_previous 230(b)12=no_previous 230(a)14=1 230(b)14=2]",
		},
		{[]winperf.Part{beside(2, 2, 230)}, "[2()10=100 230(a)12=150 230(b)12=0 230(a)14=1 230(b)14=2]"},
		{[]winperf.Part{beside(2, 230), beside(2, 2)}, "[230(a)12=150 230(b)12=0 230(a)14=1 230(b)14=2 2()10=100]"},
	} {
		s := winperf.Sample{Parts: append([]winperf.Part{other}, tt.parts...)}
		f, err := pool.Decode(&s, before)
		if err != nil {
			t.Fatal(err)
		}
		must(t, ck.Set(before, f, counter.Options{}))
		if got := fmt.Sprint(values(&ck, f)); got != tt.want {
			t.Errorf("sample %d: %s, want %s", n, got, tt.want)
		}
		before = f
	}
	if !pool.InUse(blocks[len(blocks)-1]) {
		t.Error("the last block is in no use")
	}
	for range 2 {
		if _, err := pool.Decode(&winperf.Sample{}, frame.Frame{}); err != nil {
			t.Fatal(err)
		}
	}
	for i, b := range blocks {
		if pool.InUse(b) {
			t.Errorf("block %d is in use by no valid frame", i)
		}
	}
}

// An object that was not sampled again keeps its number. Any other object has one of its own, also in the
// same memory.
func TestObjectNumber(t *testing.T) {
	var pool frame.Pool
	bytes := block(t, at0+fmt.Sprintf(twoObjects, 0, 0))
	background := winperf.Part{Block: winperf.Raw{Format: winperf.FormatV1, Bytes: bytes}.Block(), Independent: true}
	var samples [2]winperf.Sample
	var before frame.Frame
	last, seen := []uint64{0, 0}, map[uint64]bool{0: true}
	for n := range 4 {
		s := &samples[n%2]
		b := s.Begin()
		b.Format, b.Bytes = winperf.FormatV1, append(b.Bytes, bytes...)
		s.Parts = append(s.Parts, background)
		f, err := pool.Decode(s, before)
		if err != nil || f.NumObjects() != 4 {
			t.Fatalf("%d objects, error %v", f.NumObjects(), err)
		}

		for i, o := range []frame.Object{f.Object(0), f.Object(1)} {
			if seen[o.Number()] {
				t.Errorf("sample %d: object %d has the number %d of another one", n, i, o.Number())
			}
			seen[o.Number()] = true
		}
		now := []uint64{f.Object(2).Number(), f.Object(3).Number()}
		if n > 0 && (now[0] != last[0] || now[1] != last[1]) {
			t.Errorf("sample %d: numbers %d of objects with the numbers %d", n, now, last)
		}
		if n == 0 && (seen[now[0]] || seen[now[1]] || now[0] == now[1]) {
			t.Errorf("numbers %d", now)
		}
		seen[now[0]], seen[now[1]] = true, true
		last, before = now, f
	}
}

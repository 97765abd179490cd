package v1

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/winapi"
)

// Offsets in PERF_DATA_BLOCK, and the size of PERF_OBJECT_TYPE (winperf.h).
const (
	atTotal      = 20
	atHeader     = 24
	atObjects    = 28
	objectHeader = 64
)

// damaged is a machine that makes blocks of the objects asked for, in which
// the lengths of some are wrong.
type damaged struct {
	*machine
	objects []int
	broken  map[int]bool
	always  bool // broken objects come along with every answer
	gap     bool // there are bytes behind broken objects instead
	endless bool // no buffer is large enough for broken objects
	sizes   int  // of the queries so far
}

func (d *damaged) query(ctx context.Context, key Key, name []uint16, buf []byte, v *Value) error {
	asked := string(utf16.Decode(name[:len(name)-1]))
	if key.Root != Data || strings.HasPrefix(asked, "Counter") || strings.HasPrefix(asked, "Help") {
		return d.machine.query(ctx, key, name, buf, v)
	}
	d.note(asked)
	d.sizes++
	var titles []int
	for _, o := range d.objects {
		listed := slices.Contains(strings.Fields(asked), strconv.Itoa(o))
		class := o == costly && asked == "Costly" || o != costly && asked == "Global"
		if class || listed || d.always && d.broken[o] {
			titles = append(titles, o)
		}
	}
	if d.endless && slices.ContainsFunc(titles, func(o int) bool { return d.broken[o] }) {
		return winapi.ERROR_MORE_DATA
	}
	b := block(titles...)
	at := binary.LittleEndian.Uint32(b[atHeader:])
	for _, o := range titles {
		length := binary.LittleEndian.Uint32(b[at:])
		switch {
		case d.broken[o] && d.gap:
			b = slices.Insert(b, int(at+length), make([]byte, 4096)...)
			binary.LittleEndian.PutUint32(b[atTotal:], uint32(len(b)))
			length += 4096
		case d.broken[o]:
			binary.LittleEndian.PutUint32(b[at:], 8)
		}
		at += length
	}
	return answer{typ: winapi.REG_BINARY, b: b}.into(buf, v)
}

// costly is the title index of the costly object.
const costly = 900

func newDamaged(broken ...int) *damaged {
	d := &damaged{machine: system(), objects: []int{2, 4, 230, 238, costly}, broken: map[int]bool{}}
	for _, o := range broken {
		d.broken[o] = true
	}
	return d
}

func (d *damaged) start(t *testing.T) *Source {
	keys := d.keys()
	keys.Query = d.query
	s, err := Open(t.Context(), keys, Options{Machine: "HOST", MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// objectsOf takes a sample and returns its objects and what damage is told.
func objectsOf(t *testing.T, q winperf.Query) (titles []uint32, damage []error) {
	t.Helper()
	var pool frame.Pool
	var sample winperf.Sample
	if err := q.Next(t.Context(), &sample); err != nil {
		t.Fatal(err)
	}
	f, err := pool.Decode(&sample, frame.Frame{})
	if err != nil {
		return nil, append(damage, err)
	}
	damage = append(damage, f.Damage()...)
	for o := range f.Objects() {
		titles = append(titles, o.ID().Index)
	}
	return titles, append(damage, f.Schema().Damage...)
}

// TestSift damages some of four objects, in a list and among all.
func TestSift(t *testing.T) {
	list := winperf.Selection{Objects: []winperf.ObjectID{{Index: 2}, {Index: 4}, {Index: 230}, {Index: 238}}}
	for _, sel := range []winperf.Selection{list, {Global: true}} {
		for _, c := range []struct {
			broken []int
			want   []uint32
		}{
			{nil, []uint32{2, 4, 230, 238}},
			{[]int{2}, []uint32{4, 230, 238}},
			{[]int{238}, []uint32{2, 4, 230}},
			{[]int{4, 230}, []uint32{2, 238}},
			{[]int{2, 4, 230}, []uint32{238}},
		} {
			synctest.Test(t, func(t *testing.T) {
				q := compile(t, newDamaged(c.broken...).start(t), sel)
				got, damage := objectsOf(t, q)
				if !slices.Equal(got, c.want) || len(damage) != len(c.broken) {
					t.Errorf("broken %v: objects %v, want %v; damage %v", c.broken, got, c.want, damage)
				}
				for i, err := range damage {
					if !errors.Is(err, winperf.ErrBadData) ||
						!strings.Contains(err.Error(), fmt.Sprintf("object %d (", c.broken[i])) {
						t.Errorf("damage %v", err)
					}
				}
			})
		}
	}
}

// TestSiftAgain looks again after growing gaps, and takes the object back when
// it is sound.
func TestSiftAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDamaged(230)
		q := compile(t, d.start(t), winperf.Selection{Global: true})
		objectsOf(t, q)
		var looked []int // seconds
		for begin := time.Now(); time.Since(begin) < time.Hour; time.Sleep(10 * time.Second) {
			d.asked()
			if got, _ := objectsOf(t, q); !slices.Equal(got, []uint32{2, 4, 238}) {
				t.Fatalf("objects %v", got)
			}
			if strings.HasPrefix(d.asked(), "Global") {
				looked = append(looked, int(time.Since(begin).Seconds()))
			}
		}
		if want := []int{10, 30, 70, 150, 310, 630, 1230, 1830, 2430, 3030}; !slices.Equal(looked, want) {
			t.Errorf("looked again after %d seconds, want %d", looked, want)
		}
		clear(d.broken)
		time.Sleep(10 * time.Minute) // the longest pause
		if got, damage := objectsOf(t, q); len(got) != 4 || len(damage) > 0 {
			t.Errorf("objects %v, damage %v", got, damage)
		}
		d.broken[4] = true
		if got, _ := objectsOf(t, q); !slices.Equal(got, []uint32{2, 230, 238}) {
			t.Errorf("objects %v", got)
		}
		d.broken[2] = true // while another one is left out
		objectsOf(t, q)
		if got, _ := objectsOf(t, q); !slices.Equal(got, []uint32{230, 238}) {
			t.Errorf("objects %v", got)
		}
	})
}

// TestSiftGap has a provider that tells of more bytes than it wrote.
func TestSiftGap(t *testing.T) {
	for broken, want := range map[int][]uint32{2: {4, 230, 238}, 230: {2, 4, 238}, 238: {2, 4, 230, 238}} {
		d := newDamaged(broken)
		d.gap = true
		q := compile(t, d.start(t), winperf.Selection{Global: true})
		if got, damage := objectsOf(t, q); !slices.Equal(got, want) || (len(damage) > 0) != (len(want) < 4) {
			t.Errorf("bytes behind %d: objects %v, want %v; damage %v", broken, got, want, damage)
		}
	}
}

// TestSiftEndless has an object that no buffer is large enough for.
func TestSiftEndless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDamaged(230)
		d.endless = true
		s := d.start(t)
		q := compile(t, s, winperf.Selection{Global: true})
		if got, damage := objectsOf(t, q); !slices.Equal(got, []uint32{2, 4, 238}) || len(damage) != 1 ||
			!errors.Is(damage[0], winapi.ERROR_MORE_DATA) {
			t.Errorf("objects %v, damage %v", got, damage)
		}
		d.asked()
		q = compile(t, s, winperf.Selection{Objects: []winperf.ObjectID{{Index: 230}}})
		if err := perftest.Take(t.Context(), q, new(winperf.Raw)); !errors.Is(err, winperf.ErrBadData) ||
			!strings.Contains(err.Error(), "too large") {
			t.Errorf("error %v", err)
		}
	})
}

// TestSiftInVain has an object that comes along whatever is asked for. What is
// before it is served, and looking for it costs a bounded number of queries.
func TestSiftInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDamaged(230)
		d.always = true
		q := compile(t, d.start(t), winperf.Selection{Global: true})
		for range 5 {
			if got, damage := objectsOf(t, q); !slices.Equal(got, []uint32{2, 4}) || len(damage) != 1 {
				t.Errorf("objects %v, damage %v", got, damage)
			}
		}
		if d.sizes > maxSiftQueries+10 {
			t.Errorf("%d queries", d.sizes)
		}
	})
}

// TestSiftWildcard compiles wildcards while Global cannot be read to its end.
func TestSiftWildcard(t *testing.T) {
	for _, endless := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d := newDamaged(230)
			d.endless = endless
			q := compile(t, d.start(t), winperf.Selection{}, `\Proc*(*)\x`)
			if got, damage := objectsOf(t, q); !slices.Equal(got, []uint32{238}) || len(damage) != 1 {
				t.Errorf("objects %v, damage %v", got, damage)
			}
		})
	}
}

// TestSiftCostly has a costly object that is damaged. It is not looked for, as
// that would cost too much; the others are served.
func TestSiftCostly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDamaged(costly)
		s := d.start(t)
		q := compile(t, s, winperf.Selection{Costly: true})
		if got, damage := objectsOf(t, q); len(got) != 0 || len(damage) != 1 {
			t.Errorf("objects %v, damage %v", got, damage)
		}
		q = compile(t, s, winperf.Selection{Global: true, Costly: true})
		if got, _ := objectsOf(t, q); !slices.Equal(got, []uint32{2, 4, 230, 238}) {
			t.Errorf("objects %v", got)
		}
	})
}

func TestChained(t *testing.T) {
	good := block(2, 4)
	put := func(at int, n uint32) []byte {
		b := slices.Clone(good)
		binary.LittleEndian.PutUint32(b[at:], n)
		return b
	}
	first := int(binary.LittleEndian.Uint32(good[atHeader:]))
	for _, c := range []struct {
		name string
		b    []byte
		want bool
	}{
		{"whole", good, true},
		{"empty", nil, true}, // the decoder's business, as all headers are
		{"header length", put(atHeader, 1<<31), true},
		{"total length", put(atTotal, 1<<31), true},
		{"number of objects", put(atObjects, 1<<32-1), false},
		{"no length", put(first, 0), false},
		{"length of a part", put(first, 63), false},
		{"length behind the end", put(first, uint32(len(good))), false},
	} {
		if _, _, got := chained(nil, c.b); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// FuzzChained agrees with the decoder: where the lengths do not lead through
// the block, it fails too.
func FuzzChained(f *testing.F) {
	f.Add(block(2, 4, 230))
	f.Add(block())
	f.Fuzz(func(t *testing.T, b []byte) {
		titles, _, ok := chained(nil, b)
		if len(titles) > len(b)/objectHeader {
			t.Fatalf("%d objects in %d bytes", len(titles), len(b))
		}
		var pool frame.Pool
		fr, err := pool.Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: b}.Sample(), frame.Frame{})
		if err == nil && len(fr.Damage()) == 0 && !ok {
			t.Fatal("the decoder reads the block to its end")
		}
	})
}

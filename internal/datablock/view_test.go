package datablock_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/perftest"
)

// checkViews walks over any bytes with the views. Where Decode found no failure
// they find the same in the same places.
func checkViews(t *testing.T, b []byte, ix *index.Index, opt datablock.Options, whole bool) {
	t.Helper()
	rest, count, err := datablock.Objects(b, opt.Quirks)
	if whole && err != nil {
		t.Fatalf("Decode finds objects, Objects says %v", err)
	}
	if err == nil && whole {
		head, ok := datablock.HeadOf(ix.Data)
		if !ok || head.Clocks() != ix.Clocks || ix.Machine.Len > 0 && head.Machine() != ix.MachineName() {
			t.Fatalf("head %t: %+v, machine %q; want %+v, %q", ok, head.Clocks(), head.Machine(), ix.Clocks,
				ix.MachineName())
		}
	}

	known := ix.Objects
	for n := range count {
		at := len(b) - len(rest)
		if whole {
			at = len(ix.Data) - len(rest)
		}
		object, behind, err := datablock.CutObject(rest)
		if err != nil {
			if whole || !isFailure(err) {
				t.Fatalf("object %d of %d: %v", n, count, err)
			}
			return
		}
		if rest = behind; len(known) > 0 && whole && int(known[0].Off) == at {
			checkObjectView(t, object, ix, &known[0])
			known = known[1:]
		}
	}
	if whole && len(known) > 0 {
		t.Fatalf("%d objects were not met", len(known))
	}
}

// checkObjectView compares what a view of an object says with the index.
func checkObjectView(t *testing.T, object datablock.ObjectBytes, ix *index.Index, o *index.Object) {
	t.Helper()
	if object.Title() != o.Title || object.NumInstances() != o.NumInstances || len(object) != int(o.Len) {
		t.Fatalf("title %d, %d instances, %d bytes; want %+v", object.Title(), object.NumInstances(),
			len(object), o)
	}
	counters := ix.Counters[o.Counter0:o.CounterEnd]
	if got := datablock.CounterDefinitions(ix, o); len(counters) > 0 &&
		!bytes.HasPrefix(ix.Data[counters[0].Off:], got) ||
		len(got) < 40*len(counters) {
		t.Fatalf("%d bytes of definitions of %d counters", len(got), len(counters))
	}

	_, rest := object.Split()
	for i := range o.InstanceEnd - o.Instance0 {
		in := &ix.Instances[o.Instance0+i]
		if in.Off != 0 {
			definition, behind, err := datablock.CutInstance(rest)
			if err != nil {
				t.Fatalf("instance %d: %v", i, err)
			}
			checkInstanceView(t, definition, ix, in, ix.Link(o, int(i)))
			rest = behind
		}
		block, behind, err := datablock.CutCounterBlock(rest)
		if err != nil || !bytes.Equal(block, ix.Data[in.Block:][:ix.BlockLen(in)]) {
			t.Fatalf("counter block %d of %d bytes: %v", i, len(block), err)
		}
		rest = behind
	}
}

func checkInstanceView(
	t *testing.T, definition datablock.InstanceBytes, ix *index.Index, in *index.Instance, link index.Link,
) {
	t.Helper()
	object, position := definition.Parent()
	if object != link.ParentObject || position != link.ParentInstance ||
		definition.UniqueID() != link.UniqueID {
		// Without a parent's object its position means nothing, and the index has none.
		if link != index.NoLink || object != 0 || definition.UniqueID() != index.NoUniqueID {
			t.Fatalf("parent %d in %d, id %d; want %+v", position, object, definition.UniqueID(), link)
		}
	}
	name, err := definition.Name()
	if err == nil && !bytes.Equal(name, ix.NameBytes(in)) || err != nil && in.Name.Len != 0 {
		t.Fatalf("name %q, %v; want %q", name, err, ix.NameBytes(in))
	}
}

// TestViews looks at a block of every kind of object.
func TestViews(t *testing.T) {
	for _, b := range append(seeds(t), perftest.Block(perftest.Desktop)) {
		ix, err := decode(b, datablock.Options{})
		checkViews(t, b, ix, datablock.Options{}, err == nil)
	}
}

// TestHeadOf reads a head, and takes nothing else for one.
func TestHeadOf(t *testing.T) {
	const text = `block systemtime=2013,2,3,20,2,50,17,844 name="HOST" nameoffset=88`
	b := encode(t, fixture(t, text))
	head, ok := datablock.HeadOf(b)
	want := time.Date(2013, 2, 20, 2, 50, 17, 844_000_000, time.UTC)
	if !ok || !head.SystemTime().Equal(want) || head.Machine() != "HOST" || int(head.Total()) != len(b) {
		t.Errorf("head %t: %v on %q, %d bytes", ok, head.SystemTime(), head.Machine(), head.Total())
	}
	for n := range 88 {
		if _, ok := datablock.HeadOf(b[:n]); ok {
			t.Errorf("a head of %d bytes", n)
		}
	}
	if head, ok := datablock.HeadOf(b[:90]); !ok || head.Machine() != "" {
		t.Errorf("machine %q of a name that is cut", head.Machine())
	}
	b[0] = 'Q'
	if _, ok := datablock.HeadOf(b); ok {
		t.Error("a head with another signature")
	}
}

// TestObjectsOfCutBlock tells that a block is cut, and gives what is there.
func TestObjectsOfCutBlock(t *testing.T) {
	b := encode(t, fixture(t, "object 2\nobject 4\n"))
	for n := range len(b) {
		objects, count, err := datablock.Objects(b[:n], 0)
		want, wantCount := max(0, n-88), uint32(0)
		if n >= 88 {
			wantCount = 2
		}
		if !errors.Is(err, datablock.ErrTruncated) || len(objects) != want || count != wantCount {
			t.Errorf("cut to %d bytes: %d bytes of %d objects, %v", n, len(objects), count, err)
		}
	}
}

// TestCutNothing cuts structures off bytes that hold none.
func TestCutNothing(t *testing.T) {
	short := func(n int, length byte) []byte {
		return append([]byte{length, 0, 0, 0},
			make([]byte, n)...)[:n]
	}
	for _, c := range []struct {
		name string
		b    []byte
		cut  func(b []byte) (rest []byte, err error)
		want error
	}{
		{"no object", short(63, 63), cutObject, datablock.ErrTruncated},
		{"an object that is too short", short(64, 63), cutObject, datablock.ErrLength},
		{"an object that is too long", short(64, 65), cutObject, datablock.ErrLength},
		{"no instance", short(23, 23), cutInstance, datablock.ErrTruncated},
		{"an instance that is too short", short(24, 23), cutInstance, datablock.ErrTruncated},
		{"an instance that is too long", short(24, 25), cutInstance, datablock.ErrTruncated},
		{"no counter block", short(3, 3), cutBlock, datablock.ErrTruncated},
		{"a counter block that is too short", short(4, 3), cutBlock, datablock.ErrTruncated},
		{"a counter block that is too long", short(4, 5), cutBlock, datablock.ErrTruncated},
	} {
		if rest, err := c.cut(c.b); !errors.Is(err, c.want) || !bytes.Equal(rest, c.b) {
			t.Errorf("%s: %v, %d bytes left; want %v", c.name, err, len(rest), c.want)
		}
	}
}

func cutObject(b []byte) ([]byte, error) { _, rest, err := datablock.CutObject(b); return rest, err }
func cutInstance(b []byte) ([]byte, error) {
	_, rest, err := datablock.CutInstance(b)
	return rest, err
}
func cutBlock(b []byte) ([]byte, error) {
	_, rest, err := datablock.CutCounterBlock(b)
	return rest, err
}

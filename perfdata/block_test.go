package perfdata_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/perfdata"
)

// TestZeroBlock encodes the zero Block.
func TestZeroBlock(t *testing.T) {
	ix, err := decode(encode(t, &perfdata.Block{}))
	if err != nil || len(ix.Damage) > 0 || len(ix.Data) != 88 {
		t.Errorf("%d bytes, error %v, damage %v", len(ix.Data), err, ix.Damage)
	}
}

const editable = `block name="HOST"
object 230 missing=auto
  counter 784 PERF_COUNTER_RAWCOUNT
  counter 684 PERF_ELAPSED_TIME
  counter 900 PERF_COUNTER_TEXT size=16
  instance "a" : 1 ? "one"
  instance "b" : 3 4 "two"
`

// TestEdit changes parsed blocks and looks at what comes out, encoded and
// parsed again.
func TestEdit(t *testing.T) {
	cases := []struct {
		name string
		edit func(b *perfdata.Block) error
		want string
	}{
		{"nothing", func(*perfdata.Block) error { return nil }, editable},
		{"value", func(b *perfdata.Block) error { return b.Objects[0].SetValue(1, 1, 1<<40) },
			strings.Replace(editable, "3 4", "3 1099511627776", 1)},
		{"low 32 bits", func(b *perfdata.Block) error { return b.Objects[0].SetValue(1, 0, 1<<32+9) },
			strings.Replace(editable, "3 4", "9 4", 1)},
		{"text", func(b *perfdata.Block) error { return b.Objects[0].SetText(0, 2, "ö") },
			strings.Replace(editable, "one", "ö", 1)},
		{"missing", func(b *perfdata.Block) error { return b.Objects[0].SetMissing(1, 2, true) },
			strings.Replace(editable, `"two"`, `?"two"`, 1)},
		{"not missing", func(b *perfdata.Block) error { return b.Objects[0].SetMissing(0, 1, false) },
			strings.Replace(editable, "?", "0", 1)},
		{"instance name", func(b *perfdata.Block) error {
			return b.Objects[0].SetInstanceName(1,
				"a longer name")
		},
			strings.Replace(editable, `"b"`, `"a longer name"`, 1)},
		{"machine", func(b *perfdata.Block) error { return b.SetMachine("ANOTHER-HOST") },
			strings.Replace(editable, "HOST", "ANOTHER-HOST", 1)},
		{"add instance", func(b *perfdata.Block) error {
			_, err := b.Objects[0].AddInstance("c")
			return err
		}, editable + `instance "c" : 0 0 ""`},
		{"remove instance", func(b *perfdata.Block) error {
			b.Objects[0].Instances = b.Objects[0].Instances[:1]
			return nil
		}, strings.Replace(editable, `  instance "b" : 3 4 "two"`, "", 1)},
		{"add object", func(b *perfdata.Block) error {
			b.Objects = append(b.Objects, perfdata.Object{Title: 2, Help: 3, Detail: 100})
			return nil
		}, editable + "object 2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b, err := perfdata.Parse(encode(t, fixture(t, editable)), 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.edit(b); err != nil {
				t.Fatal(err)
			}
			encoded := encode(t, b)
			ix, err := decode(encoded)
			if err != nil || len(except(ix.Damage, datablock.ErrTimeBase)) > 0 {
				t.Errorf("error %v, damage %v", err, ix.Damage)
			}
			want := encode(t, fixture(t, c.want))
			if !bytes.Equal(encoded, want) {
				again, _ := perfdata.Parse(want, 0)
				t.Error(cmp.Diff(string(format(again, nil)), string(format(b, nil))))
			}
		})
	}
}

// except returns the findings of all kinds but one.
func except(damage []error, but error) (rest []error) {
	for _, err := range damage {
		if !errors.Is(err, but) {
			rest = append(rest, err)
		}
	}
	return rest
}

// TestEditErrors asks for what has no place.
func TestEditErrors(t *testing.T) {
	object := func() *perfdata.Object { return fixture(t, editable).Object(230) }
	form := func(f perfdata.Form, instances int) error {
		b := perfdata.Block{Objects: []perfdata.Object{
			{Form: f, Instances: make([]perfdata.Instance, instances)}}}
		_, err := b.Encode()
		return err
	}
	if err := errors.Join(form(perfdata.Multiple, 0), form(perfdata.Single, 1),
		form(perfdata.MetadataMultiple, 0),
		form(perfdata.MetadataSingle, 0), form(perfdata.MetadataSingle, 1)); err != nil {
		t.Errorf("forms with the instances that they ask for: %v", err)
	}
	override := func(offset uint32) error {
		_, err := fixture(t, fmt.Sprintf("set %d=0", offset)).Encode()
		return err
	}
	bare := fixture(t, "object 2\ncounter 4 65536\ninstance \"a\"").Object(2)
	cases := map[string]struct{ got, want error }{
		"number for text":    {object().SetValue(0, 2, 1), datablock.ErrValue},
		"text for number":    {object().SetText(0, 0, "a"), datablock.ErrValue},
		"long text":          {object().SetText(0, 2, "12345678"), datablock.ErrValue},
		"text with NUL":      {object().SetText(0, 2, "a\x00b"), datablock.ErrValue},
		"mark without a map": {bare.SetMissing(0, 0, true), datablock.ErrValue},
		"deny without a map": {bare.Deny(0, 0), datablock.ErrValue},
		"single without":     {form(perfdata.Single, 0), datablock.ErrCount},
		"single with two":    {form(perfdata.Single, 2), datablock.ErrCount},
		"metadata with one":  {form(perfdata.MetadataMultiple, 1), datablock.ErrCount},
		"metadata with two":  {form(perfdata.MetadataSingle, 2), datablock.ErrCount},
		"unknown form":       {form(-4, 0), datablock.ErrCount},
		"a form above":       {form(1, 0), datablock.ErrCount},
		"override":           {override(85), datablock.ErrLength},
		"override far":       {override(0xFFFFFFFF), datablock.ErrLength},
	}
	for name, c := range cases {
		if !errors.Is(c.got, c.want) || !errors.Is(c.got, winperf.ErrBadData) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

// TestTruncated parses a block without its end.
func TestTruncated(t *testing.T) {
	whole := encode(t, fixture(t, editable))
	for n := range len(whole) {
		_, err := perfdata.Parse(whole[:n], 0)
		if !errors.Is(err, perfdata.ErrTruncated) || !errors.Is(err, winperf.ErrBadData) {
			t.Fatalf("the first %d bytes of %d: error %v", n, len(whole), err)
		}
	}
}

// TestNewCounter makes definitions as wide as their types ask for.
func TestNewCounter(t *testing.T) {
	for typ, size := range map[counter.Type]uint32{
		counter.RawCount: 4, counter.LargeRawCount: 8, counter.AverageTimer: 8, counter.AverageBase: 4,
		counter.NoData: 0, counter.CounterText: 0,
		0xABC000: 4, 0xABC100: 8, 0xABC200: 0, 0xABC300: 0, // unknown types with a width in their bits
	} {
		want := perfdata.Counter{Title: 6, Help: 7, Detail: 100, Type: typ, Size: size}
		if got := perfdata.NewCounter(6, typ); !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %+v, want %+v", typ, got, want)
		}
	}
}

// TestOverrideOutside says which structure an override is outside of, in bytes of
// the block, whatever is before the block. Just inside is inside.
func TestOverrideOutside(t *testing.T) {
	block := func(offset, value uint32) *perfdata.Block {
		return fixture(t, fmt.Sprintf("object 2\nobject 4\ncounter 6 0 size=0\nset %d=%d", offset, value))
	}
	before := []byte("abc")
	b, err := block(37, 1).AppendTo(before)
	want := "perfdata: bad length: override at 37 of a structure of 40 bytes at byte 216"
	if err == nil || err.Error() != want || !bytes.Equal(b, before) {
		t.Errorf("%q, error %v, want %q", b, err, want)
	}
	b, err = block(36, 0x01020304).AppendTo(before)
	if err != nil || !bytes.HasPrefix(b, before) || !bytes.HasSuffix(b, []byte{4, 3, 2, 1}) {
		t.Errorf("just inside: %q, %v", b, err)
	}
	if alone := encode(t, block(36, 0x01020304)); !bytes.Equal(b[3:], alone) {
		t.Errorf("behind other bytes it is %x, alone %x", b[3:], alone)
	}
}

// TestTextPlace writes texts that just fit their place, in the code page that the
// counter's type and the object ask for.
func TestTextPlace(t *testing.T) {
	const ascii = counter.CounterText | 0x10000 // PERF_TEXT_ASCII
	for _, c := range []struct {
		typ      counter.Type
		codePage uint32
		want     string // the bytes of "äx"
	}{
		{counter.CounterText, 0, "\xe4\x00x\x00\x00\x00"},
		{counter.CounterText, 1252, "\xe4\x00x\x00\x00\x00"},
		{ascii, 0, "\xe4x\x00"},
		{ascii, 1252, "\xe4x\x00"},
		{ascii, 65001, "\xc3\xa4x\x00"},
	} {
		o := perfdata.Object{
			Form: perfdata.Single, CodePage: c.codePage,
			Counters: []perfdata.Counter{{Type: c.typ, Size: uint32(len(c.want)), Offset: 4}},
		}
		in, err := o.AddInstance("")
		if err != nil {
			t.Fatal(err)
		}
		if err := o.SetText(0, 0, "äx"); err != nil || string(in.Data[:len(c.want)]) != c.want {
			t.Errorf("%v, code page %d: %q, %v, want %q", c.typ, c.codePage, in.Data, err, c.want)
		}
		if err := o.SetText(0, 0, "äxy"); !errors.Is(err, datablock.ErrValue) {
			t.Errorf("%v, code page %d: a longer text: %v", c.typ, c.codePage, err)
		}
		if _, ok := o.Value(0, 0); ok {
			t.Errorf("%v: a text is a number", c.typ)
		}

		// The text form says the same.
		b := &perfdata.Block{Objects: []perfdata.Object{o}}
		if err := o.SetText(0, 0, "äx"); err != nil {
			t.Fatal(err)
		}
		text := format(b, nil)
		if !bytes.Contains(text, []byte(`"äx"`)) || !bytes.Equal(encode(t, fixture(t, string(text))),
			encode(t, b)) {
			t.Errorf("%v, code page %d: text form\n%s", c.typ, c.codePage, text)
		}
	}
}

// TestManyMarks marks values as missing beyond the first byte of the bit map,
// which is as long as the counters need.
func TestManyMarks(t *testing.T) {
	for n, size := range map[int]int{1: 1, 7: 1, 8: 1, 9: 2, 16: 2, 17: 3, 32: 4, 33: 5} {
		o := perfdata.Object{Form: perfdata.Single}
		for range n {
			o.Counters = append(o.Counters, perfdata.Counter{Type: counter.RawCount}) // of no size
		}
		o.Layout(true)
		in, err := o.AddInstance("")
		if err != nil || o.Missing != 4 || len(in.Data) != (4+size+7)/8*8-4 {
			t.Fatalf("%d counters: map at %d, %d bytes, %v", n, o.Missing, len(in.Data), err)
		}
		if err := o.SetMissing(0, n-1, true); err != nil {
			t.Error(err)
		}
		for k := range n {
			if o.IsMissing(0, k) != (k == n-1) {
				t.Errorf("%d counters: %d is missing: %t", n, k, o.IsMissing(0, k))
			}
		}

		// A block that ends with the map has space for it, a shorter one for what is there.
		o.Instances[0].Data = in.Data[:size]
		if !o.IsMissing(0, n-1) {
			t.Errorf("%d counters: a map at the block's end is not read", n)
		}
		o.Instances[0].Data = in.Data[:size-1]
		if err := o.SetMissing(0, n-1, false); !errors.Is(err, datablock.ErrValue) {
			t.Errorf("%d counters: a map that is cut: %v", n, err)
		}
	}
}

// TestLargestPlaces lays out values up to 1 MiB, and none beyond.
func TestLargestPlaces(t *testing.T) {
	const largest = 1 << 20
	for size, want := range map[uint32][]uint32{largest - 8: {8, largest}, largest - 7: {8, 4}} {
		counters := []perfdata.Counter{{Type: counter.CounterText, Size: size},
			perfdata.NewCounter(6, counter.RawCount)}
		o := perfdata.Object{Form: perfdata.Single, Counters: counters}
		o.Layout(false)
		text := fmt.Sprintf("object 2 form=single\ncounter 4 PERF_COUNTER_TEXT size=%d\ncounter 6 65536\n",
			size)
		fromText := fixture(t, text).Objects[0]
		for _, c := range [][]perfdata.Counter{o.Counters, fromText.Counters} {
			if got := []uint32{c[0].Offset, c[1].Offset}; !slices.Equal(got, want) {
				t.Errorf("a value of %d bytes: offsets %d, want %d", size, got, want)
			}
		}
		in, err := o.AddInstance("")
		if err != nil || (len(in.Data) == largest-4) != (size == largest-8) {
			t.Errorf("a value of %d bytes: block of %d bytes and 4, %v", size, len(in.Data), err)
		}
	}
	for missing, want := range map[uint32]int{largest - 1: largest - 4, largest: 4} {
		o := perfdata.Object{Form: perfdata.Single, Missing: missing, Counters: []perfdata.Counter{{}}}
		if in, err := o.AddInstance(""); err != nil || len(in.Data) != want {
			t.Errorf("a map at %d: block of %d bytes and 4, %v, want %d", missing, len(in.Data), err, want)
		}
	}
}

// TestFreshLayout checks the layout that providers get.
func TestFreshLayout(t *testing.T) {
	o := perfdata.Object{Form: perfdata.Single, Counters: []perfdata.Counter{
		perfdata.NewCounter(2, counter.RawCount),
		perfdata.NewCounter(4, counter.LargeRawCount),
		perfdata.NewCounter(6, counter.NoData),
		perfdata.NewCounter(8, counter.AverageTimer),
		perfdata.NewCounter(8, counter.AverageBase),
		{Title: 10, Type: counter.CounterText, Size: 10},
	}}
	o.Layout(true)
	in, err := o.AddInstance("")
	if err != nil {
		t.Fatal(err)
	}
	var offsets []uint32
	for _, c := range o.Counters {
		offsets = append(offsets, c.Offset)
	}
	if diff := cmp.Diff([]uint32{4, 8, 0, 16, 24, 32}, offsets); diff != "" {
		t.Error(diff)
	}
	if o.Missing != 42 || len(in.Data)+4 != 48 {
		t.Errorf("map at %d, block of %d bytes; want 42 and 48", o.Missing, len(in.Data)+4)
	}
	encoded := encode(t, &perfdata.Block{PerfFreq: 1, Objects: []perfdata.Object{o}})
	if ix, err := decode(encoded); err != nil || len(ix.Damage) > 0 {
		t.Errorf("error %v, damage %v", err, ix.Damage)
	}
}

// TestHugeDefinitions edits an object whose definitions claim values of 4 GB.
func TestHugeDefinitions(t *testing.T) {
	o := fixture(t, "object 2\ncounter 4 PERF_COUNTER_TEXT size=0xFFFFFFFF\ncounter 6 65536 "+
		"offset=0xFFFFFFFF\ninstance \"a\"").Object(2)
	o.Counters = slices.Insert(o.Counters, 0, perfdata.NewCounter(8, counter.RawCount))
	o.Layout(false)
	in, err := o.AddInstance("b")
	if err != nil || len(in.Data) > 100 {
		t.Errorf("error %v, %d bytes", err, len(in.Data))
	}
	if err := o.SetValue(1, 0, 7); err != nil {
		t.Error(err)
	}
}

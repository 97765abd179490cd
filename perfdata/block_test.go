package perfdata_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/perfdata"
)

// TestZeroBlock encodes the zero Block.
func TestZeroBlock(t *testing.T) {
	ix, err := decode(encode(t, &perfdata.Block{}), perfdata.Options{Warnings: true})
	if err != nil || len(ix.Damage) > 0 || len(ix.Data) != 88 {
		t.Errorf("%d bytes, error %v, damage %v", len(ix.Data), err, ix.Damage)
	}
}

// TestReferenceBlocks makes sure that the codec agrees with the generator,
// which shares no code with it.
func TestReferenceBlocks(t *testing.T) {
	for _, size := range []perftest.Size{perftest.Small, perftest.Desktop} {
		b := perftest.Block(size)
		ix, err := decode(b, perfdata.Options{Warnings: true})
		if err != nil || len(ix.Damage) > 0 {
			t.Fatalf("%v: error %v, damage %v", size, err, ix.Damage)
		}
		objects, instances, _ := size.Count()
		sum, n := sumColumns(ix)
		wantSum, want, err := perftest.Walk(b)
		if err != nil || sum != wantSum || n != want || len(ix.Objects) != objects || len(ix.Instances) != instances {
			t.Errorf("%v: %d values, sum %d; want %d, sum %d (%v)", size, n, sum, want, wantSum, err)
		}
		parsed, err := perfdata.Parse(bytes.Clone(b), perfdata.Options{})
		if err != nil || !bytes.Equal(encode(t, parsed), b) {
			t.Errorf("%v: error %v, or encoded again it differs", size, err)
		}
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
		{"instance name", func(b *perfdata.Block) error { return b.Objects[0].SetInstanceName(1, "a longer name") },
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
		{"add counter", func(b *perfdata.Block) error {
			b.Objects[0].InsertCounter(1, perfdata.NewCounter(28, counter.CounterCounter))
			return nil
		}, `block name="HOST"
object 230 missing=auto
counter 784 PERF_COUNTER_RAWCOUNT
counter 28 PERF_COUNTER_COUNTER
counter 684 PERF_ELAPSED_TIME
counter 900 PERF_COUNTER_TEXT size=16
instance "a" : 1 0 ? "one"
instance "b" : 3 0 4 "two"`},
		{"remove counter", func(b *perfdata.Block) error {
			b.Objects[0].RemoveCounter(0)
			return nil
		}, `block name="HOST"
object 230 missing=auto
counter 684 PERF_ELAPSED_TIME
counter 900 PERF_COUNTER_TEXT size=16
instance "a" : ? "one"
instance "b" : 4 "two"`},
		{"add object", func(b *perfdata.Block) error {
			b.Objects = append(b.Objects, perfdata.Object{Title: 2, Help: 3, Detail: 100})
			return nil
		}, editable + "object 2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b, err := perfdata.Parse(encode(t, fixture(t, editable)), perfdata.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.edit(b); err != nil {
				t.Fatal(err)
			}
			encoded := encode(t, b)
			ix, err := decode(encoded, perfdata.Options{Warnings: true})
			if err != nil || len(except(ix.Damage, perfdata.CheckTimeBase)) > 0 {
				t.Errorf("error %v, damage %v", err, ix.Damage)
			}
			want := encode(t, fixture(t, c.want))
			if !bytes.Equal(encoded, want) {
				again, _ := perfdata.Parse(want, perfdata.Options{})
				t.Error(cmp.Diff(string(perfdata.FormatText(again, nil)), string(perfdata.FormatText(b, nil))))
			}
		})
	}
}

// except returns the findings of all checks but one.
func except(damage []error, but perfdata.Check) (rest []error) {
	for _, err := range damage {
		var e *perfdata.Error
		if !errors.As(err, &e) || e.Check != but {
			rest = append(rest, err)
		}
	}
	return rest
}

// TestEditErrors asks for what has no place.
func TestEditErrors(t *testing.T) {
	object := func() *perfdata.Object { return fixture(t, editable).Object(230) }
	form := func(f perfdata.Form, instances int) error {
		b := perfdata.Block{Objects: []perfdata.Object{{Form: f, Instances: make([]perfdata.Instance, instances)}}}
		_, err := b.Encode()
		return err
	}
	override := func(b perfdata.Block) error {
		_, err := b.Encode()
		return err
	}
	cases := map[string]struct{ got, want error }{
		"number for text":    {object().SetValue(0, 2, 1), perfdata.ErrValue},
		"text for number":    {object().SetText(0, 0, "a"), perfdata.ErrValue},
		"long text":          {object().SetText(0, 2, "12345678"), perfdata.ErrValue},
		"text with NUL":      {object().SetText(0, 2, "a\x00b"), perfdata.ErrValue},
		"mark without a map": {fixture(t, plain).Object(230).SetMissing(0, 0, true), perfdata.ErrValue},
		"single without":     {form(perfdata.Single, 0), perfdata.ErrCount},
		"single with two":    {form(perfdata.Single, 2), perfdata.ErrCount},
		"metadata with one":  {form(perfdata.MetadataMultiple, 1), perfdata.ErrCount},
		"metadata with two":  {form(perfdata.MetadataSingle, 2), perfdata.ErrCount},
		"unknown form":       {form(-4, 0), perfdata.ErrCount},
		"override":           {override(perfdata.Block{Overrides: []perfdata.Override{{Offset: 85}}}), perfdata.ErrLength},
		"override far":       {override(perfdata.Block{Overrides: []perfdata.Override{{Offset: 0xFFFFFFFF}}}), perfdata.ErrLength},
	}
	for name, c := range cases {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
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
	if ix, err := decode(encoded, perfdata.Options{Warnings: true}); err != nil || len(ix.Damage) > 0 {
		t.Errorf("error %v, damage %v", err, ix.Damage)
	}
}

// TestHugeDefinitions edits an object whose definitions claim values of 4 GB.
func TestHugeDefinitions(t *testing.T) {
	o := fixture(t, "object 2\ncounter 4 PERF_COUNTER_TEXT size=0xFFFFFFFF\ncounter 6 65536 offset=0xFFFFFFFF\ninstance \"a\"").Object(2)
	o.InsertCounter(0, perfdata.NewCounter(8, counter.RawCount))
	in, err := o.AddInstance("b")
	if err != nil || len(in.Data) > 100 {
		t.Errorf("error %v, %d bytes", err, len(in.Data))
	}
	if err := o.SetValue(1, 0, 7); err != nil {
		t.Error(err)
	}
}

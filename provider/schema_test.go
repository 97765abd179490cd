package provider_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

func TestCheck(t *testing.T) {
	one := func(c provider.Counter) func(*provider.Object) {
		return func(o *provider.Object) { o.Counters = []provider.Counter{c} }
	}
	two := func(a, b provider.Counter) func(*provider.Object) {
		return func(o *provider.Object) { o.Counters = []provider.Counter{a, b} }
	}
	const raw, fraction, large = counter.RawCount, counter.RawFraction, counter.LargeRawFraction
	for _, tt := range []struct {
		change func(*provider.Object)
		want   string // "" for no fault
	}{
		{func(*provider.Object) {}, ""},
		{func(o *provider.Object) { o.HelpIndex = 4001 }, ""},
		{func(o *provider.Object) { o.Index = 0 },
			`object "Transfer" (index 0): title index is not an even number above 0`},
		{func(o *provider.Object) { o.Index = 7 },
			`object "Transfer" (index 7): title index is not an even number above 0`},
		{func(o *provider.Object) { o.HelpIndex = 4000 },
			`object "Transfer" (index 2000): help index 4000 is not an odd number above 1`},
		{func(o *provider.Object) { o.HelpIndex = 1 },
			`object "Transfer" (index 2000): help index 1 is not an odd number above 1`},
		{func(o *provider.Object) { o.Name = "" }, `object "" (index 2000): no name`},
		{func(o *provider.Object) { o.Counters = nil }, `object "Transfer" (index 2000): no counters`},
		{func(o *provider.Object) { o.Default = 2 },
			`object "Transfer" (index 2000): default counter 2 is not one of the 2 counters`},
		{func(o *provider.Object) { o.Default = -1 },
			`object "Transfer" (index 2000): default counter -1 is not one of the 2 counters`},
		{one(provider.Counter{Index: 3, Name: "x", Type: raw}),
			`counter 3 "x": title index is not an even number above 0`},
		{one(provider.Counter{Index: 4, Name: "x", Type: raw, HelpIndex: 6}),
			`counter 4 "x": help index 6 is not an odd number above 1`},
		{one(provider.Counter{Index: 4, Type: raw}), `counter 4 "": no name`},
		{one(provider.Counter{Index: 4, Name: "x", Type: 0x12345678}),
			`counter 4 "x": unknown type 0x12345678`},
		{one(provider.Counter{Index: 4, Name: "x", Type: counter.RawBase}),
			`counter 4 "x": do not declare a base`},
		{one(provider.Counter{Index: 4, Name: "x", Type: counter.NoData}),
			`counter 4 "x": type PERF_COUNTER_NODATA has no value of 4 or 8 bytes`},
		{one(provider.Counter{Index: 4, Name: "x", Type: counter.CounterText}),
			`counter 4 "x": type PERF_COUNTER_TEXT has no value of 4 or 8 bytes`},
		{one(provider.Counter{Index: 4, Name: "x", Type: raw, Scale: 10}), ""},
		{one(provider.Counter{Index: 4, Name: "x", Type: raw, Scale: 11}),
			`counter 4 "x": scale 11 is outside -10 to 10`},
		{one(provider.Counter{Index: 4, Name: "x", Type: raw, Scale: -11}),
			`counter 4 "x": scale -11 is outside -10 to 10`},
		{one(provider.Counter{Index: 4, Name: "x", Type: raw, Detail: 150}),
			`counter 4 "x": detail level 150 is not 100, 200, 300 or 400`},
		{one(provider.Counter{Index: 4, Name: "x", Type: raw, Detail: 500}),
			`counter 4 "x": detail level 500 is not 100, 200, 300 or 400`},
		{one(provider.Counter{Index: 4, Name: "x", Type: raw, BaseSlot: "b"}),
			`counter 4 "x": has a base slot, but its type has no base`},
		{two(provider.Counter{Index: 4, Name: "x", Type: raw},
			provider.Counter{Index: 6, Name: "X", Type: raw}),
			`counter 6 "X": its title index or name is already used`},
		{two(provider.Counter{Index: 4, Name: "x", Type: raw},
			provider.Counter{Index: 4, Name: "y", Type: raw}),
			`counter 4 "y": its title index or name is already used`},
		{two(provider.Counter{Index: 4, Name: "x", Type: fraction},
			provider.Counter{Index: 6, Name: "y", Type: large}), ""},
		{two(provider.Counter{Index: 4, Name: "x", Type: fraction, BaseSlot: "b"},
			provider.Counter{Index: 6, Name: "y", Type: large, BaseSlot: "b"}),
			`counter 6 "y": its base of 8 bytes shares the slot "b" with one of 4`},
	} {
		o := transfer()
		tt.change(o)
		err := o.Check()
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("error %v, want none", err)
		case tt.want != "" && (!errors.Is(err, provider.ErrSchema) ||
			!strings.Contains(err.Error(), tt.want)):
			t.Errorf("error %v, want %s", err, tt.want)
		}
		_, layoutErr := provider.NewLayout(o, nil)
		_, imageErr := provider.NewImage(o)
		for name, got := range map[string]error{"NewLayout": layoutErr, "NewImage": imageErr} {
			if (got == nil) != (err == nil) || err != nil && !errors.Is(got, provider.ErrSchema) {
				t.Errorf("%s: error %v, Check has %v", name, got, err)
			}
		}
	}
}

func TestCheckFindsAllFaults(t *testing.T) {
	o := &provider.Object{Index: 1, Counters: []provider.Counter{{Index: 3},
		{Index: 4, Name: "x", Type: 0x12345678}}}
	err := o.Check()
	if err == nil || len(strings.Split(err.Error(), "\n")) != 3 {
		t.Errorf("error %v, want three faults", err)
	}
}

package provider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/provider"
)

func TestParseQuery(t *testing.T) {
	nothing := provider.Query{}
	list := func(n ...uint32) provider.Query { return provider.Query{Objects: n} }
	for _, tt := range []struct {
		text string
		want provider.Query
		back string // what String gives
	}{
		{"Global", provider.Query{Global: true}, "Global"},
		{"GLOBAL", provider.Query{Global: true}, "Global"},
		{" \tglobal ", provider.Query{Global: true}, "Global"},
		{"Costly", provider.Query{Costly: true}, "Costly"},
		{"MetadataGlobal", provider.Query{Global: true, Metadata: true}, "MetadataGlobal"},
		{"metadatacostly", provider.Query{Costly: true, Metadata: true}, "MetadataCostly"},
		{"OLD_Global", provider.Query{Global: true}, "Global"},
		{"OLD_MetadataGlobal", provider.Query{Global: true, Metadata: true}, "MetadataGlobal"},
		{"OLD_MetadataCostly", provider.Query{Costly: true, Metadata: true}, "MetadataCostly"},
		{"2", list(2), "2"},
		{"2 230", list(2, 230), "2 230"},
		{"  230\t 2  ", list(2, 230), "2 230"},
		{"230 2 230 2", list(2, 230), "2 230"},
		{"007", list(7), "7"},
		{"4294967295", list(4294967295), "4294967295"},
		{"4294967296", nothing, ""},
		{"2 99999999999999999999999", nothing, ""},
		{"-2", nothing, ""},
		{"+2", nothing, ""},
		{"0x2", nothing, ""},
		{"2,230", nothing, ""},
		{"2 Process", nothing, ""},
		{"Global 2", nothing, ""},
		{"Global Costly", nothing, ""},
		{"Globally", nothing, ""},
		{"Foreign", nothing, ""},
		{"Foreign host", nothing, ""},
		{"Foreign host 2 230", nothing, ""},
		{"Counter 009", nothing, ""},
		{"Help 009", nothing, ""},
		{"Explain 009", nothing, ""},
		{"", nothing, ""},
		{"   ", nothing, ""},
	} {
		q := provider.ParseQuery(tt.text)
		if diff := cmp.Diff(&tt.want, q); diff != "" {
			t.Errorf("ParseQuery(%q) (-want +got):\n%s", tt.text, diff)
		}
		if got := q.String(); got != tt.back {
			t.Errorf("ParseQuery(%q).String() = %q, want %q", tt.text, got, tt.back)
		}
		if diff := cmp.Diff(q, provider.ParseQuery(q.String())); diff != "" {
			t.Errorf("ParseQuery(%q) read back (-want +got):\n%s", tt.text, diff)
		}
	}
}

// TestParseQueryFresh: a caller may add to what ParseQuery returns.
func TestParseQueryFresh(t *testing.T) {
	provider.ParseQuery("Global").Costly = true
	if provider.ParseQuery("Global").Costly {
		t.Error("a query that was changed comes again")
	}
}

func TestQueryOfClassAndObjects(t *testing.T) {
	q := provider.Query{Global: true, Costly: true, Objects: []uint32{230, 2}}
	if got, want := q.String(), "Global Costly 230 2"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}

func TestWants(t *testing.T) {
	cheap, costly := &provider.Object{Index: 12}, &provider.Object{Index: 238, Costly: true}
	for _, tt := range []struct {
		query         provider.Query
		cheap, costly bool
	}{
		{provider.Query{}, false, false},
		{provider.Query{Global: true}, true, false},
		{provider.Query{Costly: true}, false, true},
		{provider.Query{Global: true, Costly: true}, true, true},
		{provider.Query{Objects: []uint32{2, 38, 120, 2380}}, false, false}, // no parts of numbers
		{provider.Query{Objects: []uint32{238, 12}}, true, true},            // in any order, costly or not
		{provider.Query{Global: true, Objects: []uint32{238}}, true, true},
	} {
		if got := tt.query.Includes(cheap); got != tt.cheap {
			t.Errorf("%+v wants object 12: %v", tt.query, got)
		}
		if got := tt.query.Includes(costly); got != tt.costly {
			t.Errorf("%+v wants costly object 238: %v", tt.query, got)
		}
	}
}

func TestWantsCounter(t *testing.T) {
	o := transfer()
	for _, tt := range []struct {
		hint map[uint32][]uint32
		want [2]bool
	}{
		{nil, [2]bool{true, true}},
		{map[uint32][]uint32{2006: {2008}}, [2]bool{true, true}},
		{map[uint32][]uint32{2000: {2004}}, [2]bool{false, true}},
		{map[uint32][]uint32{2000: {}}, [2]bool{false, false}},
	} {
		q := &provider.Query{Global: true, Counters: tt.hint}
		if got := [2]bool{q.IncludesCounter(o, 0), q.IncludesCounter(o, 1)}; got != tt.want {
			t.Errorf("hint %v: wants %v, expected %v", tt.hint, got, tt.want)
		}
	}
}

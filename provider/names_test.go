package provider_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/provider"
)

func TestDeclarations(t *testing.T) {
	rename := func(o *provider.Object, change func(*provider.Object)) *provider.Object {
		change(o)
		return o
	}
	for _, tt := range []struct {
		name    string
		objects [2]*provider.Object // of two providers
		want    string
	}{
		{"two objects with one index", [2]*provider.Object{simple(2, false), simple(2, true)},
			`object 2 "Object 2" of second is already one of first`},
		{"bad declaration", [2]*provider.Object{simple(2, false), simple(3, false)},
			`object "Object 3" (index 3): title index is not an even number above 0`},
		{"one index with two names", [2]*provider.Object{simple(2, false),
			rename(simple(4, false), func(o *provider.Object) { o.Counters[0].Index = 1002 })},
			`title index 1002 is both "Counter 2" and "Counter 4"`},
		{"one index with two help texts", [2]*provider.Object{
			rename(simple(2, false), func(o *provider.Object) { o.Help = "One." }),
			rename(simple(4, false), func(o *provider.Object) { o.Help, o.HelpIndex = "Two.", 3 }),
		}, `title index 3 is both "One." and "Two."`},
		{"text that no name table holds", [2]*provider.Object{simple(2, false),
			rename(simple(4, false), func(o *provider.Object) { o.Help = "a\x00b" })},
			`index 5 has the text "a\x00b"`},
	} {
		_, err := provider.NewDispatcher(provider.Options{}, &fake{name: "first", objects: tt.objects[:1]},
			&fake{name: "second", objects: tt.objects[1:]})
		if !errors.Is(err, provider.ErrSchema) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestNames(t *testing.T) {
	first, second := transfer(), peer()
	second.Counters[0].Help, second.Counters[0].HelpIndex = "How much.", 2003
	// One index may stand for the same text in several objects.
	second.Counters = append(second.Counters, first.Counters[1])
	d := dispatcher(t, nil, &fake{name: "a", objects: []*provider.Object{first}},
		&fake{name: "b", objects: []*provider.Object{second}})
	if diff := cmp.Diff([]*provider.Object{first, second}, d.Objects()); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	type text struct {
		Index uint32
		Text  string
	}
	names := d.Names()[0]
	read := func(kind nametable.Kind, b []byte) (list []text) {
		table, damage := nametable.Parse(b, nametable.Options{Kind: kind})
		for _, f := range damage {
			t.Errorf("name table: %v", f)
		}
		for index, s := range table.All() {
			list = append(list, text{index, s})
		}
		return list
	}
	want := []text{{2000, "Transfer"}, {2002, "Bytes Sent"}, {2004, "Available Bandwidth"}, {2006, "Peer"},
		{2008, "Bytes Served"}}
	if diff := cmp.Diff(want, read(nametable.Counter, names.Counter)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	want = []text{{2001, "About transfers."}, {2003, "How much."}}
	if diff := cmp.Diff(want, read(nametable.Help, names.Help)); diff != "" {
		t.Errorf("help texts (-want +got):\n%s", diff)
	}
	if names.Language != nametable.English {
		t.Errorf("language %q", names.Language)
	}
}

// TestLanguages: each language that there are texts in has a table, English first.
func TestLanguages(t *testing.T) {
	first, second := transfer(), peer()
	first.Languages = map[string]provider.Text{"00C": {Name: "Transfert", Help: "Ce qui est transmis."}}
	second.Counters[0].Languages = map[string]provider.Text{"007": {Name: "Bytes, geliefert"}, "00C": {Name: "Octets"}}
	d := dispatcher(t, nil, &fake{name: "a", objects: []*provider.Object{first, second}})
	names, damage := nametable.FromSchema(&winperf.Schema{Names: d.Names()})
	if diff := cmp.Diff([]string{"009", "007", "00C"}, names.Languages()); diff != "" || len(damage) > 0 {
		t.Errorf("languages (-want +got):\n%s\ndamage %v", diff, damage)
	}
	french := names.In("00C")
	got := []string{french.Title(2000), french.Help(2001), french.Title(2008), names.In("007").Title(2008),
		names.Title(2008)}
	want := []string{"Transfert", "Ce qui est transmis.", "Octets", "Bytes, geliefert", "Bytes Served"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}

	second.Counters = append(second.Counters, first.Counters[0])
	second.Counters[1].Languages = map[string]provider.Text{"00C": {Name: "Autre"}}
	third := transfer()
	third.Index = 2100
	third.Counters = third.Counters[:1]
	third.Counters[0].Languages = map[string]provider.Text{"00C": {Name: "Encore"}}
	_, err := provider.NewDispatcher(provider.Options{},
		&fake{name: "b", objects: []*provider.Object{second, third}})
	if !errors.Is(err, provider.ErrSchema) || !strings.Contains(err.Error(), `"Autre" and "Encore"`) {
		t.Errorf("error %v", err)
	}
}

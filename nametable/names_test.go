package nametable

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
)

// schema has German first, English and French; German lacks Thread, French has
// a name that no other language has.
func schema() *winperf.Schema {
	return &winperf.Schema{Names: []winperf.NameTable{
		{Language: "0x0407",
			Counter: le("1\x001847\x002\x00System\x006\x00Prozessorzeit " +
				"(%)\x00230\x00Prozess\x00238\x00Prozessor\x00\x00"),
			Help: le("7\x00Zeit\x00\x00")},
		{Language: "00C", Counter: le("230\x00Processus\x004000\x00Rien\x00\x00")},
		{Language: "9",
			Counter: le("1\x001847\x002\x00System\x006\x00% Processor Time\x00174\x00Virtual " +
				"Bytes\x00230\x00Process\x00232\x00Thread\x00238\x00Processor\x001766\x00Virtual " +
				"Bytes\x00\x00"),
			Help: le("7\x00Time\x00231\x00A process\x00\x00")},
	}}
}

// names reads schema and fails the test on damage.
func names(t *testing.T) *Names {
	t.Helper()
	n, damage := FromSchema(schema())
	if len(damage) > 0 {
		t.Fatal(damage)
	}
	return n
}

func TestNamesTitleAndHelp(t *testing.T) {
	tests := []struct {
		lang   string
		titles map[uint32]string
		help   map[uint32]string
	}{
		{"", map[uint32]string{6: "% Processor Time", 230: "Process"}, map[uint32]string{7: "Time"}},
		{"7", map[uint32]string{6: "Prozessorzeit (%)", 232: "Thread", 4000: "Rien", 1: "#1", 4002: "#4002"},
			map[uint32]string{7: "Zeit", 231: "A process", 9: ""}},
		{"009", map[uint32]string{6: "% Processor Time", 230: "Process", 4000: "Rien"},
			map[uint32]string{7: "Time"}},
		{"40c", map[uint32]string{6: "% Processor Time", 230: "Processus"}, map[uint32]string{7: "Time"}},
		{"011", map[uint32]string{6: "% Processor Time", 230: "Process"}, map[uint32]string{7: "Time"}},
	}
	n := names(t)
	for _, tt := range tests {
		view := n.In(tt.lang)
		for index, want := range tt.titles {
			if got := view.Title(index); got != want {
				t.Errorf("in %q: title %d is %q, want %q", tt.lang, index, got, want)
			}
			if s, ok := view.Name(index); ok == strings.HasPrefix(want, "#") || ok && s != want {
				t.Errorf("in %q: name %d is %q, %t", tt.lang, index, s, ok)
			}
		}
		for index, want := range tt.help {
			if got := view.Help(index); got != want {
				t.Errorf("in %q: help %d is %q, want %q", tt.lang, index, got, want)
			}
		}
	}
	if got := n.Title(6); got != "Prozessorzeit (%)" {
		t.Errorf("without a choice: %q, want the schema's first language", got)
	}
}

func TestNamesLanguages(t *testing.T) {
	n := names(t)
	if got, want := n.Languages(), []string{"007", "009", "00C"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := n.In("c").Languages(), []string{"00C", "009", "007"}; !slices.Equal(got, want) {
		t.Errorf("in French: %q, want %q", got, want)
	}
	if got, want := n.Languages(), []string{"007", "009", "00C"}; !slices.Equal(got, want) {
		t.Errorf("In changed the original to %q", got)
	}
	counters, help := n.Tables("00C")
	if counters.Len() != 2 || help.Len() != 0 || help.kind != Help {
		t.Errorf("French has %d names and %d help texts", counters.Len(), help.Len())
	}
	if counters, help = n.Tables("012"); counters.Len() != 0 || help.Len() != 0 {
		t.Error("Korean has texts")
	}
}

func TestNamesLookup(t *testing.T) {
	n := names(t)
	for name, want := range map[string][]uint32{
		"process": {230}, "PROZESS": {230}, "Processus": {230}, "System": {2}, "virtual bytes": {174, 1766},
		"#230": {230}, "#4002": {4002}, "#": nil, "#x": nil, "#4294967296": nil, "1847": nil, "none": nil,
	} {
		if got := n.Lookup(name); !slices.Equal(got, want) {
			t.Errorf("Lookup(%q) = %d, want %d", name, got, want)
		}
	}
	for _, index := range []uint32{2, 6, 174, 4000, 4002, 1} {
		if got := n.Lookup(n.Title(index)); !slices.Contains(got, index) {
			t.Errorf("the title of %d stands for %d", index, got)
		}
	}
}

func TestNamesMatches(t *testing.T) {
	n := names(t)
	for _, c := range []struct {
		text  string
		index uint32
		want  bool
	}{
		{"process", 230, true}, {"PROZESS", 230, true}, {"#230", 230, true}, {"process", 2, false},
		{"#2", 230, false},
		{"proz*", 230, true}, {"*ssus", 230, true}, {"*", 230, true}, {"x*", 230, false}, {"#*", 230, false},
		{"#*", 4002, true}, {"#04002", 4002, true}, {"#", 4002, false}, {"*", 4002, true},
		{"#4002", 4002, true}, {"x*", 4002, false},
	} {
		if got := n.Matches(winperf.CompilePattern(c.text), c.index); got != c.want {
			t.Errorf("%q stands for %d: %t, want %t", c.text, c.index, got, c.want)
		}
	}
}

func TestNamesLookupCounter(t *testing.T) {
	n := names(t)
	tests := []struct {
		titles []uint32
		name   string
		want   uint32
		err    string
	}{
		{[]uint32{6, 174}, "virtual bytes", 174, ""},
		{[]uint32{1766, 1766, 6}, "Virtual Bytes", 1766, ""},
		{[]uint32{6, 174}, "prozessorzeit (%)", 6, ""},
		{[]uint32{6, 4002}, "#4002", 4002, ""},
		{[]uint32{6, 174, 1766}, "Virtual Bytes", 0,
			`"Virtual Bytes" alone: the title indices [174 1766] have this name`},
		{[]uint32{174}, "% Processor Time", 0, `no such counter as "% Processor Time"`},
		{nil, "Thread", 0, `"Thread"`},
	}
	for _, tt := range tests {
		got, err := n.LookupCounter(tt.titles, tt.name)
		if got != tt.want || (err != nil) != (tt.err != "") {
			t.Errorf("LookupCounter(%d, %q) = %d, %v, want %d", tt.titles, tt.name, got, err, tt.want)
		}
		if err != nil && (!errors.Is(err, winperf.ErrNoCounter) || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("LookupCounter(%d, %q): error %q, want %q in it", tt.titles, tt.name, err, tt.err)
		}
	}
}

// TestManyReaders reads names in several goroutines: nothing changes, and the race detector finds no write.
func TestManyReaders(t *testing.T) {
	n := names(t)
	read := func() string {
		var all []any
		for _, title := range []uint32{2, 4, 6, 174, 1766, 4002} {
			name := n.Title(title)
			found, err := n.LookupCounter([]uint32{6, 174, 4002}, name)
			all = append(all, name, n.Help(title), n.Lookup(name), found, err)
		}
		return fmt.Sprint(all...)
	}

	want := read()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if got := read(); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
	wait.Wait()
}

func TestFromSchemaDamage(t *testing.T) {
	n, damage := FromSchema(&winperf.Schema{Names: []winperf.NameTable{
		{Language: "Klingon", Counter: le("2\x00Qap\x00\x00")},
		{Language: "409", Counter: le("2\x00\x004\x00Memory\x00\x00"), Help: le("4\x00even\x00\x00")},
	}})
	want := []finding{
		{Fault: badLanguage, Offset: -1, Found: `"Klingon"`},
		{Fault: noText, Source: "Counter 009", Offset: 0, Found: "index 2 without a text"},
		{Fault: emptyString, Source: "Counter 009", Offset: 4, Found: "an empty string with data after it"},
		{Fault: parity, Source: "Help 009", Offset: 0, Found: "index 4"},
	}
	if diff := cmp.Diff(want, findings(t, damage)); diff != "" {
		t.Errorf("damage (-want +got):\n%s", diff)
	}
	if got := []string{n.Title(2), n.Title(4), n.Help(4)}; !slices.Equal(got,
		[]string{"Qap", "Memory", "even"}) {
		t.Errorf("names %q", got)
	}
}

func TestNamesZero(t *testing.T) {
	empty, damage := FromSchema(&winperf.Schema{})
	if len(damage) != 0 {
		t.Error(damage)
	}
	none, _ := FromSchema(nil)
	for _, n := range []*Names{empty, none, {}, (&Names{}).In("009")} {
		if got := n.Title(2) + n.Help(3); got != "#2" || len(n.Languages()) != 0 ||
			len(n.Lookup("System")) != 0 {
			t.Errorf("title %q, languages %q", got, n.Languages())
		}
	}
}

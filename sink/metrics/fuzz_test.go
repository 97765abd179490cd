package metrics

import (
	"strings"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/nametable"
)

// FuzzNames gives an object, a counter and instances any names. The metrics have names as
// the rules want them, and labels have the instances' names unchanged.
func FuzzNames(f *testing.F) {
	for _, seed := range [][4]string{
		{"Processor", "% Processor Time", "0", "_Total"},
		{".NET CLR Memory", "# Bytes in all Heaps", "a#1", "a#1"},
		{"SQLServer:", "Total (KB)", "", "\""},
		{"MSSQL$\\:x", "s m h d", "C:\\mnt", "a\nb"},
		{"%", "%", "\xff", "instance"},
		{"counter total sum", "Count Count Total", "x", "X"},
		{"K b 0", "K b 0 s", "é", "İſ"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	f.Fuzz(func(t *testing.T, object, name, a, b string) {
		if strings.ContainsAny(object+name+a+b, "\x00\\\n\r") || object == "" || name == "" {
			t.Skip("not a name that a table or the text form of a block can hold")
		}
		table, err := nametable.FromMap(nametable.Counter, map[uint32]string{10: object, 12: name, 14: name + "/sec"})
		if err != nil {
			t.Skip(err)
		}
		n := namesOf(t, table)

		text := at0 + "object 10\n counter 12 PERF_COUNTER_RAWCOUNT\n counter 14 PERF_COUNTER_COUNTER\n" +
			" counter 12 PERF_100NSEC_TIMER\n instance " + quoted(a) + " : 1 2 3\n instance " + quoted(b) + " : 4 5 6\n"
		fs := frames(t, text)
		set := mapped(t, NewMapper(Options{Totals: true}), fs[0], n)
		check(t, set)
		if len(set.Families) != 3 {
			t.Fatalf("%d families", len(set.Families))
		}
		for _, family := range set.Families {
			for i, want := range []string{fs[0].Object(0).Instance(0).Name(), fs[0].Object(0).Instance(1).Name()} {
				got := ""
				for _, l := range family.Columns[0].Rows.Labels(i) {
					if l.Name == "name" {
						got = l.Value
					}
				}
				if in := fs[0].Object(0).Instance(i); got != want && in.RawName() != "" {
					t.Errorf("name %q of instance %q", got, want)
				}
			}
		}
	})
}

// FuzzBlocks maps damaged blocks: there is no panic, and what comes out keeps the rules.
func FuzzBlocks(f *testing.F) {
	small := perftest.Block(perftest.Small)
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		cases := perftest.SuiteCases(3)
		cases.Seed = seed
		m, n := NewMapper(Options{Totals: seed%2 == 0}), new(nametable.Names)
		for _, r := range cases.All() {
			for _, f := range decodable(perftest.Mutate(r, small)) {
				check(t, mapped(t, m, f, n))
			}
		}
	})
}

// TestUnitsAreExact shows that what is converted is what one would compute by hand.
func TestUnitsAreExact(t *testing.T) {
	want := map[string]float64{
		"b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "s": 1, "ms": 1e-3, "mi": 1e-3, "us": 1e-6, "mic": 1e-6, "ns": 1e-9,
		"na": 1e-9, "mh": 1e6,
	}
	for word, u := range unitWords {
		factor := 0.
		for n := 1; n <= min(3, len(word)); n++ { // the longest beginning counts
			if f, ok := want[word[:n]]; ok {
				factor = f
			}
		}
		if u.name == "" || u.factor() != factor {
			t.Errorf("%s: %+v, factor %v, want %v", word, u, u.factor(), factor)
		}
		if _, again := counterWords("", "Size "+word, counter.RawCount); again.name != u.name {
			t.Errorf("%s: unit %q, want %q", word, again.name, u.name)
		}
	}
}

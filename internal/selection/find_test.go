package selection_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/selection"
)

// instance is what an instance is called.
type instance struct {
	name  string
	index int
}

// numbered numbers names in their order, as samples do.
func numbered(names ...string) []instance {
	var all []instance
	count := map[string]int{}
	for _, name := range names {
		all = append(all, instance{name, count[name]})
		count[name]++
	}
	return all
}

func paths(t testing.TB, texts ...string) []*selection.Path {
	var all []*selection.Path
	for _, text := range texts {
		p := selection.NewPath(path(t, `\Object`+text+`\Counter`))
		all = append(all, &p)
	}
	return all
}

func find(paths []*selection.Path, single bool, in []instance) [][]int32 {
	f := selection.NewFinder(paths, single, selection.Every(len(in)))
	if f.NeedsNames() {
		for i := range in {
			f.Add(i, in[i].name, in[i].index)
		}
	}
	return f.Found()
}

// oneByOne is the definition of what Finder finds.
func oneByOne(p *selection.Path, single bool, in []instance) []int32 {
	var found []int32
	for i := range in {
		if single && p.Fits(true) || !single && p.Instance(in[i].name, in[i].index) {
			found = append(found, int32(i))
		}
	}
	return found
}

var instanceTests = []struct {
	text string
	want []int32 // of those of TestFinder
}{
	{`(*)`, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8}},
	{`(**#*)`, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8}},
	{`(svchost)`, []int32{1}},
	{`(SVCHOST#1)`, []int32{3}},
	{`(svchost#2)`, nil},
	{`(svchost#*)`, []int32{1, 3}},
	{`(svc*)`, []int32{1, 3}},
	{`(svc*#1)`, []int32{3}},
	{`(*#1)`, []int32{3}},
	{`(kworker/0:1)`, []int32{4}},
	{`(K*)`, []int32{4, 5}},
	{`(*/*)`, []int32{4, 6}},
	{`(/var/log)`, []int32{6}},
	{`(почта)`, []int32{7}},
	{`()`, []int32{8}},
	{`(nobody)`, nil},
	{``, nil},
}

func TestFinder(t *testing.T) {
	in := numbered("_Total", "svchost", "Idle", "svchost", "kworker/0:1", "\u212A2", "/var/log",
		"ПОЧТА", "")
	var texts []string
	for _, tt := range instanceTests {
		texts = append(texts, tt.text)
		one := paths(t, tt.text)
		if got := find(one, false, in)[0]; !slices.Equal(got, tt.want) {
			t.Errorf("%s alone: %d, want %d", tt.text, got, tt.want)
		}
		if got := oneByOne(one[0], false, in); !slices.Equal(got, tt.want) {
			t.Errorf("%s by definition: %d, want %d", tt.text, got, tt.want)
		}
	}
	for k, got := range find(paths(t, texts...), false, in) {
		if !slices.Equal(got, instanceTests[k].want) {
			t.Errorf("%s with the others: %d, want %d", texts[k], got, instanceTests[k].want)
		}
	}
}

func TestFinderSingle(t *testing.T) {
	in := numbered("")
	texts := []string{``, `(*)`, `()`, `(#*)`, `(a)`, `(*#1)`, `(?)`}
	want := [][]int32{{0}, {0}, {0}, {0}, nil, nil, nil}
	for k, got := range find(paths(t, texts...), true, in) {
		if !slices.Equal(got, want[k]) {
			t.Errorf("%s: %d, want %d", texts[k], got, want[k])
		}
	}
}

// TestFinderNames: an instance with two names is found by both, and once by a path that
// means both.
func TestFinderNames(t *testing.T) {
	for _, more := range []int{0, 20} { // with a map and without
		texts := []string{`(a)`, `(1)`, `(?)`, `(a#1)`}
		for i := range more {
			texts = append(texts, fmt.Sprintf("(other%d)", i))
		}
		f := selection.NewFinder(paths(t, texts...), false, selection.Every(2))
		for i, name := range []string{"1", "2"} {
			f.Add(i, "a", i)
			f.Add(i, name, 0)
		}
		want := [][]int32{{0}, {0}, {0, 1}, {1}}
		for k, got := range f.Found()[:len(want)] {
			if !slices.Equal(got, want[k]) {
				t.Errorf("%s: %d, want %d", texts[k], got, want[k])
			}
		}
	}
}

// TestFinderLooksAtNoName where all paths want all instances.
func TestFinderLooksAtNoName(t *testing.T) {
	f := selection.NewFinder(append(paths(t, `(*)`, `(*#*)`, ``), nil), false, selection.Every(3))
	found := f.Found()
	shared := len(found[0]) == 3 && &found[0][0] == &found[1][0] && &found[0][0] == &found[3][0]
	if f.NeedsNames() || !shared || found[2] != nil {
		t.Errorf("needs names: %v, found %d", f.NeedsNames(), found)
	}
	if f := selection.NewFinder(paths(t, `(*)`, `(a)`), false, selection.Every(3)); !f.NeedsNames() {
		t.Error("(a) is found without names")
	}
}

// manyPaths are 200,000 instances and n paths of which each names one of them.
func manyPaths(t testing.TB, n int, form string) ([]instance, []*selection.Path) {
	var in []instance
	var texts []string
	for i := range 200_000 {
		in = append(in, instance{fmt.Sprintf("instance %06d", i), 0})
	}
	for i := range n {
		texts = append(texts, fmt.Sprintf(form, i*len(in)/n))
	}
	return in, paths(t, texts...)
}

// BenchmarkFinder: what an instance costs must not grow with the paths.
func BenchmarkFinder(b *testing.B) {
	for _, n := range []int{1, 100, 10_000} {
		for _, form := range []string{"(instance %06d)", "(instance %06d*)"} {
			b.Run(fmt.Sprintf("%s/paths=%d", form, n), func(b *testing.B) {
				in, all := manyPaths(b, n, form)
				b.ReportAllocs()
				for b.Loop() {
					find(all, false, in)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(in)), "ns/instance")
			})
		}
	}
}

// FuzzFinder: many paths at once find what each of them finds by itself.
func FuzzFinder(f *testing.F) {
	f.Add("_Total\nsvchost\nsvchost\nK\n", "(svchost)\n(svc*)\n(*)\n(SVCHOST#1)\n(\u212A)\n(k#*)\n()", false)
	f.Add("", "(*)\n", true)
	f.Add("a/b\na\xff", "(a/b)\n(a\uFFFD)\n(b)\n(c)\n(d)\n(e)", false)
	f.Fuzz(func(t *testing.T, names, texts string, single bool) {
		var all []*selection.Path
		for _, text := range strings.Split(texts, "\n") {
			if p, err := winperf.ParsePath(`\O` + text + `\C`); err == nil {
				of := selection.NewPath(p)
				all = append(all, &of)
			}
		}
		in := numbered(strings.Split(names, "\n")...)
		for k, got := range find(all, single, in) {
			if want := oneByOne(all[k], single, in); !slices.Equal(got, want) {
				t.Errorf("%s of %q: %d, want %d", all[k].Original, names, got, want)
			}
		}
	})
}

// FuzzName: by tables a name is what Lookup finds, and a pattern what Match does.
func FuzzName(f *testing.F) {
	f.Add("Pro*", uint32(230))
	f.Add("#230", uint32(230))
	f.Add("Gleich", uint32(12))
	f.Add("#4*", uint32(4711))
	f.Fuzz(func(t *testing.T, text string, title uint32) {
		names := tables(t)
		n := selection.NewName(text)
		n.Resolve(selection.NewTables(names))
		want := slices.Contains(names.Lookup(text), title)
		if pattern := winperf.CompilePattern(text); pattern.HasWildcard() {
			want = false
			for _, id := range names.Languages() {
				want = want || pattern.Match(names.In(id).Title(title))
			}
		}
		if got := n.Is(title, ""); got != want {
			t.Errorf("%q is %d: %v, want %v", text, title, got, want)
		}
		if got := names.Matches(winperf.CompilePattern(text), title); got != want {
			t.Errorf("%q matches %d: %v, want %v", text, title, got, want)
		}
	})
}

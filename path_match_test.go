package winperf_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/winperf/winperf"
)

var patterns = []struct {
	pattern, name string
	want          bool
}{
	{"", "", true},
	{"", "a", false},
	{"*", "", true},
	{"**", "a", true},
	{"?", "", false},
	{"?", "a", true},
	{"?", "ab", false},
	{"?", "é", true},
	{"?", "😀", true},
	{"?*", "", false},
	{"*?", "ab", true},
	{"abc", "ABC", true},
	{"abc", "ab", false},
	{"pro*", "Processor", true},
	{"pro*", "PRO", true},
	{"*sec", "Bytes Total/sec", true},
	{"*sec", "Bytes Total/sec ", false},
	{"% * time", "% Processor Time", true},
	{"% * time", "% Processor Times", false},
	{"a*b*c", "aXbXbc", true},
	{"a*b*c", "aXbXb", false},
	{"*a?c*", "xxabxabc", true},
	{"система*", "СИСТЕМА 1", true},
	{"k*", "\u212A", true}, // KELVIN SIGN folds to k
	{"ſ?", "Sß", true},     // LATIN SMALL LETTER LONG S folds to s
	{"straße*", "STRASSE", false},
	{"*\uFFFD", "a\xff", true}, // a broken byte reads as U+FFFD
	{"a*", "*", false},
	{"[ab]", "a", false},
}

func TestPattern(t *testing.T) {
	for _, test := range patterns {
		p := winperf.CompilePattern(test.pattern)
		if got := p.Match(test.name); got != test.want {
			t.Errorf("%q matches %q: %v, want %v", test.pattern, test.name, got, test.want)
		}
		if p.String() != test.pattern || p.HasWildcard() != strings.ContainsAny(test.pattern, "*?") {
			t.Errorf("%q: String %q, HasWildcard %v", test.pattern, p, p.HasWildcard())
		}
	}
	if zero := (winperf.Pattern{}); !zero.Match("") || zero.Match("a") {
		t.Error("the zero Pattern does not match just the empty name")
	}
}

// Backtracking into every star would not end here.
func TestPatternManyStars(t *testing.T) {
	p := winperf.CompilePattern(strings.Repeat("*a", 100) + "*b")
	name := strings.Repeat("a", 10_000)
	if p.Match(name) {
		t.Error("matches without b")
	}
	if !p.Match(name + "b") {
		t.Error("does not match with b")
	}
}

func TestMatcherInstance(t *testing.T) {
	type instance struct {
		full       string
		occurrence int
	}
	all := []instance{
		{"", 0}, {"Idle", 0}, {"svchost", 0}, {"svchost", 1}, {"svchost", 2}, {"svchost (k)", 0},
		{"System", 0}, {"kworker/0:1", 0}, {"/", 0}, {"/var/log", 0}, {"name#5", 0}, {"_Total", 0},
	}
	from := func(s ...string) []string { return s }
	tests := []struct {
		pattern string
		want    []string
	}{
		{"svchost", from("svchost 0")},
		{"SvcHost", from("svchost 0")},
		{"svchost#0", from("svchost 0")},
		{"svchost#2", from("svchost 2")},
		{"svchost#3", nil},
		{"svchost#*", from("svchost 0", "svchost 1", "svchost 2")},
		{"svchost*", from("svchost 0", "svchost 1", "svchost 2", "svchost (k) 0")},
		{"svc*#1", from("svchost 1")},
		{"svchos?", from("svchost 0", "svchost 1", "svchost 2")},
		{"svchost (k)", from("svchost (k) 0")},
		{"s?????", from("System 0")},
		{"kworker/0:1", from("kworker/0:1 0")},
		{"0:1", nil},
		{"*/0:1", from("kworker/0:1 0")},
		{"*/*", from("kworker/0:1 0", "/ 0", "/var/log 0")},
		{"/*", from("/ 0", "/var/log 0")},
		{"/", from("/ 0")},
		{"/var/log", from("/var/log 0")},
		{"", from(" 0")},
		{"_total", from("_Total 0")},
		{"name#5", nil},
		{"name#5#0", from("name#5 0")},
		{"name#5#*", from("name#5 0")},
		{"name*", from("name#5 0")},
	}
	for _, any := range []string{"*", "**", "*#*"} {
		tests = append(tests, struct {
			pattern string
			want    []string
		}{any, nil})
		for _, i := range all {
			last := &tests[len(tests)-1].want
			*last = append(*last, fmt.Sprint(i.full, " ", i.occurrence))
		}
	}
	for _, test := range tests {
		m := mustParse(t, `\Object(`+test.pattern+`)\c`).Matcher()
		var got []string
		for _, i := range all {
			if m.Instance(i.full, i.occurrence) {
				got = append(got, fmt.Sprint(i.full, " ", i.occurrence))
			}
		}
		if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
			t.Errorf("(%s) matches %q, want %q", test.pattern, got, test.want)
		}
	}
}

func TestMatcherParts(t *testing.T) {
	tests := []struct {
		path, machine, object, counter string
		isMachine, isObject, isCounter bool
	}{
		{`\Processor(*)\% * Time`, "anything", "PROCESSOR", "% Idle Time", true, true, true},
		{`\Processor(*)\% * Time`, "", "Process", "% Idle Times", true, false, false},
		{`\\host\Proc*\Pages/sec`, "HOST", "Process", "pages/SEC", true, true, true},
		{`\\host\Proc*\Pages/sec`, "", "Memory", "Pages", false, false, false},
		{`\*(*)\*`, "", "Memory", "Pages/sec", true, true, true},
	}
	for _, test := range tests {
		m := mustParse(t, test.path).Matcher()
		if m.Machine(test.machine) != test.isMachine {
			t.Errorf("%s: machine %q", test.path, test.machine)
		}
		if m.Object(test.object) != test.isObject {
			t.Errorf("%s: object %q", test.path, test.object)
		}
		if m.Counter(test.counter) != test.isCounter {
			t.Errorf("%s: counter %q", test.path, test.counter)
		}
	}
}

func TestMatcherWithoutInstance(t *testing.T) {
	without, with := mustParse(t, `\TCPv4\*`).Matcher(), mustParse(t, `\TCPv4(*)\*`).Matcher()
	if without.HasInstance() || !with.HasInstance() {
		t.Error("HasInstance does not report the parentheses")
	}
	if !without.Instance("", 0) || !with.Instance("", 0) {
		t.Error("the nameless instance is not matched")
	}
	if without.Instance("", 1) || without.Instance("a", 0) {
		t.Error("a path without parentheses matches instances")
	}
}

// Several goroutines use one Matcher: the race detector watches.
func TestMatcherOfMany(t *testing.T) {
	m := mustParse(t, `\\Host\Pro*(*ö?c*)\% *`).Matcher()
	var wait sync.WaitGroup
	for n := range 8 {
		wait.Go(func() {
			for range 100 {
				if !m.Machine("host") || !m.Object("Processor") || !m.Counter("% Processor Time") || !m.Instance("Größe/Öxcy", n) {
					t.Error("no match")
				}
			}
		})
	}
	wait.Wait()
}

func TestMatcherAllocatesNothing(t *testing.T) {
	m := mustParse(t, `\\Host\Pro*(*ö?c*)\% *`).Matcher()
	if n := testing.AllocsPerRun(10, func() {
		m.Machine("host")
		m.Object("Processor")
		m.Counter("% Processor Time")
		m.Instance("Größe/Öxcy", 3)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Names that Windows has, in 17 languages, can be written in a path and are
// matched by it.
func TestPathRealNames(t *testing.T) {
	names := append(realTable(t), realLanguages(t)...)
	objects := 0
	for _, name := range names {
		p := winperf.Path{Machine: "HOST", Object: "Object", Instance: name, HasInstance: true, Counter: name}
		checkReal(t, p)
		if !strings.Contains(name, "(") {
			objects++
			checkReal(t, winperf.Path{Object: name, Counter: name})
		}
	}
	t.Logf("%d names, %d of them possible as objects", len(names), objects)
}

func checkReal(t *testing.T, p winperf.Path) {
	t.Helper()
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	upper := strings.ToUpper(p.Counter)
	if m := p.Matcher(); !m.Counter(p.Counter) || strings.EqualFold(upper, p.Counter) && !m.Counter(upper) || !m.Instance(p.Instance, 0) {
		t.Errorf("%s does not match its own names", p)
	}
}

// realTable reads the names of a Windows Vista machine, index TAB name.
func realTable(t *testing.T) (names []string) {
	data := realFile(t, "vista_en_ZACH-PC_Counter009.tsv")
	for line := range strings.Lines(string(data)) {
		if _, name, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "\t"); ok && name != "" {
			names = append(names, name)
		}
	}
	return names
}

// realLanguages reads names in many languages, each an attribute.
func realLanguages(t *testing.T) (names []string) {
	d := xml.NewDecoder(strings.NewReader(string(realFile(t, "PAL_CounterLang.xml"))))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		if element, ok := token.(xml.StartElement); ok {
			for _, attr := range element.Attr {
				if attr.Value != "" {
					names = append(names, attr.Value)
				}
			}
		}
	}
}

func realFile(t *testing.T, name string) []byte {
	data, err := os.ReadFile(filepath.Join("..", "shared", "data", "names", name))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("needs real name tables beside the project: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestPatternAllocatesNothing(t *testing.T) {
	for _, n := range []int{1, 61, 62, 63, 64, 127, 128, 252, 253} {
		p := winperf.CompilePattern("*" + strings.Repeat("a", n) + "?")
		name := "x" + strings.Repeat("a", n+1)
		if allocs := testing.AllocsPerRun(10, func() { p.Match(name) }); allocs != 0 || !p.Match(name) {
			t.Errorf("%d characters: %v allocations, matches %v", n+2, allocs, p.Match(name))
		}
	}
}

// TestLongPatterns: patterns of all lengths match as their parts do, also where states share no word of memory.
func TestLongPatterns(t *testing.T) {
	for _, n := range []int{1, 61, 62, 63, 64, 65, 127, 128, 254, 255, 256, 1021, 1022, 1023, 1024, 5000} {
		long := strings.Repeat("a", n)
		for _, tt := range []struct {
			pattern, name string
			want          bool
		}{
			{"*" + long, "b" + strings.ToUpper(long), true},
			{"*" + long, long + "b", false},
			{long + "*", long + "b", true},
			{long + "*", long[1:] + "b", false},
			{"*" + long + "*", "x" + long + "y", true},
			{"*" + long + "b*", long + long + "a", false},
			{"?" + long + "*é", "É" + long + "É", true},
			{"?" + long + "*é", "É" + long + "E", false},
			{long + "?*", long, false},
			{long + "*?", long + "*", true},
			{"*" + long + "*" + long, long + long, true},
			{"*" + long + "*" + long, long + long[1:], false},
		} {
			if got := winperf.CompilePattern(tt.pattern).Match(tt.name); got != tt.want {
				t.Errorf("%d: %.9s... matches %.9s...: %v", n, tt.pattern, tt.name, got)
			}
		}
	}
}

// TestPatternIsLinear matches a name that makes a search for the pattern begin again at each character.
func TestPatternIsLinear(t *testing.T) {
	p := winperf.CompilePattern("*" + strings.Repeat("a", 60) + "b*")
	name := strings.Repeat("a", 100_000)
	if allocs := testing.AllocsPerRun(100, func() {
		if p.Match(name) {
			t.Error("it matches")
		}
	}); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

package strictyaml

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
)

// config has a field of each kind that is read.
type config struct {
	Pos
	Source   string            `yaml:"source"`
	Interval time.Duration     `yaml:"interval"`
	Paths    []winperf.Path    `yaml:"paths"`
	Max      int               `yaml:"max_series"`
	Small    int8              `yaml:"small"`
	Count    uint              `yaml:"count"`
	Share    float64           `yaml:"share"`
	Totals   bool              `yaml:"totals"`
	Headers  map[string]string `yaml:"headers"`
	Push     []target          `yaml:"push"`
	Limit    *Size             `yaml:"limit"`
	Names    Value[string]     `yaml:"names"`
	Objects  Embedded[[]named] `yaml:"objects"`
	Web      web               `yaml:",inline"`
	Unread   string
}

type target struct {
	Pos
	URL string `yaml:"url,required"`
}

type named struct {
	Pos
	Name   string `yaml:"name,required"`
	Object string `yaml:"object"`
}

type web struct {
	Listen []string `yaml:"listen"`
}

// all is a text that has every key.
const all = `source: "local:"
interval: 1m30s
paths:
  - \Memory\*
  - '\Processor(*)\% Processor Time'
max_series: 5000
small: -3
count: 0x10
share: 0.25
totals: true
headers: {X-Id: 12, Key: abc}
push:
  - url: http://a
  -
    url: http://b
limit: 1.5M
names:
  own
objects: |-
  - name: memory
    object: Memory

  - name: cache
listen: [":1", ":2"]
`

func TestDecode(t *testing.T) {
	var got config
	if err := Decode("f", []byte(all), &got); err != nil {
		t.Fatal(err)
	}

	limit := Size(3 << 19)
	at := func(line, column int) Pos { return Pos{Source: "f", Line: line, Column: column} }
	path := func(s string) winperf.Path {
		p, err := winperf.ParsePath(s)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	want := config{
		Pos: at(1, 1), Source: "local:", Interval: 90 * time.Second,
		Paths: []winperf.Path{path(`\Memory\*`), path(`\Processor(*)\% Processor Time`)},
		Max:   5000, Small: -3, Count: 16, Share: 0.25, Totals: true,
		Headers: map[string]string{"X-Id": "12", "Key": "abc"},
		Push:    []target{{at(13, 5), "http://a"}, {at(15, 5), "http://b"}},
		Limit:   &limit, Names: Value[string]{"own", at(18, 3)},
		Objects: Embedded[[]named]{[]named{{at(20, 5), "memory", "Memory"}, {at(23, 5), "cache", ""}}},
		Web:     web{[]string{":1", ":2"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What the text does not say stays as it is.
func TestKeeps(t *testing.T) {
	got := config{Source: "log", Max: 3, Paths: []winperf.Path{{}}}
	if err := Decode("f", []byte("max_series: 4\npaths:\nheaders: ~\npush: null\nlimit:\n"), &got); err != nil {
		t.Fatal(err)
	}
	if got.Source != "log" || got.Max != 4 || len(got.Paths) != 1 || got.Limit != nil {
		t.Errorf("%+v", got)
	}
	for _, empty := range []string{"", "# nothing\n", "---\n", "~\n"} {
		if err := Decode("f", []byte(empty), &got); err != nil || got.Max != 4 {
			t.Errorf("%q: %v, %+v", empty, err, got)
		}
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"interva: 5\n", `f:1:1: unknown key "interva" (did you mean interval?)`},
		{"a: 1\n", `f:1:1: unknown key "a", expected one of count, headers, `},
		{"url: x\n", `f:1:1: unknown key "url" (did you mean push: url?)`},
		{"push.url: x\n", `f:1:1: unknown key "push.url" (did you mean push: url?)`},
		{"push:\n - zzz: 1\n   url: x\n", `f:2:4: unknown key "zzz", expected one of url`},
		{"push:\n - {}\n", `f:2:4: the key url is missing`},
		{"source: a\nsource: b\n", `f:2:1: duplicate key "source", first in line 1`},
		{"paths: it's\n", `f:1:8: paths: expected a list such as ['it''s'], found text "it's"`},
		{"paths: |\n  a\n  b\n", `f:1:8: paths: expected a list such as ['...'], found text "a\nb\n"`},
		{"source: a\npaths:\n\t- a\n", `f:3:1: a tab, expected spaces`},
		{"listen: [a, b\n", `f:2:1: expected ',' or ']'`},
		{"headers:\n  a: 1\n  a: 2\n", `f:3:3: duplicate key "a", first in line 2`},
		{"? [a]\n: b\n", `f:1:3: expected a key, found a list`},
		{"interval: soon\n", `f:1:11: interval: expected ` + timeForm + `, found text "soon"`},
		{"interval: .inf\n", `f:1:11: interval: expected ` + timeForm + `, found ".inf"`},
		{"interval: 1e30\n", `f:1:11: interval: expected ` + timeForm + `, found "1e30"`},
		{"interval:\n", `f:1:1`},
		{"source: [a]\n", `f:1:9: source: expected text, found a list`},
		{"paths: \\Memory\\*\n", `f:1:8: paths: expected a list such as ['\Memory\*'], found text "\\Memory\\*"`},
		{"paths:\n  - Memory\n", `f:2:5: paths: bad counter path "Memory", character 1: a path begins`},
		{"max_series: many\n", `f:1:13: max_series: expected a whole number, found text "many"`},
		{"max_series: \"5\"\n", `f:1:13: max_series: expected a whole number, found text "5"`},
		{"max_series: 1.5\n", `f:1:13: max_series: expected a whole number, found "1.5"`},
		{"small: 200\n", `f:1:8: small: expected a whole number from -128 to 127, found "200"`},
		{"small: many\n", `f:1:8: small: expected a whole number, found text "many"`},
		{"count: -1\n", `f:1:8: count: expected a whole number from 0, found "-1"`},
		{"share: .nan\n", `f:1:8: share: expected a number, found ".nan"`},
		{"totals: yes\n", `f:1:9: totals: expected true or false, found text "yes"`},
		{"totals: {}\n", `f:1:9: totals: expected true or false, found keys with values`},
		{"limit: 5 apples\n", `f:1:8: limit: expected a size such as 500K, 100M or 2G`},
		{"- a\n", `f:1:1: expected keys with values, found a list`},
		{"source: !go x\n", `f:1:9: source: unknown tag "!go"`},
		{"<<: {source: x}\n", `f:1:1: unknown key "<<"`},
		{"source: a\n---\nsource: b\n", `f:2:1: a second document begins here, expected only one`},
		{"source: *x\n", `f:1:9: unknown anchor 'x' referenced`},
		{"paths: [\"\\Process(*)\\ID Process\"]\n", `f:1:21: found unknown escape character (in double quotes \ begins`},
		{"listen: [*]\n", `f:1:11: expected alphabetic or numeric character (* and & begin an alias`},
		{"listen: [%a]\n", `f:1:10: found character that cannot start any token (text that begins with %`},
		{"listen:\n - a\n  small: 1\n", `f:3:8: mapping values are not allowed`},
		{"headers:\n a: 1\n   b: 2\n", `f:3:5: mapping values are not allowed`},
		{"headers:\n a: [1]\n   b: 2\n", `f:3:4: expected key (keys that belong together are indented alike)`},
		{"source: a\n interval: 2\n", `f:2:10: mapping values are not allowed in this context`},
		{"source: a\nlisten: [1, 2\nsmall: 1\n", `f:3:6: expected ',' or ']'`},
		{"source: \"\xff\"\n", `f:1:10: invalid leading UTF-8 octet`},
		{"\xff\xfe", ""},
		// Places inside text that holds YAML.
		{"objects: |\n    - name: a\n      objcet: b\n", `f:3:7: unknown key "objcet" (did you mean object?)`},
		{"# x\nobjects: |-\n\n  - name: a\n    name: b\n", `f:5:5: duplicate key "name", first in line 4`},
		{"objects: \"- nam: a\"\n", `f:1:10: unknown key "nam" (did you mean name?)`},
		{"objects: |\n  - [\n", `f:3:3: expected node content`},
		{"objects:\n  - nme: x\n    name: x\n", `f:2:5: unknown key "nme" (did you mean name?)`},
		{"objects: 5\n", `f:1:10: objects: expected a list such as ['5'], found "5"`},
	} {
		err := Decode("f", []byte(c.text), &config{})
		if c.want == "" {
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
		var place *winperf.DataError
		if !errors.As(err, &place) || place.Line == 0 || place.Column == 0 {
			t.Errorf("%q: no place: %#v", c.text, place)
		}
	}
}

// told is a structure that knows a key of another program.
type told struct {
	A int `yaml:"a"`
}

// UnknownKey says whose key it is.
func (told) UnknownKey(key string) string {
	return map[string]string{"b": "that of another program"}[key]
}

func TestUnknownKey(t *testing.T) {
	for text, want := range map[string]string{
		"b: 1\n": `f:1:1: unknown key "b": that of another program`,
		"c: 1\n": `f:1:1: unknown key "c", expected one of a`,
	} {
		if err := Decode("f", []byte(text), &told{}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Into names the value to decode into, or ignores the value.
func TestInto(t *testing.T) {
	type sections struct {
		Web     Into `yaml:"web"`
		Ignored Into `yaml:"ignored"`
	}
	var got web
	into := sections{Web: Into{To: &got}}
	if err := Decode("f", []byte("web: {listen: [':1']}\nignored: {any: [thing]}\n"), &into); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Listen, []string{":1"}) {
		t.Errorf("%+v", got)
	}

	err := Decode("f", []byte("web: {lisen: [':1']}\n"), &into)
	if want := `f:1:7: unknown key "lisen" (did you mean listen?)`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// A map takes the keys that no field has, and Any takes every value.
func TestRest(t *testing.T) {
	type open struct {
		A      int                       `yaml:"a"`
		Others map[string]map[string]Any `yaml:",rest"`
	}
	var got open
	if err := Decode("f", []byte("a: 1\nb: {c: 1, d: [x]}\ne:\ng: {h: {i: j}}\n"), &got); err != nil {
		t.Fatal(err)
	}
	want := open{1, map[string]map[string]Any{"b": {"c": {}, "d": {}}, "e": nil, "g": {"h": {}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for text, want := range map[string]string{
		"b: 1\n":            `f:1:4: b: expected keys with values, found "1"`,
		"b: {c: 1, c: 2}\n": `f:1:11: duplicate key "c", first in line 1`,
		"b: {}\nb: {}\n":    `f:2:1: duplicate key "b", first in line 1`,
	} {
		if err := Decode("f", []byte(text), &open{}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// All problems are told at once, in their order, but not without end.
func TestAllProblems(t *testing.T) {
	text := "interva: 1\nmax_series: x\npush:\n  - ur: 1\n"
	err := Decode("f", []byte(text), &config{})
	want := `f:1:1: unknown key "interva" (did you mean interval?)
f:2:13: max_series: expected a whole number, found text "x"
f:4:5: unknown key "ur" (did you mean url?)`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}

	err = Decode("f", []byte(strings.Repeat("? [a]\n: b\n", 1000)), &config{})
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != maxErrors+1 || !strings.HasSuffix(lines[maxErrors], "more problems from here on") {
		t.Errorf("%d lines, the last: %s", len(lines), lines[len(lines)-1])
	}
}

// bomb is a text whose aliases stand for a million values.
func bomb() string {
	var b strings.Builder
	b.WriteString("d0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 5 {
		aliases := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 10), ",")
		fmt.Fprintf(&b, "d%d: &a%d [%s]\n", i+1, i+1, aliases)
	}
	return b.String()
}

// lists are what bomb is read into.
type lists struct {
	D0 []string           `yaml:"d0"`
	D1 [][]string         `yaml:"d1"`
	D2 [][][]string       `yaml:"d2"`
	D3 [][][][]string     `yaml:"d3"`
	D4 [][][][][]string   `yaml:"d4"`
	D5 [][][][][][]string `yaml:"d5"`
}

// knot is a structure without end.
type knot struct {
	A *knot `yaml:"a"`
}

func TestBounds(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		into any
		want string
	}{
		"values":    {bomb(), &lists{}, "more than 100000 values"},
		"recursion": {"a: &a\n  a: *a\n", &knot{}, "more than 64 levels deep"},
		"size":      {strings.Repeat("#", MaxSize+1), &config{}, "longer than 1048576 bytes"},
		"depth":     {"d5: " + strings.Repeat("[", 100_000), &lists{}, "f:"},
		"pointer":   {"", config{}, "no pointer to read into"},
	} {
		if err := Decode("f", []byte(c.text), c.into); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestErrorf(t *testing.T) {
	var got config
	if err := Decode("f", []byte("\nnames:   own\n"), &got); err != nil {
		t.Fatal(err)
	}
	err := got.Names.Errorf("there is no %w", fs.ErrNotExist)
	if err.Error() != "f:2:10: there is no file does not exist" || !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := got.Names.Errorf("no"); !errors.Is(err, winperf.ErrBadData) {
		t.Error(err)
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]Size{
		"0": 0, "12": 12, "12 B": 12, "1K": 1024, "2kib": 2048, "1.5 MB": 3 << 19, "2G": 2 << 30, "1T": 1 << 40,
	} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%q: %d, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "-1", "x", "1 X", "1e99", "NaN", "1KK"} {
		if err := new(Size).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is no error", text)
		}
	}
}

// FuzzDecode reads any text: no panic, and every problem has its place within the text.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(all))
	f.Add([]byte(bomb()))
	f.Add([]byte("a: &a\n  a: *a\n"))
	f.Add([]byte("objects: |2\n    - [\n  - *x\n"))
	f.Add([]byte("objects: >\n\n  - {name: |\n x}\n"))
	f.Add([]byte("source: a\n---\n...\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var c config
		err := Decode("f", text, &c)
		if err == nil {
			var again config
			if err := Decode("f", text, &again); err != nil || !cmp.Equal(c, again) {
				t.Errorf("read again: %v\n%s", err, cmp.Diff(c, again))
			}
			return
		}

		// A text may end with a line end, behind which its end is noticed.
		lines := strings.Count(strings.ReplaceAll(string(text), "\r", "\n"), "\n") + 2
		for _, one := range err.(interface{ Unwrap() []error }).Unwrap() {
			var place *winperf.DataError
			if !errors.As(one, &place) || place.Source != "f" || place.Line < 0 || place.Line > lines {
				t.Errorf("%v: place %#v of %d lines", one, place, lines)
			}
		}
	})
}

// A structure knows whether something in it could not be read, at any depth, and not what is next to it.
func TestPartial(t *testing.T) {
	type inner struct {
		Pos
		A int `yaml:"a"`
	}
	type outer struct {
		Pos
		List Embedded[[]inner] `yaml:"list"`
	}
	const list = "\n  - a: 1\n  - a: x\n  - b: 1\n  - a: 2\n"
	for _, text := range []string{"list:" + list, "list: |-" + list} {
		var got outer
		if err := Decode("f", []byte(text), &got); err == nil {
			t.Error("no error")
		}
		var partial []bool
		for _, one := range got.List.V {
			partial = append(partial, one.Partial)
		}
		if !got.Partial || !slices.Equal(partial, []bool{false, true, true, false}) {
			t.Errorf("%q: %v, %v", text, got.Partial, partial)
		}
	}
}

package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
)

// scripted is a source of readings: a sample for each second that it names.
type scripted struct {
	name    string
	live    bool
	seconds []int
	damaged int   // with this second there is damage; 0 none
	last    error // behind the last sample; nil is io.EOF

	compiled int // number of queries
}

var start = time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)

func (s *scripted) Describe() winperf.Description {
	return winperf.Description{Recorded: !s.live, Cooked: true, Samples: -1}
}

func (s *scripted) Schema(context.Context) (*winperf.Schema, error) {
	return &winperf.Schema{Interface: "log"}, nil
}

func (s *scripted) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	s.compiled++
	series := winperf.NewSeries(winperf.Path{Machine: s.name, Object: "O", Counter: "C"})
	return &scriptedQuery{s, series, 0}, nil
}

func (s *scripted) Close() error { return nil }

type scriptedQuery struct {
	*scripted
	series *winperf.Series
	at     int
}

func (q *scriptedQuery) Next(_ context.Context, s *winperf.Sample) error {
	s.Clear()
	if q.at == len(q.seconds) {
		if q.last != nil {
			return q.last
		}
		return io.EOF
	}
	second := q.seconds[q.at]
	q.at++
	perftest.ShowValues(s, start.Add(time.Duration(second)*time.Second), []winperf.Reading{{
		Series: q.series, Value: counter.Int(uint64(second)), Status: counter.OK,
	}})
	if second == q.damaged {
		s.Damage = append(s.Damage, &winperf.DataError{Offset: -1, Msg: "damaged"})
	}
	s.At, s.Of = int64(q.at), int64(len(q.seconds))
	return nil
}

func TestRead(t *testing.T) {
	broken := fmt.Errorf("cut off: %w", winperf.ErrBadData)
	tests := map[string]struct {
		logs []*scripted
		want string // seconds with the logs that have a sample, * for each damage, ! for an error
	}{
		"one":                 {[]*scripted{{name: "a", seconds: []int{1, 2}}}, "1a 2a"},
		"none":                {[]*scripted{{name: "a"}}, ""},
		"merged":              {[]*scripted{{name: "a", seconds: []int{1, 3, 4}}, {name: "b", seconds: []int{2, 4, 9}}}, "1a 2b 3a 4ab 9b"},
		"the second begins":   {[]*scripted{{name: "a", seconds: []int{5}}, {name: "b", seconds: []int{2, 5}}}, "2b 5ab"},
		"the clock goes back": {[]*scripted{{name: "a", seconds: []int{5, 2, 6}}}, "5a 2a 6a"},
		"damage":              {[]*scripted{{name: "a", seconds: []int{1, 2}, damaged: 2}}, "1a 2a*"},
		"damage at the end": {
			[]*scripted{{name: "a", seconds: []int{1}, last: broken}, {name: "b", seconds: []int{2, 3}}}, "1a 2b* 3b",
		},
		"damage behind all":    {[]*scripted{{name: "a", seconds: []int{1}, last: broken}}, "1a *"},
		"nothing but damage":   {[]*scripted{{name: "a", last: broken}}, "*"},
		"an error ends it":     {[]*scripted{{name: "a", seconds: []int{1}, last: io.ErrUnexpectedEOF}, {name: "b", seconds: []int{2}}}, "1a !"},
		"a live one is broken": {[]*scripted{{name: "a", live: true, seconds: []int{1}, last: broken}}, "1a !"},
	}
	for name, tt := range tests {
		var logs []*Log
		for _, s := range tt.logs {
			logs = append(logs, &Log{Name: s.name, Source: s})
		}
		var got []string
		opt := measure.Options{KeepFirst: true, Interval: time.Millisecond}
		for m, err := range Read(t.Context(), logs, winperf.Selection{Global: true}, opt) {
			if err != nil {
				got = append(got, "!")
				if !strings.HasPrefix(err.Error(), "a: ") {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			text := ""
			if m.Len() > 0 {
				text = fmt.Sprint(m.Time.Sub(start).Seconds())
			}
			for _, c := range m.Columns() {
				for _, s := range c.AllSeries() {
					text += s.Path.Machine
				}
			}
			for _, err := range m.Damage {
				text += "*"
				if !strings.HasPrefix(err.Error(), "a: ") || !errors.Is(err, winperf.ErrBadData) {
					t.Errorf("%s: damage %v", name, err)
				}
			}
			got = append(got, text)
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%s: %s, want %s", name, text, tt.want)
		}
	}
}

// TestReadBegins checks that a log is not read before its first sample is due.
func TestReadBegins(t *testing.T) {
	a, b := &scripted{name: "a", seconds: []int{1, 2}}, &scripted{name: "b", seconds: []int{3, 4}}
	var begun []int
	for m, err := range Read(t.Context(), []*Log{{Name: "b", Source: b}, {Name: "a", Source: a}},
		winperf.Selection{Global: true}, measure.Options{KeepFirst: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if m.Len() > 0 {
			begun = append(begun, b.compiled)
		}
	}
	if want := []int{1, 1, 2, 2}; !slices.Equal(begun, want) { // the first time is for the log's first sample
		t.Errorf("at each sample the later log was opened %v times, want %v", begun, want)
	}
}

// TestReadEnds checks that the end of the context is no error, and that leaving the loop ends
// what reads the logs.
func TestReadEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	log := &Log{Name: "a", Source: &scripted{name: "a", seconds: []int{1, 2, 3}}}
	n := 0
	for _, err := range Read(ctx, []*Log{log}, winperf.Selection{Global: true}, measure.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		cancel()
	}
	for _, err := range Read(t.Context(), []*Log{log}, winperf.Selection{Global: true}, measure.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		break
	}
	if n != 2 {
		t.Errorf("%d moments, want one of each loop", n)
	}
}

// TestColumns checks that columns come once, of every log, and that what a log says of itself
// takes one sample.
func TestColumns(t *testing.T) {
	a, b := &scripted{name: "a", seconds: []int{1, 2}}, &scripted{name: "b", seconds: []int{7}}
	logs := []*Log{{Source: a}, {Source: b}}
	names, err := Columns(t.Context(), logs, winperf.Selection{Global: true}, measure.Options{}, func(*Moment) {})
	slices.Sort(names)
	if want := []string{`\\a\O\C`, `\\b\O\C`}; err != nil || !slices.Equal(slices.Compact(names), want) {
		t.Errorf("%v, %v, want %v", names, err, want)
	}
}

// TestWriters checks that what is written in a text format can be read and gone on with, and
// that a log of other columns is refused.
func TestWriters(t *testing.T) {
	path := winperf.Path{Machine: "a", Object: "O", Counter: "C"}
	for _, format := range []string{"csv", "tsv", "jsonl"} {
		t.Chdir(t.TempDir())
		record := func(name string, again bool) error {
			files := &Files{
				Names: &Names{pattern: "x"}, Format: format, Append: again, Limits: Limits{Action: Stop},
				Open: openPlain,
				NewWriter: func(w io.Writer, file string, tail *Tail) (Writer, error) {
					return NewWriter(w, format, Options{Paths: []winperf.Path{path}, Name: file, Location: time.UTC, Tail: tail})
				},
			}
			var err error
			log := &Log{Source: &scripted{name: name, seconds: []int{1, 2}}}
			for m, e := range Read(t.Context(), []*Log{log}, winperf.Selection{Paths: []winperf.Path{{Machine: name, Object: "O", Counter: "C"}}}, measure.Options{}) {
				if e != nil {
					t.Fatal(e)
				}
				if _, err = files.Add(t.Context(), m, m.Time); err != nil {
					break
				}
			}
			return errors.Join(err, files.Close())
		}
		if err := errors.Join(record("a", false), record("a", true)); err != nil {
			t.Errorf("%s: %v", format, err)
		}
		before := content(t, "x")
		if got := strings.Count(before, "\n"); got != map[string]int{"csv": 5, "tsv": 5, "jsonl": 4}[format] {
			t.Errorf("%s: %q", format, before)
		}
		if format == "jsonl" {
			continue
		}
		if err := record("b", true); err == nil || content(t, "x") != before {
			t.Errorf("%s: another column: %v, the file has %q", format, err, content(t, "x"))
		}
	}
}

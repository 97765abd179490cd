package measure_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/valueblock"
	"github.com/winperf/winperf/measure"
)

// textLog is a recorded source whose query cooks its readings itself.
type textLog struct {
	series []*winperf.Series
	rows   [][]counter.Value // an empty Value has no reading
	times  []time.Duration   // since the first row; nil is a second each
	damage map[int]error     // passed over before the row
}

func newTextLog(t testing.TB, paths string, rows ...[]counter.Value) *textLog {
	l := &textLog{rows: rows}
	for _, p := range pathList(t, paths) {
		l.series = append(l.series, winperf.NewSeries(p))
	}
	return l
}

func pathList(t testing.TB, text string) (list []winperf.Path) {
	for s := range strings.Lines(strings.TrimSpace(text)) {
		list = append(list, paths(t, strings.TrimSpace(s))...)
	}
	return list
}

func (l *textLog) Describe() winperf.Description {
	return winperf.Description{Machine: "HOST", Recorded: true, Samples: len(l.rows), Cooked: true}
}
func (l *textLog) Schema(context.Context) (*winperf.Schema, error) { return &winperf.Schema{}, nil }
func (l *textLog) Close() error                                    { return nil }
func (l *textLog) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	return &textQuery{textLog: l}, nil
}

type textQuery struct {
	*textLog
	next    int
	values  valueblock.Values
	of, now []*winperf.Series
}

func (q *textQuery) Close() error { return nil }

func (q *textQuery) Next(_ context.Context, s *winperf.Sample) error {
	s.Clear()
	if err := q.damage[q.next]; err != nil {
		s.Damage = append(s.Damage, err)
	}
	if q.next == len(q.rows) {
		return io.EOF
	}
	at := time.Duration(q.next) * time.Second
	if q.times != nil {
		at = q.times[q.next]
	}
	q.values.Reset()
	q.now = q.now[:0]
	for i, v := range q.rows[q.next] {
		if v != (counter.Value{}) {
			q.now = append(q.now, q.series[i])
			q.values.Add(v, counter.OK)
		}
	}
	if !slices.Equal(q.now, q.of) {
		q.of = slices.Clone(q.now)
	}

	q.values.Fill(&s.Add().Raw, winperf.FromFiletime(epoch).Add(at), q.of)
	q.next++
	return nil
}

func values(list ...float64) (row []counter.Value) {
	for _, v := range list {
		if v < 0 {
			row = append(row, counter.Value{})
			continue
		}
		row = append(row, counter.Float(v))
	}
	return row
}

const loggedPaths = `
\\HOST\Processor(0)\% Processor Time
\\HOST\Processor(_Total)\% Processor Time
\\HOST\System\Processes
\\HOST\Process(a#1)\ID Process`

func TestCookedReadings(t *testing.T) {
	tests := []struct {
		name  string
		sel   winperf.Selection
		opt   measure.Options
		want  []string // of each row, "|" between paths
		parts []int
	}{
		{
			name: "all as they stand", sel: selection(t, `\*(*)\*`, `\Proc*(*)\*`),
			want: []string{"P0=1 PT=2 S=3 a1=4", "P0=5 PT=6 S=7 a1=8", "PT=9"}, parts: []int{4, 4},
		},
		{
			name: "everything", sel: winperf.Selection{Global: true},
			want: []string{"P0=1 PT=2 S=3 a1=4", "P0=5 PT=6 S=7 a1=8", "PT=9"}, parts: []int{4},
		},
		{
			name: "in the order of the paths, each once", sel: selection(t, `\System\Processes`, `\Processor(_Total)\*`, `\Processor(*)\*`),
			want: []string{"S=3 PT=2 P0=1", "S=7 PT=6 P0=5", "S!no_object PT=9"}, parts: []int{1, 2, 3},
		},
		{
			name: "an index", sel: selection(t, `\Process(a#1)\ID Process`, `\Process(a)\ID Process`),
			want: []string{"a1=4 a!no_instance", "a1=8 a!no_instance", "a1!no_object a!no_object"}, parts: []int{1, 2},
		},
		{
			name: "what is not there", sel: selection(t, `\System\Threads`, `\Memory\Available MBytes`, `\Processor(7)\% Processor Time`),
			want: []string{"T!no_counter M!no_object P7!no_instance", "T!no_counter M!no_object P7!no_instance", "T!no_object M!no_object P7!no_instance"}, parts: []int{1, 2, 3},
		},
		{
			name: "excluded", sel: winperf.Selection{Global: true}, opt: measure.Options{Exclude: paths(t, `\Processor(*)\*`)},
			want: []string{"S=3 a1=4", "S=7 a1=8", ""}, parts: []int{2},
		},
		{
			name: "some", sel: selection(t, `\System\Processes`, `\Processor(*)\*`, `\Memory\Available MBytes`),
			want: []string{"S=3 P0=1 PT=2 M!no_object", "S=7 P0=5 PT=6 M!no_object", "S!no_object PT=9 M!no_object"}, parts: []int{1, 3, 4},
		},
	}
	short := map[string]string{
		`\\HOST\Processor(0)\% Processor Time`: "P0", `\\HOST\Processor(_Total)\% Processor Time`: "PT",
		`\\HOST\System\Processes`: "S", `\\HOST\Process(a#1)\ID Process`: "a1",
		`\\HOST\System\Threads`: "T", `\\HOST\Memory\Available MBytes`: "M", `\\HOST\Processor(7)\% Processor Time`: "P7",
		`\\HOST\Process(a)\ID Process`: "a",
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := newTextLog(t, loggedPaths, values(1, 2, 3, 4), values(5, 6, 7, 8), values(-1, 9, -1, -1))
			c := measure.New(src, tt.sel, tt.opt)
			before := map[string]*winperf.Series{}
			for n := range tt.want {
				cy := cycle(t, c)
				got := ""
				for _, r := range cy.Readings() {
					name := short[r.Series.String()]
					if s := before[name]; s != nil && s != r.Series && r.Status == counter.OK {
						t.Errorf("row %d: %s has another series", n, r)
					}
					if r.Status == counter.OK {
						before[name] = r.Series
						got += fmt.Sprintf(" %s=%v", name, r.Value)
					} else {
						got += fmt.Sprintf(" %s!%v", name, r.Status)
					}
					if r.Time != winperf.FromFiletime(epoch+int64(n)*second) {
						t.Errorf("row %d: time %v", n, r.Time)
					}
				}
				if len(got) > 0 {
					got = got[1:]
				}
				if got != tt.want[n] {
					t.Errorf("row %d: %s, want %s", n, got, tt.want[n])
				}
				if n == 0 && !cmp.Equal(cy.Parts, tt.parts) {
					t.Errorf("parts %v, want %v", cy.Parts, tt.parts)
				}
				if cy.Frame.IsZero() || cy.Names == nil || !cy.Frame.Time().Equal(cy.Time) {
					t.Errorf("frame %v, names %v", cy.Frame, cy.Names)
				}
			}
			if _, err := c.Cycle(t.Context()); !errors.Is(err, io.EOF) {
				t.Errorf("at the end: %v", err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Steady rows are arranged once, and cost nothing but their readings.
func TestCookedAllocatesNothing(t *testing.T) {
	rows := make([][]counter.Value, 30)
	for i := range rows {
		rows[i] = values(1, 2, 3, 4)
	}
	for name, sel := range map[string]winperf.Selection{
		"as they stand": {Global: true}, "another order": selection(t, `\System\*`, `\*(*)\*`),
	} {
		c := measure.New(newTextLog(t, loggedPaths, rows...), sel, measure.Options{})
		for range 3 {
			cycle(t, c)
		}
		if n := testing.AllocsPerRun(20, func() { cycle(t, c) }); n != 0 {
			t.Errorf("%s: %v allocations a cycle", name, n)
		}
	}
}

// A record of values is watched like any other; nothing waits for a second
// sample, and what was passed over is told with the next row or at the end.
func TestWatchCooked(t *testing.T) {
	src := newTextLog(t, loggedPaths, values(1, 2, 3, 4), values(5, 6, 7, 8))
	src.damage = map[int]error{1: errTest, 2: fmt.Errorf("the tail: %w", winperf.ErrBadData)}
	var got []int
	var last error
	for cy, err := range measure.Watch(t.Context(), src, winperf.Selection{Global: true}, measure.Options{}) {
		if err != nil {
			last = err
			continue
		}
		got = append(got, len(cy.Readings()), len(cy.Damage))
	}
	if !cmp.Equal(got, []int{4, 0, 4, 1}) || !errors.Is(last, winperf.ErrBadData) {
		t.Errorf("readings and damage %v, at the end %v", got, last)
	}
}

// Recorded samples come at their own pace, or faster.
func TestSpeed(t *testing.T) {
	const s = time.Second
	log := []time.Duration{0, 2 * s, 3 * s, 1 * s, 4 * s}
	tests := []struct {
		speed float64
		want  []time.Duration
	}{
		{0, []time.Duration{0, 0, 0, 0, 0}},
		{1, []time.Duration{0, 2 * s, 3 * s, 3 * s, 6 * s}}, // it goes back by 2 s and on from there
		{2, []time.Duration{0, 1 * s, 1500 * ms, 1500 * ms, 3 * s}},
		{0.5, []time.Duration{0, 4 * s, 6 * s, 6 * s, 12 * s}},
	}
	for _, tt := range tests {
		src := newTextLog(t, loggedPaths)
		src.times = log
		for range log {
			src.rows = append(src.rows, values(1, 2, 3, 4))
		}
		var got []time.Duration
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			for _, err := range measure.Watch(t.Context(), src, winperf.Selection{Global: true}, measure.Options{Speed: tt.speed}) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, time.Since(begin))
			}
		})
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("speed %v (-want +got):\n%s", tt.speed, diff)
		}
	}
}

// cookedLive computes values itself, and says that none of them are costly, as PDH does.
type cookedLive struct{ *textLog }

func (l cookedLive) Describe() winperf.Description {
	none := func(context.Context) (*winperf.Schema, error) { return nil, nil }
	return winperf.Description{Machine: "HOST", Costly: none}
}

func (l cookedLive) Schema(context.Context) (*winperf.Schema, error) { return englishSchema, nil }

func (l cookedLive) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	of := &textLog{}
	for i, s := range l.series {
		if !slices.ContainsFunc(sel.Paths, func(p winperf.Path) bool { return p.Object == s.Path.Object }) {
			continue
		}
		of.series = append(of.series, s)
		of.rows = slices.Grow(of.rows, len(l.rows))[:len(l.rows)]
		for n := range l.rows {
			of.rows[n] = append(of.rows[n], l.rows[n][i])
		}
	}
	return &textQuery{textLog: of}, nil
}

// Values that PDH computes come together, those of costly objects too.
func TestCookedCostly(t *testing.T) {
	src := cookedLive{newTextLog(t, "\\\\HOST\\System\\Processes\n\\\\HOST\\Thread(a/0)\\Context Switches/sec", values(1, 2), values(3, 4))}
	m := measure.New(src, selection(t, threadSwitches, `\System\Processes`), measure.Options{})
	defer m.Close()
	for _, want := range [][]string{{`\\HOST\Thread(a/0)\Context Switches/sec 2`, `\\HOST\System\Processes 1`}, {`\\HOST\Thread(a/0)\Context Switches/sec 4`, `\\HOST\System\Processes 3`}} {
		c := cycle(t, m)
		if diff := cmp.Diff(want, lines(c.Readings())); diff != "" || len(c.Sample.Parts) != 1 {
			t.Errorf("%d parts, readings (-want +got):\n%s", len(c.Sample.Parts), diff)
		}
	}
}

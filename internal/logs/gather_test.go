package logs

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/stats"
	"github.com/winperf/winperf/internal/valueblock"
	"github.com/winperf/winperf/measure"
)

// TestGather has processes that come and go, some with the name and the place of one that
// ended, and compares the rows with what its readings say one by one.
func TestGather(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Chdir(t.TempDir())
	writeReference(t, "churn.capture", perftest.Desktop, 6, 5)
	log := openReference(t, "churn.capture")
	g := &Gatherer{}
	want := map[string][]float64{}
	missing := 0
	add := func(cycle *measure.Cycle) {
		g.Add(cycle)
		for _, r := range cycle.Readings() {
			name := r.Series.String()
			if p := r.Path; r.Key != "" {
				p.Instance, p.Index = "", 0
				name = p.String() + "\x00" + r.Key
			}
			f, number := r.Value.Float64()
			switch {
			case r.Status == counter.OK && number && !math.IsNaN(f) && !math.IsInf(f, 0):
				want[name] = append(want[name], f)
			case r.Status != counter.NoPrevious && !r.Status.NamesNothing():
				missing++
			}
		}
	}
	readReference(t, log, add)

	found, ended := 0, 0
	for _, row := range g.Rows() {
		f := row.Values.Figures(50)
		missing -= f.Missing
		values := want[g.Name(row.Series)]
		if f.Count != len(values) {
			t.Fatalf("%v: %d values, want %d", row.Series, f.Count, len(values))
		}
		if len(values) == 0 {
			continue
		}
		found++
		if len(values) < 5 {
			ended++
		}
		if f.Min != slices.Min(values) || f.Max != slices.Max(values) || f.Last != values[len(values)-1] {
			t.Fatalf("%v: %+v, want those of %v", row.Series, f, values)
		}
	}
	if found != len(want) || missing != 0 || ended == 0 {
		t.Errorf("%d rows with values, want %d, %d of what came or went; %d missing values are not told",
			found, len(want), ended, missing)
	}
}

// valueSource has samples of displayable values.
type valueSource struct{ next []winperf.Reading }

func (s *valueSource) Describe() winperf.Description                   { return winperf.Description{Recorded: true} }
func (s *valueSource) Schema(context.Context) (*winperf.Schema, error) { return nil, nil }
func (s *valueSource) Close() error                                    { return nil }
func (s *valueSource) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	return s, nil
}
func (s *valueSource) Next(_ context.Context, sample *winperf.Sample) error {
	perftest.ShowValues(sample, s.next[0].Time, s.next)
	return nil
}

// TestGatherReadings has displayed values that change their places, come and go, and compares the rows with series that took each at once.
func TestGatherReadings(t *testing.T) {
	var counters, instances []*winperf.Series
	for i := range 400 {
		counters = append(counters, winperf.NewSeries(winperf.Path{Object: "O", Counter: strconv.Itoa(i)}))
		path := winperf.Path{Object: "O", Instance: strconv.Itoa(i), HasInstance: true, Counter: "C"}
		instances = append(instances, winperf.NewSeries(path))
	}
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		bound := 0.5
		g := &Gatherer{Above: &bound}
		want := stats.Group{Above: &bound}
		rows := map[*winperf.Series]*stats.Series{}
		origin := time.Unix(0, 0)
		src := &valueSource{}
		m := measure.New(src, winperf.Selection{Global: true}, measure.Options{})
		fresh := true // there was no sample in the log

		all := counters // each has a column
		if seed%2 == 0 {
			all = instances
		}
		order := slices.Clone(all[:12])
		if seed%20 == 0 {
			order = slices.Clone(all)
		}
		for n := range 60 {
			if random.IntN(10) == 0 {
				random.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
			}
			var readings []winperf.Reading
			for _, series := range order[:1+random.IntN(len(order))] {
				r := winperf.Reading{Series: series, Time: origin.Add(time.Duration(n) * time.Second)}
				r.Value = counter.Float(random.Float64())
				switch random.IntN(12) {
				case 0:
					r.Status = counter.InvalidData
				case 1:
					r.Status = counter.NoPrevious
				case 2:
					r.Value = counter.Float(math.NaN())
				case 3:
					r.Value = counter.Float(math.Inf(1))
				case 4:
					r.Value = counter.Text("12")
				case 5:
					r.Value = counter.Int(random.Uint64N(2))
				}
				readings = append(readings, r)

				_, text := r.Value.AsText()
				if text = text && r.Status == counter.OK; text && rows[series] == nil {
					continue
				}

				if rows[series] == nil {
					rows[series] = want.Series(false)
				}
				if !fresh { // or it was there
					rows[series].Absent(time.Duration(n-1) * time.Second)
				}
				at := r.Time.Sub(origin)
				switch v, _ := r.Value.Float64(); {
				case text:
					rows[series].Miss(at)
				case r.Status == counter.OK:
					rows[series].Add(at, v)
				default:
					noValue(rows[series], at, r.Status)
				}
			}
			src.next = readings
			cycle, err := m.Cycle(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			g.Add(cycle)
			fresh = random.IntN(15) == 0
			if fresh {
				g.change(&Log{}, 0)
				for _, row := range rows {
					row.Break()
				}
			}
		}

		if len(g.Rows()) != len(rows) {
			t.Fatalf("seed %d: %d rows, want %d", seed, len(g.Rows()), len(rows))
		}
		for _, row := range g.Rows() {
			want, got := rows[row.Series].Figures(50, 99), row.Values.Figures(50, 99)
			if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
				t.Fatalf("seed %d, %v: %s", seed, row.Series, diff)
			}
		}
	}
}

// TestGatherInterleaved adds logs of different machines and widths in turns, and at the same times.
func TestGatherInterleaved(t *testing.T) {
	var wide, narrow []*winperf.Series
	for i := range 300 {
		path := winperf.Path{Machine: "A", Object: "O", Instance: strconv.Itoa(i), HasInstance: true, Counter: "C"}
		wide = append(wide, winperf.NewSeries(path))
	}
	narrow = append(narrow, winperf.NewSeries(winperf.Path{Machine: "B", Object: "O", Counter: "C"}))

	for name, shift := range map[string]time.Duration{"in turns": time.Second / 2, "at the same times": 0} {
		logs := []*Log{
			{Name: "wide", Source: &listSource{machine: "A", series: wide}},
			{Name: "narrow", Source: &listSource{machine: "B", series: narrow, shift: shift}},
		}
		g := &Gatherer{}
		for m, err := range Read(t.Context(), logs, winperf.Selection{Global: true}, measure.Options{KeepFirst: true}) {
			if err != nil {
				t.Fatal(err)
			}
			g.AddAll(m)
		}

		if len(g.Rows()) != len(wide)+1 || g.Samples != 2*listSamples {
			t.Errorf("%s: %d rows of %d samples, want %d of %d", name, len(g.Rows()), g.Samples, len(wide)+1, 2*listSamples)
		}
		for _, row := range g.Rows() {
			f, first := row.Values.Figures(), listValue(row.Series, 0)
			if f.Count != listSamples || f.Min != first || f.Max != first+listSamples-1 {
				t.Errorf("%s: %v: %d values from %v to %v", name, row.Series, f.Count, f.Min, f.Max)
			}
		}
	}
}

const listSamples = 5

// listSource has listSamples samples, a second apart.
type listSource struct {
	scripted
	machine string
	series  []*winperf.Series
	shift   time.Duration
}

func listValue(s *winperf.Series, at int) float64 {
	n, _ := strconv.Atoi(s.Path.Instance)
	return float64(1000*n + at)
}

func (s *listSource) Describe() winperf.Description {
	return winperf.Description{Recorded: true, Cooked: true, Samples: -1, Machine: s.machine}
}

func (s *listSource) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	return &listQuery{listSource: s}, nil
}

type listQuery struct {
	*listSource
	at int
}

func (q *listQuery) Next(_ context.Context, sample *winperf.Sample) error {
	sample.Clear()
	if q.at == listSamples {
		return io.EOF
	}
	var values valueblock.Values
	for _, s := range q.series {
		values.Add(counter.Float(listValue(s, q.at)), counter.OK)
	}
	at := start.Add(q.shift + time.Duration(q.at)*time.Second)
	values.Fill(&sample.Begin().Raw, at, q.series) // the same series, as in a log
	q.at++
	return nil
}

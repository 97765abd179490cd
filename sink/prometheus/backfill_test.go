package prometheus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/sink/metrics"
)

// Everything of a metric is in one place, a series behind the other, in the order of time.
func TestBackfill(t *testing.T) {
	var b bytes.Buffer
	w := NewBackfill(&b, nil)
	set := exampleSet()
	for range 3 {
		if err := w.Add(set, metrics.Label{Name: "machine", Value: `A\B`}); err != nil {
			t.Fatal(err)
		}
		for i := range set.Families {
			for _, c := range set.Families[i].Columns {
				if c.Form == metrics.Whole && len(c.Bits) > 0 {
					c.Bits[0] += 10
				}
			}
		}
		set.Time = set.Time.Add(time.Second)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	text := b.String()
	if err := w.Close(); err != nil || b.String() != text {
		t.Errorf("closing again: %v", err)
	}
	if err := w.Add(set); !errors.Is(err, winperf.ErrState) {
		t.Errorf("after Close: %v", err)
	}
	begin, end := strings.Index(text, "# TYPE wait_seconds"), strings.Index(text, `wait_seconds_sum{machine="A\\B",name="c"`)
	const want = `# TYPE wait_seconds summary
# UNIT wait_seconds seconds
wait_seconds_sum{machine="A\\B",name="a",pid="1"} 0.1 1767323045.678
wait_seconds_count{machine="A\\B",name="a",pid="1"} 1 1767323045.678
wait_seconds_sum{machine="A\\B",name="a",pid="1"} 0.1 1767323046.678
wait_seconds_count{machine="A\\B",name="a",pid="1"} 11 1767323046.678
wait_seconds_sum{machine="A\\B",name="a",pid="1"} 0.1 1767323047.678
wait_seconds_count{machine="A\\B",name="a",pid="1"} 21 1767323047.678
wait_seconds_sum{machine="A\\B",name="b\\\"\n"} NaN 1767323045.678
wait_seconds_count{machine="A\\B",name="b\\\"\n"} 2 1767323045.678
wait_seconds_sum{machine="A\\B",name="b\\\"\n"} NaN 1767323046.678
wait_seconds_count{machine="A\\B",name="b\\\"\n"} 2 1767323046.678
wait_seconds_sum{machine="A\\B",name="b\\\"\n"} NaN 1767323047.678
wait_seconds_count{machine="A\\B",name="b\\\"\n"} 2 1767323047.678
`
	if begin < 0 || end < begin || text[begin:end] != want {
		t.Errorf("OpenMetrics:\n%s", text)
	}
	if !strings.HasSuffix(text, "\n# EOF\n") || strings.Contains(text, "_created") {
		t.Errorf("OpenMetrics:\n%s", text)
	}
	// The column of another time was the same in all three.
	if n := strings.Count(text, "1767323044.178\n"); n != 1 || w.OutOfOrder() != 2 {
		t.Errorf("%d samples of one time, %d told", n, w.OutOfOrder())
	}

	var empty bytes.Buffer
	if err := NewBackfill(&empty, nil).Close(); err != nil || empty.String() != "# EOF\n" {
		t.Errorf("without sets: %q, %v", &empty, err)
	}
}

// truth is what a history is to hold: by series, its samples in the order of time.
type truth map[string][]string

// A label that some rows have, and others get, does not tear a series apart: in the first and the third Set no row
// has an instance, in the others one of another machine has.
func TestBackfillLabelsOfSome(t *testing.T) {
	rows := [][]metrics.Label{
		{{Name: "machine", Value: "A"}}, {{Name: "instance", Value: "B"}, {Name: "machine", Value: "B"}},
	}
	var b bytes.Buffer
	w := NewBackfill(&b, nil)
	for i, second := range []int64{1, 2, 3, 4, 4} {
		n := 1 + i%2
		set := &metrics.Set{Time: time.Unix(second, 0), Families: []metrics.Family{{Name: "x", Columns: []metrics.Column{
			{Rows: metrics.NewRows(rows[:n], nil), Bits: []uint64{uint64(10 + i), uint64(20 + i)}[:n]},
		}}}}
		more := []metrics.Label{{Name: "instance", Value: "A"}, {Name: "job", Value: "j"}}
		if err := w.Add(set, more...); err != nil {
			t.Fatal(err)
		}
	}

	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const want = `x{instance="A",job="j",machine="A"} 10 1
x{instance="A",job="j",machine="A"} 11 2
x{instance="A",job="j",machine="A"} 12 3
x{instance="A",job="j",machine="A"} 13 4
x{instance="B",job="j",machine="B"} 21 2
x{instance="B",job="j",machine="B"} 23 4
# EOF
`
	if got := b.String(); !strings.HasSuffix(got, "\n"+want) || w.OutOfOrder() != 1 {
		t.Errorf("%d left out, want 1 and\n%s\n%s", w.OutOfOrder(), want, got)
	}
}

// randomHistory calls add with Sets in which everything comes, goes and changes.
func randomHistory(r *rand.Rand, add func(*metrics.Set)) truth {
	truth := truth{}
	at := moment
	var rows []*metrics.Rows
	for n := range 40 {
		if n%7 == 0 {
			rows = []*metrics.Rows{randomRows(r), randomRows(r)}
		}
		at = at.Add(time.Duration(1+r.IntN(5000)) * time.Millisecond)
		set := &metrics.Set{Time: at}
		for i := range 1 + r.IntN(6) {
			f := metrics.Family{Name: fmt.Sprintf("m%d_total", i), Type: metrics.Counter}
			for k := range r.IntN(3) {
				c := metrics.Column{Rows: rows[(i+k)%2], Form: metrics.Form(r.IntN(3))}
				c.Extra = []metrics.Label{{Name: "column", Value: fmt.Sprint(k)}}
				randomColumn(r, &c)
				truth.add(f.Name, &c, at)
				f.Columns = append(f.Columns, c)
			}
			set.Families = append(set.Families, f)
		}
		add(set)
	}
	return truth
}

func randomRows(r *rand.Rand) *metrics.Rows {
	var labels [][]metrics.Label
	for i := range r.IntN(8) {
		labels = append(labels, []metrics.Label{{Name: "name", Value: fmt.Sprint(r.IntN(5), "#", i)}})
	}
	return metrics.NewRows(labels, nil)
}

func randomColumn(r *rand.Rand, c *metrics.Column) {
	c.Absent = []uint64{r.Uint64() & r.Uint64()}
	for range c.Rows.Len() {
		c.Bits = append(c.Bits, r.Uint64()>>r.IntN(64))
		if c.Form == metrics.Float {
			c.Bits[len(c.Bits)-1] = math.Float64bits(r.NormFloat64())
		}
	}
}

func (t truth) add(name string, c *metrics.Column, at time.Time) {
	for i := range c.Bits {
		if c.Has(i) {
			s := string(appendLabels([]byte(name+"{"), append(slices.Clone(c.Extra), c.Rows.Labels(i)...))) + "}"
			value := appendSeconds(append(appendValue(nil, c.Form, c.Bits[i]), ' '), at.UnixMilli())
			t[s] = append(t[s], string(value))
		}
	}
}

// memorySpool is a temporary file in memory.
type memorySpool struct {
	bytes.Buffer
	closed int
	err    error
}

func (s *memorySpool) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(s.Bytes()).ReadAt(p, at)
}
func (s *memorySpool) Close() error { s.closed++; return nil }
func (s *memorySpool) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	return s.Buffer.Write(p)
}

// newSmall returns a Backfill with another bound for its memory, in bytes.
func newSmall(w io.Writer, memory int, spool func() (Spool, error)) *Backfill {
	b := NewBackfill(w, spool)
	b.memory = memory
	return b
}

// However little fits into memory, each series has its samples, and the text is the same.
func TestBackfillHistory(t *testing.T) {
	for seed := range uint64(20) {
		var texts []string
		for _, memory := range []int{0, 1, 2000, 20_000} {
			var b bytes.Buffer
			spool := &memorySpool{}
			w := NewBackfill(&b, nil)
			if memory > 0 {
				w = newSmall(&b, memory, func() (Spool, error) { return spool, nil })
			}
			want := randomHistory(rand.New(rand.NewPCG(seed, 1)), func(set *metrics.Set) {
				if err := w.Add(set); err != nil {
					t.Fatal(err)
				}
			})
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if memory > 0 && memory < 10_000 && (spool.Len() == 0 || spool.closed != 1) {
				t.Errorf("a temporary file of %d bytes, closed %d times", spool.Len(), spool.closed)
			}
			if diff := cmp.Diff(want, historyOf(t, b.String())); diff != "" {
				t.Fatalf("seed %d, memory %d (-want +got):\n%s", seed, memory, diff)
			}
			texts = append(texts, b.String())
		}
		if texts[0] != texts[1] || texts[0] != texts[2] || texts[0] != texts[3] {
			t.Errorf("seed %d: the text depends on the memory", seed)
		}
	}
}

// historyOf reads a text, in which each metric and each series is in one place.
func historyOf(t *testing.T, text string) truth {
	t.Helper()
	text, complete := strings.CutSuffix(text, "# EOF\n")
	if !complete {
		t.Fatal("the end is missing")
	}
	got, family, last := truth{}, "", ""
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		if head, ok := strings.CutPrefix(l, "# TYPE "); ok {
			if strings.Contains(text, l+"\n"+l) || strings.Count(text, l+"\n") > 1 {
				t.Fatalf("%q is there twice", l)
			}
			family, _, _ = strings.Cut(head, " ")
			continue
		}
		series, value, _ := strings.Cut(l, "} ")
		series += "}"
		if !strings.HasPrefix(series, family+"_total{") || series != last && got[series] != nil {
			t.Fatalf("%q stands below %s and behind %s", l, family, last)
		}
		got[series], last = append(got[series], value), series
	}
	return got
}

func TestBackfillFails(t *testing.T) {
	full := errors.New("disk full")
	set := exampleSet()
	for name, test := range map[string]struct {
		spool func() (Spool, error)
		to    io.Writer
		want  error
	}{
		"no file":   {func() (Spool, error) { return nil, full }, io.Discard, full},
		"file full": {func() (Spool, error) { return &memorySpool{err: full}, nil }, io.Discard, full},
		"output":    {func() (Spool, error) { return &memorySpool{}, nil }, &failing{}, io.ErrClosedPipe},
		"damage": {func() (Spool, error) {
			s := &memorySpool{}
			_, err := s.Write(bytes.Repeat([]byte{0xff, 0xff, 1}, 100)) // what was written before is no record
			return s, err
		}, io.Discard, winperf.ErrBadData},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSmall(test.to, 1, test.spool)
			err := w.Add(set)
			if name == "output" || name == "damage" {
				if err != nil {
					t.Fatal(err)
				}
				err = w.Close()
			}
			if again := w.Add(set); !errors.Is(err, test.want) || !errors.Is(again, test.want) {
				t.Errorf("%v, then %v, want %v", err, again, test.want)
			}
			if err := w.Close(); !errors.Is(err, test.want) {
				t.Errorf("Close: %v, want %v", err, test.want)
			}
		})
	}
}

// Names of other programs that OpenMetrics does not allow for their type have the type unknown.
func TestBackfillTextOnly(t *testing.T) {
	var got strings.Builder
	family := func(name string, kind metrics.Type) metrics.Family {
		return metrics.Family{Name: name, Type: kind, Columns: []metrics.Column{{
			Rows: metrics.NewRows([][]metrics.Label{{}}, nil), Bits: []uint64{7},
		}}}
	}
	set := &metrics.Set{Time: moment, TextOnly: true, Families: []metrics.Family{
		family("windows_dns_queries", metrics.Counter), family("windows_allocs_total", metrics.Gauge),
		family("windows_ok_total", metrics.Counter),
	}}
	w := NewBackfill(&got, nil)
	if err := errors.Join(w.Add(set), w.Close()); err != nil {
		t.Fatal(err)
	}
	var types []string
	for line := range strings.Lines(got.String()) {
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			types = append(types, strings.TrimSpace(rest))
		}
	}
	want := []string{"windows_dns_queries unknown", "windows_allocs_total unknown", "windows_ok counter"}
	if !slices.Equal(types, want) {
		t.Errorf("%q, want %q", types, want)
	}
}

// FuzzPiece reads records of any bytes.
func FuzzPiece(f *testing.F) {
	f.Add(appendRecord(nil, key{0, 0, 0}, []point{{milli: 5, forms: [width]uint8{1, 3}, values: [width]uint64{1, 2}}}))
	f.Fuzz(func(t *testing.T, record []byte) {
		w := newSmall(io.Discard, 1, func() (Spool, error) {
			s := &memorySpool{}
			_, err := s.Write(record)
			return s, err
		})
		if err := w.Add(exampleSet()); err != nil {
			t.Fatal(err)
		}
		w.runs = []run{{0, int64(len(record))}}
		_ = w.Close()
	})
}

func BenchmarkBackfill(b *testing.B) {
	set := benchSet(10_000, metrics.Ticks100ns)
	const sets = 20
	b.ReportAllocs()
	for b.Loop() {
		file, err := os.CreateTemp(b.TempDir(), "")
		if err != nil {
			b.Fatal(err)
		}
		w := newSmall(io.Discard, 512<<10, func() (Spool, error) { return file, nil })
		for i := range sets {
			set.Time = moment.Add(time.Duration(i) * time.Second)
			if err := w.Add(set); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	perSeries(b, 10_000*sets)
}

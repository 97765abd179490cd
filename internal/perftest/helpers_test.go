package perftest_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/perfdata"
)

// TestCases: rounds have the same random numbers on every run, and the loop over them may end early.
func TestCases(t *testing.T) {
	numbers := func(most int) (all []uint64) {
		cases := perftest.SuiteCases(5)
		for n, r := range cases.All() {
			if n != len(all) || cases.Done != n+1 {
				t.Errorf("round %d of %d is number %d", len(all), cases.Done, n)
			}
			if all = append(all, r.Uint64()); len(all) == most {
				break
			}
		}
		return all
	}

	whole, part := numbers(0), numbers(2)
	if len(whole) != 5 || !slices.Equal(part, whole[:2]) || whole[0] == whole[1] {
		t.Errorf("%x, then %x", whole, part)
	}
}

// TestSoakCases: rounds of a soak last as long as the environment says, and repeat what a seed found.
func TestSoakCases(t *testing.T) {
	t.Setenv("WINPERF_SOAK", "1h")
	t.Setenv("WINPERF_SEED", "7")
	cases := perftest.SoakCases(t)
	for _, r := range cases.All() {
		if want := rand.New(rand.NewPCG(7, 0)).Uint64(); cases.Seed != 7 || r.Uint64() != want {
			t.Errorf("seed %d", cases.Seed)
		}
		break
	}

	t.Setenv("WINPERF_SOAK", "-1s")
	t.Setenv("WINPERF_SEED", "")
	for range perftest.SoakCases(t).All() {
		t.Error("a round after the end")
	}
}

// TestMutate: damage follows from the random numbers alone and leaves the original as it is; it cuts,
// lengthens and changes.
func TestMutate(t *testing.T) {
	original := []byte("0123456789abcdefghijklmnopqrstuvwxyz")
	other := bytes.Repeat([]byte{'#'}, len(original))
	b := bytes.Clone(original)
	var shorter, longer, changed, mixed int
	for n, r := range perftest.SuiteCases(1000).All() {
		damaged := perftest.Mutate(r, b, other)
		again := perftest.Mutate(rand.New(rand.NewPCG(1, uint64(n))), b, other)
		if !bytes.Equal(damaged, again) || !bytes.Equal(b, original) {
			t.Fatalf("round %d: %q, then %q; the original is %q", n, damaged, again, b)
		}

		switch {
		case len(damaged) < len(b):
			shorter++
		case len(damaged) > len(b):
			longer++
		case !bytes.Equal(damaged, b):
			changed++
		}
		if bytes.ContainsRune(damaged, '#') {
			mixed++
		}
	}
	if least := min(shorter, longer, changed, mixed); least < 100 {
		t.Errorf("%d are shorter, %d longer, %d changed, %d with bytes of the other", shorter, longer, changed, mixed)
	}

	if noise := perftest.Mutate(rand.New(rand.NewPCG(1, 1)), nil); len(noise) == 0 {
		t.Error("nothing becomes nothing")
	}
}

// TestHistory: the blocks of a history are valid, have names for all their titles and follow from the
// random numbers.
func TestHistory(t *testing.T) {
	names := perftest.HistoryNames()
	first, second := perftest.NewHistory(rand.New(rand.NewPCG(1, 2))), perftest.NewHistory(rand.New(rand.NewPCG(1, 2)))
	before := int64(0)
	for range 200 {
		text := first.Block("HOST")
		if again := second.Block("HOST"); again != text {
			t.Fatalf("another block of the same numbers:\n%s\n%s", text, again)
		}
		b, err := perfdata.ParseText([]byte(text))
		if err == nil {
			_, err = b.Encode()
		}
		if err != nil || b.PerfTime <= before {
			t.Fatalf("error %v, time %d after %d in\n%s", err, b.PerfTime, before, text)
		}

		before = b.PerfTime
		for _, o := range b.Objects {
			for _, c := range o.Counters {
				if names[o.Title] == "" || names[c.Title] == "" {
					t.Errorf("no name for %d or %d", o.Title, c.Title)
				}
			}
		}
	}
}

// someReadings are values of each kind, and one without a value.
func someReadings(at time.Time) (readings []winperf.Reading) {
	for i, v := range []counter.Value{
		counter.Int(1 << 63), counter.Float(-1.5), counter.Text("text"), counter.FromBits(counter.KindHex32, 7), {},
	} {
		path := winperf.Path{Machine: "HOST", Object: "O", Counter: string(rune('a' + i))}
		r := winperf.Reading{Series: winperf.NewSeries(path), Time: at.Add(-time.Duration(i) * time.Second), Value: v}
		readings = append(readings, r)
	}
	readings[1].Anomalies = readings[1].Anomalies.With(winperf.SampleLate)
	readings[4].Status = counter.NoPrevious
	return readings
}

// scripted is a query that fills samples with a function.
type scripted func(s *winperf.Sample) error

func (f scripted) Next(_ context.Context, s *winperf.Sample) error { return f(s) }
func (f scripted) Close() error                                    { return nil }

// TestShowValues: readings come out of a sample of displayable values as they went in.
func TestShowValues(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 30, 0, 123_456_700, time.UTC)
	want := someReadings(at)
	show := scripted(func(s *winperf.Sample) error { perftest.ShowValues(s, at, want); return nil })
	got, err := perftest.Readings(t.Context(), show)
	if err != nil {
		t.Fatal(err)
	}
	same := cmp.Options{
		cmp.Comparer(func(a, b counter.Value) bool { return a == b }),
		cmp.Comparer(func(a, b *winperf.Series) bool { return a == b }),
	}
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Error(diff)
	}

	broken := errors.New("it broke")
	fail := scripted(func(*winperf.Sample) error { return broken })
	if _, err := perftest.Readings(t.Context(), fail); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	raw := winperf.Raw{Format: winperf.FormatV1, Bytes: perftest.Block(perftest.Small)}
	if _, err := perftest.Displayed(raw.Sample()); err == nil {
		t.Error("a block of raw values is displayable")
	}
	raw.Format = winperf.FormatValues
	if _, err := perftest.Displayed(raw.Sample()); !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("damaged values: error %v", err)
	}
}

// TestColumn: a column has the values, statuses, marks and series of its readings.
func TestColumn(t *testing.T) {
	readings := someReadings(time.Unix(1e9, 0))
	c := perftest.Column(readings...)
	if c.Len() != len(readings) || !c.Time.Equal(readings[0].Time) || !slices.Equal(c.AllSeries(), series(readings)) {
		t.Fatalf("%d values at %v of %v", c.Len(), c.Time, c.AllSeries())
	}
	for n := range readings {
		r := &readings[n]
		var s winperf.Series
		c.Describe(&s, n)
		if c.Value(n) != r.Value || c.Status[n] != r.Status || c.Marks[n] != r.Anomalies {
			t.Errorf("value %d: %v, %v, %v", n, c.Value(n), c.Status[n], c.Marks[n])
		}
		if s != *r.Series || c.Series(n) != r.Series || c.ID(n) != r.Series.ID || c.Names.Counter(n) != r.Series {
			t.Errorf("value %d is of %v", n, s)
		}
	}
}

// series are the series of readings.
func series(readings []winperf.Reading) (all []*winperf.Series) {
	for i := range readings {
		all = append(all, readings[i].Series)
	}
	return all
}

// TestTake: a sample is taken into the caller's memory, and nothing is left there after an error.
func TestTake(t *testing.T) {
	broken := errors.New("it broke")
	var fault error
	q := scripted(func(s *winperf.Sample) error {
		return perftest.Fill(s, func(raw *winperf.Raw) error {
			raw.Format, raw.Bytes, raw.Schema = winperf.FormatV1, []byte("bytes"), &winperf.Schema{Interface: "test"}
			return fault
		})
	})

	var s winperf.Sample
	var raw winperf.Raw
	if err := perftest.Take(t.Context(), q, &raw); err != nil || string(raw.Bytes) != "bytes" {
		t.Errorf("%q, error %v", raw.Bytes, err)
	}
	if err := q(&s); err != nil || len(s.Parts) != 1 || s.Schema.Interface != "test" {
		t.Errorf("%d parts, schema %v, error %v", len(s.Parts), s.Schema, err)
	}

	fault = broken
	if err := perftest.Take(t.Context(), q, &raw); !errors.Is(err, broken) || raw.Bytes != nil {
		t.Errorf("%q, error %v", raw.Bytes, err)
	}
	if err := q(&s); !errors.Is(err, broken) || len(s.Parts) != 0 {
		t.Errorf("%d parts, error %v", len(s.Parts), err)
	}
}

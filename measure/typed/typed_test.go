package typed_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/measure/typed"
)

// tests' objects: 100 has instances, 200 has none.
var testNames = map[uint32]string{
	100: "Thing", 102: "Count", 104: "Large Count", 106: "Rate/sec", 108: "Text", 110: "Average", 112: "Heading", 114: "One, two",
	200: "Machine", 202: "Uptime", 300: "Twin", 302: "Twin",
}

const things = `object 100
  counter 102 PERF_COUNTER_RAWCOUNT
  counter 104 PERF_COUNTER_LARGE_RAWCOUNT
  counter 106 PERF_COUNTER_COUNTER
  counter 108 PERF_COUNTER_TEXT size=8
  counter 110 PERF_AVERAGE_BULK
  counter 110 PERF_AVERAGE_BASE
  counter 112 PERF_COUNTER_NODATA
  counter 114 PERF_COUNTER_RAWCOUNT
`

type thing struct {
	Name    string               `perf:"@instance"`
	Number  int                  `perf:"@index"`
	Count   typed.Value[uint32]  `perf:"Count"`
	Wide    typed.Value[uint64]  `perf:"count"` // 4 bytes fit 8, names have no case
	Large   typed.Value[uint64]  `perf:"#104"`
	Decimal float32              `perf:"Large Count"`
	Rate    typed.Value[float64] `perf:"Rate/sec"`
	Plain   float64              `perf:"Rate/sec"`
	Raw     typed.Value[uint32]  `perf:"Rate/sec,raw"`
	Text    typed.Value[string]  `perf:"Text"`
	Inner   struct {
		Average typed.Value[float32] `perf:"Average"`
		mine    int
	}
	Comma  typed.Value[float64] `perf:"One, two"`
	Absent typed.Value[string]  `perf:"Nothing,optional"`
	Gone   float64              `perf:"Nothing,raw,optional"`
	Mine   int
}

func TestRead(t *testing.T) {
	src := serve(testNames,
		things+`  instance "a" : 1 2 10 "x" 8 2 - 1`,
		things+`  instance "a" : 4294967295 18446744073709551615 30 "one" 20 4 - 7
  instance "a" : 5 6 7 "y" 1 1 - 8
`)
	r, err := typed.Open[thing](t.Context(), src, "thing", typed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := r.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 {
		t.Fatalf("%d rows", len(rows))
	}
	got, second := rows[0], rows[1]
	if !math.IsNaN(got.Gone) || !math.IsNaN(second.Plain) || !math.IsNaN(second.Gone) {
		t.Errorf("fields without a value are no NaN: %v, %v, %v", got.Gone, second.Plain, second.Gone)
	}
	got.Gone, second.Gone, second.Plain = 0, 0, 0 // NaN differs from itself
	want := thing{
		Name: "a", Count: typed.Value[uint32]{V: math.MaxUint32}, Wide: typed.Value[uint64]{V: math.MaxUint32},
		Large: typed.Value[uint64]{V: math.MaxUint64}, Decimal: float32(math.MaxUint64),
		Rate: typed.Value[float64]{V: 20}, Plain: 20, Raw: typed.Value[uint32]{V: 30}, Text: typed.Value[string]{V: "one"},
		Comma: typed.Value[float64]{V: 7}, Absent: typed.Value[string]{Status: counter.NoCounter},
	}
	want.Inner.Average.V = 6
	if got != want {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
	want = thing{
		Name: "a", Number: 1, Count: typed.Value[uint32]{V: 5}, Wide: typed.Value[uint64]{V: 5}, Large: typed.Value[uint64]{V: 6}, Decimal: 6,
		Rate: typed.Value[float64]{Status: counter.NoPrevious}, Raw: typed.Value[uint32]{V: 7}, Text: typed.Value[string]{V: "y"},
		Comma: typed.Value[float64]{V: 8}, Absent: typed.Value[string]{Status: counter.NoCounter},
	}
	want.Inner.Average.Status = counter.NoPrevious
	if second != want {
		t.Errorf("got\n%+v, want\n%+v", second, want)
	}
	if _, err := r.Read(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
	if err := r.Close(); err != nil || src.open != 0 {
		t.Errorf("close: %v, %d queries open", err, src.open)
	}
}

// What a row held before does not show through.
func TestRowsAreCleared(t *testing.T) {
	src := serve(testNames, things+`  instance "a" : 1`, things+`  instance "a" : 1`, things+`  instance "b" : 9`)
	r, err := typed.Open[thing](t.Context(), src, "Thing", typed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows, err := r.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows[0].Mine, rows[0].Inner.mine = 7, 8
	if rows, err = r.Read(t.Context()); err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	if got := rows[0]; got.Mine != 0 || got.Inner.mine != 0 || got.Name != "b" {
		t.Errorf("%+v", got)
	}
}

// A value that the provider did not write is none, cooked or raw.
func TestMissing(t *testing.T) {
	type row struct {
		Count typed.Value[uint32] `perf:"Count"`
		Raw   typed.Value[uint64] `perf:"Count,raw"`
		Other typed.Value[uint64] `perf:"Large Count,raw"`
	}
	missing := strings.Replace(things, "object 100", "object 100 missing=auto", 1) + `  instance "a" : ?9 6
  instance "b" : ?5 6`
	r, err := typed.Open[row](t.Context(), serve(testNames, missing, missing), "Thing", typed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows, err := r.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	none := typed.Value[uint32]{Status: counter.InvalidData}
	if got := rows[0]; got.Count != none || got.Raw != (typed.Value[uint64]{Status: counter.InvalidData}) || got.Other != (typed.Value[uint64]{V: 6}) {
		t.Errorf("%+v", got)
	}
	denied := typed.Value[uint64]{Status: counter.NotPermitted}
	if got := rows[1]; got.Count.Status != counter.NotPermitted || got.Raw != denied {
		t.Errorf("what may not be read: %+v", got)
	}
	if _, ok := none.Get(); ok {
		t.Error("Get says that there is a value")
	}
}

func TestWithoutInstances(t *testing.T) {
	type row struct {
		Name   string              `perf:"@instance"`
		Uptime typed.Value[uint32] `perf:"Uptime"`
	}
	one := "object 200 form=single\n  counter 202 PERF_COUNTER_RAWCOUNT\n  values : 9"
	r, err := typed.Open[row](t.Context(), serve(testNames, one, one), "Machine", typed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows, err := r.Read(t.Context())
	if err != nil || len(rows) != 1 || rows[0] != (row{Uptime: typed.Value[uint32]{V: 9}}) {
		t.Errorf("%+v, %v", rows, err)
	}
}

// An object that comes, goes and changes its definitions costs the samples that
// do not have what the struct needs, and no others.
func TestChanges(t *testing.T) {
	type row struct {
		Count typed.Value[uint32] `perf:"Count"`
	}
	moved := "object 100\n  counter 104 PERF_COUNTER_LARGE_RAWCOUNT\n  counter 102 PERF_COUNTER_RAWCOUNT\n  instance \"a\" : 1 3"
	wider := "object 100\n  counter 102 PERF_COUNTER_LARGE_RAWCOUNT\n  instance \"a\" : 4"
	lost := "object 100\n  counter 104 PERF_COUNTER_LARGE_RAWCOUNT\n  instance \"a\" : 4"
	other := "object 200 form=single\n  counter 202 PERF_COUNTER_RAWCOUNT\n  values : 9"
	here := things + `  instance "a" : 2`
	src := serve(testNames, here, here, moved, other, wider, lost, here)
	r, err := typed.Open[row](t.Context(), src, "Thing", typed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for n, want := range []struct {
		value uint32
		err   error
		text  string
	}{
		{2, nil, ""}, {3, nil, ""}, {0, winperf.ErrNoObject, `"Thing"`},
		{0, typed.ErrField, "row.Count: field cannot be filled: counter \"Count\" of Thing: the values are integers of 8 bytes"},
		{0, winperf.ErrNoCounter, "row.Count: "}, {2, nil, ""},
	} {
		rows, err := r.Read(t.Context())
		switch {
		case !errors.Is(err, want.err), want.err != nil && !strings.Contains(err.Error(), want.text):
			t.Errorf("read %d: %v, want %v", n, err, want.err)
		case want.err == nil && (len(rows) != 1 || rows[0].Count.V != want.value):
			t.Errorf("read %d: %+v", n, rows)
		case want.err != nil && rows != nil:
			t.Errorf("read %d: rows with an error: %+v", n, rows)
		}
	}
}

// open opens the object Thing for a row type, which is expected to fail.
func open[T any](t *testing.T) error {
	t.Helper()
	sample := things + `  instance "a" : 2`
	src := serve(testNames, sample, sample)
	r, err := typed.Open[T](t.Context(), src, "Thing", typed.Options{})
	if err == nil {
		_ = r.Close()
	}
	if src.open != 0 {
		t.Errorf("%d queries are open", src.open)
	}
	return err
}

func TestFieldErrors(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		err        error
	}{
		{"no struct", "int: field cannot be filled: expected a struct", open[int](t)},
		{"no tag", "no field has a perf tag", open[struct{ A int }](t)},
		{"empty tag", `.A: field cannot be filled: tag "": expected a counter name`, open[struct {
			A float64 `perf:""`
		}](t)},
		{"only options", `tag ",raw"`, open[struct {
			A float64 `perf:",raw"`
		}](t)},
		{"unknown word", `tag "@parent"`, open[struct {
			A string `perf:"@parent"`
		}](t)},
		{"type of a word", ".A: field cannot be filled: type []uint8, but @instance needs string", open[struct {
			A []byte `perf:"@instance"`
		}](t)},
		{"plain integer", ".A: field cannot be filled: type uint64 cannot represent a missing value", open[struct {
			A uint64 `perf:"Count"`
		}](t)},
		{"not exported", ".a: field cannot be filled: the field is not exported", open[struct {
			a float64 `perf:"Count"`
		}](t)},
		{"decimal in an integer", ".A: field cannot be filled: counter \"Rate/sec\" of Thing: the values are decimals, which a typed.Value[uint64] cannot hold", open[struct {
			A typed.Value[uint64] `perf:"Rate/sec"`
		}](t)},
		{"8 bytes in 4", ".A: ", open[struct {
			A typed.Value[uint32] `perf:"Large Count"`
		}](t)},
		{"text in a number", "the values are text, which a float64 cannot hold", open[struct {
			A float64 `perf:"Text"`
		}](t)},
		{"a number in a text", "the values are integers of 4 bytes, which a typed.Value[string] cannot hold", open[struct {
			A typed.Value[string] `perf:"Count"`
		}](t)},
		{"heading", "no displayable value", open[struct {
			A float64 `perf:"Heading"`
		}](t)},
		{"raw heading", "no raw value of 4 or 8 bytes", open[struct {
			A float64 `perf:"Heading,raw"`
		}](t)},
		{"a counter that is not there", `.Deep.A: field cannot be filled: counter "Nothing" of Thing: no such counter`, open[struct {
			Deep struct {
				A float64 `perf:"Nothing"`
			}
		}](t)},
		{"two at once", ".B: ", open[struct {
			A float64 `perf:"Nothing"`
			B float64 `perf:"Nothing else"`
		}](t)},
	} {
		if !errors.Is(tt.err, typed.ErrField) || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, tt.err, tt.want)
		}
	}
}

// An optional counter that two counters might be is an error all the same.
func TestAmbiguous(t *testing.T) {
	type row struct {
		A float64 `perf:"Twin,optional"`
	}
	sample := "object 100\n  counter 300 PERF_COUNTER_RAWCOUNT\n  counter 302 PERF_COUNTER_RAWCOUNT\n  instance \"a\" : 2 3"
	_, err := typed.Open[row](t.Context(), serve(testNames, sample), "Thing", typed.Options{})
	if !errors.Is(err, typed.ErrField) || !strings.Contains(fmt.Sprint(err), "300 302") {
		t.Error(err)
	}
}

func TestNoObject(t *testing.T) {
	type row struct {
		A float64 `perf:"Count"`
	}
	_, err := typed.Open[row](t.Context(), serve(testNames, things), "Nobody", typed.Options{})
	if !errors.Is(err, winperf.ErrNoObject) || !strings.Contains(err.Error(), `"Nobody"`) {
		t.Error(err)
	}
}

// Rows do not say whose they are: of several machines' objects one is to be chosen.
func TestMachines(t *testing.T) {
	type typedRow struct {
		Name   string  `perf:"@instance"`
		Length float64 `perf:"Length"`
	}
	const queue = "object 100\n counter 102 PERF_COUNTER_RAWCOUNT\n instance %q : %d\n"
	of := func(name string, n int) string { return fmt.Sprintf(queue, name, n) }
	src := serve(map[uint32]string{100: "Queue", 102: "Length"}, of("a", 1), of("a", 1), of("a", 1), of("a", 1))
	src.more = map[string]string{"OTHER": of("b", 2)}

	_, err := typed.Open[typedRow](t.Context(), src, "Queue", typed.Options{})
	if !errors.Is(err, winperf.ErrNotSupported) || !strings.Contains(err.Error(), "set Options.Machine to one of them (HOST, OTHER)") {
		t.Errorf("without a choice: %v", err)
	}
	for machine, want := range map[string]typedRow{"HOST": {"a", 1}, "other": {"b", 2}} {
		src.taken = 0
		r, err := typed.Open[typedRow](t.Context(), src, "Queue", typed.Options{Machine: machine})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			rows, err := r.Read(t.Context())
			if diff := cmp.Diff([]typedRow{want}, rows); err != nil || diff != "" {
				t.Errorf("%s: %v, rows (-want +got):\n%s", machine, err, diff)
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := typed.Open[typedRow](t.Context(), src, "Queue", typed.Options{Machine: "third"}); err == nil {
		t.Error("a machine that is not there")
	}
	if src.open != 0 {
		t.Errorf("%d queries are open", src.open)
	}
}

// TestBases reads what averages are divided by: by its own name, or as the base of a counter.
func TestBases(t *testing.T) {
	type row struct {
		Value typed.Value[uint64] `perf:"Average,raw"`
		Base  typed.Value[uint32] `perf:"Average,base"`
		Named float64             `perf:"Uptime"`
		Of    typed.Value[uint32] `perf:"Count,base"`
		None  typed.Value[uint64] `perf:"Nothing,base,optional"`
	}
	sample := `object 100
  counter 110 PERF_AVERAGE_BULK
  counter 110 PERF_AVERAGE_BASE
  counter 102 PERF_RAW_FRACTION
  counter 202 PERF_RAW_BASE
  instance "a" : 2 3 4 5`
	r, err := typed.Open[row](t.Context(), serve(testNames, sample, sample), "Thing", typed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows, err := r.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	number := func(n uint32) typed.Value[uint32] { return typed.Value[uint32]{V: n} }
	want := row{typed.Value[uint64]{V: 2}, number(3), 5, number(5), typed.Value[uint64]{Status: counter.NoCounter}}
	if rows[0] != want {
		t.Errorf("%+v, want %+v", rows[0], want)
	}

	if err := open[struct {
		A float64 `perf:"Count,base"`
	}](t); !errors.Is(err, typed.ErrField) || !strings.Contains(err.Error(), "no base") {
		t.Errorf("a counter without a base: %v", err)
	}
}

// stepping is a clock by which time passes only while somebody waits.
type stepping struct{ elapsed, waited time.Duration }

func (c *stepping) Now() time.Time         { return time.Unix(0, 0).Add(c.elapsed) }
func (c *stepping) Elapsed() time.Duration { return c.elapsed }
func (c *stepping) Timer(d time.Duration) (fired <-chan time.Time, stop func() bool) {
	c.elapsed, c.waited = c.elapsed+d, c.waited+d
	now := make(chan time.Time, 1)
	now <- c.Now()
	return now, func() bool { return true }
}

// A Read that comes right behind another sample waits, but only for rates.
func TestTooClose(t *testing.T) {
	type rates struct {
		Rate float64 `perf:"Rate/sec"`
	}
	type counts struct {
		Rate typed.Value[uint32] `perf:"Rate/sec,raw"`
	}
	sample := things + `  instance "a" : 1 2`
	check := func(clock *stepping, want time.Duration, err error) {
		t.Helper()
		if err != nil || clock.waited != want {
			t.Errorf("waited for %v, %v, want %v", clock.waited, err, want)
		}
	}

	clock := new(stepping)
	r, err := typed.Open[rates](t.Context(), serve(testNames, sample, sample, sample), "Thing", typed.Options{Clock: clock})
	check(clock, 0, err)
	defer r.Close()
	_, err = r.Read(t.Context())
	check(clock, measure.LeastInterval, err)
	clock.elapsed += measure.LeastInterval - time.Millisecond
	_, err = r.Read(t.Context())
	check(clock, measure.LeastInterval+time.Millisecond, err)

	clock = new(stepping)
	c, err := typed.Open[counts](t.Context(), serve(testNames, sample, sample), "Thing", typed.Options{Clock: clock})
	check(clock, 0, err)
	defer c.Close()
	_, err = c.Read(t.Context())
	check(clock, 0, err)
}

// A process that began between two samples counts from zero, unless the options ask for the rule of PDH. Idle, and a
// process without a start time, have no rate.
func TestBegan(t *testing.T) {
	type process struct {
		Name string               `perf:"@instance"`
		ID   typed.Value[uint32]  `perf:"ID Process"`
		Busy typed.Value[float64] `perf:"% Processor Time"`
	}
	const epoch int64 = 133500000000000000
	names := map[uint32]string{230: "Process", 784: "ID Process", 684: "Elapsed Time", 6: "% Processor Time"}
	object := "object 230 freq=10000000\n counter 784 PERF_COUNTER_RAWCOUNT\n counter 684 PERF_ELAPSED_TIME\n counter 6 PERF_100NSEC_TIMER\n"
	first := object + fmt.Sprintf(" instance \"a\" : 8 %d 1000000\n", epoch-10_000_000)
	second := object + fmt.Sprintf(" instance \"a\" : 8 %d 2500000\n instance \"b\" : 9 %d 3000000\n", epoch+5_000_000, epoch+2_000_000) +
		fmt.Sprintf(" instance \"unknown\" : 10 0 3000000\n instance \"Idle\" : 0 %d 3000000\n", epoch+2_000_000)
	third := object + fmt.Sprintf(" instance \"b\" : 9 %d 4000000\n", epoch+2_000_000)

	for _, exact := range []bool{false, true} {
		want := [][]string{
			{"a 8 ok 25", "b 9 ok 30", "unknown 10 no_previous 0", "Idle 0 no_previous 0"},
			{"b 9 ok 10"},
		}
		if exact {
			want[0][0], want[0][1] = "a 8 no_previous 0", "b 9 no_previous 0"
		}
		opt := typed.Options{Clock: new(stepping)}
		opt.Cook.NeedPrevious = exact
		r, err := typed.Open[process](t.Context(), serve(names, first, second, third), "Process", opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range want {
			rows, err := r.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range rows {
				got = append(got, fmt.Sprint(p.Name, " ", p.ID.V, " ", p.Busy.Status, " ", p.Busy.V))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("as PDH does: %v: %s", exact, diff)
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

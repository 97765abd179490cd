package pdhtext

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	_ "time/tzdata" // zones of the tests on systems without them

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// sampleTime is a moment with milliseconds and an offset from UTC of a whole number of hours.
var sampleTime = time.Date(2007, 6, 30, 15, 40, 38, 659e6, time.FixedZone("EDT", -4*3600))

func series(t testing.TB, path string) *winperf.Series {
	t.Helper()
	p, err := winperf.ParsePath(path)
	if err != nil {
		t.Fatal(err)
	}
	return winperf.NewSeries(p)
}

func reading(s *winperf.Series, v counter.Value) winperf.Reading {
	return winperf.Reading{Series: s, Value: v}
}

func missing(s *winperf.Series, status counter.Status) winperf.Reading {
	return winperf.Reading{Series: s, Status: status}
}

// write writes moments one second apart and returns the log.
func write(t *testing.T, opt Options, moments ...[]winperf.Reading) string {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out, opt)
	for i, readings := range moments {
		if err := w.Write(sampleTime.Add(time.Duration(i)*time.Second), winperf.ColumnsOf(readings)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestFirstField(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	utc := sampleTime.UTC()
	winter := time.Date(2024, 1, 15, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name  string
		opt   Options
		at    time.Time
		field string
		stamp string
	}{
		{"east of Greenwich", Options{Location: time.FixedZone("IST", 330*60), Zone: "India Standard Time"}, utc,
			"(PDH-CSV 4.0) (India Standard Time)(-330)", "07/01/2007 01:10:38.659"},
		{"zone of the location", Options{Location: time.FixedZone("Eastern Daylight Time", -240*60)}, utc,
			"(PDH-CSV 4.0) (Eastern Daylight Time)(240)", "06/30/2007 15:40:38.659"},
		{"tab-separated", Options{Format: TSV, Location: time.UTC}, utc,
			"(PDH-TSV 4.0) (UTC)(0)", "06/30/2007 19:40:38.659"},
		{"summer", Options{Location: berlin}, utc, "(PDH-CSV 4.0) (CEST)(-120)", "06/30/2007 21:40:38.659"},
		{"winter", Options{Location: berlin}, winter, "(PDH-CSV 4.0) (CET)(-60)", "01/15/2024 13:00:00.000"},
		{"typeperf", Options{Dialect: Typeperf, Location: time.UTC, Zone: "not shown"}, utc,
			"(PDH-CSV 4.0)", "06/30/2007 19:40:38.659"},
		{"typeperf, tab-separated", Options{Dialect: Typeperf, Format: TSV, Location: time.UTC}, utc,
			"(PDH-TSV 4.0)", "06/30/2007 19:40:38.659"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			readings := []winperf.Reading{reading(series(t, `\\HOST\Memory\Available Bytes`), counter.Int(1))}
			if err := NewWriter(&out, test.opt).Write(test.at, winperf.ColumnsOf(readings)); err != nil {
				t.Fatal(err)
			}
			head, rest, _ := strings.Cut(out.String(), "\r\n")
			separator := string(separators[test.opt.Format])
			if got, want := head, `"`+test.field+`"`+separator+`"\\HOST\Memory\Available Bytes"`; got != want {
				t.Errorf("head\n got %s\nwant %s", got, want)
			}
			if !strings.HasPrefix(rest, `"`+test.stamp+`"`+separator) {
				t.Errorf("row %q does not begin with %q", rest, test.stamp)
			}
		})
	}
}

// TestBiasOfStart checks that the clock change within a log moves the stamps
// and leaves the head's bias alone.
func TestBiasOfStart(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := NewWriter(&out, Options{Location: berlin})
	readings := []winperf.Reading{reading(series(t, `\A\B`), counter.Int(1))}
	before := time.Date(2024, 10, 27, 0, 59, 59, 0, time.UTC)
	for i := range 2 {
		if err := w.Write(before.Add(time.Duration(i)*time.Second), winperf.ColumnsOf(readings)); err != nil {
			t.Fatal(err)
		}
	}
	want := "\"(PDH-CSV 4.0) (CEST)(-120)\",\"\\A\\B\"\r\n" +
		"\"10/27/2024 02:59:59.000\",\"1\"\r\n" +
		"\"10/27/2024 02:00:00.000\",\"1\"\r\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestInstances lets instances come late, vanish and return.
func TestInstances(t *testing.T) {
	idle := series(t, `\\HOST\Process(Idle)\ID Process`)
	first := series(t, `\\HOST\Process(build)\ID Process`)
	again := series(t, `\\HOST\Process(build)\ID Process`) // another process, the same path
	late := series(t, `\\HOST\Process(build#1)\ID Process`)
	lateAgain := series(t, `\\HOST\Process(build#1)\ID Process`)

	var out bytes.Buffer
	w := NewWriter(&out, Options{Dialect: Typeperf, Location: sampleTime.Location()})
	moments := []struct {
		readings []winperf.Reading
		row      string
		late     int
	}{
		{nil, "", 0}, // nothing to make columns of
		{[]winperf.Reading{missing(idle, counter.NoPrevious), reading(first, counter.Int(4))}, `" ","4.000000"`, 0},
		{[]winperf.Reading{reading(idle, counter.Int(0)), reading(late, counter.Int(5)), reading(first, counter.Int(4))}, `"0.000000","4.000000"`, 1},
		{[]winperf.Reading{reading(idle, counter.Int(0)), reading(lateAgain, counter.Int(6))}, `"0.000000"," "`, 1},
		{[]winperf.Reading{reading(again, counter.Int(7))}, `" ","7.000000"`, 1},
		{[]winperf.Reading{missing(series(t, `\process(idle)\id process`), counter.NoInstance)}, `" "," "`, 1}, // a path as it was typed
		{[]winperf.Reading{reading(again, counter.Int(8)), reading(series(t, `\\HOST\System\Threads`), counter.Int(9))}, `" ","8.000000"`, 2},
	}
	for i, moment := range moments {
		out.Reset()
		if err := w.Write(sampleTime, winperf.ColumnsOf(moment.readings)); err != nil {
			t.Fatal(err)
		}
		want := ""
		if moment.row != "" {
			want = `"06/30/2007 15:40:38.659",` + moment.row + "\r\n"
		}
		if i == 1 {
			want = `"(PDH-CSV 4.0)","\\HOST\Process(Idle)\ID Process","\\HOST\Process(build)\ID Process"` + "\r\n" + want
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("moment %d:\n%s", i, diff)
		}
		if w.Late() != moment.late {
			t.Errorf("moment %d: %d series came late, want %d", i, w.Late(), moment.late)
		}
	}
}

// TestWaiting fills the columns of paths that named nothing at first.
// TestOneInstance: a column is that of one instance, as far as its key tells, whatever it
// is called; another one that takes over its name came later.
func TestOneInstance(t *testing.T) {
	keyed := func(path, key string, v uint64) winperf.Reading {
		s := series(t, path)
		s.Key = key
		return reading(s, counter.Int(v))
	}
	first, second := `\\H\P(a)\C`, `\\H\P(a#1)\C`
	moments := [][]winperf.Reading{
		{keyed(first, "1@1", 1), keyed(second, "2@2", 2)},
		{keyed(first, "2@2", 3)},                                   // the first one ended
		{keyed(`\\H\P(exec)\C`, "2@2", 4), keyed(first, "3@3", 5)}, // the other is called otherwise, and another came
		{keyed(first, "1@9", 6)},                                   // a process id comes again
		{keyed(`\\H\P(a)\D`, "2@2", 7)},                            // another counter
	}
	var out bytes.Buffer
	w := NewWriter(&out, Options{Dialect: Typeperf})
	for i, m := range moments {
		if err := w.Write(sampleTime.Add(time.Duration(i)*time.Second), winperf.ColumnsOf(m)); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range rows[1:] {
		got = append(got, strings.Join(row[1:], "|"))
	}
	want := []string{"1.000000|2.000000", " |3.000000", " |4.000000", " | ", " | "}
	if diff := cmp.Diff(want, got); diff != "" || w.Late() != 3 {
		t.Errorf("%d late, %s", w.Late(), diff)
	}
}

func TestWaiting(t *testing.T) {
	typed := []string{`\process(Build)\id process`, `\\host\Process(build#1)\ID Process`, `\Nothing\At all`}
	head := []winperf.Reading{
		missing(series(t, typed[0]), counter.NoInstance),
		missing(series(t, typed[1]), counter.NoCounter),
		missing(series(t, typed[2]), counter.NoObject),
	}
	got := write(t, Options{Dialect: Typeperf, Location: sampleTime.Location()}, head,
		[]winperf.Reading{
			reading(series(t, `\\HOST\Process(build)\ID Process`), counter.Int(4)),
			reading(series(t, `\\OTHER\Process(build#1)\ID Process`), counter.Int(5)),
			head[2],
		},
		[]winperf.Reading{
			head[0],
			reading(series(t, `\\HOST\Process(build#1)\ID Process`), counter.Int(6)),
		},
		[]winperf.Reading{ // other processes of the same names
			reading(series(t, `\\HOST\Process(build#1)\ID Process`), counter.Int(7)),
			reading(series(t, `\\HOST\Process(build)\ID Process`), counter.Int(8)),
		})
	want := `"(PDH-CSV 4.0)","\process(Build)\id process","\\host\Process(build#1)\ID Process","\Nothing\At all"
"06/30/2007 15:40:38.659"," "," "," "
"06/30/2007 15:40:39.659","4.000000"," "," "
"06/30/2007 15:40:40.659"," ","6.000000"," "
"06/30/2007 15:40:41.659","8.000000","7.000000"," "
`
	if diff := cmp.Diff(want, strings.ReplaceAll(got, "\r\n", "\n")); diff != "" {
		t.Error(diff)
	}
}

// TestSamePathTwice checks that a path has one column, however often it is read.
func TestSamePathTwice(t *testing.T) {
	a, b := series(t, `\A\B`), series(t, `\A\B`)
	got := write(t, Options{Dialect: Typeperf, Location: sampleTime.Location()},
		[]winperf.Reading{reading(a, counter.Int(1)), reading(b, counter.Int(1))})
	want := "\"(PDH-CSV 4.0)\",\"\\A\\B\"\r\n\"06/30/2007 15:40:38.659\",\"1.000000\"\r\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestManyColumns writes as many columns as a real log had and reads them back.
func TestManyColumns(t *testing.T) {
	const columns = 1105
	var readings []winperf.Reading
	var head []string
	for i := range columns {
		path := fmt.Sprintf(`\\HOST\Process(a "quoted", long and odd name of 进程/%d#%d)\%% Processor Time`, i, i+1)
		head = append(head, path)
		readings = append(readings, reading(series(t, path), counter.Float(math.Pi*float64(i))))
	}
	for format, separator := range separators {
		log := write(t, Options{Format: Format(format), Location: time.UTC}, readings, readings[:columns/2])
		if got := strings.Count(log, "\r\n"); got != 3 || strings.Count(log, "\n") != got || !strings.HasSuffix(log, "\r\n") {
			t.Fatalf("%d lines end with CR LF, want all 3", got)
		}
		reader := csv.NewReader(strings.NewReader(log))
		reader.Comma = rune(separator)
		rows, err := reader.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(head, rows[0][1:]); diff != "" {
			t.Error(diff)
		}
		for i := range columns {
			f, err := strconv.ParseFloat(rows[1][i+1], 64)
			if err != nil || f != math.Pi*float64(i) {
				t.Fatalf("column %d reads back as %v (%v)", i, f, err)
			}
			if blank := rows[2][i+1] == " "; blank != (i >= columns/2) {
				t.Errorf("column %d of row 2 is %q", i, rows[2][i+1])
			}
		}
	}
}

// brokenWriter fails after a number of writes.
type brokenWriter struct {
	good int
	err  error
	n    int // bytes that a failing write still takes
}

func (w *brokenWriter) Write(p []byte) (int, error) {
	if w.good--; w.good >= 0 {
		return len(p), nil
	}
	return w.n, w.err
}

func TestErrors(t *testing.T) {
	readings := []winperf.Reading{reading(series(t, `\A\B`), counter.Int(1))}
	broken := &brokenWriter{good: 1, err: syscall.EPIPE}
	w := NewWriter(broken, Options{})
	for i, want := range []error{nil, syscall.EPIPE, syscall.EPIPE} {
		if err := w.Write(sampleTime, winperf.ColumnsOf(readings)); !errors.Is(err, want) {
			t.Errorf("write %d: error %v, want %v", i, err, want)
		}
	}
	broken.good = 1 // the writer recovers; the log, which has lost a row, does not
	if err := w.Write(sampleTime, winperf.ColumnsOf(readings)); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("write after an error: error %v", err)
	}
	if err := w.Close(); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("Close: error %v", err)
	}
	w = NewWriter(&brokenWriter{n: 3}, Options{})
	if err := w.Write(sampleTime, winperf.ColumnsOf(readings)); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("short write: error %v", err)
	}
	w = NewWriter(io.Discard, Options{})
	for range 2 {
		if err := w.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if err := w.Write(sampleTime, winperf.ColumnsOf(readings)); !errors.Is(err, winperf.ErrState) {
		t.Errorf("Write after Close: error %v", err)
	}
}

// Columns that are named beforehand are in the head, and no others.
func TestNamedColumns(t *testing.T) {
	a, b, c := series(t, `\\H\O\a`), series(t, `\\H\O\b`), series(t, `\\H\O\c`)
	var out bytes.Buffer
	w := NewWriter(&out, Options{Location: time.UTC, NoZone: true, Columns: []string{b.String(), a.String(), b.String()}})
	for _, readings := range [][]winperf.Reading{
		{reading(a, counter.Int(1))},
		{reading(c, counter.Int(2)), reading(series(t, `\\H\O\b`), counter.Int(3))},
	} {
		if err := w.Write(sampleTime, winperf.ColumnsOf(readings)); err != nil {
			t.Fatal(err)
		}
	}
	want := `"(PDH-CSV 4.0)","\\H\O\b","\\H\O\a"` + "\r\n" +
		`"06/30/2007 19:40:38.659"," ","1"` + "\r\n" +
		`"06/30/2007 19:40:38.659","3"," "` + "\r\n"
	if out.String() != want || w.Late() != 1 {
		t.Errorf("%d late,\n%swant\n%s", w.Late(), &out, want)
	}
}

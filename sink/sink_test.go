package sink

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
)

var sampleTime = time.Date(2026, 3, 1, 9, 30, 0, 123456700, time.UTC)

// value returns a reading that is ok.
func value(path string, v counter.Value, unit counter.Unit) winperf.Reading {
	return winperf.Reading{Series: series(path, unit), Time: sampleTime, Value: v}
}

// missing returns a reading that is not.
func missing(path string, status counter.Status) winperf.Reading {
	return winperf.Reading{Series: series(path, counter.PerSecond), Time: sampleTime, Status: status}
}

// series panics where path does not parse, which is an error in the test.
func series(path string, unit counter.Unit) *winperf.Series {
	p, err := winperf.ParsePath(path)
	if err != nil {
		panic(err)
	}
	s := winperf.NewSeries(p)
	s.Unit = unit
	return s
}

// everyStatus holds a reading of each status and each kind of value.
func everyStatus() []winperf.Reading {
	readings := []winperf.Reading{
		value(`\\HOST\Memory\Available Bytes`, counter.Int(math.MaxUint64), counter.Count),
		value(`\\HOST\Memory\Flags`, counter.FromBits(counter.KindHex32, 0xBEEF), counter.Count),
		value(`\\HOST\Memory\Mask`, counter.FromBits(counter.KindHex, 0xBEEF), counter.Count),
		value(`\\HOST\Memory\Pages/sec`, counter.Float(1234.5), counter.PerSecond),
		value(`\\HOST\Memory\Broken`, counter.Float(math.NaN()), counter.Percent),
		value(`\\HOST\Memory\Owner`, counter.Text("say \"hi\",\t名前"), counter.TextUnit),
		{Series: series(`\\HOST\Memory\Nothing`, counter.NoUnit)},
	}
	for status := counter.NoPrevious; status <= counter.Unsupported; status++ {
		readings = append(readings, missing(fmt.Sprintf(`\\HOST\Memory\Is %v`, status), status))
	}
	return readings
}

// taken returns readings as if they had been taken at another time, all later by
// as much as that is after sampleTime.
func taken(at time.Time, readings []winperf.Reading) []winperf.Reading {
	readings = slices.Clone(readings)
	for i := range readings {
		if r := &readings[i]; !r.Time.IsZero() {
			r.Time = r.Time.Add(at.Sub(sampleTime))
		}
	}
	return readings
}

// render writes the moments, one second apart, and returns the output.
func render(t *testing.T, make func(io.Writer) Sink, moments ...[]winperf.Reading) string {
	t.Helper()
	var out bytes.Buffer
	s := make(&out)
	for i, readings := range moments {
		at := sampleTime.Add(time.Duration(i) * time.Second)
		if err := s.Write(at, winperf.ColumnsOf(taken(at, readings))); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // once is enough, twice does no harm
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// newNamed makes a sink by name.
func newNamed(t *testing.T, format string, o Options) func(io.Writer) Sink {
	return func(w io.Writer) Sink {
		s, err := New(format, w, o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

func TestNew(t *testing.T) {
	moment := []winperf.Reading{
		value(`\\HOST\A(b)\c`, counter.Float(1.23456789), counter.PerSecond),
		value(`\\HOST\A(b)\c`, counter.Float(1.23456789), counter.PerSecond),
	}
	object := `{"time":"2026-03-01T09:30:00.1234567Z","path":"\\\\HOST\\A(b)\\c","value":1.23456789,` +
		`"unit":"per_second","status":"ok","object":"A","instance":"b","counter":"c"}`
	options := Options{Location: time.UTC}
	file := options
	file.File, file.Zone = true, "Coordinated Universal Time"
	tests := []struct {
		format string
		o      Options
		want   string
	}{
		{"table", options, "2026-03-01 09:30:00.123 +00:00  HOST\nA     c\nb  1.23\n"},
		{"csv", options, "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\HOST\\A(b)\\c\"\r\n\"03/01/2026 09:30:00.123\",\"1.234568\"\r\n"},
		{"csv", file, "\"(PDH-CSV 4.0) (Coordinated Universal Time)(0)\",\"\\\\HOST\\A(b)\\c\"\r\n\"03/01/2026 09:30:00.123\",\"1.23456789\"\r\n"},
		{"tsv", options, "\"(PDH-TSV 4.0) (UTC)(0)\"\t\"\\\\HOST\\A(b)\\c\"\r\n\"03/01/2026 09:30:00.123\"\t\"1.234568\"\r\n"},
		{"jsonl", options, object + "\n" + object + "\n"},
		{"JSON", options, "[\n" + object + ",\n" + object + "\n]\n"},
		{"paths", options, "\\\\HOST\\A(b)\\c\n"},
	}
	tested := make(map[string]bool)
	for _, test := range tests {
		got := render(t, newNamed(t, test.format, test.o), moment)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s:\n%s", test.format, diff)
		}
		tested[strings.ToLower(test.format)] = true
	}
	for _, f := range Formats() {
		if !tested[f.Name] {
			t.Errorf("format %s is not tested", f.Name)
		}
		if f.Description == "" {
			t.Errorf("format %s is not described", f.Name)
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	_, err := New("xml", io.Discard, Options{})
	if !errors.Is(err, winperf.ErrNotSupported) {
		t.Fatalf("error %v, want one that wraps %v", err, winperf.ErrNotSupported)
	}
	if want := "table, csv, tsv, jsonl, json, paths"; !strings.Contains(err.Error(), want) {
		t.Errorf("error %q does not list %s", err, want)
	}
}

// limitedWriter takes so many writes and then fails, with a short write where
// err is nil.
type limitedWriter struct {
	left int
	err  error
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	if w.left--; w.left >= 0 {
		return len(p), nil
	}
	return 0, w.err
}

func TestWriteErrors(t *testing.T) {
	for _, f := range Formats() {
		t.Run(f.Name, func(t *testing.T) {
			readings := []winperf.Reading{value(`\A\b`, counter.Int(1), counter.Count)}
			w := &limitedWriter{left: 1, err: syscall.EPIPE}
			s := newNamed(t, f.Name, Options{})(w)
			if err := s.Write(sampleTime, winperf.ColumnsOf(readings)); err != nil {
				t.Fatal(err)
			}
			readings[0] = value(`\A\c`, counter.Int(1), counter.Count) // news for every format
			if err := s.Write(sampleTime, winperf.ColumnsOf(readings)); !errors.Is(err, syscall.EPIPE) {
				t.Errorf("error %v, want %v", err, syscall.EPIPE)
			}
			w.left = 9 // the writer recovers, the sink must not go on with a gap
			if err := s.Write(sampleTime, winperf.ColumnsOf(readings)); !errors.Is(err, syscall.EPIPE) {
				t.Errorf("later error %v, want %v", err, syscall.EPIPE)
			}
			if err := s.Close(); !errors.Is(err, syscall.EPIPE) {
				t.Errorf("Close: error %v, want %v", err, syscall.EPIPE)
			}
			s = newNamed(t, f.Name, Options{})(&limitedWriter{})
			if err := s.Write(sampleTime, winperf.ColumnsOf(readings)); !errors.Is(err, io.ErrShortWrite) {
				t.Errorf("short write: error %v", err)
			}
			s = newNamed(t, f.Name, Options{})(io.Discard)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if err := s.Write(sampleTime, winperf.ColumnsOf(readings)); !errors.Is(err, winperf.ErrState) {
				t.Errorf("Write after Close: error %v, want %v", err, winperf.ErrState)
			}
		})
	}
}

// TestWriteErrorInMoment: a writer that fails in the middle of a large moment is not asked again.
func TestWriteErrorInMoment(t *testing.T) {
	var readings []winperf.Reading
	for i := range 10_000 {
		readings = append(readings, value(fmt.Sprintf(`\\HOST\Process(%d)\Handle Count`, i), counter.Int(1), counter.Count))
	}

	for _, f := range Formats() {
		w := &limitedWriter{err: syscall.EPIPE}
		s := newNamed(t, f.Name, Options{})(w)
		err := s.Write(sampleTime, []winperf.Column{perftest.Column(readings...)})
		if !errors.Is(err, syscall.EPIPE) || w.left != -1 {
			t.Errorf("%s: error %v, %d writes", f.Name, err, -w.left)
		}
	}
}

func TestPaths(t *testing.T) {
	got := render(t, newPaths,
		[]winperf.Reading{
			value(`\\HOST\Process(build#1)\ID Process`, counter.Int(1), counter.Count),
			missing(`\\HOST\Process(名前)\ID Process`, counter.NoPrevious),
			value(`\\HOST\Process(build#1)\ID Process`, counter.Int(1), counter.Count),
		},
		[]winperf.Reading{
			missing(`\\HOST\Process(名前)\ID Process`, counter.NoPrevious),
			{Series: winperf.NewSeries(winperf.Path{Object: "A", Counter: "two\nlines"})},
		})
	want := `\\HOST\Process(build#1)\ID Process` + "\n" +
		`\\HOST\Process(名前)\ID Process` + "\n" + "\\A\\two\\nlines\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLate(t *testing.T) {
	for _, format := range []string{"csv", "tsv"} {
		s := newNamed(t, format, Options{})(io.Discard)
		for range 2 {
			for _, path := range []string{`\A\b`, `\A\c`} {
				if err := s.Write(sampleTime, winperf.ColumnsOf([]winperf.Reading{value(path, counter.Int(1), counter.Count)})); err != nil {
					t.Fatal(err)
				}
			}
		}
		late, ok := s.(LateCounter)
		if !ok {
			t.Fatalf("%s does not count what comes late", format)
		}
		if late.Late() != 1 {
			t.Errorf("%s: %d series came late, want 1", format, late.Late())
		}
	}
}

// fleeting returns columns, and what ends them: all memory of theirs has something else then. Nothing may ask
// for a series that is kept.
func fleeting(readings []winperf.Reading) (columns []winperf.Column, end func()) {
	columns = winperf.ColumnsOf(readings)
	for i := range columns {
		s := *readings[i].Series
		columns[i].Names = &fleetingNames{columns[i].Names, &s}
	}
	return columns, func() {
		for i := range columns {
			*columns[i].Names.(*fleetingNames).series = winperf.Series{}
			columns[i].Bits[0], columns[i].Status[0] = 0xA5A5, counter.Unsupported
		}
		clear(columns)
	}
}

type fleetingNames struct {
	winperf.ColumnNames
	series *winperf.Series
}

func (f *fleetingNames) Counter(int) *winperf.Series { return f.series }

func (f *fleetingNames) Series(int) *winperf.Series { panic("a kept series") }

func (f *fleetingNames) AllSeries() []*winperf.Series { panic("kept series") }

// Sinks keep no column after Write, and have no series kept.
func TestFleeting(t *testing.T) {
	readings := append(append(everyStatus(), processes()...), loads(5, 1, 2, 3)...)
	for _, terminal := range []bool{false, true} {
		for _, format := range Formats() {
			opt := Options{Terminal: terminal}
			var all, each bytes.Buffer
			whole, other := newNamed(t, format.Name, opt)(&all), newNamed(t, format.Name, opt)(&each)
			for range 2 {
				columns, end := fleeting(readings)
				err := errors.Join(whole.Write(sampleTime, winperf.ColumnsOf(readings)), other.Write(sampleTime, columns))
				if err != nil {
					t.Fatal(err)
				}
				end()
				slices.Reverse(readings)
			}
			if err := errors.Join(whole.Close(), other.Close()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(all.String(), each.String()); diff != "" || all.Len() < 100 {
				t.Errorf("%s: lasting - fleeting +\n%s", format.Name, diff)
			}
		}
	}
}

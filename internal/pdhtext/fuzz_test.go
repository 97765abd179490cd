package pdhtext

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// FuzzRoundTrip writes a name, a text and a number and reads them back with
// encoding/csv: always two lines of as many fields, the names but for their
// control characters, the number with every bit.
func FuzzRoundTrip(f *testing.F) {
	f.Add(`\Process(a"b)\c`, "text, with \"quotes\"", math.Float64bits(0.1), true)
	f.Add("\r\n\x00\xff\u0085", "\t\u2028", math.Float64bits(math.NaN()), false)
	f.Add("", " ", uint64(0), true)
	f.Fuzz(func(t *testing.T, name, text string, bits uint64, tabs bool) {
		opt := Options{Location: time.UTC}
		if tabs {
			opt.Format = TSV
		}
		number := math.Float64frombits(bits)
		readings := []winperf.Reading{
			reading(winperf.NewSeries(winperf.Path{Object: name, Counter: "number"}), counter.Float(number)),
			reading(winperf.NewSeries(winperf.Path{Object: name, Counter: "text"}), counter.Text(text)),
		}
		var out bytes.Buffer
		if err := NewWriter(&out, opt).Write(sampleTime, winperf.ColumnsOf(readings)); err != nil {
			t.Fatal(err)
		}
		if strings.Count(out.String(), "\n") != 2 {
			t.Fatalf("not two lines: %q", out.String())
		}
		reader := csv.NewReader(&out)
		reader.Comma = rune(separators[opt.Format])
		rows, err := reader.ReadAll() // checks that rows have the same length
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range readings {
			if got, want := rows[0][i+1], withoutControls(r.Series.String()); got != want {
				t.Errorf("path %d: %q, want %q", i, got, want)
			}
		}
		if got, want := rows[1][2], withoutControls(text); got != want {
			t.Errorf("text %q, want %q", got, want)
		}
		if math.IsNaN(number) || math.IsInf(number, 0) {
			if rows[1][1] != " " {
				t.Errorf("%v is written as %q", number, rows[1][1])
			}
			return
		}
		back, err := strconv.ParseFloat(rows[1][1], 64)
		if err != nil || math.Float64bits(back) != bits {
			t.Errorf("%v reads back as %v (%v)", number, back, err)
		}
	})
}

// withoutControls also makes U+FFFD of every byte that is not UTF-8, as strings.Map does.
func withoutControls(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

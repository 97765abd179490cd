package pdhtext

import (
	"math"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

func TestValues(t *testing.T) {
	tests := []struct {
		value         counter.Value
		status        counter.Status
		log, typeperf string
	}{
		{counter.Int(0), counter.OK, "0", "0.000000"},
		{counter.Int(238132991823872), counter.OK, "238132991823872", "238132991823872.000000"},
		{counter.Int(math.MaxUint64), counter.OK, "18446744073709551615", "18446744073709551615.000000"},
		{counter.FromBits(counter.KindHex, 255), counter.OK, "255", "255.000000"},
		{counter.FromBits(counter.KindHex32, 255), counter.OK, "255", "255.000000"},
		{counter.Float(0), counter.OK, "0", "0.000000"},
		{counter.Float(5), counter.OK, "5", "5.000000"},
		{counter.Float(-2.5), counter.OK, "-2.5", "-2.500000"},
		{counter.Float(1e6), counter.OK, "1000000", "1000000.000000"},
		{counter.Float(0.032083023520161361), counter.OK, "0.03208302352016136", "0.032083"},
		{counter.Float(0.0001), counter.OK, "0.0001", "0.000100"},
		{counter.Float(0.00001), counter.OK, "1e-05", "0.000010"},
		{counter.Float(1e17), counter.OK, "1e+17", "100000000000000000.000000"},
		{counter.Float(math.SmallestNonzeroFloat64), counter.OK, "5e-324", "0.000000"},
		{counter.Float(math.NaN()), counter.OK, " ", " "},
		{counter.Float(math.Inf(-1)), counter.OK, " ", " "},
		{counter.Value{}, counter.OK, " ", " "},
		{counter.Text(""), counter.OK, "", ""},
		{counter.Text(`say "hi", twice`), counter.OK, `say ""hi"", twice`, `say ""hi"", twice`},
		{counter.Text("two\r\nlines\tand \x1b[2J"), counter.OK, "two  lines and  [2J", "two  lines and  [2J"},
		{counter.Text("名前 \xff"), counter.OK, "名前 \uFFFD", "名前 \uFFFD"},
		{counter.Int(7), counter.NoPrevious, " ", " "},
		{counter.Float(7), counter.InvalidData, " ", " "},
		{counter.Text("x"), counter.NoInstance, " ", " "},
		{counter.Value{}, counter.Unsupported, " ", " "},
	}
	for _, test := range tests {
		series := winperf.NewSeries(winperf.Path{Object: "O", Counter: "C"})
		values := winperf.ColumnsOf([]winperf.Reading{{Series: series, Value: test.value, Status: test.status}})
		for dialect, want := range map[Dialect]string{Log: test.log, Typeperf: test.typeperf} {
			w := Writer{columns: newColumns(nil, false, values), opt: Options{Dialect: dialect}}
			w.appendRow(sampleTime)
			_, got, _ := strings.Cut(strings.TrimSuffix(string(w.buf), "\r\n"), ",")
			if got != `"`+want+`"` {
				t.Errorf("%v %v, dialect %d: got %s, want %q", test.value, test.status, dialect, got, want)
			}
		}
	}
}

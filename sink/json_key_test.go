package sink

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // zones of the tests on systems without them

	"github.com/winperf/winperf"
)

// TestJSONLKey checks the fields that tell which process or thread a reading belongs to.
func TestJSONLKey(t *testing.T) {
	const begin = `"pid":24773,"start":"2025-11-25T10:26:38.1234567Z"}`
	for key, want := range map[string]string{
		"":                            `"counter":"Value"}`,
		"24773@134085399981234567":    begin,
		"24773/9@134085399981234567":  strings.Replace(begin, `,"start`, `,"tid":9,"start`, 1),
		"0@0":                         `"pid":0,"start":"1601-01-01T00:00:00.0000000Z"}`,
		"24773@2650467743999999999":   `"start":"9999-12-31T23:59:59.9999999Z"}`,
		"24773@2650467744000000000":   `"counter":"Value"}`,
		"24773@18446744073709551615":  `"counter":"Value"}`,
		"24773@999999999999999999999": `"counter":"Value"}`,
	} {
		s := winperf.NewSeries(winperf.Path{Object: "Process", Instance: "a", HasInstance: true, Counter: "Value"})
		s.Key = key
		var b bytes.Buffer
		err := plainJSONL(&b).Write(time.Now(), winperf.ColumnsOf([]winperf.Reading{{Series: s}}))
		if line := strings.TrimSpace(b.String()); err != nil || !strings.HasSuffix(line, want) {
			t.Errorf("%s: %s (%v), want the end %s", key, line, err, want)
		}
	}
}

// plainJSONL and plainJSON make sinks without options.
func plainJSONL(w io.Writer) Sink { return newJSONL(w, Options{}) }
func plainJSON(w io.Writer) Sink  { return newJSON(w, Options{}) }

// TestJSONZone names the zone in the first moment only, and in UTC not at all.
func TestJSONZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}

	columns := winperf.ColumnsOf([]winperf.Reading{{Series: winperf.NewSeries(winperf.Path{Object: "Memory", Counter: "A"})}})
	for _, tt := range []struct {
		opt  Options
		want string
	}{
		{Options{}, ""},
		{Options{Location: time.UTC}, ""},
		{Options{Location: time.FixedZone("EET", 7200), NoZone: true}, ""},
		{Options{Location: time.FixedZone("EET", 7200)}, `"zone":"+02:00"`},
		{Options{Location: time.FixedZone("+05:30", 19800), Zone: "+05:30"}, `"zone":"+05:30"`},
		{Options{Location: berlin}, `"zone":"Europe/Berlin"`},
		{Options{Location: time.FixedZone("EET", 7200), Zone: "Europe/Kyiv"}, `"zone":"Europe/Kyiv"`},
		{Options{Location: time.FixedZone("EET", 7200), Zone: "Europe/Nowhere"}, `"zone":"+02:00"`},
	} {
		var b bytes.Buffer
		s := newJSONL(&b, tt.opt)
		for range 2 {
			if err := s.Write(time.Unix(0, 0), columns); err != nil {
				t.Fatal(err)
			}
		}

		first, second, _ := strings.Cut(b.String(), "\n")
		if !strings.Contains(first, tt.want) || strings.Contains(first, "zone") != (tt.want != "") ||
			strings.Contains(second, "zone") {
			t.Errorf("%+v: %s", tt.opt, b.String())
		}
	}
}

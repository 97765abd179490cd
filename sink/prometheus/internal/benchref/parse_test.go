package benchref

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"

	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/sink/prometheus"
)

// FuzzParse writes labels, help and values of any bytes, and reads them with the parsers that
// Prometheus scrapes with, and with that of its client library: they find what was there.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "plain", `\"`, "a\nb\r\n", "\x00", "ü\xff\xc3", "\xed\xa0\x80", "}", `",x="`, "# EOF\n", " a ", "\\n",
	} {
		f.Add(s, "other", s, uint64(12345), int64(1767323045678))
	}
	f.Fuzz(func(t *testing.T, a, b, help string, bits uint64, milli int64) {
		milli %= 4e12 // up to the year 2096
		created := time.UnixMilli(max(milli, 1)).Add(-time.Millisecond / 2)
		rows := metrics.NewRows(
			[][]metrics.Label{{{Name: "a", Value: a}, {Name: "b", Value: b}}}, []int64{created.UnixNano()})
		set := &metrics.Set{Time: time.UnixMilli(milli), Families: []metrics.Family{{
			Name: "m_seconds_total", Type: metrics.Counter, Unit: "seconds", Help: help, Columns: []metrics.Column{
				{Rows: rows, Form: metrics.Form(bits % 3), Bits: []uint64{bits}},
			},
		}}}
		want := wanted{labels: map[string]string{"a": readable(a), "b": readable(b)}, milli: milli}
		want.help, want.value = strings.ReplaceAll(readable(help), "\x00", "\uFFFD"), valueOf(&set.Families[0].Columns[0])

		text := encode(t, prometheus.Options{Times: true}, set)
		want.parsed(t, text, prometheus.Text)
		want.decoded(t, text)
		om := encode(t, prometheus.Options{Format: prometheus.OpenMetrics, Times: true, Created: true}, set)
		want.parsed(t, om, prometheus.OpenMetrics)
	})
}

// readable is a text as the formats can hold it.
func readable(text string) string { return string([]rune(text)) }

func valueOf(c *metrics.Column) float64 {
	switch c.Form {
	case metrics.Whole:
		return float64(c.Bits[0])
	case metrics.Ticks100ns:
		return float64(c.Bits[0]) / 1e7
	}
	return math.Float64frombits(c.Bits[0])
}

func encode(t *testing.T, opt prometheus.Options, set *metrics.Set) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := prometheus.NewEncoder(opt).Encode(&b, set); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// wanted is what a parser is to find.
type wanted struct {
	labels map[string]string
	help   string
	value  float64
	milli  int64
}

// parsed reads text with the parser of a scrape.
func (want *wanted) parsed(t *testing.T, text []byte, format prometheus.Format) {
	t.Helper()
	p, err := textparse.New(text, format.ContentType(), labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		t.Fatal(err)
	}

	var names []string
	for {
		entry, err := p.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v of\n%s", err, text)
		}
		switch entry {
		case textparse.EntryHelp:
			// Blanks in front of it separate it from the name.
			if _, help := p.Help(); strings.TrimLeft(string(help), " \t") != strings.TrimLeft(want.help, " \t") {
				t.Errorf("help %q, want %q", help, want.help)
			}
		case textparse.EntryType:
			if _, kind := p.Type(); kind != model.MetricTypeCounter {
				t.Errorf("type %s", kind)
			}
		case textparse.EntrySeries:
			names = append(names, want.series(t, p))
		}
	}

	all := []string{"m_seconds_total"}
	if format == prometheus.OpenMetrics {
		all = append(all, "m_seconds_created")
	}
	if !slices.Equal(names, all) {
		t.Errorf("series %q, want %q of\n%s", names, all, text)
	}
}

// series compares the series that p is at, and returns its name.
func (want *wanted) series(t *testing.T, p textparse.Parser) string {
	t.Helper()
	var found labels.Labels
	p.Labels(&found)
	for name, value := range want.labels {
		if got := found.Get(name); got != value {
			t.Errorf("label %s: %q, want %q", name, got, value)
		}
	}

	_, at, value := p.Series()
	if at == nil || *at != want.milli {
		t.Errorf("time %v, want %d", at, want.milli)
	}
	name := found.Get("__name__")
	if name == "m_seconds_total" && value != want.value && !(math.IsNaN(value) && math.IsNaN(want.value)) {
		t.Errorf("%s is %v, want %v", name, value, want.value)
	}
	return name
}

// decoded reads text with the parser of the client library.
func (want *wanted) decoded(t *testing.T, text []byte) {
	t.Helper()
	p := expfmt.NewTextParser(model.UTF8Validation)
	families, err := p.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v of\n%s", err, text)
	}
	f := families["m_seconds_total"]
	if len(families) != 1 || f.GetType() != dto.MetricType_COUNTER || len(f.Metric) != 1 {
		t.Fatalf("families %v", families)
	}
	for _, l := range f.Metric[0].Label {
		if l.GetValue() != want.labels[l.GetName()] {
			t.Errorf("label %s: %q, want %q", l.GetName(), l.GetValue(), want.labels[l.GetName()])
		}
	}
	if v := f.Metric[0].Counter.GetValue(); v != want.value && !(math.IsNaN(v) && math.IsNaN(want.value)) {
		t.Errorf("%v, want %v", v, want.value)
	}
}

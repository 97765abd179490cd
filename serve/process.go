package serve

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	client "github.com/prometheus/client_golang/prometheus/collectors"
	dto "github.com/prometheus/client_model/go"

	"github.com/winperf/winperf/sink/metrics"
)

// newProgram returns the metrics of the client library about the program.
func newProgram() prometheus.Gatherer {
	r := prometheus.NewRegistry()
	r.MustRegister(client.NewGoCollector(), client.NewProcessCollector(client.ProcessCollectorOpts{}))
	return r
}

// process adds the resource usage of the program, as Prometheus' client library reports it.
func (b *builder) process() {
	families, _ := b.self.program.Gather() // an error only omits metrics
	for _, f := range families {
		family := metrics.Family{Name: f.GetName(), Help: firstSentence(f.GetHelp())}
		switch f.GetType() {
		case dto.MetricType_COUNTER:
			family.Type = metrics.Counter
		case dto.MetricType_SUMMARY:
			family.Type = metrics.Summary
		}
		for _, m := range f.Metric {
			family.Columns = append(family.Columns, b.columns(f, m)...)
		}
		b.list = append(b.list, family)
	}
}

// sentenceEnd is the end of a sentence before another one. Abbreviations such as e.g. precede lower case.
var sentenceEnd = regexp.MustCompile(`\.\s+[A-Z]`)

func firstSentence(text string) string {
	if end := sentenceEnd.FindStringIndex(text); end != nil {
		return text[:end[0]+1]
	}
	return text
}

// columns returns the values of a metric, each with its labels.
func (b *builder) columns(f *dto.MetricFamily, m *dto.Metric) (list []metrics.Column) {
	var labels []metrics.Label
	for _, l := range m.Label {
		labels = append(labels, metrics.Label{Name: l.GetName(), Value: l.GetValue()})
	}
	add := func(suffix string, v float64, extra ...metrics.Label) {
		c := floats(b.self.none, v)
		c.Suffix, c.Extra = suffix, slices.Concat(labels, extra)
		list = append(list, c)
	}

	switch f.GetType() {
	case dto.MetricType_COUNTER:
		add("", m.Counter.GetValue())
	case dto.MetricType_SUMMARY:
		for _, q := range m.Summary.Quantile {
			text := strconv.FormatFloat(q.GetQuantile(), 'g', -1, 64)
			add("", q.GetValue(), metrics.Label{Name: "quantile", Value: text})
		}
		add("_sum", m.Summary.GetSampleSum())
		list = append(list, metrics.Column{
			Rows: b.self.none, Extra: labels, Suffix: "_count", Bits: []uint64{m.Summary.GetSampleCount()},
		})
	default:
		add("", m.Gauge.GetValue())
	}
	return list
}

package benchref

import (
	"fmt"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"

	"github.com/winperf/winperf/internal/push/internal/remotewrite"
	"github.com/winperf/winperf/sink/metrics"
)

// wide is a Set of n series: processes with 25 counters each.
func wide(n int) *metrics.Set {
	const counters = 25
	var rowLabels [][]metrics.Label
	var bits []uint64
	for i := range n / counters {
		rowLabels = append(rowLabels, []metrics.Label{
			{Name: "name", Value: fmt.Sprintf("process%d", i)}, {Name: "pid", Value: fmt.Sprint(1000 + i*4)},
		})
		bits = append(bits, uint64(i)*123457)
	}
	rows := metrics.NewRows(rowLabels, nil)
	set := &metrics.Set{Time: taken}
	for k := range counters {
		set.Families = append(set.Families, metrics.Family{
			Name: fmt.Sprintf("winperf_process_counter_%d_seconds_total", k), Type: metrics.Counter, Unit: "seconds",
			Help:    "A counter.",
			Columns: []metrics.Column{{Rows: rows, Form: metrics.Ticks100ns, Bits: bits}},
		})
	}
	return set
}

// series are those of a Set as Prometheus keeps them.
func series(set *metrics.Set) (all []labels.Labels, values []float64) {
	for _, f := range set.Families {
		for i, bits := range f.Columns[0].Bits {
			b := labels.NewBuilder(labels.FromStrings("__name__", f.Name, "instance", "host", "job", "winperf"))
			for _, l := range f.Columns[0].Rows.Labels(i) {
				b.Set(l.Name, l.Value)
			}
			all, values = append(all, b.Labels()), append(values, float64(bits)/1e7)
		}
	}
	return all, values
}

// BenchmarkRemoteWrite makes the messages of 10,000 samples: winperf with the compression,
// which takes about half of its time, and Prometheus without, as its queue manager does it from
// labels that it keeps.
func BenchmarkRemoteWrite(b *testing.B) {
	const n = 10_000
	set := wide(n)
	all, values := series(set)
	ms := taken.UnixMilli()
	report := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/sample")
	}

	for _, version := range []remotewrite.Version{remotewrite.V1, remotewrite.V2} {
		b.Run(version.String()+"/winperf", func(b *testing.B) {
			e := remotewrite.NewEncoder(remotewrite.Options{
				Version: version, Labels: []metrics.Label{{Name: "instance", Value: "host"}, {Name: "job", Value: "winperf"}},
			})
			send := func(*remotewrite.Request) error { return nil }
			b.ReportAllocs()
			for b.Loop() {
				if err := e.Encode(set, send); err != nil {
					b.Fatal(err)
				}
			}
			report(b)
		})
	}

	b.Run("0.1.0/prometheus", func(b *testing.B) {
		var q prompb.WriteRequest
		q.Timeseries = make([]prompb.TimeSeries, n)
		var buf []byte
		b.ReportAllocs()
		for b.Loop() {
			for i := range all {
				ts := &q.Timeseries[i]
				ts.Labels = prompb.FromLabels(all[i], ts.Labels)
				ts.Samples = append(ts.Samples[:0], prompb.Sample{Value: values[i], Timestamp: ms})
			}
			size := q.Size()
			if cap(buf) < size {
				buf = make([]byte, size)
			}
			if _, err := q.MarshalToSizedBuffer(buf[:size]); err != nil {
				b.Fatal(err)
			}
		}
		report(b)
	})

	b.Run("2.0.0/prometheus", func(b *testing.B) {
		var q writev2.Request
		q.Timeseries = make([]writev2.TimeSeries, n)
		symbols := writev2.NewSymbolTable()
		var buf []byte
		b.ReportAllocs()
		for b.Loop() {
			for i := range all {
				ts := &q.Timeseries[i]
				ts.LabelsRefs = symbols.SymbolizeLabels(all[i], ts.LabelsRefs)
				ts.Samples = append(ts.Samples[:0], writev2.Sample{Value: values[i], Timestamp: ms})
				ts.Metadata.Type = writev2.Metadata_METRIC_TYPE_COUNTER
				ts.Metadata.HelpRef = symbols.Symbolize("A counter.")
				ts.Metadata.UnitRef = symbols.Symbolize("seconds")
			}
			q.Symbols = symbols.Symbols()
			var err error
			if buf, err = q.OptimizedMarshal(buf[:0]); err != nil {
				b.Fatal(err)
			}
			symbols.Reset()
		}
		report(b)
	})
}

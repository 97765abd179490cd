package benchref

import (
	"fmt"
	"io"
	"strconv"
	"testing"

	vm "github.com/VictoriaMetrics/metrics"
	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/sink/prometheus"
)

// perMetric is how many series a metric has, at most.
const perMetric = 1000

// BenchmarkExpose writes the same series with each library, all of them warm.
func BenchmarkExpose(b *testing.B) {
	for _, n := range []int{100, 10_000, 500_000} {
		b.Run(fmt.Sprintf("%d/winperf", n), func(b *testing.B) {
			set, e := winperfSet(n), prometheus.NewEncoder(prometheus.Options{})
			loop(b, n, func(w io.Writer) error { return e.Encode(w, set) })
		})
		b.Run(fmt.Sprintf("%d/client_golang", n), func(b *testing.B) {
			registry := clientRegistry(n)
			loop(b, n, func(w io.Writer) error { return exposeClient(w, registry) })
		})
		b.Run(fmt.Sprintf("%d/VictoriaMetrics", n), func(b *testing.B) {
			set := vmSet(n)
			loop(b, n, func(w io.Writer) error { set.WritePrometheus(w); return nil })
		})
	}
}

// loop measures expose, which writes at least 40 bytes for each of n series.
func loop(b *testing.B, n int, expose func(io.Writer) error) {
	b.Helper()
	var count counting
	if err := expose(&count); err != nil || int(count) < 40*n {
		b.Fatalf("%d bytes for %d series, %v", count, n, err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := expose(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/series")
}

type counting int

func (c *counting) Write(b []byte) (int, error) {
	*c += counting(len(b))
	return len(b), nil
}

func name(k int) string { return fmt.Sprintf("winperf_process_number_%d_total", k) }

func labelsOf(i int) (process, pid string) {
	return fmt.Sprintf("process%d", i), strconv.Itoa(1000 + 4*i)
}

// value returns one as counters have them, of up to 12 digits.
func value(i int) uint64 { return (uint64(i)*7919 + 12345) * 104729 % 1e12 }

func winperfSet(n int) *metrics.Set {
	var labels [][]metrics.Label
	for i := range min(n, perMetric) {
		process, pid := labelsOf(i)
		labels = append(labels, []metrics.Label{{Name: "name", Value: process}, {Name: "pid", Value: pid}})
	}
	rows := metrics.NewRows(labels, nil)

	set := &metrics.Set{}
	for k := range n / len(labels) {
		c := metrics.Column{Rows: rows}
		for i := range labels {
			c.Bits = append(c.Bits, value(i*k))
		}
		set.Families = append(set.Families, metrics.Family{
			Name: name(k), Type: metrics.Counter, Help: "Help.", Columns: []metrics.Column{c},
		})
	}
	return set
}

func clientRegistry(n int) *client.Registry {
	registry := client.NewRegistry()
	for k := range max(n/perMetric, 1) {
		v := client.NewCounterVec(client.CounterOpts{Name: name(k), Help: "Help."}, []string{"name", "pid"})
		registry.MustRegister(v)
		for i := range min(n, perMetric) {
			process, pid := labelsOf(i)
			v.WithLabelValues(process, pid).Add(float64(value(i * k)))
		}
	}
	return registry
}

func exposeClient(w io.Writer, registry *client.Registry) error {
	families, err := registry.Gather()
	if err != nil {
		return err
	}
	enc := expfmt.NewEncoder(w, expfmt.NewFormat(expfmt.TypeTextPlain))
	for _, f := range families {
		if err := enc.Encode(f); err != nil {
			return err
		}
	}
	return nil
}

func vmSet(n int) *vm.Set {
	set := vm.NewSet()
	for k := range max(n/perMetric, 1) {
		for i := range min(n, perMetric) {
			process, pid := labelsOf(i)
			set.NewCounter(fmt.Sprintf(`%s{name=%q,pid=%q}`, name(k), process, pid)).Set(value(i * k))
		}
	}
	return set
}

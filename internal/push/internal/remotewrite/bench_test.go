package remotewrite_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/winperf/winperf/internal/push/internal/remotewrite"
	"github.com/winperf/winperf/sink/metrics"
)

// wide is a Set of n series: processes with 25 counters each.
func wide(n int) *metrics.Set {
	const counters = 25
	var labels [][]metrics.Label
	var bits []uint64
	for i := range n / counters {
		labels = append(labels, []metrics.Label{
			{Name: "name", Value: fmt.Sprintf("process%d", i)}, {Name: "pid", Value: fmt.Sprint(1000 + i*4)},
		})
		bits = append(bits, uint64(i)*123457)
	}
	rows := metrics.NewRows(labels, nil)
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

// TestEncodeAllocatesNothing encodes series that were there before: only the request itself is new.
func TestEncodeAllocatesNothing(t *testing.T) {
	send := func(*remotewrite.Request) error { return nil }
	set := wide(1000)
	for _, version := range []remotewrite.Version{remotewrite.V1, remotewrite.V2} {
		e := remotewrite.NewEncoder(remotewrite.Options{Version: version})
		encode := func() {
			if err := errors.Join(e.Encode(set, send), e.Flush(send)); err != nil {
				t.Error(err)
			}
		}
		for range 3 {
			encode()
		}
		if n := testing.AllocsPerRun(10, encode); n > 1 {
			t.Errorf("%v: %v allocations", version, n)
		}
	}
}

// BenchmarkEncode is the cost of a sample before compression, and with it. The same with
// the encoders of Prometheus is in internal/push/internal/benchref.
func BenchmarkEncode(b *testing.B) {
	for _, n := range []int{100, 10_000, 500_000} {
		set := wide(n)
		for _, version := range []remotewrite.Version{remotewrite.V1, remotewrite.V2} {
			labels := []metrics.Label{{Name: "instance", Value: "host"}, {Name: "job", Value: "winperf"}}
			opt := remotewrite.Options{Version: version, Labels: labels}
			bench := func(b *testing.B, e *remotewrite.Encoder) {
				send := func(*remotewrite.Request) error { return nil }
				b.ReportAllocs()
				for b.Loop() {
					if err := e.Encode(set, send); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/sample")
			}
			b.Run(fmt.Sprintf("%v/plain/%d", version, n), func(b *testing.B) {
				e := remotewrite.NewEncoder(opt)
				e.Plain()
				bench(b, e)
			})
			b.Run(fmt.Sprintf("%v/snappy/%d", version, n), func(b *testing.B) {
				bench(b, remotewrite.NewEncoder(opt))
			})
		}
	}
}

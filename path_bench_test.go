package winperf_test

import (
	"testing"

	"github.com/winperf/winperf"
)

// BenchmarkMatcherInstance has a mix of names, one of them not ASCII, against
// patterns of every kind.
func BenchmarkMatcherInstance(b *testing.B) {
	names := []string{"svchost", "System", "kworker/0:1", "Idle", "_Total", "chrome", "svchost", "Почта"}
	for _, instance := range []string{"*", "svchost", "svc*", "*o?t*"} {
		b.Run(instance, func(b *testing.B) {
			m := winperf.Path{Object: "Process", HasInstance: true, Instance: instance, Counter: "ID Process"}.Matcher()
			b.ReportAllocs()
			matched := 0
			for b.Loop() {
				for i, name := range names {
					if m.Instance(name, i&1) {
						matched++
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(names)), "ns/name")
		})
	}
}

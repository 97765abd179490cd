package serve

import (
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/winperf/winperf/internal/usage"
	sink "github.com/winperf/winperf/sink/metrics"
)

// process adds the resource usage of the program, named as in Prometheus' own libraries.
func (b *builder) process(started time.Time) {
	if used, ok := usage.Processor(); ok {
		c := sink.Column{Rows: b.self.none, Form: sink.Ticks100ns, Bits: []uint64{uint64(used / 100)}}
		b.add("process_cpu_seconds_total", sink.Counter, "seconds", "User and system time of the program.", c)
	}
	b.gauge("process_start_time_seconds", "seconds", "Start time of the exporter, since 1970.",
		unixSeconds(started))
	if resident, ok := usage.Resident(); ok {
		b.gauge("process_resident_memory_bytes", "bytes", "Resident memory of the program.",
			float64(resident))
	}

	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/total:bytes"},
		{Name: "/gc/heap/allocs:bytes"},
	}
	metrics.Read(samples)
	b.gauge("go_goroutines", "", "Number of goroutines.", float64(runtime.NumGoroutine()))
	b.info("go", "The version of Go.", sink.Label{Name: "version", Value: runtime.Version()})
	b.gauge("go_memstats_heap_alloc_bytes", "bytes", "Bytes of objects on the heap.", number(samples[0]))
	b.gauge("go_memstats_sys_bytes", "bytes", "Bytes obtained from the system.", number(samples[1]))
	b.counter("go_memstats_alloc_bytes_total", "bytes", "Bytes allocated on the heap since the start.",
		uint64(number(samples[2])))
}

func number(s metrics.Sample) float64 {
	if s.Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return float64(s.Value.Uint64())
}

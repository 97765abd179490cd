package serve

import (
	"math"
	"runtime"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
	"strconv"
	"time"

	"github.com/winperf/winperf/serve/internal/resources"
	"github.com/winperf/winperf/sink/metrics"
)

// process adds the resource usage of the program, with the names, types and labels that Prometheus' client
// libraries use by default.
func (b *builder) process() {
	b.collections()
	for _, m := range settingMetrics {
		b.add(m.name, metrics.Gauge, "", m.help, floats(b.self.none, setting(m.setting)))
	}

	b.program("go_goroutines", metrics.Gauge, "Goroutines that exist now.", float64(runtime.NumGoroutine()))
	info := floats(b.self.none, 1)
	info.Extra = []metrics.Label{{Name: "version", Value: runtime.Version()}}
	b.add("go_info", metrics.Gauge, "", "Version of Go with which the program was built.", info)

	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for _, v := range memoryMetrics {
		b.program("go_memstats_"+v.name, v.kind, v.help, v.value(&m))
	}
	b.program("go_sched_gomaxprocs_threads", metrics.Gauge, "Threads that may run Go code at the same time.",
		float64(runtime.GOMAXPROCS(0)))
	threads, _ := runtime.ThreadCreateProfile(nil)
	b.program("go_threads", metrics.Gauge, "Threads that the program has created.", float64(threads))

	values := b.self.resources.Read()
	for _, m := range resourceMetrics {
		if v, ok := values[m.name]; ok {
			b.program(m.name, m.kind, m.help, v)
		}
	}
}

func (b *builder) program(name string, kind metrics.Type, help string, v float64) {
	b.add(name, kind, "", help, floats(b.self.none, v))
}

// collections adds the durations of the pauses of the garbage collector.
func (b *builder) collections() {
	stats := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&stats)
	f := metrics.Family{
		Name: "go_gc_duration_seconds", Type: metrics.Summary,
		Help: "Pauses of the program for garbage collections.",
	}
	for i, pause := range stats.PauseQuantiles {
		c := floats(b.self.none, pause.Seconds())
		text := strconv.FormatFloat(float64(i)/float64(len(stats.PauseQuantiles)-1), 'g', -1, 64)
		c.Extra = []metrics.Label{{Name: "quantile", Value: text}}
		f.Columns = append(f.Columns, c)
	}
	sum := floats(b.self.none, stats.PauseTotal.Seconds())
	sum.Suffix = "_sum"
	count := metrics.Column{Rows: b.self.none, Suffix: "_count", Bits: []uint64{uint64(stats.NumGC)}}
	f.Columns = append(f.Columns, sum, count)
	b.list = append(b.list, f)
}

var settingMetrics = []struct{ name, setting, help string }{
	{
		"go_gc_gogc_percent", "/gc/gogc:percent",
		"Growth of the heap that starts a garbage collection, by the setting GOGC.",
	},
	{
		"go_gc_gomemlimit_bytes", "/gc/gomemlimit:bytes",
		"Limit of the memory that Go uses, by the setting GOMEMLIMIT.",
	},
}

func setting(name string) float64 {
	sample := []runtimemetrics.Sample{{Name: name}}
	runtimemetrics.Read(sample)
	if sample[0].Value.Kind() != runtimemetrics.KindUint64 {
		return math.NaN()
	}
	return float64(sample[0].Value.Uint64())
}

type memoryMetric struct {
	name  string // after go_memstats_
	kind  metrics.Type
	help  string
	value func(*runtime.MemStats) float64
}

type stats = runtime.MemStats

var memoryMetrics = []memoryMetric{
	{
		"alloc_bytes", metrics.Gauge, "Size of the heap objects.",
		func(m *stats) float64 { return float64(m.Alloc) },
	},
	{
		"alloc_bytes_total", metrics.Counter, "Size of all heap objects since the start.",
		func(m *stats) float64 { return float64(m.TotalAlloc) },
	},
	{
		"buck_hash_sys_bytes", metrics.Gauge, "Memory for the tables of profiles.",
		func(m *stats) float64 { return float64(m.BuckHashSys) },
	},
	{
		"frees_total", metrics.Counter, "Heap objects freed since the start.",
		func(m *stats) float64 { return float64(m.Frees) },
	},
	{
		"gc_sys_bytes", metrics.Gauge, "Memory for the garbage collector's own data.",
		func(m *stats) float64 { return float64(m.GCSys) },
	},
	{
		"heap_alloc_bytes", metrics.Gauge, "Size of the heap objects, as go_memstats_alloc_bytes.",
		func(m *stats) float64 { return float64(m.HeapAlloc) },
	},
	{
		"heap_idle_bytes", metrics.Gauge, "Unused memory of the heap.",
		func(m *stats) float64 { return float64(m.HeapIdle) },
	},
	{
		"heap_inuse_bytes", metrics.Gauge, "Used memory of the heap.",
		func(m *stats) float64 { return float64(m.HeapInuse) },
	},
	{
		"heap_objects", metrics.Gauge, "Heap objects.",
		func(m *stats) float64 { return float64(m.HeapObjects) },
	},
	{
		"heap_released_bytes", metrics.Gauge, "Memory of the heap that the system got back.",
		func(m *stats) float64 { return float64(m.HeapReleased) },
	},
	{
		"heap_sys_bytes", metrics.Gauge, "Address space of the heap.",
		func(m *stats) float64 { return float64(m.HeapSys) },
	},
	{
		"last_gc_time_seconds", metrics.Gauge, "Time of the last garbage collection, since 1970.",
		func(m *stats) float64 { return float64(m.LastGC) / 1e9 },
	},
	{
		"mallocs_total", metrics.Counter, "Heap objects allocated since the start.",
		func(m *stats) float64 { return float64(m.Mallocs) },
	},
	{
		"mcache_inuse_bytes", metrics.Gauge, "Used memory for the allocator's caches.",
		func(m *stats) float64 { return float64(m.MCacheInuse) },
	},
	{
		"mcache_sys_bytes", metrics.Gauge, "Memory for the allocator's caches.",
		func(m *stats) float64 { return float64(m.MCacheSys) },
	},
	{
		"mspan_inuse_bytes", metrics.Gauge, "Used memory for the allocator's lists of spans.",
		func(m *stats) float64 { return float64(m.MSpanInuse) },
	},
	{
		"mspan_sys_bytes", metrics.Gauge, "Memory for the allocator's lists of spans.",
		func(m *stats) float64 { return float64(m.MSpanSys) },
	},
	{
		"next_gc_bytes", metrics.Gauge, "Size of the heap at which the next garbage collection starts.",
		func(m *stats) float64 { return float64(m.NextGC) },
	},
	{
		"other_sys_bytes", metrics.Gauge, "Memory of the runtime for other purposes.",
		func(m *stats) float64 { return float64(m.OtherSys) },
	},
	{
		"stack_inuse_bytes", metrics.Gauge, "Used memory for stacks of goroutines.",
		func(m *stats) float64 { return float64(m.StackInuse) },
	},
	{
		"stack_sys_bytes", metrics.Gauge, "Memory for stacks.",
		func(m *stats) float64 { return float64(m.StackSys) },
	},
	{
		"sys_bytes", metrics.Gauge, "Address space that Go uses.",
		func(m *stats) float64 { return float64(m.Sys) },
	},
}

var resourceMetrics = []struct {
	name string
	kind metrics.Type
	help string
}{
	{resources.Processor, metrics.Counter, "Processor time that the program has used."},
	{resources.MaxFiles, metrics.Gauge, "Limit of open files, on Windows of handles."},
	{
		resources.Received, metrics.Counter,
		"Bytes that all programs in the same network namespace have received.",
	},
	{resources.Sent, metrics.Counter, "Bytes that all programs in the same network namespace have sent."},
	{resources.OpenFiles, metrics.Gauge, "Open files, on Windows handles."},
	{resources.Resident, metrics.Gauge, "Physical memory that the program uses."},
	{resources.Start, metrics.Gauge, "Start of the program, in seconds since 1970."},
	{resources.Virtual, metrics.Gauge, "Address space of the program, on Windows its committed memory."},
	{resources.MaxVirtual, metrics.Gauge, "Limit of the address space."},
}

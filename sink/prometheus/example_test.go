package prometheus_test

import (
	"fmt"
	"os"
	"time"

	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/sink/prometheus"
)

func ExampleEncoder() {
	processors := metrics.NewRows([][]metrics.Label{{{Name: "name", Value: "0"}}, {{Name: "name", Value: "1"}}}, nil)
	set := &metrics.Set{Time: time.Now(), Families: []metrics.Family{{
		Name: "winperf_processor_interrupts_total", Type: metrics.Counter, Help: `\Processor(*)\Interrupts/sec`,
		Columns: []metrics.Column{{Rows: processors, Bits: []uint64{123456, 654321}}},
	}}}

	// One Encoder writes one Set after the other, such as those of a metrics.Mapper.
	format := prometheus.Negotiate("application/openmetrics-text;version=1.0.0,*/*;q=0.1", set.TextOnly)
	encoder := prometheus.NewEncoder(prometheus.Options{Format: format})
	if err := encoder.Encode(os.Stdout, set); err != nil {
		fmt.Println(err)
	}
	// Output:
	// # HELP winperf_processor_interrupts \\Processor(*)\\Interrupts/sec
	// # TYPE winperf_processor_interrupts counter
	// winperf_processor_interrupts_total{name="0"} 123456
	// winperf_processor_interrupts_total{name="1"} 654321
	// # EOF
}

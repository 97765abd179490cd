package metrics_test

import (
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/sink/metrics"
)

// A block with one object becomes metrics. A program gets frames and names from package
// measure.
func Example() {
	block, _ := perfdata.ParseText([]byte(`
		block name="HOST" perftime=1000 perffreq=10000000 time100ns=133500000000000000
		object 238
			counter 6 PERF_100NSEC_TIMER_INV
			counter 148 PERF_COUNTER_COUNTER
			instance "0" : 88000000 4711
			instance "_Total" : 88000000 4711`))
	bytes, _ := block.Encode()
	table, _ := nametable.FromMap(nametable.Counter, map[uint32]string{
		238: "Processor", 6: "% Processor Time", 148: "Interrupts/sec",
	})
	names, _ := nametable.FromSchema(&winperf.Schema{Names: []winperf.NameTable{table.NameTable(nametable.English)}})

	var pool frame.Pool
	f, err := pool.Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: bytes}.Sample(), frame.Frame{})
	if err != nil {
		fmt.Println(err)
		return
	}

	m := metrics.NewMapper(metrics.Options{})
	set, err := m.Map(f, names)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, family := range set.Families {
		for _, c := range family.Columns {
			for i, bits := range c.Bits {
				fmt.Println(family.Name, c.Rows.Labels(i), bits)
			}
		}
	}
	fmt.Println(metrics.Expression(counter.TimerInv100NSec))
	// Output:
	// winperf_processor_processor_time_inactive_seconds_total [{name 0}] 88000000
	// winperf_processor_interrupts_total [{name 0}] 4711
	// 100 * (1 - rate(x_inactive_seconds_total))
}

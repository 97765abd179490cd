package counter_test

import (
	"fmt"
	"math"

	"github.com/winperf/winperf/counter"
)

func ExampleCook() {
	prev := &counter.Sample{Value: 60_000, Clocks: counter.Clocks{PerfTime: 35_000_000, PerfFreq: 2_500_000}}
	cur := &counter.Sample{Value: 61_500, Clocks: counter.Clocks{PerfTime: 37_500_000, PerfFreq: 2_500_000}}

	r := counter.Cook(counter.CounterCounter, prev, cur, counter.Options{})
	fmt.Println(r.Value, r.Unit, r.Status)
	r = counter.Cook(counter.CounterCounter, nil, cur, counter.Options{})
	fmt.Println(r.Status)
	// Output:
	// 1500 per_second ok
	// no_previous
}

func ExampleFormula_Cook() {
	f := counter.NewFormula(counter.Timer100NSec, 0, 0, counter.Options{})
	col := &counter.Batch{
		Prev:   []uint64{1_000_000, 0, 5_000_000},
		Cur:    []uint64{3_500_000, 7, 4_000_000},
		Match:  []counter.Match{counter.Verified, counter.Unmatched, counter.Verified},
		Bits:   make([]uint64, 3),
		Status: make([]counter.Status, 3),
	}
	f.Cook(counter.Clocks{Time100ns: 0}, counter.Clocks{Time100ns: 10_000_000}, col)
	for i, status := range col.Status {
		if status != counter.OK {
			fmt.Println(status)
			continue
		}
		fmt.Println(counter.FromBits(f.Kind(), col.Bits[i]), f.Unit())
	}
	// Output:
	// 25 percent
	// no_previous
	// negative_value
}

func ExampleParseType() {
	for _, s := range []string{"PERF_COUNTER_BULK_COUNT", "average_timer", "0x20510500", "rawcount"} {
		t, err := counter.ParseType(s)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(t, t.Unit())
	}
	// Output:
	// PERF_COUNTER_BULK_COUNT per_second
	// PERF_AVERAGE_TIMER seconds
	// PERF_100NSEC_TIMER percent
	// unknown counter type "rawcount": did you mean PERF_COUNTER_RAWCOUNT?
}

func ExampleType_Describe() {
	fmt.Println(counter.BulkCount.Describe())
	fmt.Println(counter.Type(0x00012400).Describe())
	// Output:
	// 0x10410500 PERF_COUNTER_BULK_COUNT = PERF_SIZE_LARGE | PERF_TYPE_COUNTER | PERF_COUNTER_RATE | PERF_TIMER_TICK | PERF_DELTA_COUNTER | PERF_DISPLAY_PER_SEC
	// 0x00012400 unknown type = PERF_SIZE_DWORD | PERF_TYPE_COUNTER | PERF_COUNTER_RATE | PERF_TIMER_TICK | PERF_DISPLAY_NO_SUFFIX | 0x00002000 (unknown)
}

func ExampleTypes() {
	for info := range counter.Types() {
		if info.Unit == counter.Seconds {
			fmt.Printf("%s: %s\n", info.Name, info.Formula())
		}
	}
	// Output:
	// PERF_AVERAGE_TIMER: ((N1 - N0) / TB) / (B1 - B0)
	// PERF_ELAPSED_TIME: (D1 - N1) / TB
}

func ExampleValue() {
	fmt.Println(counter.Int(math.MaxUint64), counter.Float(12.5), counter.Text("stopped"))
	// Output:
	// 18446744073709551615 12.5 stopped
}

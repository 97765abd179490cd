package perfdata_test

import (
	"fmt"
	"os"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/perfdata"
)

// A block as a provider builds it: an object, its counters, where their values
// go, then the instances.
func ExampleBlock() {
	object := perfdata.Object{Title: 238, Help: 239, Detail: 100, Counters: []perfdata.Counter{
		perfdata.NewCounter(6, counter.TimerInv100NSec),
		perfdata.NewCounter(148, counter.CounterCounter),
	}}
	object.Layout(false)
	for i, name := range []string{"0", "_Total"} {
		if _, err := object.AddInstance(name); err != nil {
			fmt.Println(err)
		}
		if err := object.SetValue(i, 1, 4711); err != nil {
			fmt.Println(err)
		}
	}
	block := perfdata.Block{PerfFreq: 10_000_000, Objects: []perfdata.Object{object}}
	if err := block.SetMachine("HOST"); err != nil {
		fmt.Println(err)
	}
	encoded, err := block.Encode()
	fmt.Println(len(encoded), "bytes", err)
	if err := perfdata.WriteText(os.Stdout, &block, nil); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 368 bytes <nil>
	// block name="HOST" perffreq=10000000
	// object 238
	//   counter 6 PERF_100NSEC_TIMER_INV
	//   counter 148 PERF_COUNTER_COUNTER
	//   instance "0" : 0 4711
	//   instance "_Total" : 0 4711
}

func ExampleParseText() {
	_, err := perfdata.ParseText([]byte("object 2\ncounter 4 PERF_COUNTER_COUNT\n"))
	fmt.Println(err)
	// Output:
	// bad text form in line 2, column 11: unknown counter type "PERF_COUNTER_COUNT": did you mean PERF_COUNTER_COUNTER?
}

func ExampleParse() {
	block, err := perfdata.ParseText([]byte(`object 2 form=single
counter 44 PERF_COUNTER_RAWCOUNT
values : 3`))
	if err != nil {
		fmt.Println(err)
		return
	}
	encoded, _ := block.Encode()
	parsed, err := perfdata.Parse(encoded, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := parsed.Object(2).SetValue(0, 0, 4); err != nil {
		fmt.Println(err)
	}
	if err := perfdata.WriteText(os.Stdout, parsed, nil); err != nil {
		fmt.Println(err)
	}
	// Output:
	// block
	// object 2 form=single
	//   counter 44 PERF_COUNTER_RAWCOUNT
	//   values : 4
}

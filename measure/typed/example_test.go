package typed_test

import (
	"context"
	"fmt"
	"log"

	"github.com/winperf/winperf/measure/typed"
)

// Processor is what is wanted of one processor.
type Processor struct {
	Name       string               `perf:"@instance"`
	Busy       float64              `perf:"% Processor Time"`
	Interrupts float64              `perf:"Interrupts/sec"`
	MHz        typed.Value[uint32]  `perf:"Processor Frequency"`
	Idle       typed.Value[uint64]  `perf:"% Processor Time,raw"`
	Limit      typed.Value[float64] `perf:"% Performance Limit,optional"`
}

const processors = `object 4000
  counter 6 PERF_100NSEC_TIMER_INV
  counter 148 PERF_COUNTER_COUNTER
  counter 4002 PERF_COUNTER_RAWCOUNT
  instance "0,0" : %s
  instance "0,_Total" : %s
`

var processorNames = map[uint32]string{
	4000: "Processor Information", 6: "% Processor Time", 148: "Interrupts/sec", 4002: "Processor Frequency",
	4004: "% Performance Limit",
}

// Every read fills the structs with what the processors did since the one
// before.
func Example() {
	src := serve(processorNames,
		fmt.Sprintf(processors, "50000000 100 2400", "50000000 700 2400"),
		fmt.Sprintf(processors, "57500000 350 2400", "60000000 900 1800"))
	r, err := typed.Open[Processor](context.Background(), src, "Processor Information", typed.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	all, err := r.Read(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range all {
		fmt.Println(p.Name, p.Busy, p.Interrupts, p.MHz.V, p.Idle.V, p.Limit.Status)
	}
	// Output:
	// 0,0 25 250 2400 57500000 no_counter
	// 0,_Total 0 200 1800 60000000 no_counter
}

// A struct that does not fit is refused before anything is measured.
func Example_mistake() {
	type wrong struct {
		Busy typed.Value[uint64] `perf:"% Processor Time"`
		MHz  int                 `perf:"Processor Frequency"`
	}
	src := serve(processorNames, fmt.Sprintf(processors, "50000000 100 2400", "50000000 700 2400"))
	_, err := typed.Open[wrong](context.Background(), src, "Processor Information", typed.Options{})
	fmt.Println(err)
	// Output:
	// wrong.MHz: field cannot be filled: type int cannot represent a missing value; use float64, float32 or typed.Value
}

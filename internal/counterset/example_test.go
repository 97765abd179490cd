package counterset_test

import (
	"fmt"
	"log"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/counterset"
)

func ExampleParseData() {
	b, err := counterset.AppendData(nil, &counterset.Data{
		Clocks: counter.Clocks{PerfTime: 1_000, PerfFreq: 10_000_000},
		Answers: []counterset.Answer{{
			Form:     counterset.FullSet,
			Counters: []uint32{0, 3},
			Instances: []counterset.Instance{{
				InstanceName: counterset.InstanceName{Name: "_Total", ID: 7},
				Values:       []counterset.Value{{Size: 8, Bits: 42}, {Size: 4, Bits: 17}},
			}},
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	d, damage, err := counterset.ParseData(b)
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range d.Answers {
		for _, in := range a.Instances {
			fmt.Println(in.Name, a.Counters, in.Values, damage)
		}
	}
	// Output: _Total [0 3] [{8 42} {4 17}] []
}

func ExampleAppendIdentifier() {
	set, err := winperf.ParseGUID("{b4fc721a-0378-476f-89ba-a5a79f810b36}") // Processor Information
	if err != nil {
		log.Fatal(err)
	}
	b, err := counterset.AppendIdentifier(nil, counterset.Identifier{
		Set: set, Counter: counterset.Any, InstanceID: counterset.Any, Instance: "0,*",
	})
	if err != nil {
		log.Fatal(err)
	}
	ids, err := counterset.ParseIdentifiers(b)
	fmt.Println(len(b), ids[0].Set, ids[0].Instance, err)
	// Output: 48 {b4fc721a-0378-476f-89ba-a5a79f810b36} 0,* <nil>
}

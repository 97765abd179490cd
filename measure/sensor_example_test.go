package measure_test

import (
	"context"
	"fmt"
	"log"

	"github.com/winperf/winperf/measure"
)

// Sensor names and paths say the same in two ways.
func ExampleSensorName() {
	n, err := measure.ParseSensorName("windows.winperf/Process/% Processor Time#svchost#2")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n.Path())
	n.Instance, n.Index = "build/5", 0
	fmt.Println(n)
	fmt.Println(n.Path())
	// Output:
	// \Process(svchost#2)\% Processor Time
	// windows.winperf/Process/%25 Processor Time#build%2F5
	// \Process(build/5)\% Processor Time
}

// A catalogue tells what can be measured before anything is.
func ExampleReadCatalogue() {
	src, remove, err := record(processes(0, proc("Idle", 0, 9, 0), proc("editor", 40, 9, 0)))
	if err != nil {
		log.Fatal(err)
	}
	defer remove()
	defer src.Close()

	c, err := measure.ReadCatalogue(context.Background(), src, measure.CatalogueOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, g := range c.Groups {
		fmt.Println(g.Name, "has", len(g.Sensors), "sensors and", len(g.Instances), "instances")
		for _, s := range g.Sensors {
			fmt.Println(" ", s.Name, s.Kind, s.ValueType, s.Unit)
		}
	}
	for _, clock := range c.Clocks[:2] {
		fmt.Println(clock.Name, clock.Resolution(), "s")
	}
	// Output:
	// Process has 3 sensors and 2 instances
	//   windows.winperf/Process/%25 Processor Time gauge decimal percent
	//   windows.winperf/Process/ID Process gauge 32-bit count
	//   windows.winperf/Process/Elapsed Time counter decimal seconds
	// windows.winperf/tick 0.001 s
	// windows.winperf/100ns 1e-07 s
}

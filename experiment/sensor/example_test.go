package sensor_test

import (
	"fmt"
	"log"

	"github.com/winperf/winperf/experiment/sensor"
)

// Sensor names and paths say the same in two ways.
func ExampleName() {
	n, err := sensor.ParseName("windows.winperf/Process/% Processor Time#svchost#2")
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

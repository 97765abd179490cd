package measure_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/source"
)

// record writes samples to files and opens them as a source.
func record(samples ...sample) (src winperf.Source, remove func(), err error) {
	dir, err := os.MkdirTemp("", "winperf")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	url := "perfdata:"
	for i, s := range samples {
		name := filepath.Join(dir, fmt.Sprintf("%d.bin", i))
		if err := os.WriteFile(name, s.block(), 0o600); err != nil {
			return nil, remove, err
		}
		url += name + ","
	}
	names := filepath.Join(dir, "names.bin")
	if err := os.WriteFile(names, englishSchema.Names[0].Counter, 0o600); err != nil {
		return nil, remove, err
	}
	src, err = source.Open(context.Background(), url[:len(url)-1]+"?names="+names)
	return src, remove, err
}

// The value now, and a path that names nothing.
func ExampleGet() {
	src, remove, err := record(
		processes(0, proc("Idle", 0, 9, 0), proc("editor", 40, 9, 0)),
		processes(1, proc("Idle", 0, 9, 80), proc("editor", 40, 9, 20)),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer remove()
	defer src.Close()

	readings, err := measure.Get(context.Background(), src,
		`\Process(editor)\% Processor Time`, `\Process(shell)\ID Process`)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range readings {
		fmt.Println(r)
	}
	// Output:
	// \\HOST\Process(editor)\% Processor Time: 20 percent
	// \\HOST\Process(shell)\ID Process: no_instance
}

func ExampleWatch() {
	// Three samples of the same processes, one second apart.
	src, remove, err := record(
		processes(0, proc("Idle", 0, 9, 0), proc("editor", 40, 9, 0)),
		processes(1, proc("Idle", 0, 9, 80), proc("editor", 40, 9, 20)),
		processes(2, proc("Idle", 0, 9, 110), proc("editor", 40, 9, 90)),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer remove()
	defer src.Close()

	sel, err := winperf.Select(`\Process(*)\% Processor Time`)
	if err != nil {
		log.Fatal(err)
	}
	for cycle, err := range measure.Watch(context.Background(), src, sel, measure.Options{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(cycle.Time.Format("15:04:05"))
		for _, r := range cycle.Readings() {
			fmt.Println(" ", r)
		}
	}
	// Output:
	// 00:00:01
	//   \\HOST\Process(Idle)\% Processor Time: 80 percent
	//   \\HOST\Process(editor)\% Processor Time: 20 percent
	// 00:00:02
	//   \\HOST\Process(Idle)\% Processor Time: 30 percent
	//   \\HOST\Process(editor)\% Processor Time: 70 percent
}

// A Measurement leaves it to the caller when samples are taken: here right before
// and right after the work that is to be measured. What can be done beforehand
// or later does not disturb the work.
func ExampleMeasurement() {
	src, remove, err := record(
		processes(0, proc("worker", 40, 9, 0)),
		processes(4, proc("worker", 40, 9, 300)),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer remove()
	defer src.Close()

	ctx := context.Background()
	sel := winperf.Selection{Paths: []winperf.Path{
		{Object: "Process", Instance: "worker", HasInstance: true, Counter: "% Processor Time"},
		{Object: "Process", Instance: "other", HasInstance: true, Counter: "% Processor Time"},
	}}
	c := measure.New(src, sel, measure.Options{})
	defer c.Close()
	if _, err := c.Cycle(ctx); err != nil { // prepare, sample and decode in one
		log.Fatal(err)
	}
	if err := c.Prepare(ctx); err != nil {
		log.Fatal(err)
	}
	// The work would be here.
	if err := c.Sample(ctx); err != nil {
		log.Fatal(err)
	}
	cycle, err := c.Decode()
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range cycle.Readings() {
		fmt.Println(r)
	}
	// Output:
	// \\HOST\Process(worker)\% Processor Time: 75 percent
	// \\HOST\Process(other)\% Processor Time: no_instance
}

// New and removed instances, resets and late samples are reported in addition to the readings.
func ExampleCycle_anomalies() {
	src, remove, err := record(
		processes(0, proc("editor", 40, 9, 0), proc("shell", 44, 9, 0)),
		processes(1, proc("editor", 40, 9, 20), proc("shell", 88, 0, 0)),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer remove()
	defer src.Close()

	sel := winperf.Selection{Paths: []winperf.Path{
		{Object: "Process", Instance: "*", HasInstance: true, Counter: "% Processor Time"},
	}}
	for cycle, err := range measure.Watch(context.Background(), src, sel, measure.Options{}) {
		if err != nil {
			log.Fatal(err)
		}
		for _, a := range cycle.Anomalies {
			if a.Kind != winperf.BufferGrew {
				fmt.Println(a)
			}
		}
		for _, r := range cycle.Readings() {
			fmt.Println(r.Path, r.Status, r.Anomalies.Has(winperf.InstancesAdded))
		}
	}
	// Output:
	// instances_came: Process: shell (measured from here on)
	// instances_left: Process: shell
	// instance_began: Process: shell (counted from zero)
	// \\HOST\Process(editor)\% Processor Time ok false
	// \\HOST\Process(shell)\% Processor Time ok true
}

// Processes are called by name and id, and a rule of the caller's names
// processors.
func ExampleNameRule() {
	src, remove, err := record(sample{objects: []object{
		{Object: process, instances: []instance{proc("editor", 40, 9, 0), proc("editor", 44, 9, 0)}},
		{Object: processor, instances: []instance{{name: "0", raw: []uint64{0, 7}}, {name: "_Total", raw: []uint64{0, 7}}}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer remove()
	defer src.Close()

	cpu := measure.NameRule{Object: "Processor", Name: func(o frame.Object, i int) (string, bool) {
		return "CPU " + o.Instance(i).Name(), o.Instance(i).Name() != "_Total"
	}}
	c := measure.New(src, winperf.Selection{Global: true}, measure.Options{Names: []measure.NameRule{cpu, measure.ByNameAndPID()}})
	defer c.Close()
	cycle, err := c.Cycle(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range cycle.Readings() {
		if r.Path.Counter == "ID Process" || r.Path.Counter == "Interrupts/sec" {
			fmt.Printf("%s %q\n", r.Path, r.Key)
		}
	}
	// Output:
	// \\HOST\Process(editor:40)\ID Process "40@133485407910000000"
	// \\HOST\Process(editor:44)\ID Process "44@133485407910000000"
	// \\HOST\Processor(CPU 0)\Interrupts/sec ""
	// \\HOST\Processor(_Total)\Interrupts/sec ""
}

// The first cycle shows what there is, and the second has rates.
func ExampleMeasurement_Cycle_structure() {
	src, remove, err := record(two()...)
	if err != nil {
		log.Fatal(err)
	}
	defer remove()
	defer src.Close()

	ctx := context.Background()
	c := measure.New(src, winperf.Selection{Paths: []winperf.Path{{Object: "System", Counter: "*"}}}, measure.Options{})
	defer c.Close()
	cycle, err := c.Cycle(ctx)
	if err != nil {
		log.Fatal(err)
	}

	for _, g := range sensor.Describe(cycle.Frame, cycle.Names, "").Groups {
		fmt.Println(g.Name, len(g.Sensors), len(g.Instances))
	}
	cycle, err = c.Cycle(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range cycle.Readings() {
		fmt.Println(r)
	}
	// Output:
	// System 2 0
	// Processor 2 3
	// Process 3 5
	// Thread 1 4
	// LogicalDisk 2 2
	// \\HOST\System\Processes: 101 count
	// \\HOST\System\Context Switches/sec: 500 per_second
}

// Whoever handles tens of thousands of values takes them column by column.
func ExampleColumn() {
	src, remove, err := record(two()...)
	if err != nil {
		log.Fatal(err)
	}
	defer remove()
	defer src.Close()

	sel := winperf.Selection{Paths: []winperf.Path{{Object: "Processor", Instance: "*", HasInstance: true, Counter: "*"}}}
	for cycle, err := range measure.Watch(context.Background(), src, sel, measure.Options{}) {
		if err != nil {
			log.Fatal(err)
		}
		for _, col := range cycle.Columns() {
			for n := range col.Len() {
				fmt.Println(col.Series(n), col.Value(n))
			}
		}
	}
	// Output:
	// \\HOST\Processor(0)\% Processor Time 50
	// \\HOST\Processor(1)\% Processor Time 10
	// \\HOST\Processor(_Total)\% Processor Time 30
	// \\HOST\Processor(0)\Interrupts/sec 100
	// \\HOST\Processor(1)\Interrupts/sec 200
	// \\HOST\Processor(_Total)\Interrupts/sec 300
}

// A catalogue shows what can be measured before anything is.
func Example_catalogue() {
	src, remove, err := record(processes(0, proc("Idle", 0, 9, 0), proc("editor", 40, 9, 0)))
	if err != nil {
		log.Fatal(err)
	}
	defer remove()
	defer src.Close()

	c, err := sensor.ReadCatalogue(context.Background(), src, sensor.CatalogueOptions{})
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

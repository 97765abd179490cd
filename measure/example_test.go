package measure_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/winperf/winperf"
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

	busy, err := winperf.ParsePath(`\Process(*)\% Processor Time`)
	if err != nil {
		log.Fatal(err)
	}
	sel := winperf.Selection{Paths: []winperf.Path{busy}}
	for cycle, err := range measure.Watch(context.Background(), src, sel, measure.Options{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(cycle.Time.Format("15:04:05"))
		for _, r := range cycle.Readings {
			fmt.Println(" ", r, r.Value, r.Unit, r.Status)
		}
	}
	// Output:
	// 00:00:01
	//   \\HOST\Process(Idle)\% Processor Time 80 percent ok
	//   \\HOST\Process(editor)\% Processor Time 20 percent ok
	// 00:00:02
	//   \\HOST\Process(Idle)\% Processor Time 30 percent ok
	//   \\HOST\Process(editor)\% Processor Time 70 percent ok
}

// A Context leaves it to the caller when samples are taken: here right before
// and right after the work that is to be measured. What can be done beforehand
// or later does not disturb the work.
func ExampleContext() {
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
	for _, r := range cycle.Readings {
		fmt.Println(r, r.Value, r.Status)
	}
	// Output:
	// \\HOST\Process(worker)\% Processor Time 75 ok
	// \\HOST\Process(other)\% Processor Time  no_instance
}

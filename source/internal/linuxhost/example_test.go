package linuxhost_test

import (
	"context"
	"fmt"
	"log"

	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/source/internal/linuxhost"
)

// A host over files in memory, asked as a consumer of performance data asks.
func ExampleNewHost() {
	times := linuxhost.Times{Boot: 60e9, Monotonic: 60e9, Real: 1_700_000_060e9}
	host := linuxhost.NewHost(linuxhost.System{
		Root: linuxhost.NewMapRoot(map[string]string{
			"proc/meminfo": "MemTotal: 4096 kB\nMemAvailable: 2048 kB\n"}).Root,
		Now: func() linuxhost.Times { return times },
	})
	d, err := provider.NewDispatcher(provider.Options{Machine: "HOST", Clocks: times.Clocks}, host)
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	p, err := d.Collect(context.Background(), provider.ParseQuery("4"), nil)
	if err != nil {
		log.Fatal(err)
	}
	block, err := perfdata.Parse(p, 0)
	if err != nil {
		log.Fatal(err)
	}
	memory := block.Object(4)
	for i, c := range memory.Counters {
		v, _ := memory.Value(0, i)
		fmt.Println(c.Title, v)
	}
	// Output:
	// 24 2097152
	// 1380 2048
	// 1382 2
}

func ExampleHost_Objects() {
	for _, o := range linuxhost.NewHost(linuxhost.System{}).Objects()[:4] {
		fmt.Println(o.Index, o.Name, o.Multi)
	}
	// Output:
	// 2 System false
	// 238 Processor true
	// 4 Memory false
	// 230 Process true
}

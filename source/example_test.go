package source_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/source"
)

// memory is a provider of one object, and its session.
type memory struct{}

var memoryObject = &provider.Object{Index: 4, Name: "Memory", Counters: []provider.Counter{
	{Index: 1382, Name: "Available MBytes", Type: counter.LargeRawCount},
}}

func (memory) Name() string                                   { return "memory" }
func (memory) Objects() []*provider.Object                    { return []*provider.Object{memoryObject} }
func (memory) Open(context.Context) (provider.Session, error) { return memory{}, nil }
func (memory) Close() error                                   { return nil }

func (memory) Collect(_ context.Context, _ *provider.Query, w *provider.Writer) error {
	layout, err := provider.NewLayout(memoryObject, nil)
	if err != nil {
		return err
	}
	o := w.Object(layout)
	o.Set(0, 512)
	o.End()
	return nil
}

// writeBlock writes a performance data block to a file.
func writeBlock(file string) error {
	clocks := func() counter.Clocks { return counter.Clocks{PerfFreq: 1} }
	d, err := provider.NewDispatcher(provider.Options{Machine: "HOST", Clocks: clocks}, memory{})
	if err != nil {
		return err
	}
	defer d.Close()
	block, err := d.Collect(context.Background(), provider.ParseQuery("Global"), nil)
	if err != nil {
		return err
	}
	return os.WriteFile(file, block, 0o600)
}

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "winperf")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	block, names := filepath.Join(dir, "block.bin"), filepath.Join(dir, "names.tsv")
	if err := writeBlock(block); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(names, []byte("4\tMemory\n1382\tAvailable MBytes\n"), 0o600); err != nil {
		log.Fatal(err)
	}

	src, err := source.Open(context.Background(), "perfdata:"+block+"?names="+names)
	if err != nil {
		log.Fatal(err)
	}
	defer src.Close()
	for cycle, err := range measure.Watch(context.Background(), src, winperf.Selection{Global: true}, measure.Options{}) {
		if err != nil {
			log.Fatal(err)
		}
		for _, r := range cycle.Readings() {
			fmt.Println(r)
		}
	}
	// Output:
	// \\HOST\Memory\Available MBytes: 512 count
}

package experiment_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/sensor"
)

// A region is measured from its begin to its end. The source of this example counts 10 units of work
// in each second, which passes from one sample to the next.
func Example() {
	ctx := context.Background()
	path, err := winperf.ParsePath(`\System\Work`)
	if err != nil {
		panic(err)
	}
	e, err := experiment.New(experiment.Options{
		Name:     "example",
		Sources:  []sensor.Origin{{Source: newFake(nil)}},
		Bindings: []experiment.Binding{{Events: []string{"request"}, Paths: []winperf.Path{path}}},
	})
	if err != nil {
		panic(err)
	}
	if err := e.Attach(ctx); err != nil {
		panic(err)
	}

	_, region := experiment.Region(ctx, "request", slog.Int("user", 7))
	region.End()
	if err := e.Detach(ctx); err != nil {
		panic(err)
	}

	for {
		records, err := e.Next(ctx, 100)
		if errors.Is(err, io.EOF) {
			return
		}
		for _, r := range records {
			fmt.Println(r.Number, r.Event.Name, r.Event.Attrs)
			for _, v := range r.Values {
				fmt.Println("  ", v.Path, v.Value, v.Unit, "grew by", v.Difference)
			}
		}
	}
	// Output:
	// 1 attached []
	// 2 request [{user 7}]
	//    \\HOST\System\Work 10 per_second grew by 10
	// 3 detached []
}

// A program in any language takes part by writing lines: the name of an event and attributes.
func ExampleLines() {
	lines := strings.NewReader("compile region=begin id=1 files=3\ncompile region=end id=1\n")
	e, err := experiment.New(experiment.Options{
		Sources:  []sensor.Origin{{Source: newFake(nil)}},
		Bindings: []experiment.Binding{{Events: []string{"compile"}, Paths: paths(`\System\Work`)}},
		Events:   []experiment.EventSource{experiment.Lines{Name: "stdin", Reader: lines}},
	})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	if err := e.Attach(ctx); err != nil {
		panic(err)
	}

	for {
		records, err := e.Next(ctx, 1)
		if err != nil {
			panic(err)
		}
		if r := records[0]; r.Kind == experiment.Span {
			fmt.Println(r.Event.Name, r.Event.Attrs, r.Values[0].Difference)
			break
		}
	}
	if err := e.Detach(ctx); err != nil {
		panic(err)
	}
	// Output: compile [{files 3}] 10
}

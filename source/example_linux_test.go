package source_test

import (
	"context"
	"fmt"
	"log"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/source"
)

// shop is a provider of one object, and its session.
type shop struct{}

var shopObject = &provider.Object{Index: 20000, Name: "Shop", Counters: []provider.Counter{
	{Index: 20002, Name: "Open Orders", Type: counter.RawCount},
}}

func (shop) Name() string                                   { return "shop" }
func (shop) Objects() []*provider.Object                    { return []*provider.Object{shopObject} }
func (shop) Open(context.Context) (provider.Session, error) { return shop{}, nil }
func (shop) Close() error                                   { return nil }

func (shop) Collect(_ context.Context, _ *provider.Query, w *provider.Writer) error {
	layout, err := provider.NewLayout(shopObject, nil)
	if err != nil {
		return err
	}
	o := w.Object(layout)
	o.Set(0, 42)
	o.End()
	return nil
}

// A program adds counters of its own to the counters of the machine.
func ExampleOpenWith() {
	ctx := context.Background()
	src, err := source.OpenWith(ctx, "local:", source.Options{Providers: []provider.Provider{shop{}}})
	if err != nil {
		log.Fatal(err)
	}
	defer src.Close()

	readings, err := measure.Get(ctx, src, `\Shop\Open Orders`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(readings[0].Path.Counter, readings[0].Value, readings[0].Status)
	// Output:
	// Open Orders 42 ok
}

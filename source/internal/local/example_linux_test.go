package local_test

import (
	"context"
	"fmt"
	"log"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/source/internal/local"
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

// The counters of an application stand beside those of the machine it runs on.
func ExampleOpen() {
	src, err := local.Open(local.Options{Providers: []provider.Provider{shop{}}})
	if err != nil {
		log.Fatal(err)
	}
	defer src.Close()
	sel := winperf.Selection{Paths: []winperf.Path{{Object: "Shop", Counter: "Open Orders"}}}
	c := measure.New(src, sel, measure.Options{})
	defer c.Close()
	cycle, err := c.Cycle(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range cycle.Readings() {
		fmt.Println(r.Path.Object, r.Path.Counter, r.Value, r.Status)
	}
	// Output:
	// Shop Open Orders 42 ok
}

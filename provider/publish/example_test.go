package publish_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/provider/registration"
)

// A first counter needs no schema. winperf get '\Shop\Orders/sec' reads it.
func ExampleNewCounter() {
	orders, err := publish.NewCounter("Shop", "Orders/sec", counter.BulkCount)
	if err != nil {
		log.Fatal(err)
	}
	orders.Add(1)
}

// A program declares its counters, gets handles and counts.
func ExampleNew() {
	schema, err := registration.ParseDeclaration("shop.json", []byte(`{"driver": "Shop", "objects": [
		{"symbol": "SHOP", "name": "Shop", "counters": [
			{"symbol": "ORDERS", "name": "Orders/sec", "help": "New orders.", "type": "PERF_COUNTER_BULK_COUNT"}]},
		{"symbol": "TILL", "name": "Till", "multi": true, "counters": [
			{"symbol": "OPEN", "name": "Open", "type": "PERF_COUNTER_RAWCOUNT"}]}]}`))
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "") // without a directory, it is one where winperf looks
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	p, err := publish.New(schema, publish.Options{Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	orders, err := p.Counter("Shop", "Orders/sec")
	if err != nil {
		log.Fatal(err)
	}
	tills, err := p.Object("Till")
	if err != nil {
		log.Fatal(err)
	}
	till, err := tills.Instance("Entrance", publish.InstanceOptions{})
	if err != nil {
		log.Fatal(err)
	}
	open, err := till.Counter("Open")
	if err != nil {
		log.Fatal(err)
	}
	open.Set(1)
	for range 3 {
		orders.Add(1)
	}
	fmt.Println(orders.Load(), open.Load())
	// Output: 3 1
}

// Readers find the objects of all publishers.
func ExampleView_Refresh() {
	r := publish.NewReader(publish.ReaderOptions{Dirs: []string{"no such directory"}})
	defer r.Close()
	all := r.View(nil)
	fmt.Println(all.Refresh(context.Background()))
	// Output: <nil> <nil>
}

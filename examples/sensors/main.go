// Sensors measures sensors in two contexts, each in a separate goroutine. Both read two sources: the
// machine, through a shared object cache, and the counters of that cache.
//
// The second context samples shortly after the first one and gets the first one's sample from the cache.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/source"
)

func main() {
	count := flag.Int("n", 0, "number of rounds of each context; 0 means no end")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	if err := run(ctx, measure.Options{Interval: time.Second, Count: *count}, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sensors:", err)
		os.Exit(1)
	}
}

// run measures until ctx ends or the count of the options is reached.
func run(ctx context.Context, opt measure.Options, out io.Writer) error {
	machine, err := source.Open(ctx, "local:")
	if err != nil {
		return err
	}

	shared, meter, err := source.Share(machine, 0)
	if err != nil {
		return errors.Join(err, machine.Close())
	}
	defer shared.Close() // closes the machine, too
	defer meter.Close()

	there, err := sensor.ReadCatalogue(ctx, shared, sensor.CatalogueOptions{Definitions: true})
	if err != nil {
		return err
	}

	does, err := sensor.ReadCatalogue(ctx, meter, sensor.CatalogueOptions{Source: "cache"})
	if err != nil {
		return err
	}

	origins := []sensor.Origin{
		{Name: there.Source, Source: shared},
		{Name: does.Source, Source: meter},
	}
	first, err := join(ctx, origins, opt, out,
		want{there, there.Source + "/Processor/% Processor Time#_Total"},
		want{there, there.Source + "/Processor/Interrupts%2Fsec#_Total"})
	if err != nil {
		return err
	}
	defer first.Close()

	second, err := join(ctx, origins, opt, out,
		want{there, there.Source + "/Processor/% User Time#_Total"},
		want{does, does.Source + "/winperf cache/Hits%2Fsec#Processor"})
	if err != nil {
		return err
	}
	defer second.Close()

	return both(ctx, first, second, opt, &printer{out: out})
}

// want is a sensor name, and the catalogue that contains the sensor.
type want struct {
	catalogue *sensor.Catalogue
	sensor    string
}

// join makes a context of sensors, and prints their kinds, types and units.
func join(
	ctx context.Context, origins []sensor.Origin, opt measure.Options, out io.Writer, wanted ...want,
) (*sensor.Joint, error) {
	var names []sensor.Name
	for _, w := range wanted {
		name, err := sensor.ParseName(w.sensor)
		if err != nil {
			return nil, err
		}
		names = append(names, name)

		// The cache has no instances before the first measurement: find the sensor without an instance.
		name.Instance, name.HasInstance = "", false
		sensor, err := w.catalogue.Find(name)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(out, "%s: %s, %s, %s\n", sensor.Name, sensor.Kind, sensor.ValueType, sensor.Unit)
	}
	origins, err := sensor.Assign(origins, names)
	if err != nil {
		return nil, err
	}
	return sensor.Join(ctx, origins, winperf.Selection{}, opt)
}

// both runs the two contexts. The second begins a tenth of a second after the first.
func both(ctx context.Context, first, second *sensor.Joint, opt measure.Options, p *printer) error {
	var errs [2]error
	var all sync.WaitGroup
	all.Go(func() { errs[0] = watch(ctx, "first ", first, opt, p) })

	select {
	case <-ctx.Done():
	case <-time.After(100 * time.Millisecond):
		all.Go(func() { errs[1] = watch(ctx, "second", second, opt, p) })
	}
	all.Wait()
	return errors.Join(errs[:]...)
}

// watch prints all readings of a context once an interval. The first round is only the base of the next
// one: rates need two samples.
func watch(ctx context.Context, name string, joint *sensor.Joint, opt measure.Options, p *printer) error {
	tick := time.NewTicker(opt.Interval)
	defer tick.Stop()
	for n := 0; opt.Count == 0 || n <= opt.Count; n++ {
		cycles, err := joint.Cycle(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if n > 0 {
			p.print(name, cycles)
		}

		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	return nil
}

type printer struct {
	mutex sync.Mutex
	out   io.Writer
}

func (p *printer) print(context string, cycles []sensor.MemberCycle) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, c := range cycles {
		if c.Cycle == nil {
			fmt.Fprintf(p.out, "%s %s: %v\n", context, c.Origin, c.Err)
			continue
		}
		for _, r := range c.Cycle.Readings() {
			p.reading(context, r)
		}
	}
}

func (p *printer) reading(context string, r winperf.Reading) {
	value := r.Status.String()
	if number, ok := r.Value.Float64(); ok && r.Status == counter.OK {
		value = fmt.Sprintf("%.2f", number)
	}

	fmt.Fprintf(p.out, "%s %s  %s %s\n", context, r.Time.Format("15:04:05.000"), r.Path, value)
}

package cli

import (
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/perfdata"
)

// delivered is what a provider of published counters says about itself.
type delivered struct {
	library  string
	objects  []byte            // as they stand in a performance data block
	owners   map[uint32]string // who publishes each object, by its title index
	troubles []string          // what keeps something from being delivered
}

func (a *app) providerStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status DRIVER",
		Short: "Tell what the provider of published counters delivers, and what it leaves out",
		Long: `Status asks the winperf-provider.dll of a driver for everything, in this process,
and lists the objects that it delivers by their title indices, with the account
that each belongs to, and why it leaves something out: files that are damaged or
not its own, an object of another account, more than an answer may hold, a
directory that somebody else has made.

Exit status: 0 nothing is left out, 1 the provider could not be asked, 3
something is left out.`,
		Example: `  winperf provider status MyApplication`,
		Args:    exactlyOne("DRIVER"),
		RunE: func(_ *cobra.Command, args []string) error {
			sys, err := registrationSystem()
			if err != nil {
				return err
			}
			d, err := askProvider(sys, args[0])
			if err != nil {
				return fmt.Errorf("provider of %s: %w", args[0], err)
			}
			return a.listDelivered(d)
		},
	}
}

func (a *app) listDelivered(d delivered) error {
	if _, err := fmt.Fprintf(a.stdout, "library %s\n", safetext.Line(d.library)); err != nil {
		return err
	}

	for object := range d.each() {
		instances := object.NumInstances()
		if instances < 0 {
			instances = 1 // the object has none, but values
		}
		const line = "object %d: instances %d, bytes %d, published by %s\n"
		owner := safetext.Line(d.owners[object.Title()])
		if _, err := fmt.Fprintf(a.stdout, line, object.Title(), instances, len(object), owner); err != nil {
			return err
		}
	}

	for _, trouble := range d.troubles {
		if _, err := fmt.Fprintf(a.stdout, "left out: %s\n", safetext.Line(trouble)); err != nil {
			return err
		}
		a.partial = true
	}
	return nil
}

// each returns the objects.
func (d delivered) each() iter.Seq[perfdata.ObjectBytes] {
	return func(yield func(perfdata.ObjectBytes) bool) {
		object, rest, err := perfdata.CutObject(d.objects)
		for err == nil && yield(object) {
			object, rest, err = perfdata.CutObject(rest)
		}
	}
}

package publishing

import (
	"fmt"
	"iter"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/safetext"
)

// delivered is what a provider of published counters says about itself.
type delivered struct {
	library  string
	objects  []byte            // as they stand in a performance data block
	accounts map[uint32]string // the account of each object, by its title index
	troubles []string          // what keeps something from being delivered
}

func providerStatusCommand(a *console.App) *cobra.Command {
	return &cobra.Command{
		Use:   "status DRIVER",
		Short: "Show which objects the provider of published counters delivers and leaves out",
		Long: `Status requests all data from the winperf-provider.dll of a driver, in this process.
It lists the objects that the DLL delivers by title index, each with the account that
publishes it. It also shows why something is left out: damaged or foreign files, an
account that is not trusted, an answer that is too large, or a directory that another
account created.

Exit status: 0 nothing was left out, 1 the provider could not be queried, 3
something was left out.`,
		Example: `  winperf provider status MyApplication`,
		Args:    console.ExactlyOne("DRIVER"),
		RunE: func(_ *cobra.Command, args []string) error {
			sys, err := registrationSystem()
			if err != nil {
				return err
			}
			d, err := askProvider(sys, args[0])
			if err != nil {
				return fmt.Errorf("provider of %s: %w", args[0], err)
			}
			return listDelivered(a, d)
		},
	}
}

func listDelivered(a *console.App, d delivered) error {
	if _, err := fmt.Fprintf(a.Stdout, "library %s\n", safetext.Line(d.library)); err != nil {
		return err
	}

	for object := range d.each() {
		instances := object.NumInstances()
		if instances < 0 {
			instances = 1 // the object has none, but values
		}
		const line = "object %d: instances %d, bytes %d, published by %s\n"
		account := safetext.Line(d.accounts[object.Title()])
		if _, err := fmt.Fprintf(a.Stdout, line, object.Title(), instances, len(object), account); err != nil {
			return err
		}
	}

	for _, trouble := range d.troubles {
		if _, err := fmt.Fprintf(a.Stdout, "left out: %s\n", safetext.Line(trouble)); err != nil {
			return err
		}
		a.Partial = true
	}
	return nil
}

// each returns the objects.
func (d delivered) each() iter.Seq[datablock.ObjectBytes] {
	return func(yield func(datablock.ObjectBytes) bool) {
		object, rest, err := datablock.CutObject(d.objects)
		for err == nil && yield(object) {
			object, rest, err = datablock.CutObject(rest)
		}
	}
}

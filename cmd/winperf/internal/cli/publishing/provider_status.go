package publishing

import (
	"fmt"
	"iter"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/safetext"
)

type delivered struct {
	library  string
	objects  []byte            // as in a performance data block
	accounts map[uint32]string // account of each object by title index
	troubles []string          // reasons why objects are omitted
}

func providerStatusCommand(a *console.App) *cobra.Command {
	return &cobra.Command{
		Use:   "status DRIVER",
		Short: "Show the published objects that a provider delivers and omits",
		Long: `Status loads the winperf-provider.dll installed for DRIVER and queries it. It lists the
objects that the DLL delivers to this account, by title index, and the account that
publishes each. It also shows why objects are omitted: damaged or foreign files, an account
that is not trusted, an answer that is too large, or a directory that another account
created.

Exit status: 0 nothing was omitted, 1 the provider could not be queried, 3 something was
omitted.`,
		Example: `  winperf provider status MyApplication`,
		Args:    console.ExactlyOne("DRIVER"),
		RunE: func(_ *cobra.Command, args []string) error {
			sys, err := RegistrationSystem()
			if err != nil {
				return err
			}
			d, err := collectFrom(sys, args[0])
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
			instances = 1 // for an object without instances
		}
		const line = "object %d: instances %d, bytes %d, published by %s\n"
		account := safetext.Line(d.accounts[object.Title()])
		if _, err := fmt.Fprintf(a.Stdout, line, object.Title(), instances, len(object), account); err != nil {
			return err
		}
	}

	for _, trouble := range d.troubles {
		if _, err := fmt.Fprintf(a.Stdout, "omitted: %s\n", safetext.Line(trouble)); err != nil {
			return err
		}
		a.Partial = true
	}
	return nil
}

func (d delivered) each() iter.Seq[datablock.ObjectBytes] {
	return func(yield func(datablock.ObjectBytes) bool) {
		object, rest, err := datablock.CutObject(d.objects)
		for err == nil && yield(object) {
			object, rest, err = datablock.CutObject(rest)
		}
	}
}

package cli

import (
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"github.com/winperf/winperf/internal/safetext"
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
		Args:    cobra.ExactArgs(1),
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

	for title, object := range d.each() {
		instances := int32(binary.LittleEndian.Uint32(object[40:]))
		if instances < 0 {
			instances = 1 // the object has none, but values
		}
		const line = "object %d: instances %d, bytes %d, published by %s\n"
		owner := safetext.Line(d.owners[title])
		if _, err := fmt.Fprintf(a.stdout, line, title, instances, len(object), owner); err != nil {
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

// each returns the objects with their title indices. Each begins with its length; what
// stands where is winperf.h's PERF_OBJECT_TYPE.
func (d delivered) each() iter.Seq2[uint32, []byte] {
	const header = 64
	return func(yield func(uint32, []byte) bool) {
		for p := d.objects; len(p) >= header; {
			size := binary.LittleEndian.Uint32(p)
			if size < header || uint64(size) > uint64(len(p)) {
				return
			}
			if !yield(binary.LittleEndian.Uint32(p[12:]), p[:size]) {
				return
			}
			p = p[size:]
		}
	}
}

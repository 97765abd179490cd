package input

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/view"
)

// ViewFlags are the options of commands that serve a page.
type ViewFlags struct {
	Unprotected bool
	keep        Interval
	memory      int64
}

// Add adds the flags to a command.
func (f *ViewFlags) Add(cmd *cobra.Command) {
	const keep = "history of a live source: 30m, 2:00:00; also measures while no page is open (default 15m," +
		" while a page is open)"
	cmd.Flags().Var(&f.keep, "keep", keep)
	const memory = "largest size of the history in memory: 200 (megabytes), 1G; the oldest samples are dropped" +
		" (default 64M)"
	cmd.Flags().Var((*output.ByteSize)(&f.memory), "memory", memory)
	const unprotected = "show the page on other addresses than loopback without TLS and passwords: every" +
		" machine that reaches them can read the counters"
	cmd.Flags().BoolVar(&f.Unprotected, "unprotected", false, unprotected)
}

// Options returns the options for the View.
func (f *ViewFlags) Options(flags *pflag.FlagSet) view.Options {
	return view.Options{Keep: time.Duration(f.keep), KeepAlways: flags.Changed("keep"), Memory: f.memory}
}

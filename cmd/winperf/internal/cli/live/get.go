package live

import (
	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

// GetCommand returns the command get.
func GetCommand(a *console.App) *cobra.Command {
	r := &reader{app: a, count: 1, get: true}
	cmd := &cobra.Command{
		Use:   "get PATH...",
		Short: "Show one reading of each counter",
		Long: `Get shows one reading of each counter that the paths name. Counters that need two samples,
such as rates, are sampled twice, one interval apart.

From a log it shows the last sample, or with --at the last sample up to that time. Times
are in the time zone of the log (UTC if it names none) or in --zone:
'6/30/2007 15:40:38', 2007-06-30T15:40:38, +1h for an hour after the first sample, or end.

A path is \Object(Instance)\Counter, or \Object\Counter for an object without instances.
* and ? are wildcards in each part. Instances with the same name are numbered #1, #2 and so
on; (name) is the first, (name*) matches all. A sensor name, as shown by
winperf list -o sensors, can replace a path. -o paths shows only the paths of the readings.

Exit status: 0 done, 1 nothing could be shown, 3 a path matched nothing or had no
value, some values could not be read for lack of permission, or some data was damaged.`,
		Example: `  winperf get '\Memory\Available MBytes'
  winperf get '\Processor(*)\% Processor Time' '\System\Processes'
  winperf get '\Process(*)\ID Process' -o csv
  winperf get 'linux.winperf/Processor/%25 Processor Time#_Total'
  winperf get '\Process(*)\*' --exclude '\Process(_Total)\*' -o all.jsonl
  winperf get '\Processor(_Total)\*' --source load.blg --at '2007-06-30 15:40:38'
  winperf get '\Processor(_Total)\*' --source 'perfdata:one.bin,two.bin?names=names.tsv'`,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	}
	r.flags(cmd, "time between the two samples that a rate needs: 2, 0.5, 500ms")
	const at = "show the last sample of a log up to this `TIME`, such as 2007-06-30T15:40:38, +1h or end"
	cmd.Flags().StringVar(&r.at, "at", "", at)
	cmd.MarkFlagsMutuallyExclusive("at", "begin")
	cmd.MarkFlagsMutuallyExclusive("at", "end")
	return cmd
}

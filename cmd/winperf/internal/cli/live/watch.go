package live

import (
	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
)

// WatchCommand returns the command watch.
func WatchCommand(a *console.App) *cobra.Command {
	r := &reader{app: a, standard: input.StandardPaths, narrow: narrowStandard}
	cmd := &cobra.Command{
		Use:   "watch [PATH...]",
		Short: "Show readings every interval until stopped",
		Long: `Every interval, watch shows a reading of each counter that the paths name. After -n
readings, or on Ctrl-C, SIGTERM or SIGHUP, it completes the output and ends. Without a path
it shows processors, memory, the ten busiest processes, disks and network interfaces;
formats other than table show all processes. On a terminal, watch is the view of winperf
top, with the same keys; a log is played to its end. In a pipe readings follow each other.

Paths and formats are as for winperf get. A path without a match is tried again with each
sample. New and ended instances are tracked; csv and tsv show only the instances of the
first row. A renamed process keeps its original name in the output; --anomalies reports the
change. Costly objects are sampled separately, so they do not delay the others; table and
jsonl show the age of older values. \winperf\* shows the cost of watching: the times of its
stages and the program's resource use.

If a path selects % Processor Time of every process, the table has a row "(not in a listed
process)": the time of all processors minus the sum of all processes except Idle and
_Total, in percent of one processor. It contains interrupts, and processes that ended
between two samples. Other formats omit the row; the table omits it with --cap100, if
--exclude excludes a process, or if the source has no object Processor.

Spellings of typeperf: -cf FILE is --counters, -si is -i, -sc is -n.

Exit status: 0 done, 1 nothing could be shown, 3 a path never had a value, some values
could not be read for lack of permission, or some data was damaged.`,
		Example: `  winperf watch
  winperf watch '\Processor(*)\% Processor Time' '\Memory\Available MBytes'
  winperf watch '\Process(*)\% Processor Time' -i 5 -n 12 -o csv > load.csv
  winperf watch '\Process(*)\% Processor Time' --name name:pid --anomalies
  winperf watch --counters paths.txt -o load.tsv
  winperf watch -cf paths.txt -si 2 -sc 10 -f CSV       (as typeperf spells it)`,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	}

	r.flags(cmd, "time between samples: 2, 0.5, 500ms, 1:30; of a log the first sample of each interval")
	r.how.addSpeed(cmd)
	cmd.Flags().VarP(&r.count, "count", "n", "number of readings; 0 is unlimited")
	return cmd
}

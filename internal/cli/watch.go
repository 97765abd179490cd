package cli

import "github.com/spf13/cobra"

// standardPaths are what watch shows when no path is given, as far as the
// source has it.
var standardPaths = []string{
	`\Processor(*)\% Processor Time`,
	`\System\Processor Queue Length`,
	`\System\Context Switches/sec`,
	`\Memory\Available MBytes`,
	`\Memory\% Committed Bytes In Use`,
	`\Memory\Pages/sec`,
}

func (a *app) watchCommand() *cobra.Command {
	r := &reader{app: a, standard: standardPaths}
	cmd := &cobra.Command{
		Use:   "watch [PATH...]",
		Short: "Show readings every interval until stopped",
		Long: `Watch shows readings of the counters that the paths name every interval, until
Ctrl-C or the number of readings that -n asks for. Without a path it shows
processors, memory and the system. On a terminal the table is drawn in place;
in a pipe each moment follows the one before.

Paths are as for winperf get. Instances that come and go are followed; csv and
tsv have one column for each instance of the first row.

Exit status: 0 done, 1 nothing could be shown, 3 a path never gave a value or
some of the data was damaged.`,
		Example: `  winperf watch
  winperf watch '\Processor(*)\% Processor Time' '\Memory\Available MBytes'
  winperf watch '\Process(*)\% Processor Time' -i 5 -n 12 -o csv > load.csv
  winperf watch --counters paths.txt -o load.tsv
  winperf watch -cf paths.txt -si 2 -sc 10 -f CSV       (as typeperf spells it)`,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	}
	r.flags(cmd, "time between samples: 2, 0.5, 500ms, 1:30")
	cmd.Flags().VarP(&r.count, "count", "n", "number of readings; 0 goes on until stopped")
	return cmd
}

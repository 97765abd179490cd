package cli

import "github.com/spf13/cobra"

// standardPaths are what watch shows when no path is given, as far as the
// source has it. An object's counters fit a line of 80 columns, and there are so
// few objects that a terminal of 24 lines shows some of each.
var standardPaths = []string{
	`\Processor(*)\% Processor Time`,
	`\Processor(*)\% User Time`,
	`\Processor(*)\% Privileged Time`,
	`\Processor(*)\% I/O Wait Time`,
	`\Memory\Available MBytes`,
	`\Memory\% Committed Bytes In Use`,
	`\Memory\Pages/sec`,
	`\Memory\Page Faults/sec`,
	`\Process(*)\% Processor Time`,
	`\Process(*)\ID Process`,
	`\Process(*)\Working Set`,
	`\PhysicalDisk(*)\% Idle Time`,
	`\PhysicalDisk(*)\Disk Reads/sec`,
	`\PhysicalDisk(*)\Disk Writes/sec`,
	`\PhysicalDisk(*)\Disk Bytes/sec`,
	`\Network Interface(*)\Bytes Received/sec`,
	`\Network Interface(*)\Bytes Sent/sec`,
}

func (a *app) watchCommand() *cobra.Command {
	r := &reader{app: a, standard: standardPaths, narrow: narrowStandard}
	cmd := &cobra.Command{
		Use:   "watch [PATH...]",
		Short: "Show readings every interval until stopped",
		Long: `Watch shows readings of the counters that the paths name every interval, until
Ctrl-C, SIGTERM or SIGHUP, which complete the output, or the number of readings
that -n asks for. Without a path it shows processors, memory, the ten busiest
processes, disks and network interfaces; formats other than table have all
processes. On a terminal the table is drawn in place, where arrows and page keys
scroll, q ends, and bytes and large rates are rounded (--exact shows all digits);
in a pipe each moment follows the one before.

Paths are as for winperf get. What matches nothing yet is waited for. Instances
that come and go are followed; csv and
tsv have one column for each instance of the first row. What watching costs is
measured too: \winperf\* are the times of its stages and what the program uses.
Costly objects do not delay the others: they are sampled apart, and where their
values are older than the rest the table and jsonl say by how much.

Exit status: 0 done, 1 nothing could be shown, 3 a path never gave a value,
some values may not be read, or some of the data was damaged.`,
		Example: `  winperf watch
  winperf watch '\Processor(*)\% Processor Time' '\Memory\Available MBytes'
  winperf watch '\Process(*)\% Processor Time' -i 5 -n 12 -o csv > load.csv
  winperf watch '\Process(*)\% Processor Time' --name name:pid --anomalies
  winperf watch --counters paths.txt -o load.tsv
  winperf watch -cf paths.txt -si 2 -sc 10 -f CSV       (as typeperf spells it)`,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	}

	r.flags(cmd, "time between samples: 2, 0.5, 500ms, 1:30")
	r.how.addSpeed(cmd)
	cmd.Flags().VarP(&r.count, "count", "n", "number of readings; 0 goes on until stopped")
	return cmd
}

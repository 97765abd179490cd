package cli

import "github.com/spf13/cobra"

func (a *app) getCommand() *cobra.Command {
	r := &reader{app: a, count: 1}
	cmd := &cobra.Command{
		Use:   "get PATH...",
		Short: "Show one reading of each counter",
		Long: `Get shows one reading of each counter that the paths name. Where a counter
needs two samples, such as a rate, they are taken one interval apart.

A path is \Object(Instance)\Counter or \Object\Counter for an object without
instances. * and ? stand for any characters in each part. Repeated instances
are told apart by #1, #2 and so on; (name) is the first, (name*) are all.

Exit status: 0 done, 1 nothing could be shown, 3 a path gave no value, some
values may not be read, or some of the data was damaged.`,
		Example: `  winperf get '\Memory\Available MBytes'
  winperf get '\Processor(*)\% Processor Time' '\System\Processes'
  winperf get '\Process(*)\ID Process' -o csv
  winperf get '\Process(*)\*' --exclude '\Process(_Total)\*' -o all.jsonl
  winperf get '\Processor(_Total)\*' --source 'perfdata:one.bin,two.bin?names=names.tsv'`,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	}
	r.flags(cmd, "time between the two samples that a rate needs: 2, 0.5, 500ms")
	return cmd
}

package cli

import "github.com/spf13/cobra"

func (a *app) getCommand() *cobra.Command {
	r := &reader{app: a, count: 1, get: true}
	cmd := &cobra.Command{
		Use:   "get PATH...",
		Short: "Show one reading of each counter",
		Long: `Get shows one reading of each counter that the paths name. Where a counter
needs two samples, such as a rate, they are taken one interval apart.

Of a record it shows the last moment, or with --at the one that was the last at
that time. A time such as '6/30/2007 15:40:38', 2007-06-30T15:40:38 or one that
another command shows is in the zone of the record, in UTC where that does not name
one, or in --zone; +1h is an hour after the first sample, end the last one.

A path is \Object(Instance)\Counter or \Object\Counter for an object without
instances. * and ? stand for any characters in each part. Repeated instances
are told apart by #1, #2 and so on; (name) is the first, (name*) are all.

Exit status: 0 done, 1 nothing could be shown, 3 a path gave no value, some
values may not be read, or some of the data was damaged.`,
		Example: `  winperf get '\Memory\Available MBytes'
  winperf get '\Processor(*)\% Processor Time' '\System\Processes'
  winperf get '\Process(*)\ID Process' -o csv
  winperf get '\Process(*)\*' --exclude '\Process(_Total)\*' -o all.jsonl
  winperf get '\Processor(_Total)\*' --source load.blg --at '2007-06-30 15:40:38'
  winperf get '\Processor(_Total)\*' --source 'perfdata:one.bin,two.bin?names=names.tsv'`,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	}
	r.flags(cmd, "time between the two samples that a rate needs: 2, 0.5, 500ms")
	cmd.Flags().StringVar(&r.at, "at", "", "of a record show what it has at this `TIME`: a time, +1h or end")
	cmd.MarkFlagsMutuallyExclusive("at", "begin")
	cmd.MarkFlagsMutuallyExclusive("at", "end")
	return cmd
}

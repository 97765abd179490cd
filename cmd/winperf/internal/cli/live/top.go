package live

import (
	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

// TopCommand returns the command top.
func TopCommand(a *console.App) *cobra.Command {
	r := &reader{app: a, top: true}
	cmd := &cobra.Command{
		Use:   "top [PATH...]",
		Short: "Show the machine and its processes on a terminal, or explore a log",
		Long: `Top shows processors, memory, disks and networks with their short histories, and below them
a table: the processes, or the counters that the paths name. It needs a terminal; winperf
watch also writes to pipes and files. Only the shown counters are measured.

Keys:
  arrows, h j k l     move; PgUp PgDn, Home End, g G; Tab moves to the next object
  s                   sort by the column of the cursor, again in reverse; or click on a head
  / n N               search, next, previous
  f                   show only instances whose names contain a text; Esc shows all
  t                   show processes as a tree, by parent
  Enter               history of the cell: its last 120 values
  d                   details: all shown values, and of a process the command line, user,
                      control group and parent
  o                   objects and counters of the source, with their units and help; Space
                      selects or deselects, Enter shows the selected counters
  Space, p            pause; with a log: play, ten samples a second or as --speed
  , .                 previous and next sample of a log; < > jump by a tenth of it
  :                   go to a time of a log: 15:42, +90s after the first sample, 50%, end
  ?  q  Ctrl-Z        help, quit, stop until fg (not on Windows)

With --source FILE, top opens a log at its last sample, paused. Command lines, users and
control groups are read for visible processes of this machine, when a key or a selected
column shows them, and never recorded. Top sends no signals and changes nothing. NO_COLOR
in the environment switches colors off. To select text with the mouse, hold Shift.

Exit status: 0 done, 1 nothing could be shown, 3 a path never had a value, some values
could not be read for lack of permission, or some data was damaged.`,
		Example: `  winperf top
  winperf top -i 5
  winperf top '\PhysicalDisk(*)\*' '\LogicalDisk(*)\% Free Space'
  winperf top --source load.blg --begin 15:42`,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	}

	r.flags(cmd, "time between samples: 2, 0.5, 500ms, 1:30; of a log the first sample of each interval")
	r.how.addSpeed(cmd)
	return cmd
}

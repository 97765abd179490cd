package experiments

import (
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"slices"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/trial"
	"github.com/winperf/winperf/internal/child"
)

// RunsCommand reports whether the command line runs a command whose status becomes the exit
// status. It looks at the arguments as they are, because errors in flags count too.
func RunsCommand(cmd *cobra.Command, args []string) bool {
	dash := slices.Index(args, "--")
	isRun := cmd.Name() == "run" && cmd.Parent() == cmd.Root() // service run is another one
	return isRun && dash >= 0 && !slices.Contains(args[:dash], "--measure-status")
}

// Invocation is the command line that a run was started with.
type Invocation struct {
	Args    []string
	Execute func(ctx context.Context, args []string) error // runs another one in the same process
	Command bool                                           // run -- COMMAND: the exit status is that of the command
	status  int                                            // the first status of the command's runs that is not 0
}

// ExitStatus returns the exit status of run with a command. status is the one that winperf
// would have without it.
func (i *Invocation) ExitStatus(status int) int {
	if i.status == 0 && status == console.ExitFailed {
		return console.ExitOfRun
	}
	return i.status // values that could not be measured were reported, and change nothing
}

// statusOfRuns returns the first status of the runs that is not 0. After it, in this order: the status
// of a command that could not be started, and ExitOfRun if runs of the plan are missing.
func statusOfRuns(all []*trial.Result, planned int, err error) int {
	for _, r := range all {
		if status := exitStatus(&r.Exit); status != 0 {
			return status
		}
	}

	var start *trial.StartError
	switch {
	case errors.As(err, &start) && !errors.Is(err, context.Canceled):
		return startStatus(start)
	case len(all) < planned:
		return console.ExitOfRun
	}
	return console.ExitDone
}

// ExitStatus returns the status that a shell shows for a command that ended.
func exitStatus(x *trial.Exit) int {
	if x.Signal != "" {
		return console.ExitSignal + child.SignalNumber(x.Signal)
	}
	return x.Status
}

// startStatus returns the status that a shell shows for a command that could not be started.
func startStatus(err *trial.StartError) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return console.ExitNotFound
	}
	return console.ExitNotStarted
}

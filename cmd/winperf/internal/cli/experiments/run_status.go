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

// RunsCommand reports whether the command line runs a command whose status becomes the exit status. It
// reads the unparsed arguments, because errors in flags count, too.
func RunsCommand(cmd *cobra.Command, args []string) bool {
	dash := slices.Index(args, "--")
	isRun := cmd.Name() == "run" && cmd.Parent() == cmd.Root() // service run is a different command
	return isRun && dash >= 0 && !slices.Contains(args[:dash], "--measure-status")
}

// Invocation is the command line of a run.
type Invocation struct {
	Args    []string
	Execute func(ctx context.Context, args []string) error // runs another command line in this process
	Command bool                                           // run -- COMMAND: use the command's exit status
	status  int                                            // the first status of the runs that is not 0
}

// ExitStatus returns the exit status of run with a command; status is the status without a command.
func (i *Invocation) ExitStatus(status int) int {
	if i.status == 0 && status == console.ExitFailed {
		return console.ExitOfRun
	}
	return i.status // missing values were reported and do not change the status
}

// statusOfRuns returns the first status of the runs that is not 0, otherwise the status of a command that
// could not be started, otherwise ExitOfRun if runs are missing.
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

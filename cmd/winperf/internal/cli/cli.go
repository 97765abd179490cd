// Package cli is the command line of winperf: a thin layer over the packages that do the work.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/blocks"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/convert"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/doctor"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/experiments"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/live"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/publishing"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/record"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/serving"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/settings"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/summary"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/verifying"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/viewing"
)

type program struct {
	app  *console.App
	host *serving.Hosted // the service manager, or nil
	call experiments.Invocation
}

// Main runs the program with the arguments, streams and signals of the process, and returns the exit
// status. Ctrl-C, SIGTERM, SIGHUP, and on Windows the end of the console, session or system, end it with
// complete output.
func Main() int {
	// Notify turns a write to a closed pipe into an error. Child processes would inherit an ignored
	// signal.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	return Run(console.UntilSignal(context.Background()), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// Run executes the command line and returns the exit status: 0 done, 1 nothing could be shown, 3 some data
// gave no value or was damaged; for run with a command, the status of the command. Errors are printed on
// stderr. Run ends with complete output when ctx ends, and quietly when stdout is closed.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (status int) {
	return runHosted(ctx, nil, args, stdin, stdout, stderr)
}

func runHosted(
	ctx context.Context, host *serving.Hosted, args []string, stdin io.Reader, stdout, stderr io.Writer,
) (status int) {
	a := &console.App{Stdin: &console.Interruptible{Context: ctx, Stream: stdin}, Stdout: stdout, Stderr: stderr}
	p := &program{app: a, host: host}
	p.call.Execute = p.execute
	defer func() {
		if r := recover(); r != nil {
			status = crash(a, r)
		}
		if p.call.Command {
			status = p.call.ExitStatus(status)
		}
	}()

	err := p.execute(ctx, args)
	switch {
	case console.IsClosedPipe(err):
		return console.ExitDone
	case err != nil && !console.IsInterrupt(ctx, err):
		a.Complain(err)
		return console.ExitFailed
	case a.Nothing:
		return console.ExitFailed
	case a.Partial:
		return console.ExitPartial
	}
	return console.ExitDone
}

func (p *program) execute(ctx context.Context, args []string) error {
	root := p.rootCommand()
	args = append([]string{}, args...) // for nil cobra takes os.Args
	p.call.Args = args
	if len(args) == 0 || !strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		cmd, _, err := root.Find(args)
		if err != nil {
			return unknownCommand(root, args)
		}
		p.call.Command = experiments.RunsCommand(cmd, args)
		if args, err = rewrite(cmd, args); err != nil {
			return err
		}
	}

	root.SetArgs(args)
	root.SetIn(p.app.Stdin)
	out := &helpWriter{w: p.app.Stdout}
	root.SetOut(out)
	root.SetErr(p.app.Stderr)
	err := root.ExecuteContext(ctx)
	return errors.Join(err, out.err)
}

// crash reports a bug of the program. It prints the stack only on request.
func crash(a *console.App, r any) int {
	a.Complain(fmt.Errorf("internal error: %v; please report it (WINPERF_STACK=1 prints the stack)", r))
	if os.Getenv("WINPERF_STACK") != "" {
		fmt.Fprintf(a.Stderr, "%s", debug.Stack())
	}
	return console.ExitFailed
}

func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "winperf",
		Short: "Performance counters in the Windows model",
		Long: `winperf reads performance counters in the Windows model, from this machine or from
logs, and computes their values as Windows does.

A path names a counter: \Object(Instance)\Counter. * matches any characters. Quote paths
to protect them from the shell. winperf list shows the available objects and counters.

A counter is one statistic of an object, such as Memory or Process. An object can have
instances: each process is an instance of Process. A sample is the state of counters at one
moment, a reading the value of one counter of one instance in it, a series these readings
over time. An experiment measures counters, called sensors, at the events of a program; the
values at one event are a record. Costly objects take long to sample, such as Process
Memory Details on Linux or Thread Details on Windows; they are read only if a path or flag
asks for them.

Exit status: 0 done; 1 nothing was done, also if the command line is wrong; 3 done in part,
for example if a path had no value. Commands with other statuses describe them.`,
		Example: `  winperf list
  winperf get '\Memory\Available MBytes'
  winperf watch '\Processor(*)\% Processor Time' -i 2
  winperf watch '\Process(*)\% Processor Time' -o csv > load.csv`,
		SilenceUsage:       true,
		SilenceErrors:      true,
		DisableSuggestions: true, // unknownCommand makes better ones
		CompletionOptions:  cobra.CompletionOptions{DisableDefaultCmd: true},
	}

	showVersion := root.Flags().BoolP("version", "v", false, "version for winperf")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCommand())
	root.SetHelpFunc(versionOr(showVersion, examplesFirst(root.HelpFunc())))
	a := p.app
	var sections settings.Commands
	sections.Record = func() *cobra.Command { return record.Command(a, sections) }
	sections.Publish = func() *cobra.Command { return publishing.PublishCommand(a, sections) }
	root.AddCommand(
		live.ListCommand(a), live.GetCommand(a), live.WatchCommand(a), live.TopCommand(a), viewing.Command(a),
		summary.CompareCommand(a), verifying.Command(a, publishing.RegistrationSystem),
		blocks.DumpCommand(a), blocks.CookCommand(a),
		sections.Record(), convert.Command(a), summary.InfoCommand(a), summary.Command(a),
		experiments.RunCommand(a, &p.call), experiments.ExperimentCommand(a),
		publishing.ProviderCommand(a), sections.Publish(),
		serving.ServeCommand(a, p.host, sections), p.serviceCommand(), doctor.Command(a),
		completionCommand(a), versionCommand(a), sourcesTopic(),
	)
	root.InitDefaultHelpCmd()
	return root
}

// Commands returns the commands of the program, for its manual pages.
func Commands() *cobra.Command {
	return (&program{app: &console.App{}}).rootCommand()
}

// Package cli is the command line of winperf: one file per command, each a
// thin layer over the packages that do the work.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/internal/safetext"
	"golang.org/x/term"
)

// Choices worth knowing here:
//
// What is done with logs stands in internal/logs: commands open them, say what is wanted, loop
// over logs.Read and print. Text formats with columns take a first walk over the logs, which
// finds every series.
//
// compare samples its sources one after the other: at the same moment what each of them costs
// could not be told apart.
//
// record takes raw samples through measure like everything else (Options.RawOnly), and decodes
// none of a capture.
//
// Whether a file that is there may be written is decided in one place for all commands
// (cmd/winperf/internal/cli/lock.go, target): before anything is opened, and again when the
// file is created or gets its name.
//
// Files are locked on the open descriptor before they are cut or read (flock; LockFileEx far
// behind the end): a second recorder is refused, readers are not, and a dead program leaves no
// lock. Where a file system has no locks record says so and goes on.

// Exit statuses. 2 is never used: shells and the Go runtime have it.
const (
	exitDone    = 0
	exitFailed  = 1 // nothing could be shown
	exitPartial = 3 // some of what was asked for gave no value, or was damaged

	// The statuses of run with a command, as other programs that run commands have them.
	exitOfRun      = 125 // winperf itself failed
	exitNotStarted = 126 // the command is there and could not be started
	exitNotFound   = 127
	exitSignal     = 128 // plus the number of the signal that ended the command
)

// app is what every command has: the streams of the program, and what it reported on them.
type app struct {
	stdin          *interruptible
	stdout, stderr io.Writer
	read           bool    // standard input is taken
	partial        bool    // some of what was asked for gave no value
	nothing        bool    // all of it named nothing, which was reported
	noticed        []error // notices that were reported
	elsewhere      bool    // it was reported that other accounts publish
}

// program is one run of the command line.
type program struct {
	app  *app
	host *hosted // the service manager; nil for none
	call invocation
}

// Main runs the program with the command line, streams and signals of the
// process, and returns the exit status. Ctrl-C, SIGTERM and SIGHUP, on Windows
// also the end of the console, of the session and of the system, end it with
// complete output.
func Main() int {
	// So that writing to a closed pipe is an error, and no death. Programs that this one starts would
	// inherit a signal that it ignores.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	return Run(untilSignal(context.Background()), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// Run executes the command line and returns the exit status: 0 done, 1 nothing
// could be shown, 3 some of what was asked for gave no value or was damaged. Of run
// with a command it is the status of the command, see its help.
// What went wrong is told on stderr. Run ends, with complete output, when ctx
// ends, and quietly when nobody reads stdout any more.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (status int) {
	return runHosted(ctx, nil, args, stdin, stdout, stderr)
}

// runHosted is Run, perhaps for a service manager.
func runHosted(
	ctx context.Context, host *hosted, args []string, stdin io.Reader, stdout, stderr io.Writer,
) (status int) {
	a := &app{stdin: &interruptible{context: ctx, stream: stdin}, stdout: stdout, stderr: stderr}
	p := &program{app: a, host: host}
	p.call.execute = p.execute
	defer func() {
		if r := recover(); r != nil {
			status = a.crash(r)
		}
		if p.call.command {
			status = p.call.exitStatus(status)
		}
	}()

	err := p.execute(ctx, args)
	switch {
	case isClosedPipe(err):
		return exitDone
	case err != nil && !isInterrupt(ctx, err):
		a.complain(err)
		return exitFailed
	case a.nothing:
		return exitFailed
	case a.partial:
		return exitPartial
	}
	return exitDone
}

func (p *program) execute(ctx context.Context, args []string) error {
	root := p.rootCommand()
	args = append([]string{}, args...) // cobra takes nil for the program's own
	p.call.args = args
	if len(args) == 0 || !strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		cmd, _, err := root.Find(args)
		if err != nil {
			return unknownCommand(root, args)
		}
		p.call.command = runsCommand(cmd, args)
		if args, err = rewrite(cmd, args); err != nil {
			return err
		}
	}

	root.SetArgs(args)
	root.SetIn(p.app.stdin)
	out := &helpWriter{w: p.app.stdout}
	root.SetOut(out)
	root.SetErr(p.app.stderr)
	err := root.ExecuteContext(ctx)
	return errors.Join(err, out.err)
}

// isInterrupt tells whether err says no more than that ctx has ended.
func isInterrupt(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, ctx.Err())
}

// isClosedPipe tells whether err is that of writing to a pipe that nobody reads
// any more.
func isClosedPipe(err error) bool {
	return errors.Is(err, io.ErrClosedPipe) ||
		slices.ContainsFunc(systemClosedPipes, func(closed error) bool { return errors.Is(err, closed) })
}

// crash reports a fault of the program itself. The stack is shown to
// developers only.
func (a *app) crash(r any) int {
	a.complain(fmt.Errorf("internal error: %v; please report it (WINPERF_STACK=1 shows where)", r))
	if os.Getenv("WINPERF_STACK") != "" {
		fmt.Fprintf(a.stderr, "%s", debug.Stack())
	}
	return exitFailed
}

// opening are the calls of Unix and of Windows that find and open a file.
var opening = []string{"open", "stat", "lstat", "CreateFile", "GetFileAttributesEx"}

// complain writes each of the errors joined in err as one line on standard
// error. What cannot be written cannot be completed either: it is told once.
func (a *app) complain(err error) {
	before := ""
	var file *fs.PathError
	opened := errors.As(err, &file) && slices.Contains(opening, file.Op)
	for _, line := range errorLines(err) {
		if opened { // which call failed is nothing to its user
			line = strings.Replace(line, file.Error(), file.Path+": "+file.Err.Error(), 1)
		}
		line = safetext.Line(strings.TrimSpace(line))
		if line != before {
			fmt.Fprintf(a.stderr, "winperf: %s\n", line)
		}
		before = line
	}
}

// errorLines are the texts of the errors that are joined in err, each with what
// stands in front of them in the first one. A line end in one of them, such as in
// the name of a file, begins no new one.
func errorLines(err error) (lines []string) {
	text := err.Error()
	switch around := err.(type) { //nolint:errorlint // it is about this error, not about those in it
	case interface{ Unwrap() []error }:
		var texts []string
		for _, e := range around.Unwrap() {
			texts = append(texts, e.Error())
			lines = append(lines, errorLines(e)...)
		}
		if strings.Join(texts, "\n") == text {
			return lines
		}

	case interface{ Unwrap() error }:
		inner := around.Unwrap()
		if inner == nil {
			break
		}

		// Only the innermost of wrapped errors is joined; what is said before goes with its first line.
		if before, ok := strings.CutSuffix(text, inner.Error()); ok {
			lines = errorLines(inner)
			lines[0] = before + lines[0]
			return lines
		}
	}
	return []string{text}
}

func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "winperf",
		Short: "Performance counters in the Windows model",
		Long: `winperf reads performance counters in the Windows model, on this machine and
from recorded data, and computes their values as Windows does.

A path names a counter: \Object(Instance)\Counter. In a path * stands for any
number of characters. Put paths in quotes to protect them from the shell.
winperf list shows the available objects and counters.`,
		Example: `  winperf list
  winperf get '\Memory\Available MBytes'
  winperf watch '\Processor(*)\% Processor Time' -i 2
  winperf watch '\Process(*)\% Processor Time' -o csv > load.csv`,
		Version:            versionLine(),
		SilenceUsage:       true,
		SilenceErrors:      true,
		DisableSuggestions: true, // there are better ones; see unknownCommand
		CompletionOptions:  cobra.CompletionOptions{DisableDefaultCmd: true},
	}

	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCommand())
	a := p.app
	root.AddCommand(
		a.listCommand(), a.getCommand(), a.watchCommand(), a.compareCommand(),
		a.dumpCommand(), a.cookCommand(),
		a.recordCommand(), a.convertCommand(), a.infoCommand(), a.summaryCommand(),
		a.runCommand(&p.call), a.experimentCommand(),
		a.providerCommand(), a.publishCommand(), a.serveCommand(p.host), p.serviceCommand(),
		a.completionCommand(), a.versionCommand(),
	)
	root.InitDefaultHelpCmd()
	return root
}

// input is standard input, for what somebody at a terminal is told. It can be read once.
func (a *app) input(what string) (io.Reader, error) {
	if a.read {
		return nil, errors.New("standard input can be read only once, and - stands for it twice")
	}
	a.read = true
	if _, ok := isTerminal(a.stdin.stream); ok {
		a.complain(fmt.Errorf("reading %s from the terminal; Ctrl-D ends, on Windows Ctrl-Z and Enter", what))
	}
	return a.stdin, nil
}

// openInput opens a file; - is standard input.
func (a *app) openInput(file, what string) (io.ReadCloser, error) {
	if file != "-" {
		return os.Open(file)
	}
	r, err := a.input(what)
	return io.NopCloser(r), err
}

// isTerminal tells whether a reader or writer is a terminal, and how large it is.
func isTerminal(stream any) (size func() (width, height int), ok bool) {
	f, isFile := stream.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return nil, false
	}
	return func() (int, int) {
		width, height, err := term.GetSize(int(f.Fd()))
		if err != nil {
			return 0, 0
		}
		return width, height
	}, true
}

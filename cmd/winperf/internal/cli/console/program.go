package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

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
// (output.Target): before anything is opened, and again when the
// file is created or gets its name.
//
// Files are locked on the open descriptor before they are cut or read (flock; LockFileEx far
// behind the end): a second recorder is refused, readers are not, and a dead program leaves no
// lock. Where a file system has no locks record says so and goes on.

// Exit statuses. 2 is never used: shells and the Go runtime have it.
const (
	ExitDone    = 0
	ExitFailed  = 1 // nothing could be shown
	ExitPartial = 3 // some of what was asked for gave no value, or was damaged

	// The statuses of run with a command, as other programs that run commands have them.
	ExitOfRun      = 125 // winperf itself failed
	ExitNotStarted = 126 // the command is there and could not be started
	ExitNotFound   = 127
	ExitSignal     = 128 // plus the number of the signal that ended the command
)

// App is what every command has: the streams of the program, and what it reported on them.
type App struct {
	Stdin          *Interruptible
	Stdout, Stderr io.Writer
	read           bool    // standard input is taken
	Partial        bool    // some of what was asked for gave no value
	Nothing        bool    // all of it named nothing, which was reported
	noticed        []error // notices that were reported
	Elsewhere      bool    // it was reported that other accounts publish
}

// IsInterrupt tells whether err says no more than that ctx has ended.
func IsInterrupt(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, ctx.Err())
}

// IsClosedPipe tells whether err is that of writing to a pipe that nobody reads
// any more.
func IsClosedPipe(err error) bool {
	return errors.Is(err, io.ErrClosedPipe) ||
		slices.ContainsFunc(systemClosedPipes, func(closed error) bool { return errors.Is(err, closed) })
}

// opening are the calls of Unix and of Windows that find and open a file.
var opening = []string{"open", "stat", "lstat", "CreateFile", "GetFileAttributesEx"}

// Complain writes each of the errors joined in err as one line on standard
// error. What cannot be written cannot be completed either: it is told once.
func (a *App) Complain(err error) {
	before := ""
	var file *fs.PathError
	opened := errors.As(err, &file) && slices.Contains(opening, file.Op)
	for _, line := range ErrorLines(err) {
		if opened { // which call failed is nothing to its user
			line = strings.Replace(line, file.Error(), file.Path+": "+file.Err.Error(), 1)
		}
		line = safetext.Line(strings.TrimSpace(line))
		if line != before {
			fmt.Fprintf(a.Stderr, "winperf: %s\n", line)
		}
		before = line
	}
}

// ErrorLines are the texts of the errors that are joined in err, each with what
// stands in front of them in the first one. A line end in one of them, such as in
// the name of a file, begins no new one.
func ErrorLines(err error) (lines []string) {
	text := err.Error()
	switch around := err.(type) { //nolint:errorlint // it is about this error, not about those in it
	case interface{ Unwrap() []error }:
		var texts []string
		for _, e := range around.Unwrap() {
			texts = append(texts, e.Error())
			lines = append(lines, ErrorLines(e)...)
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
			lines = ErrorLines(inner)
			lines[0] = before + lines[0]
			return lines
		}
	}
	return []string{text}
}

// Input is standard input, for what somebody at a terminal is told. It can be read once.
func (a *App) Input(what string) (io.Reader, error) {
	if a.read {
		return nil, errors.New("standard input can be read only once, and - stands for it twice")
	}
	a.read = true
	if _, ok := IsTerminal(a.Stdin.Stream); ok {
		a.Complain(fmt.Errorf("reading %s from the terminal; Ctrl-D ends, on Windows Ctrl-Z and Enter", what))
	}
	return a.Stdin, nil
}

// OpenInput opens a file; - is standard input.
func (a *App) OpenInput(file, what string) (io.ReadCloser, error) {
	if file != "-" {
		return os.Open(file)
	}
	r, err := a.Input(what)
	return io.NopCloser(r), err
}

// IsTerminal tells whether a reader or writer is a terminal, and how large it is.
func IsTerminal(stream any) (size func() (width, height int), ok bool) {
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

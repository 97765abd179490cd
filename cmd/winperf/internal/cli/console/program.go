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

// Design of the commands:
//
// Package internal/logs processes logs: commands open them, pass a selection, loop over logs.Read and
// print. Text formats with columns first read the logs to find all series.
//
// compare samples its sources one after the other: in parallel their costs could not be separated.
//
// record takes raw samples through measure (Options.RawOnly) and does not decode samples of a capture.
//
// output.Target decides for all commands whether an existing file may be written: before anything is
// opened, and again when the file is created or renamed. Files are locked before they are truncated or
// read (flock; LockFileEx far behind the end). A second recorder is refused, readers are not, and a killed
// program leaves no lock. record continues with a message where a file system has no locks.

// Exit statuses. 2 is not used, because shells and the Go runtime use it.
const (
	ExitDone    = 0
	ExitFailed  = 1 // nothing could be shown
	ExitPartial = 3 // some data gave no value or was damaged

	// Statuses of run with a command, as in other programs that run commands.
	ExitOfRun      = 125 // winperf itself failed
	ExitNotStarted = 126 // the command could not be started
	ExitNotFound   = 127
	ExitSignal     = 128 // plus the number of the signal that ended the command
)

// App holds the program's streams and the state of its reports.
type App struct {
	Stdin          *Interruptible
	Stdout, Stderr io.Writer
	read           bool    // standard input is in use
	Partial        bool    // some requested data gave no value
	Nothing        bool    // no path matched, which was reported
	noticed        []error // notices that were reported
	Elsewhere      bool    // other accounts' publishing was reported
}

// IsInterrupt reports whether err only means that ctx has ended.
func IsInterrupt(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, ctx.Err())
}

// IsClosedPipe reports whether err is from a write to a closed pipe.
func IsClosedPipe(err error) bool {
	return errors.Is(err, io.ErrClosedPipe) ||
		slices.ContainsFunc(systemClosedPipes, func(closed error) bool { return errors.Is(err, closed) })
}

var opening = []string{"open", "stat", "lstat", "CreateFile", "GetFileAttributesEx"}

// Complain prints each error joined in err as a line on standard error. Write errors are ignored.
func (a *App) Complain(err error) {
	before := ""
	var file *fs.PathError
	opened := errors.As(err, &file) && slices.Contains(opening, file.Op)
	for _, line := range ErrorLines(err) {
		if opened { // users do not need the name of the call
			line = strings.Replace(line, file.Error(), file.Path+": "+file.Err.Error(), 1)
		}
		line = safetext.Line(strings.TrimSpace(line))
		if line != before {
			fmt.Fprintf(a.Stderr, "winperf: %s\n", line)
		}
		before = line
	}
}

// ErrorLines returns the texts of the errors joined in err. Text before them is part of the first one.
// Line ends within a text are escaped.
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

		// Only the innermost of wrapped errors is joined; the text before belongs to its first line.
		if before, ok := strings.CutSuffix(text, inner.Error()); ok {
			lines = ErrorLines(inner)
			lines[0] = before + lines[0]
			return lines
		}
	}
	return []string{text}
}

// NoInput is the standard input of a service: it cannot be read.
type NoInput struct{}

// Read returns an error.
func (NoInput) Read([]byte) (int, error) { return 0, errors.New("a service has no standard input") }

// HasInput reports whether the program has a standard input.
func (a *App) HasInput() bool {
	_, none := a.Stdin.Stream.(NoInput)
	return !none
}

// Input returns standard input, which can be read only once. what describes it to users at a terminal.
func (a *App) Input(what string) (io.Reader, error) {
	if a.read {
		return nil, errors.New("standard input can be read only once, but - is given twice")
	}
	a.read = true
	if _, ok := IsTerminal(a.Stdin.Stream); ok {
		a.Complain(fmt.Errorf("reading %s from the terminal; end with Ctrl-D, on Windows with Ctrl-Z and Enter", what))
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

// IsTerminal reports whether stream is a terminal, and returns a function for its size.
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

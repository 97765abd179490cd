package trial

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"time"

	await "github.com/winperf/winperf/internal/child"
)

// Command is a program with its arguments, streams and environment.
type Command struct {
	Args   []string          // the first one is the program
	Env    map[string]string // added to the environment
	Dir    string            // "" is the current directory
	Stdin  io.Reader         // may be nil
	Stdout io.Writer
	Stderr io.Writer
	// Grace is the time that the program has to end before it is killed; 0 means 10 s.
	Grace time.Duration
	// Abort, if not nil, ends the grace time.
	Abort context.Context
}

// aborted reports whether the program must end at once.
func (c *Command) aborted() bool { return c.Abort != nil && c.Abort.Err() != nil }

func (c *Command) grace() time.Duration { return cmp.Or(c.Grace, 10*time.Second) }

// Exit is the result of a program, with the resource use that the system reports for it and for the
// children that it waited for.
type Exit struct {
	Status int    `json:"status"`           // -1 if a signal ended it
	Signal string `json:"signal,omitempty"` // that ended it
	// Stopped means that the program was asked to end because the experiment ended.
	Stopped bool          `json:"stopped,omitempty"`
	Began   time.Time     `json:"began"`
	Time    time.Duration `json:"elapsed"`
	User    time.Duration `json:"user"`
	System  time.Duration `json:"system"`
	// Known means that the system provides the following figures.
	Known       bool   `json:"known"`
	PeakMemory  uint64 `json:"peak_memory"` // bytes, of the largest process; 0 if unknown
	Voluntary   uint64 `json:"voluntary_switches"`
	Involuntary uint64 `json:"involuntary_switches"`
	MajorFaults uint64 `json:"major_faults"`
}

// StartError is the error of a command that could not be started.
type StartError struct{ Err error }

// Error implements error.
func (e *StartError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *StartError) Unwrap() error { return e.Err }

func titleName(index uint32) string { return "#" + strconv.FormatUint(uint64(index), 10) }

// Child is a running program.
type Child struct {
	ctx          context.Context
	cmd          *exec.Cmd
	began        time.Time
	stopped      atomic.Bool
	endRequested atomic.Int64 // time since its start when it was asked to end
}

// Start starts a program. When ctx ends, the program is asked to end, after a call of ending.
func Start(ctx context.Context, c Command, ending func()) (*Child, error) {
	if len(c.Args) == 0 {
		return nil, errors.New("no command given")
	}
	child := &Child{ctx: ctx, cmd: exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)}
	cmd := child.cmd
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, c.Stdin, c.Stdout, c.Stderr
	cmd.WaitDelay = c.grace()
	cmd.Cancel = func() error {
		child.stopped.Store(true)
		child.endRequested.Store(int64(time.Since(child.began)))
		ending()
		return requestEnd(cmd.Process)
	}
	if len(c.Env) > 0 {
		cmd.Env = os.Environ()
		for name, value := range c.Env {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}

	child.began = time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return child, nil
}

func (c *Child) kill() {
	_ = c.cmd.Process.Kill() // it may have ended
}

// remainingGrace returns the rest of the grace time, at least one second.
func (c *Child) remainingGrace(grace time.Duration) time.Duration {
	return max(time.Second, grace-time.Since(c.began)+time.Duration(c.endRequested.Load()))
}

// PID returns the process id.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Wait waits for the end of the program. A failed program is not an error; see Exit.
func (c *Child) Wait() (Exit, error) {
	err := c.cmd.Wait()
	x := Exit{Began: c.began.UTC(), Time: time.Since(c.began), Stopped: c.stopped.Load()}
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) && c.cmd.ProcessState == nil {
		return x, err
	}

	state := c.cmd.ProcessState
	exit := await.ExitOf(state)
	x.Status, x.Signal, x.User, x.System = exit.Status, exit.Signal, state.UserTime(), state.SystemTime()
	systemUsage(&x, state)

	// Ctrl-C at a terminal is also sent to the program, which may have ended before it was asked to.
	x.Stopped = x.Stopped || c.ctx.Err() != nil && x.Signal != ""
	return x, nil
}

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

// Command is a program with its arguments, and how it is run.
type Command struct {
	Args   []string          // the first is the program
	Env    map[string]string // added to the environment
	Dir    string            // "" is the current one
	Stdin  io.Reader         // nil: nothing
	Stdout io.Writer
	Stderr io.Writer
	// Grace is how long the program has to end when it is asked to, before it is killed; 0 means 10 s.
	Grace time.Duration
	// Hurry, where there is one, ends the time that a program has to end which was asked to.
	Hurry context.Context
}

// hurried reports whether nobody waits any longer for the program to end by itself.
func (c *Command) hurried() bool { return c.Hurry != nil && c.Hurry.Err() != nil }

// grace is how long the program has to end.
func (c *Command) grace() time.Duration { return cmp.Or(c.Grace, 10*time.Second) }

// Exit is how a program ended, and what the system says that it used, with those of its
// children that it waited for.
type Exit struct {
	Status int    `json:"status"`           // -1 where a signal ended it
	Signal string `json:"signal,omitempty"` // that ended it
	// Stopped tells that the program was asked to end, as the experiment did.
	Stopped bool          `json:"stopped,omitempty"`
	Began   time.Time     `json:"began"`
	Time    time.Duration `json:"elapsed"`
	User    time.Duration `json:"user"`
	System  time.Duration `json:"system"`
	// Known tells that the system has what follows.
	Known       bool   `json:"known"`
	PeakMemory  uint64 `json:"peak_memory"` // bytes, of the process that held most; 0 where that is not known
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

// Child is a program that runs.
type Child struct {
	ctx     context.Context
	cmd     *exec.Cmd
	began   time.Time
	stopped atomic.Bool
	asked   atomic.Int64 // when it was asked to end, since it began
}

// Start starts a program. It is asked to end when ctx does; ending is called before that.
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
		child.asked.Store(int64(time.Since(child.began)))
		ending()
		return askToEnd(cmd.Process)
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

// kill ends a program that was asked to end and has not.
func (c *Child) kill() {
	_ = c.cmd.Process.Kill() // it may have ended
}

// left is how much of the time that the program had to end is left, one second at least.
func (c *Child) left(grace time.Duration) time.Duration {
	return max(time.Second, grace-time.Since(c.began)+time.Duration(c.asked.Load()))
}

// PID is the program's process id.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Wait waits for the program's end. That it failed is no error but in Exit.
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

	// Ctrl-C at a terminal is sent to the program, too, which may have ended before it was asked to.
	x.Stopped = x.Stopped || c.ctx.Err() != nil && x.Signal != ""
	return x, nil
}

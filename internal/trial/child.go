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
}

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

func titleName(index uint32) string { return "#" + strconv.FormatUint(uint64(index), 10) }

// Child is a program that runs.
type Child struct {
	cmd     *exec.Cmd
	began   time.Time
	stopped atomic.Bool
}

// Start starts a program. It is asked to end when ctx does; ending is called before that.
func Start(ctx context.Context, c Command, ending func()) (*Child, error) {
	if len(c.Args) == 0 {
		return nil, errors.New("no command given")
	}
	child := &Child{cmd: exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)}
	cmd := child.cmd
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, c.Stdin, c.Stdout, c.Stderr
	cmd.WaitDelay = c.grace()
	cmd.Cancel = func() error {
		child.stopped.Store(true)
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
	return x, nil
}

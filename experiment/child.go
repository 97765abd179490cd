package experiment

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"sync"

	"github.com/winperf/winperf/internal/child"
)

// Child starts a command and emits a region, NAME, from its start to its end. Its attributes are "pid", the
// process id, and either "status", the exit status, or "signal", the signal that ended the process. On
// Linux the end is sampled before the process disappears, so that its counters show its total use.
//
// The command is started once. It continues if the experiment ends first.
type Child struct {
	Name string
	Cmd  *exec.Cmd
	// Ended, if not nil, is called with the result of Cmd.Wait, or with the error of the start.
	Ended func(error)
}

// Describe implements [EventSource].
func (c Child) Describe() EventSourceInfo {
	info := EventSourceInfo{Name: c.Name, Kind: "child", Events: []string{c.Name}}
	if c.Cmd != nil {
		info.Detail = strings.Join(c.Cmd.Args, " ")
	}
	return info
}

func (c Child) check() error {
	if c.Cmd == nil {
		return errors.New("expected a command")
	}
	return nil
}

// Run implements [EventSource].
func (c Child) Run(ctx context.Context, out *Emitter) error {
	if err := c.Cmd.Start(); err != nil {
		c.report(err)
		return err
	}
	region := out.Region(ctx, c.Name, Attr{"pid", int64(c.Cmd.Process.Pid)})

	// The region ends with the process or with the experiment, whichever is first.
	var once sync.Once
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		end := func(x child.Exit) { once.Do(func() { region.finish(exitAttrs(x), atEnd) }) }
		if x, there := child.AwaitExit(c.Cmd.Process.Pid); there {
			end(x)
		}
		err := c.Cmd.Wait()
		end(child.ExitOf(c.Cmd.ProcessState))
		c.report(err)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		once.Do(func() { region.finish([]Attr{{"running", true}}, atEnd) })
	}
	return nil
}

func exitAttrs(x child.Exit) []Attr {
	if x.Signal != "" {
		return []Attr{{"signal", x.Signal}}
	}
	return []Attr{{"status", int64(x.Status)}}
}

func (c Child) report(err error) {
	if c.Ended != nil {
		c.Ended(err)
	}
}

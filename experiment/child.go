package experiment

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"sync"

	"github.com/winperf/winperf/internal/child"
)

// Child starts a command and emits a region for it, NAME, from when it was started to when it has
// ended. The attribute pid tells its process id, status its exit status or signal what ended it. On Linux the
// end is sampled before the process is gone for good, so that its own counters say what it has used in all.
//
// The command is started once. It goes on when the experiment ends before it.
type Child struct {
	Name string
	Cmd  *exec.Cmd
	// Ended, where there is one, is told how the command ended, as Cmd.Wait has it, or why it was
	// not started.
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
		c.tell(err)
		return err
	}
	region := out.Region(ctx, c.Name, Attr{"pid", int64(c.Cmd.Process.Pid)})

	// What comes first ends the region: the process, or the experiment.
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
		c.tell(err)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		once.Do(func() { region.finish([]Attr{{"running", true}}, atEnd) })
	}
	return nil
}

// exitAttrs tell how a program ended.
func exitAttrs(x child.Exit) []Attr {
	if x.Signal != "" {
		return []Attr{{"signal", x.Signal}}
	}
	return []Attr{{"status", int64(x.Status)}}
}

func (c Child) tell(err error) {
	if c.Ended != nil {
		c.Ended(err)
	}
}

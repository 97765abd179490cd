package trial

import (
	"context"
	"sync"
	"time"

	"github.com/winperf/winperf"
	await "github.com/winperf/winperf/internal/child"
	"github.com/winperf/winperf/measure"
)

// Variant is one of the compared commands.
type Variant struct {
	Name string
	Command
	// Interval is the time between samples of the command's processes; 0 takes none.
	Interval time.Duration
	// Paths are measured at the same times as additional load; their values are not kept.
	Paths []winperf.Path
}

// Options configure Run.
type Options struct {
	Variants             []Variant
	Repetitions, Warmups int // of each variant; 0 repetitions means 1
	Order                Order
	Seed                 uint64
	// Source samples the processes of this machine.
	Source winperf.Source
	// Around, if not nil, is called for each run and must call run, which runs the command. run calls
	// ended when the command has ended, on Linux before its process is removed.
	Around func(ctx context.Context, r *Result, run func(ctx context.Context, ended func(await.Exit)))
}

// Runs returns the number of runs in the plan.
func (o *Options) Runs() int { return len(o.Variants) * (max(o.Repetitions, 1) + o.Warmups) }

// Result is the result of one run.
type Result struct {
	Step
	Variant string    `json:"variant_name"`
	Args    []string  `json:"args"`
	Exit    Exit      `json:"exit"`
	Tree    TreeUsage `json:"tree"`
	Missed  int       `json:"missed,omitempty"` // missed samples of the process tree
	Err     string    `json:"error,omitempty"`  // the error of running or sampling it
}

// Run runs the commands and calls each with the result of each run, until each returns an error or ctx
// ends. A run stopped by ctx has a result, too. If a program cannot be started, Run ends.
func Run(ctx context.Context, opt Options, each func(*Result) error) error {
	plan := Plan(len(opt.Variants), max(opt.Repetitions, 1), opt.Warmups, opt.Order, opt.Seed)
	for _, step := range plan {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r := &Result{Step: step, Variant: opt.Variants[step.Variant].Name, Args: opt.Variants[step.Variant].Args}
		var err error
		work := func(ctx context.Context, ended func(await.Exit)) { err = runOnce(ctx, &opt, r, ended) }
		if opt.Around != nil {
			opt.Around(ctx, r, work)
		} else {
			work(ctx, func(await.Exit) {})
		}

		if err != nil {
			return err
		}
		if err := each(r); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func runOnce(ctx context.Context, opt *Options, r *Result, end func(await.Exit)) error {
	v := &opt.Variants[r.Step.Variant]
	var once sync.Once
	ended := func(x await.Exit) { once.Do(func() { end(x) }) }
	defer ended(await.Exit{Status: -1}) // if the command cannot be started
	w := &watcher{src: opt.Source}
	child, err := w.start(ctx, v.Command)
	if err != nil {
		return err
	}

	if v.Abort != nil {
		defer context.AfterFunc(v.Abort, func() {
			w.look() // after its end, its children have no parent
			child.kill()
		})()
	}

	// The command is sampled until its end, even after ctx has ended.
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if v.Interval > 0 && opt.Source != nil {
			r.Missed, err = v.follow(watching, w)
		}
	}()

	// If the system allows it, take a last sample before the process is removed.
	last, there := await.AwaitExit(child.PID())
	took := time.Since(child.began)
	if there {
		ended(last)
		stop()
		<-watched
		if v.Interval > 0 {
			w.look()
		}
	}
	exit, failed := child.Wait()
	ended(await.Exit{Status: exit.Status, Signal: exit.Signal})
	stop()
	<-watched

	// Missing samples do not affect the figures of the system.
	if err != nil {
		r.Err = err.Error()
	}
	r.Exit, r.Tree = exit, w.usage()
	if there {
		r.Exit.Time = took // without the last sample
	}
	if exit.Stopped {
		w.endOthers(child.remainingGrace(v.grace()), v.aborted)
	}
	return failed
}

func (v *Variant) follow(ctx context.Context, w *watcher) (missed int, err error) {
	sel := Selection()
	sel.Paths = append(sel.Paths, v.Paths...)
	opt := measure.Options{Interval: v.Interval, FramesOnly: len(v.Paths) == 0, KeepFirst: true}
	for cycle, err := range measure.Watch(ctx, w.src, sel, opt) {
		if err != nil {
			return missed, err
		}
		missed += cycle.Missed
		_ = cycle.Columns() // the same work as for a display
		w.add(cycle.Frame)
	}
	return missed, nil
}

// Disturbed returns the variants that show the cost of measuring a command: without measuring, and with
// measuring at these intervals.
func Disturbed(c Command, intervals []time.Duration, paths []winperf.Path) []Variant {
	all := []Variant{{Name: "not measured", Command: c}}
	for _, d := range intervals {
		all = append(all, Variant{Name: "every " + d.String(), Command: c, Interval: d, Paths: paths})
	}
	return all
}

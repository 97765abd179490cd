package trial

import (
	"context"
	"sync"
	"time"

	"github.com/winperf/winperf"
	await "github.com/winperf/winperf/internal/child"
	"github.com/winperf/winperf/measure"
)

// Variant is one of the commands that are compared.
type Variant struct {
	Name string
	Command
	// Interval is the time between two looks at the processes of the command; 0 is no look.
	Interval time.Duration
	// Paths are measured at the same times, as a load: what they read is not kept.
	Paths []winperf.Path
}

// Options say what is run how often.
type Options struct {
	Variants             []Variant
	Repetitions, Warmups int // of each variant; 0 repetitions means 1
	Order                Order
	Seed                 uint64
	// Source is where the processes of this machine are seen.
	Source winperf.Source
	// Around is called for each run and calls run, which runs the command; nil runs it at once.
	// run calls ended when the command has ended, on Linux while its process is still there.
	Around func(ctx context.Context, r *Result, run func(ctx context.Context, ended func(await.Exit)))
}

// Runs is how many runs the plan has.
func (o *Options) Runs() int { return len(o.Variants) * (max(o.Repetitions, 1) + o.Warmups) }

// Result is what became of one run.
type Result struct {
	Step
	Variant string    `json:"variant_name"`
	Args    []string  `json:"args"`
	Exit    Exit      `json:"exit"`
	Tree    TreeUsage `json:"tree"`
	Missed  int       `json:"missed,omitempty"` // samples of the tree that were due and not taken
	Err     string    `json:"error,omitempty"`  // why it could not be run or seen
}

// Run runs the commands by their plan and calls each with the result of each run, until that
// returns an error or ctx ends. A run that the end of ctx stopped has a result, too. A program
// that cannot be started ends it all.
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

// runOnce runs a command and looks at its processes meanwhile.
func runOnce(ctx context.Context, opt *Options, r *Result, end func(await.Exit)) error {
	v := &opt.Variants[r.Step.Variant]
	var once sync.Once
	ended := func(x await.Exit) { once.Do(func() { end(x) }) }
	defer ended(await.Exit{Status: -1}) // of a command that could not be started
	w := &watcher{src: opt.Source}
	child, err := w.start(ctx, v.Command)
	if err != nil {
		return err
	}

	if v.Hurry != nil {
		defer context.AfterFunc(v.Hurry, func() {
			w.look() // what it started is nobody's as soon as it is gone
			child.kill()
		})()
	}

	// The command is followed to its end, also when ctx has ended before it.
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if v.Interval > 0 && opt.Source != nil {
			r.Missed, err = v.follow(watching, w)
		}
	}()

	// Where the system lets that be, all is read once more before the process is gone for good.
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

	// That the processes could not be seen takes nothing from what the system says.
	if err != nil {
		r.Err = err.Error()
	}
	r.Exit, r.Tree = exit, w.usage()
	if there {
		r.Exit.Time = took // the last look is none of the command's time
	}
	if exit.Stopped {
		w.endOthers(child.left(v.grace()), v.hurried)
	}
	return failed
}

// follow looks at the processes until ctx ends.
func (v *Variant) follow(ctx context.Context, w *watcher) (missed int, err error) {
	sel := Selection()
	sel.Paths = append(sel.Paths, v.Paths...)
	opt := measure.Options{Interval: v.Interval, FramesOnly: len(v.Paths) == 0, KeepFirst: true}
	for cycle, err := range measure.Watch(ctx, w.src, sel, opt) {
		if err != nil {
			return missed, err
		}
		missed += cycle.Missed
		_ = cycle.Columns() // what somebody who watches would be shown
		w.add(cycle.Frame)
	}
	return missed, nil
}

// Disturbed are the variants that show what measuring costs a command: without measuring, and
// with it at these intervals.
func Disturbed(c Command, intervals []time.Duration, paths []winperf.Path) []Variant {
	all := []Variant{{Name: "not measured", Command: c}}
	for _, d := range intervals {
		all = append(all, Variant{Name: "every " + d.String(), Command: c, Interval: d, Paths: paths})
	}
	return all
}

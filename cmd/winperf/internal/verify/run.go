package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Options configure a verification.
type Options struct {
	// Sources are the URLs of the drivers, the base first; nil means all drivers for this machine.
	Sources []string
	// For limits the time for comparisons. A reader that is in use has some more seconds.
	For time.Duration
	// Long adds a check with many queries of each driver.
	Long bool
	// Install registers providers and removes them.
	Install Install
	// Keep keeps all looks for a bundle.
	Keep bool
	// Progress, if not nil, is called before each pass over the objects.
	Progress func(text string)
}

// passes is how often each object is compared; gauges need several looks, see [minGauge].
const passes = 6

// interval is the shortest time between two passes, from which rates are computed.
const interval = time.Second

// Report is the result of a verification.
type Report struct {
	Results []Result
	Checks  []Check
	Skipped []Skip
	Looks   []*Look // with Options.Keep

	comparison Comparison
}

// Check is the result of a single check.
type Check struct {
	Name   string
	Failed bool
	Detail string
}

// Skip is a part of the verification that was not tried.
type Skip struct{ What, Reason string }

// Differs reports whether a counter differs or a check failed.
func (r *Report) Differs() bool {
	return slices.ContainsFunc(r.Results, func(r Result) bool { return r.Differs }) ||
		slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Failed })
}

// Compared returns the number of compared values.
func (r *Report) Compared() (n int) {
	for i := range r.Results {
		n += r.Results[i].Compared
	}
	return n
}

func (r *Report) skip(what string, err error) {
	s := Skip{what, err.Error()}
	if !slices.Contains(r.Skipped, s) {
		r.Skipped = append(r.Skipped, s)
	}
}

// check adds a check; an error is its failure.
func (r *Report) check(name, detail string, err error) {
	c := Check{Name: name, Detail: detail}
	if err != nil {
		c.Failed, c.Detail = true, err.Error()
	}
	r.Checks = append(r.Checks, c)
}

// task is an object with the readers that can read it.
type task struct {
	object string
	base   reader
	others []reader
}

// compare compares all readers, pass after pass, until end.
func (r *Report) compare(ctx context.Context, readers []reader, end time.Time, opt Options) {
	tasks := r.tasks(ctx, readers)
	for pass := range passes {
		if opt.Progress != nil {
			opt.Progress(fmt.Sprintf("comparing %d objects, pass %d of %d", len(tasks), pass+1, passes))
		}

		next := time.Now().Add(interval)
		for i := range tasks {
			if ctx.Err() == nil && time.Now().Before(end) {
				r.compareObject(ctx, &tasks[i], pass, &r.comparison, opt)
				if ctx.Err() == nil {
					continue
				}
			}
			r.late(tasks, pass, i)
			return
		}
		if pass < passes-1 {
			rest(ctx, time.Until(next))
		}
	}
	r.unmatched(tasks)
}

// unmatched reports the readers that had values, but none that the base has, too.
func (r *Report) unmatched(tasks []task) {
	type pair struct{ object, reader string }
	matched := map[pair]bool{}
	for key := range r.comparison.results {
		matched[pair{key.Object, key.reader}] = true
	}
	for _, t := range tasks {
		for _, other := range t.others {
			if !matched[pair{t.object, other.name}] {
				r.skip(t.object+" by "+other.name, fmt.Errorf("no value of it is known to %s", t.base.name))
			}
		}
	}
}

// keep keeps a look for a bundle. Raw samples have its values, too.
func (r *Report) keep(l *Look) {
	kept := *l
	if l.sample != nil && l.sample.CheckRaw() == nil {
		kept.Counters = nil
	}
	r.Looks = append(r.Looks, &kept)
}

// late reports the objects that were not compared often enough. Objects from position i on have one look
// less.
func (r *Report) late(tasks []task, pass, i int) {
	for n, t := range tasks {
		looks := pass
		if n < i {
			looks++
		}
		switch {
		case looks == 0:
			r.skip(t.object, errLate)
		case looks < minGauge:
			r.skip("more than "+times(looks)+" of "+t.object, errLate)
		}
	}
}

var errLate = errors.New("no time left, see --for")

func times(n int) string {
	if n == 1 {
		return "1 look"
	}
	return fmt.Sprintf("%d looks", n)
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// tasks finds the base of each object, which is the first reader that has it and can be a base, and the
// other readers.
func (r *Report) tasks(ctx context.Context, readers []reader) (tasks []task) {
	for _, reader := range readers {
		var objects []string
		if reader.objects != nil {
			var err error
			if objects, err = reader.objects(ctx); err != nil {
				r.skip(reader.name, err)
				continue
			}
		}

		for i := range tasks {
			if reader.objects == nil || slices.Contains(objects, tasks[i].object) {
				tasks[i].others = append(tasks[i].others, reader)
			}
		}
		known := func(o string) bool {
			return slices.ContainsFunc(tasks, func(t task) bool { return t.object == o })
		}
		for _, o := range objects {
			if reader.isBase && !known(o) {
				tasks = append(tasks, task{object: o, base: reader})
			}
		}
	}
	return slices.DeleteFunc(tasks, func(t task) bool { return len(t.others) == 0 })
}

// compareObject asks the base and the other readers in turn.
func (r *Report) compareObject(ctx context.Context, t *task, pass int, c *Comparison, opt Options) {
	take := func(from reader) *Look {
		l, err := from.look(ctx, t.object)
		if err != nil {
			if ctx.Err() != nil {
				err = errLate
			}
			r.skip(fmt.Sprintf("%s by %s", t.object, from.name), err)
			return nil
		}
		l.Pass = pass
		if opt.Keep {
			r.keep(l)
		}
		return l
	}

	before := take(t.base)
	if before == nil {
		t.others = nil
		return
	}
	t.others = slices.DeleteFunc(t.others, func(other reader) bool {
		look := take(other)
		if look == nil {
			return true
		}
		after := take(t.base)
		if after == nil {
			return false
		}
		c.Add(before, look, after)
		before = after
		return false
	})
}

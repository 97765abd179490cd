package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/internal/suggest"
	"github.com/winperf/winperf/measure"
)

// maxFailures is the number of consecutive failed samples after which an event source gives up.
const maxFailures = 10

// look samples a path of one source ("" is the first) at every interval and passes each cycle to see.
func look(
	ctx context.Context, out *Emitter, origin string, path winperf.Path, every time.Duration,
	see func(*measure.Cycle),
) error {
	o, err := out.origin(origin)
	if err != nil {
		return err
	}
	opt := measure.Options{Clock: out.Clock(), CostlyTogether: true, Names: out.experiment.opt.Names}
	m := measure.New(o.Source, winperf.Selection{Paths: []winperf.Path{path}}, opt)
	defer m.Close()

	due := schedule.New(every, out.Clock())
	for failures := 0; ctx.Err() == nil; {
		due.Begin()
		cycle, err := m.Cycle(ctx)
		due.End()

		switch {
		case err == nil && unreadable(cycle):
		case err == nil:
			failures = 0
			see(cycle)
		case ctx.Err() != nil:
			return nil
		default:
			if failures++; failures == maxFailures {
				return fmt.Errorf("%d samples failed in a row: %w", failures, err)
			}
		}
		if _, _, err := due.Wait(ctx); err != nil {
			return nil
		}
	}
	return nil
}

// unreadable reports whether damage hid the instances: it does not mean that they have ended.
func unreadable(c *measure.Cycle) bool {
	if len(c.Damage) == 0 {
		return false
	}
	columns := c.Columns()
	return !slices.ContainsFunc(columns, func(col winperf.Column) bool {
		return slices.ContainsFunc(col.Status, func(s counter.Status) bool { return s != counter.NoObject })
	})
}

func (o *Emitter) origin(name string) (sensor.Origin, error) {
	origins := o.Origins()
	i := slices.IndexFunc(origins, func(x sensor.Origin) bool { return strings.EqualFold(x.Name, name) })
	switch {
	case i >= 0:
		return origins[i], nil
	case name == "":
		return origins[0], nil
	}
	names := func(yield func(string) bool) {
		for _, x := range origins {
			if !yield(x.Name) {
				return
			}
		}
	}
	return sensor.Origin{}, unknown("source", name, suggest.Closest(name, names))
}

// Instances emits an event when an instance of an object appears, NAME.begin, and when it disappears,
// NAME.end. It takes a sample at every interval; an instance that lives only between two samples is not
// seen. The attribute "within" is the time since the previous sample. Instances in the first sample make
// no event.
type Instances struct {
	Name string
	// Path is a counter of the instances: \Process(editor*)\ID Process.
	Path winperf.Path
	// Origin is the name of the source, "" the first.
	Origin string
	// Every is the time between two samples; 0 means one second.
	Every time.Duration
}

// Describe implements [EventSource].
func (i Instances) Describe() EventSourceInfo {
	return EventSourceInfo{
		Name: i.Name, Kind: "instances", Detail: i.Path.String(),
		Events: []string{i.Name + ".begin", i.Name + ".end"}, Interval: schedule.Interval(i.Every),
	}
}

// WithInterval returns a copy with another interval.
func (i Instances) WithInterval(d time.Duration) EventSource {
	i.Every = d
	return i
}

func (i Instances) check() error {
	if !i.Path.HasInstance {
		return fmt.Errorf("path %s: expected one with instances, such as \\Process(*)\\ID Process", i.Path)
	}
	return i.Path.Validate()
}

func (i Instances) reads() {}

// Run implements [EventSource].
func (i Instances) Run(ctx context.Context, out *Emitter) error {
	var before population
	clock, last := out.Clock(), time.Duration(0)
	return look(ctx, out, i.Origin, i.Path, i.Every, func(c *measure.Cycle) {
		now := clock.Elapsed()
		within := now - last
		last = now

		added, left := before.update(c)
		for _, in := range left {
			out.Event(ctx, i.Name+".end", in.attrs(within)...)
		}
		for _, in := range added {
			out.Event(ctx, i.Name+".begin", in.attrs(within)...)
		}
	})
}

// Processes emits an event when a process of a name begins, NAME.begin, and when it ends, NAME.end, like
// [Instances].
type Processes struct {
	Name string
	// Match is the name of the processes; wildcards are allowed.
	Match string
	// Origin is the name of the source, "" the first.
	Origin string
	// Every is the time between two samples; 0 means one second.
	Every time.Duration
}

func (p Processes) instances() Instances {
	path := winperf.Path{Object: "Process", Instance: p.Match, Counter: "ID Process", HasInstance: true}
	if !path.HasWildcard() {
		path.Index = winperf.AnyIndex // all processes of that name
	}
	return Instances{Name: p.Name, Path: path, Origin: p.Origin, Every: p.Every}
}

// Describe implements [EventSource].
func (p Processes) Describe() EventSourceInfo {
	info := p.instances().Describe()
	info.Kind, info.Detail = "process", p.Match
	return info
}

// WithInterval returns a copy with another interval.
func (p Processes) WithInterval(d time.Duration) EventSource {
	p.Every = d
	return p
}

func (p Processes) check() error {
	if p.Match == "" {
		return errors.New("expected the name of the processes, or a pattern")
	}
	return p.instances().check()
}

func (p Processes) reads() {}

// Run implements [EventSource].
func (p Processes) Run(ctx context.Context, out *Emitter) error { return p.instances().Run(ctx, out) }

type population struct {
	seen    bool
	members map[lastingID]instance
	spare   map[lastingID]instance
}

type instance struct{ name, key string }

func (i instance) attrs(within time.Duration) []Attr {
	attrs := []Attr{{"instance", i.name}}
	if i.key != "" {
		attrs = append(attrs, Attr{"key", i.key})
	}
	return append(attrs, Attr{"within", within})
}

// update replaces the instances by the instances of a cycle and returns the differences, sorted by name.
func (p *population) update(c *measure.Cycle) (added, left []instance) {
	now := p.spare
	if now == nil {
		now = map[lastingID]instance{}
	}
	clear(now)
	columns := c.Columns()
	for i := range columns {
		for _, s := range columns[i].AllSeries() {
			if s.ID.Counter != nil && s.ObjectID != (winperf.ObjectID{}) {
				now[idOf(s).lasting()] = instance{s.Path.InstanceText(), s.Key}
			}
		}
	}

	if p.seen {
		added, left = missing(now, p.members), missing(p.members, now)
	}
	p.seen, p.members, p.spare = true, now, p.members
	return added, left
}

func missing(of, in map[lastingID]instance) (all []instance) {
	for id, x := range of {
		if _, there := in[id]; !there {
			all = append(all, x)
		}
	}
	sorted.Func(all, func(a, b instance) int {
		return strings.Compare(a.name+"\x00"+a.key, b.name+"\x00"+b.key)
	})
	return all
}

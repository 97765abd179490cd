package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/screen"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/internal/titles"
	"github.com/winperf/winperf/measure"
)

// follow shows a live source until it ends, or a key ends the command.
func (r *reader) follow(
	ctx context.Context, src winperf.Source, sel winperf.Selection, opt measure.Options, out *destination,
) error {
	for {
		inner, action := out.terminal.until(ctx, func(a screen.Action) bool {
			if a.Kind == screen.Load {
				r.load(ctx, src, out, a.Text)
			}
			return a.Kind == screen.Select
		})
		err := r.watch(inner, src, sel, opt, out)
		a := action()
		if a == nil || err != nil || ctx.Err() != nil {
			return err
		}

		sel = r.choosePaths(ctx, src, sel, &opt, a.Paths)
		opt.KeepFirst = true
		if opt.Count > 0 {
			opt.Count = max(int(r.count)-r.tally.Cycles, 1)
		}
		out.terminal.change(func(s *screen.Screen) {
			s.Restart(false, false)
			s.Pause(false)
		})
	}
}

// choosePaths returns a selection of other paths for the tables.
func (r *reader) choosePaths(
	ctx context.Context, src winperf.Source, sel winperf.Selection, opt *measure.Options, paths []winperf.Path,
) winperf.Selection {
	r.paths, r.pathsGiven = paths, false
	r.tally.Choose(len(paths))
	sel.Paths = r.withSummary(paths)
	r.unlisted = input.FindUnlisted(ctx, src, &sel, opt, &r.output)
	return sel
}

// withSummary adds the paths of the summary.
func (r *reader) withSummary(paths []winperf.Path) []winperf.Path {
	if !r.summary {
		return paths
	}
	return append(slices.Clip(paths), screen.SummaryPaths()...)
}

// otherwise returns the paths of the first object with instances of a log without processes, if the user
// gave no paths.
func (r *reader) otherwise(ctx context.Context, src winperf.Source, paths []winperf.Path) []winperf.Path {
	if r.live || r.pathsGiven {
		return paths
	}
	c := catalogue.ReadCatalogueNow(ctx, src, true)
	defer c.Close()

	first := slices.IndexFunc(c.Objects, func(o catalogue.KnownObject) bool { return o.Multi })
	for i, o := range c.Objects {
		isProcess := o.ID.Index == titles.Process || strings.EqualFold(o.Name, "Process")
		if isProcess && !strings.HasPrefix(o.Name, "#") { // a source without names has only numbers
			return paths
		}
		if first < 0 {
			first = i
		}
	}

	if first >= 0 {
		r.paths = screen.DefaultPaths(browsed(c.Objects[first]))
		r.tally.Choose(len(r.paths))
		return r.paths
	}
	return paths
}

// load reads the objects of the source for the browser, with the counters of a costly object if it is
// named.
func (r *reader) load(ctx context.Context, src winperf.Source, out *destination, costly string) {
	go func() {
		var paths []winperf.Path
		if costly != "" {
			paths = append(paths, winperf.Path{Object: costly})
		}
		c := catalogue.ReadCatalogueNow(ctx, src, false, paths...)
		defer c.Close()

		var all []screen.Object
		for _, o := range c.Objects {
			all = append(all, browsed(o))
		}
		for name := range c.ObjectNames() {
			if !slices.ContainsFunc(all, func(o screen.Object) bool { return o.Name == name }) {
				all = append(all, screen.Object{Name: name, Multi: true, Costly: true})
			}
		}
		sorted.Func(all, func(a, b screen.Object) int { return strings.Compare(a.Name, b.Name) })
		out.terminal.change(func(s *screen.Screen) { s.SetObjects(all) })
	}()
}

func browsed(o catalogue.KnownObject) screen.Object {
	shown := screen.Object{Name: o.Name, Help: o.Help, Multi: o.Multi, Instances: o.Len()}
	shown.Counters = []screen.Counter{} // not nil: they are known
	for _, c := range o.Counters {
		counter := screen.Counter{Name: c.Name, Help: c.Help}
		if c.Of != nil {
			counter.Unit, counter.Type = c.Of.Type.Unit(), c.Of.Type.String()
		}
		shown.Counters = append(shown.Counters, counter)
	}
	return shown
}

// player shows a log.
type player struct {
	*reader
	src   winperf.Source
	out   *destination
	times []time.Time // of all samples
	at    int         // the shown sample
	seen  int         // number of samples in the tally
}

// play shows a log: watch from its first to its last sample, top at its last sample until a key ends it.
func (r *reader) play(
	ctx context.Context, src winperf.Source, sel winperf.Selection, opt measure.Options, out *destination,
) error {
	p := &player{reader: r, src: src, out: out}
	var err error
	if p.times, err = input.SampleTimes(ctx, src, sel); err != nil || len(p.times) == 0 {
		if err == nil && ctx.Err() == nil {
			err = r.noSample(ctx, src)
		}
		return err
	}

	if r.top && r.how.speed == 0 {
		p.at = len(p.times) - 1
		out.terminal.change(func(s *screen.Screen) { s.Pause(true) })
	}

	opt.Speed, opt.KeepFirst = 0, true
	for ctx.Err() == nil {
		const before = 60 // samples that fill the histories
		from := sel
		if begin := max(p.at-before, 0); begin > 0 {
			from.Begin = p.times[begin]
		}
		a, err := p.run(ctx, from, opt)
		switch {
		case err != nil || a == nil:
			return err
		case a.Kind == screen.Select:
			sel = r.choosePaths(ctx, src, sel, &opt, a.Paths)
		}
		out.terminal.change(func(s *screen.Screen) { s.Restart(a.Kind != screen.Select, true) })
	}

	return nil
}

// run shows samples until an action needs other samples; it returns nil at the end.
func (p *player) run(
	ctx context.Context, sel winperf.Selection, opt measure.Options,
) (*screen.Action, error) {
	last := -1 // the last sample that was read
	i := sort.Search(len(p.times), func(k int) bool { return !p.times[k].Before(sel.Begin) })
	if sel.Begin.IsZero() {
		i = 0
	}

	for m, err := range logs.Read(ctx, []*logs.Log{{Source: p.src}}, sel, opt) {
		if err != nil {
			return nil, err
		}
		if len(m.Cycles) == 0 {
			p.app.Damaged(m.Damage)
			break
		}

		cycle := m.Cycles[0]
		for i+1 < len(p.times) && p.times[i].Before(cycle.Time) {
			i++
		}
		if i+1 > p.seen {
			p.seen = i + 1
			p.tally.Count(cycle)
		}
		p.out.terminal.change(func(s *screen.Screen) { s.SetPlace(screen.Place{Index: i, Count: len(p.times)}) })
		p.show(cycle, p.out)
		last = i
		if i++; last < p.at {
			continue // it only fills the histories
		}

		p.at = last
		if a := p.wait(ctx); a != nil || ctx.Err() != nil {
			return a, nil
		}
		p.at = i
	}

	// Samples that cannot be decoded are missing at the end of a damaged log.
	if p.top && last >= 0 && ctx.Err() == nil {
		p.times, p.at = p.times[:last+1], last
		return &screen.Action{Kind: screen.Seek}, nil
	}
	return nil, nil
}

// wait returns nil when the next sample is due, or an action that needs other samples.
func (p *player) wait(ctx context.Context) *screen.Action {
	last := p.at >= len(p.times)-1
	if last && !p.top {
		return nil
	}
	for ctx.Err() == nil {
		var due <-chan time.Time
		switch {
		case p.playing() && last:
			p.out.terminal.change(func(s *screen.Screen) { s.Pause(true) })
		case p.playing():
			due = time.After(p.gap())
		}

		select {
		case <-ctx.Done():
		case <-due:
			return nil
		case a := <-p.out.terminal.actions:
			switch to := p.handle(ctx, &a); {
			case to == p.at+1:
				return nil
			case to != p.at || a.Kind == screen.Select:
				p.at = to
				return &a
			}
		}
	}

	return nil
}

func (p *player) playing() bool {
	p.out.terminal.mu.Lock()
	defer p.out.terminal.mu.Unlock()
	return !p.out.terminal.screen.Paused()
}

// gap returns the time until the next sample.
func (p *player) gap() time.Duration {
	const shown = 100 * time.Millisecond
	switch {
	case p.how.speed > 0:
		return max(time.Duration(float64(p.times[p.at+1].Sub(p.times[p.at]))/float64(p.how.speed)), 0)
	case p.top:
		return shown
	}
	return 0
}

// handle handles an action and returns the sample to show.
func (p *player) handle(ctx context.Context, a *screen.Action) int {
	last := len(p.times) - 1
	to := p.at

	switch a.Kind {
	case screen.Load:
		p.load(ctx, p.src, p.out, a.Text)
	case screen.Play:
		if p.playing() && p.at == last {
			to = 0
		}
	case screen.Step:
		to += a.By
	case screen.Jump:
		if to += a.By * last / 100; to == p.at {
			to += a.By / 10 // a log of less than ten samples
		}
	case screen.Seek:
		found, err := p.seek(ctx, a.Text)
		if err != nil {
			p.out.terminal.change(func(s *screen.Screen) { s.Note(err.Error()) })
			return p.at
		}
		to = found
	}

	return max(min(to, last), 0)
}

// seek returns the first sample at or after a time, or the last one.
func (p *player) seek(ctx context.Context, text string) (int, error) {
	last := len(p.times) - 1
	if number, is := strings.CutSuffix(text, "%"); is {
		percent, err := strconv.ParseFloat(number, 64)
		if err != nil || percent < 0 || percent > 100 {
			return 0, errors.New("expected a percentage from 0% to 100%")
		}
		return int(percent / 100 * float64(last)), nil
	}

	m := input.Moments{Zone: p.anomalies.zone, Records: []winperf.Source{p.src}}
	t, err := m.Parse(ctx, text, false)
	switch {
	case strings.EqualFold(text, "end"):
		return last, nil
	case err != nil:
		return 0, fmt.Errorf("%s: expected a time such as 15:42, +90s, 50%% or end", text) // fits the line
	case text == "":
		return p.at, nil
	}

	return sort.Search(last, func(k int) bool { return !p.times[k].Before(t) }), nil
}

package experiment

import (
	"context"
	"log/slog"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Program connects the events of a program's code with experiments. Each process has one, see [Process].
// Make others for tests, or to separate events. The zero Program has no experiments. It may be used from
// any goroutine.
type Program struct {
	attached atomic.Pointer[attachment]
	events   atomic.Uint64
	sources  sharing

	mu    sync.Mutex
	known map[string]struct{}
}

// process is the attach point that Event and Region use. It is the only variable of this package that
// changes.
var process Program

// Process returns the attach point of this process, where experiments are attached by default.
func Process() *Program { return &process }

// Event emits an event to all experiments attached to this process. See [Program.Event].
func Event(ctx context.Context, name string, attrs ...slog.Attr) { process.Event(ctx, name, attrs...) }

// Region begins a region for all experiments attached to this process. See [Program.Region].
func Region(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, OpenRegion) {
	return process.Region(ctx, name, attrs...)
}

// Event emits an event. It returns when the samples of the event have begun, or when ctx ends: the event
// is then measured later. A sample that takes only a few microseconds is taken in the calling goroutine.
// Without an experiment that is bound to the name Event returns at once and allocates nothing. Attributes
// after the first 128 are omitted and counted in the attribute "attributes left out".
func (p *Program) Event(ctx context.Context, name string, attrs ...slog.Attr) {
	if a := p.attached.Load(); a != nil {
		a.event(ctx, name, attrs)
	}
}

// Region begins a region, a part of the program that is measured as a whole. It returns when the samples
// of its begin are complete, so that the region does not measure itself, or when ctx ends. Regions may be
// nested (by the returned context), may overlap, and may end in another goroutine.
func (p *Program) Region(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, OpenRegion) {
	if a := p.attached.Load(); a != nil {
		return a.region(ctx, name, attrs)
	}
	return ctx, OpenRegion{}
}

// Declare adds names of events to Names before they are emitted.
func (p *Program) Declare(names ...string) {
	for _, name := range names {
		p.remember(name)
	}
}

// Names returns the known names of events, sorted: declared names, and names of events emitted while an
// experiment was attached. It omits events of Options.Events unless Options.Public is set. It returns at
// most 10,000 names of at most 1,024 bytes.
func (p *Program) Names() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	names := make([]string, 0, len(p.known))
	for name := range p.known {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// maxNames and maxEventName (in bytes) limit the names that are remembered. Other events are measured,
// but their bindings are looked up each time.
const (
	maxNames     = 10_000
	maxEventName = 1024
)

func (p *Program) remember(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, there := p.known[name]; there {
		return true
	}
	if len(p.known) >= maxNames || len(name) > maxEventName {
		return false
	}
	if p.known == nil {
		p.known = map[string]struct{}{}
	}
	p.known[strings.Clone(name)] = struct{}{} // name may be part of a larger string
	return true
}

// Experiments returns the attached experiments in the order of attachment.
func (p *Program) Experiments() []*Experiment {
	if a := p.attached.Load(); a != nil {
		return slices.Clone(a.experiments)
	}
	return nil
}

// attach and detach replace the attachment; events in progress keep the previous one.
func (p *Program) attach(e *Experiment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set(append(p.Experiments(), e))
}

func (p *Program) detach(e *Experiment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set(slices.DeleteFunc(p.Experiments(), func(other *Experiment) bool { return other == e }))
}

func (p *Program) set(experiments []*Experiment) {
	if len(experiments) == 0 {
		p.attached.Store(nil)
		return
	}
	p.attached.Store(&attachment{program: p, experiments: experiments})
}

// attachment is the set of attached experiments. Only the cache of routes changes.
type attachment struct {
	program     *Program
	experiments []*Experiment
	routes      sync.Map
}

func (a *attachment) route(name string) []*binding {
	if found, ok := a.routes.Load(name); ok {
		return found.([]*binding)
	}

	var bindings []*binding
	for _, e := range a.experiments {
		bindings = append(bindings, e.bound(name)...)
	}
	if a.program.remember(name) {
		a.routes.Store(strings.Clone(name), bindings)
	}
	return bindings
}

func (a *attachment) event(ctx context.Context, name string, attrs []slog.Attr) {
	bindings := a.route(name)
	if len(bindings) == 0 {
		return
	}
	ctx = orBackground(ctx)
	info := a.info(ctx, name, attrs)
	logTrace(ctx, "event", &info)
	emitPoint(ctx, bindings, &info)
}

func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

func (a *attachment) info(ctx context.Context, name string, attrs []slog.Attr) EventInfo {
	info := EventInfo{Name: name, Source: "code", ID: a.program.events.Add(1), Attrs: copyAttrs(attrs)}
	if around := regionFrom(ctx, a.program); around != nil {
		info.Parent = around.info.ID
	}
	return info
}

func emitPoint(ctx context.Context, bindings []*binding, info *EventInfo) {
	now := time.Now()
	if len(bindings) == 1 {
		if b := bindings[0]; b.experiment.measuring() {
			b.experiment.stamp(ctx, info)
			b.await(ctx, b.submit(ctx, b.newTicket(now, atBegin), info, true))
		}
		return
	}

	tickets := make([]*ticket, len(bindings))
	submitAll(ctx, bindings, tickets, info, func(i int) *ticket { return bindings[i].newTicket(now, atBegin) })
	awaitAll(ctx, bindings, tickets)
}

// submitAll submits an event to bindings, and sets tickets to the tickets that the caller must wait for.
// Bindings of one experiment get the same time.
func submitAll(
	ctx context.Context, bindings []*binding, tickets []*ticket, info *EventInfo, made func(i int) *ticket,
) {
	var of *Experiment
	for i, b := range bindings {
		if b.experiment != of {
			of = b.experiment
			of.stamp(ctx, info)
		}
		if of.measuring() {
			tickets[i] = b.submit(ctx, made(i), info, len(bindings) == 1)
		}
	}
}

func awaitAll(ctx context.Context, bindings []*binding, tickets []*ticket) {
	for i, t := range tickets {
		bindings[i].await(ctx, t)
	}
}

// logTrace writes the event to the execution trace, if one is active, in the task of ctx.
func logTrace(ctx context.Context, what string, info *EventInfo) {
	if trace.IsEnabled() {
		trace.Logf(ctx, "winperf", "%s %d %s", what, info.ID, info.Name)
	}
}

const maxAttrs = 128

const omittedAttrs = "attributes left out"

// copyAttrs copies attributes, whose memory belongs to the caller. Attributes in a group get its name as
// a prefix.
func copyAttrs(attrs []slog.Attr) []Attr {
	if len(attrs) == 0 {
		return nil
	}
	to := attrList{list: make([]Attr, 0, min(len(attrs), maxAttrs+1))}
	for i := range attrs {
		to.add("", attrs[i], 0)
	}
	if to.left > 0 {
		to.list = append(to.list, Attr{omittedAttrs, int64(to.left)})
	}
	return to.list
}

type attrList struct {
	list []Attr
	left int // attributes omitted because the list is full
}

func (l *attrList) add(prefix string, a slog.Attr, depth int) {
	v := a.Value.Resolve()
	switch {
	case v.Kind() == slog.KindGroup && depth < 8:
		if a.Key != "" {
			prefix += a.Key + "."
		}
		for _, in := range v.Group() {
			l.add(prefix, in, depth+1)
		}
	case a.Key == "" && v.Equal(slog.Value{}): // ignored, as in slog
	case len(l.list) >= maxAttrs:
		l.left++
	case v.Kind() == slog.KindAny || v.Kind() == slog.KindGroup:
		l.list = append(l.list, Attr{prefix + a.Key, v.String()})
	default:
		l.list = append(l.list, Attr{prefix + a.Key, v.Any()})
	}
}

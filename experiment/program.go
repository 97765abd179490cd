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

// Program is where the events of a program's code and the experiments meet. A process has one,
// see [Process]; others are for tests, and for programs that keep some events apart. The zero
// Program has no experiments. It may be used from any goroutine.
type Program struct {
	attached atomic.Pointer[attachment] // nil: none
	events   atomic.Uint64              // ids given so far
	sources  sharing                    // that experiments measure

	mu    sync.Mutex // guards what follows, and changes of attached
	known map[string]struct{}
}

// process is the attach point of this process, what Event and Region look at. It is the one
// variable of this room that changes: one pointer, nil as long as no experiment is attached.
var process Program

// Process is the attach point of this process, where experiments are attached by default.
func Process() *Program { return &process }

// Event says that something happened, to all experiments that are attached to this process.
// See [Program.Event].
func Event(ctx context.Context, name string, attrs ...slog.Attr) { process.Event(ctx, name, attrs...) }

// Region begins a part of the program that is measured as a whole, by all experiments that are
// attached to this process. See [Program.Region].
func Region(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, OpenRegion) {
	return process.Region(ctx, name, attrs...)
}

// Event says that something happened. It returns when the samples of the event are begun, or at
// the end of ctx: then the event is measured all the same, as soon as possible. A sample that is
// complete sooner than another goroutine could begin it, in a few microseconds, is taken here.
// Without an experiment that is bound to the name Event returns at once and allocates nothing.
// Of more than 128 attributes the others are left out, and one more, "attributes left out", counts them.
func (p *Program) Event(ctx context.Context, name string, attrs ...slog.Attr) {
	if a := p.attached.Load(); a != nil {
		a.event(ctx, name, attrs)
	}
}

// Region begins a part of the program that is measured as a whole. It returns when the samples of
// its begin are complete, so that it does not measure itself, or at the end of ctx. Regions may be
// nested, which the context that it returns tells, may overlap, and may end in another goroutine.
func (p *Program) Region(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, OpenRegion) {
	if a := p.attached.Load(); a != nil {
		return a.region(ctx, name, attrs)
	}
	return ctx, OpenRegion{}
}

// Declare makes names of events known before they happen for the first time, for those who look
// for something to bind sensors to.
func (p *Program) Declare(names ...string) {
	for _, name := range names {
		p.learn(name)
	}
}

// Names are the names of events that are known by now, sorted: those that were declared, and those that
// happened while an experiment was attached. Those that only one experiment gets are not among them. There
// are 10,000 at most, of 1,024 bytes at most.
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

// maxNames and maxEventName, in bytes, bound the names of events that are remembered. Events of other
// names are measured, but their bindings are looked up each time.
const (
	maxNames     = 10_000
	maxEventName = 1024
)

// learn remembers a name. It reports whether there was room.
func (p *Program) learn(name string) bool {
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
	p.known[strings.Clone(name)] = struct{}{} // it may be a part of much
	return true
}

// Experiments are those that are attached, in the order in which they were.
func (p *Program) Experiments() []*Experiment {
	if a := p.attached.Load(); a != nil {
		return slices.Clone(a.experiments)
	}
	return nil
}

// attach and detach exchange the attachment: events under way keep the former one.
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

// attachment is the experiments of a program, with what they are bound to. It does not change,
// but for names that are looked up.
type attachment struct {
	program     *Program
	experiments []*Experiment
	routes      sync.Map // []*binding by name of the event
}

// route finds the bindings of an event.
func (a *attachment) route(name string) []*binding {
	if found, ok := a.routes.Load(name); ok {
		return found.([]*binding)
	}

	var bindings []*binding
	for _, e := range a.experiments {
		bindings = append(bindings, e.bound(name)...)
	}
	if a.program.learn(name) {
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

// orBackground is a context for programs that pass none: without an experiment they would run.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// info is what is known about an event of code before it is handed to anybody.
func (a *attachment) info(ctx context.Context, name string, attrs []slog.Attr) EventInfo {
	info := EventInfo{Name: name, Source: "code", ID: a.program.events.Add(1), Attrs: copyAttrs(attrs)}
	if around := regionOf(ctx, a.program); around != nil {
		info.Parent = around.info.ID
	}
	return info
}

// emitPoint emits an event and waits until its samples are begun.
func emitPoint(ctx context.Context, bindings []*binding, info *EventInfo) {
	now := time.Now()
	if len(bindings) == 1 { // nearly always, and nothing need be kept
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

// submitAll hands an event to bindings, and puts what is to be waited for into as many tickets.
// Bindings of one experiment are told the same time.
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

// awaitAll waits for the tickets of as many bindings.
func awaitAll(ctx context.Context, bindings []*binding, tickets []*ticket) {
	for i, t := range tickets {
		bindings[i].await(ctx, t)
	}
}

// logTrace puts the event into the execution trace, where one is being taken: in the task of ctx,
// with the id that the record has.
func logTrace(ctx context.Context, what string, info *EventInfo) {
	if trace.IsEnabled() {
		trace.Logf(ctx, "winperf", "%s %d %s", what, info.ID, info.Name)
	}
}

// maxAttrs bounds the attributes of an event.
const maxAttrs = 128

// leftOut is the attribute that tells how many others there was no room for.
const leftOut = "attributes left out"

// copyAttrs copies attributes, whose memory is the caller's. Those of a group have its name
// before theirs.
func copyAttrs(attrs []slog.Attr) []Attr {
	if len(attrs) == 0 {
		return nil
	}
	to := attrList{list: make([]Attr, 0, min(len(attrs), maxAttrs+1))}
	for i := range attrs {
		to.add("", attrs[i], 0)
	}
	if to.left > 0 {
		to.list = append(to.list, Attr{leftOut, int64(to.left)})
	}
	return to.list
}

// attrList are attributes that were copied.
type attrList struct {
	list []Attr
	left int // that are not in the list, as it is full
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
	case a.Key == "" && v.Equal(slog.Value{}): // as slog has it
	case len(l.list) >= maxAttrs:
		l.left++
	case v.Kind() == slog.KindAny || v.Kind() == slog.KindGroup:
		l.list = append(l.list, Attr{prefix + a.Key, v.String()})
	default:
		l.list = append(l.list, Attr{prefix + a.Key, v.Any()})
	}
}

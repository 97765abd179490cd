package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	protocol "github.com/winperf/winperf/internal/control"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/delivery"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/suggest"
)

var operations = map[string]func(*conn, context.Context, *protocol.Request) (any, error){
	"list":    (*conn).list,
	"sensors": (*conn).sensors,
	"attach":  (*conn).attach,
	"receive": (*conn).receiveRecords,
	"ack":     (*conn).ack,
	"detach":  (*conn).detach,
	"pause":   (*conn).pause,
	"resume":  (*conn).resume,
	"change":  (*conn).change,
}

func (c *conn) do(ctx context.Context, r *protocol.Request) (any, error) {
	if op := operations[r.Op]; op != nil {
		return op(c, ctx, r)
	}
	names := func(yield func(string) bool) {
		for name := range operations {
			if !yield(name) {
				return
			}
		}
	}
	meant := protocol.DidYouMean(suggest.Closest(r.Op, names))
	return nil, protocol.Errorf("bad_request", "there is no operation %q%s", r.Op, meant)
}

func toError(err error) *protocol.Error {
	var coded *protocol.Error
	switch {
	case errors.As(err, &coded):
		return coded
	case errors.Is(err, experiment.ErrUnknown):
		return protocol.Errorf("unknown", "%s", textWithout(experiment.ErrUnknown, err))
	case errors.Is(err, winperf.ErrState):
		return protocol.Errorf("state", "%s", textWithout(winperf.ErrState, err))
	case errors.Is(err, winperf.ErrPath), errors.Is(err, sensor.ErrName),
		errors.Is(err, winperf.ErrNotSupported):
		return protocol.Errorf("bad_request", "%v", err)
	}
	return protocol.Errorf("failed", "%v", err)
}

// textWithout returns the text of an error without that of the error it wraps, which the code replaces.
func textWithout(wrapped, err error) string {
	return strings.TrimSuffix(err.Error(), ": "+wrapped.Error())
}

func (c *conn) list(ctx context.Context, _ *protocol.Request) (any, error) {
	s := c.server
	l := protocol.Listing{
		Program: s.opt.Name, PID: os.Getpid(), Sources: []string{}, Events: s.opt.Program.Names(),
		Experiments: []protocol.Experiment{},
	}
	origins, err := s.sources.get(ctx)
	if err != nil {
		return nil, err
	}
	for _, o := range origins {
		l.Sources = append(l.Sources, o.Name)
	}
	for _, t := range s.targets() {
		l.Experiments = append(l.Experiments, t.describe())
	}
	return l, nil
}

const maxSensors = 20_000

func (c *conn) sensors(ctx context.Context, r *protocol.Request) (any, error) {
	origins, err := c.server.sources.get(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, workTime)
	defer cancel()

	all := protocol.Sensors{Sensors: []protocol.Sensor{}}
	pattern := winperf.CompilePattern(r.Pattern)
	for _, o := range origins {
		opt := sensor.CatalogueOptions{Source: o.Name, Definitions: true}
		catalogue, err := sensor.ReadCatalogue(ctx, o.Source, opt)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Name, err)
		}
		for _, g := range catalogue.Groups {
			addSensors(&all, &g, r.Pattern == "", pattern)
		}
	}
	return all, nil
}

func addSensors(all *protocol.Sensors, g *sensor.Group, every bool, pattern winperf.Pattern) {
	for i := range g.Sensors {
		s := &g.Sensors[i]
		p := winperf.Path{Object: g.Name, Counter: s.Name.Sensor}
		if s.Multi {
			p.Instance, p.HasInstance = "*", true
		}
		if !every && !pattern.Match(s.Name.String()) && !pattern.Match(p.String()) {
			continue
		}
		if all.Of++; len(all.Sensors) < maxSensors {
			all.Sensors = append(all.Sensors, protocol.Sensor{
				Name: s.Name.String(), Path: p.String(), Unit: s.Unit.String(), Instances: s.Multi,
			})
		}
	}
}

// workTime is the longest time to read a catalogue or to take the first sample.
const workTime = time.Minute

func (c *conn) attach(ctx context.Context, r *protocol.Request) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, workTime)
	defer cancel()
	if r.Spec == nil {
		return nil, protocol.Errorf("bad_request", `attach needs a "spec"`)
	}
	if len(r.Spec.Sinks) > 0 && !c.own {
		return nil, errForeignSinks
	}

	a, err := c.server.attach(ctx, c, *r.Spec)
	if err != nil {
		return nil, err
	}
	if !r.Spec.Quiet {
		err = c.receive(a)
	}
	a.begin()
	if err != nil {
		c.server.endLater(a)
		return nil, err
	}
	return protocol.Attached{
		Experiment: a.name(), Session: a.exp.Session(), Absent: absent(ctx, a.sources, a.bindings, a.spec.Names),
	}, nil
}

var errForeignSinks = protocol.Errorf("forbidden", "only the program's own user may add sinks;"+
	" receive the records over this socket")

func (c *conn) receiveRecords(_ context.Context, r *protocol.Request) (any, error) {
	t, err := c.server.target(r.Experiment)
	if err != nil {
		return nil, err
	}
	if t.attached == nil {
		const form = "%q was attached by the program itself, which receives its records"
		return nil, protocol.Errorf("state", form, t.exp.Name())
	}
	return protocol.Attached{Experiment: t.exp.Name(), Session: t.exp.Session()}, c.receive(t.attached)
}

// ack answers an acknowledgement with an ID. read has already processed it.
func (c *conn) ack(context.Context, *protocol.Request) (any, error) { return nil, nil }

func (c *conn) detach(ctx context.Context, r *protocol.Request) (any, error) {
	t, err := c.server.target(r.Experiment)
	if err != nil {
		return nil, err
	}
	t.exp.RecordChange("detached from outside", c.by()...)
	if t.attached != nil {
		c.server.endLater(t.attached)
		return struct{}{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.server.opt.Grace)
	defer cancel()
	return struct{}{}, t.exp.Detach(ctx)
}

func (c *conn) pause(_ context.Context, r *protocol.Request) (any, error) {
	t, err := c.server.target(r.Experiment)
	if err != nil {
		return nil, err
	}
	return struct{}{}, t.exp.Pause(c.by()...)
}

func (c *conn) resume(_ context.Context, r *protocol.Request) (any, error) {
	t, err := c.server.target(r.Experiment)
	if err != nil {
		return nil, err
	}
	return struct{}{}, t.exp.Resume(c.by()...)
}

// by returns the attribute of a Change record with the author of the change.
func (c *conn) by() []experiment.Attr { return []experiment.Attr{{Key: "by", Value: c.who}} }

type checkedChange struct {
	target  target
	source  string
	every   time.Duration
	binding string
	paths   []winperf.Path
	sensors []sensor.Name
	origins []sensor.Origin
	naming  string
	routes  []delivery.Route
	remove  []string
}

// change makes all of the changes, or none: everything that can fail is done before the first change.
func (c *conn) change(ctx context.Context, r *protocol.Request) (any, error) {
	t, err := c.server.target(r.Experiment)
	if err != nil {
		return nil, err
	}
	ch := r.Change
	if ch == nil || ch.Every == 0 && len(ch.Sensors)+len(ch.AddSinks)+len(ch.RemoveSinks) == 0 {
		return nil, protocol.Errorf("bad_request",
			`change needs a "change" with "every", "sensors", "add_sinks" or "remove_sinks"`)
	}
	if t.attached != nil {
		t.attached.changing.Lock()
		defer t.attached.changing.Unlock()
	}

	p := checkedChange{target: t, every: time.Duration(ch.Every), remove: ch.RemoveSinks}
	if err := p.check(ctx, c, ch); err != nil {
		return nil, err
	}
	return p.carryOut(ctx, c)
}

func (p *checkedChange) check(ctx context.Context, c *conn, ch *protocol.Change) error {
	if p.every > 0 {
		if err := p.checkInterval(ch); err != nil {
			return err
		}
	}
	if len(ch.Sensors) > 0 {
		if err := p.checkSensors(ctx, c, ch); err != nil {
			return err
		}
	}
	return p.openSinks(c, ch)
}

// carryOut makes the change. It begins with sensors, whose first sample can fail.
func (p *checkedChange) carryOut(ctx context.Context, c *conn) (done protocol.Changed, err error) {
	t := p.target
	if p.binding != "" {
		ctx, cancel := context.WithTimeout(ctx, workTime)
		defer cancel()
		if err := t.exp.SetSensors(ctx, p.binding, p.paths, p.sensors, c.by()...); err != nil {
			return done, errors.Join(err, discard(ctx, p.routes))
		}
		done.Absent = absent(ctx, p.origins, []experiment.Binding{{Paths: p.paths, Sensors: p.sensors}}, p.naming)
	}

	// The rest fails only if the experiment ends in the meantime.
	if p.every > 0 {
		if err := t.exp.SetInterval(p.source, p.every, c.by()...); err != nil {
			return done, errors.Join(err, discard(ctx, p.routes))
		}
	}
	done.Failed, err = p.changeSinks(ctx, c)
	return done, err
}

func (p *checkedChange) checkInterval(ch *protocol.Change) error {
	if err := protocol.CheckInterval(p.every); err != nil {
		return protocol.Errorf("bad_request", "%v", err)
	}
	exp := p.target.exp
	if p.source = ch.Source; p.source != "" {
		return exp.CheckInterval(p.source)
	}

	var named []string
	for _, s := range exp.Status().Events {
		if s.Interval > 0 {
			named = append(named, s.Name)
		}
	}
	if len(named) == 0 {
		return protocol.Errorf("bad_request", "%q has no source of events with an interval", exp.Name())
	}
	if len(named) != 1 {
		const form = "several sources of events have an interval, name one of them: %q"
		return protocol.Errorf("bad_request", form, named)
	}
	p.source = named[0]
	return nil
}

func (p *checkedChange) checkSensors(ctx context.Context, c *conn, ch *protocol.Change) error {
	var names []string
	for _, b := range p.target.exp.Status().Bindings {
		names = append(names, b.Name)
	}
	if p.binding = ch.Binding; p.binding == "" {
		if len(names) != 1 {
			return protocol.Errorf("bad_request", "several bindings, name one of them: %q", names)
		}
		p.binding = names[0]
	}
	if err := checkCount("sensors", len(ch.Sensors), maxPaths); err != nil {
		return protocol.Errorf("bad_request", "%v", err)
	}

	var err error
	if p.origins, err = c.server.sources.get(ctx); err != nil {
		return err
	}
	if a := p.target.attached; a != nil {
		p.naming = a.spec.Names
	}
	p.paths, p.sensors, err = parseSensors(ch.Sensors, p.origins, p.naming)
	return err
}

func (p *checkedChange) openSinks(c *conn, ch *protocol.Change) (err error) {
	a := p.target.attached
	switch {
	case len(ch.AddSinks)+len(ch.RemoveSinks) == 0:
		return nil
	case a == nil:
		const form = "%q was attached by the program itself, which controls its sinks"
		return protocol.Errorf("state", form, p.target.exp.Name())
	case !c.own:
		return errForeignSinks
	}

	known := a.sinkNames()
	for _, name := range ch.RemoveSinks {
		if !slices.Contains(known, name) {
			meant := suggest.Closest(name, slices.Values(known))
			return protocol.Errorf("unknown", "there is no sink %q%s", name, protocol.DidYouMean(meant))
		}
	}
	p.routes, err = a.openSinks(ch.AddSinks)
	return err
}

// changeSinks adds and removes sinks. It returns the errors of closing removed sinks.
func (p *checkedChange) changeSinks(ctx context.Context, c *conn) (failed []string, err error) {
	if len(p.routes)+len(p.remove) == 0 {
		return nil, nil
	}

	ctx, cancel := context.WithTimeout(ctx, c.server.opt.Grace)
	defer cancel()
	t := p.target
	if err := t.attached.addSinks(ctx, p.routes); err != nil {
		return nil, err
	}
	for _, r := range p.routes {
		t.exp.RecordChange("sink added", append(c.by(), experiment.Attr{Key: "sink", Value: r.Name})...)
	}

	for _, name := range p.remove {
		removed, err := t.attached.removeSink(ctx, name)
		if err != nil {
			failed = append(failed, name+": "+err.Error())
		}
		if removed {
			t.exp.RecordChange("sink removed", append(c.by(), experiment.Attr{Key: "sink", Value: name})...)
		}
	}
	return failed, nil
}

// target is the experiment of a request. attached is nil if the program itself attached it.
type target struct {
	exp      *experiment.Experiment
	attached *attached
}

// targets returns the program's experiments. It omits experiments that are being attached: they cannot be
// ended before their owner is known.
func (s *Server) targets() (all []target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := map[*experiment.Experiment]*attached{}
	for _, a := range s.experiments {
		known[a.exp] = a
	}
	for _, e := range s.opt.Program.Experiments() {
		if !slices.Contains(s.attaching, e.Name()) {
			all = append(all, target{e, known[e]})
		}
	}
	return all
}

// target returns the experiment of a name; "" is the only one.
func (s *Server) target(name string) (target, error) {
	all := s.targets()
	var names []string
	for _, t := range all {
		if strings.EqualFold(t.exp.Name(), name) || name == "" && len(all) == 1 {
			return t, nil
		}
		names = append(names, t.exp.Name())
	}
	switch {
	case len(all) == 0:
		return target{}, protocol.Errorf("unknown", "no experiment is attached")
	case name == "":
		return target{}, protocol.Errorf("bad_request", "several experiments, name one of them: %q", names)
	}
	return target{}, protocol.Errorf("unknown", "there is no experiment %q%s", name,
		protocol.DidYouMean(suggest.Closest(name, slices.Values(names))))
}

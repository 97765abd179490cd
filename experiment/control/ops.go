package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/internal/suggest"
	"github.com/winperf/winperf/measure"
)

// operations are what clients can ask for.
var operations = map[string]func(*conn, context.Context, *Request) (any, error){
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

func (c *conn) do(ctx context.Context, r *Request) (any, error) {
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
	meant := didYouMean(suggest.Closest(r.Op, names))
	return nil, failure("bad_request", "there is no operation %q%s", r.Op, meant)
}

// toError finds the code of an error.
func toError(err error) *Error {
	var told *Error
	switch {
	case errors.As(err, &told):
		return told
	case errors.Is(err, experiment.ErrUnknown):
		return &Error{"unknown", err.Error()}
	case errors.Is(err, winperf.ErrState):
		return &Error{"state", err.Error()}
	case errors.Is(err, winperf.ErrPath), errors.Is(err, measure.ErrSensorName),
		errors.Is(err, winperf.ErrNotSupported):
		return &Error{"bad_request", err.Error()}
	}
	return &Error{"failed", err.Error()}
}

func (c *conn) list(ctx context.Context, _ *Request) (any, error) {
	s := c.server
	l := Listing{
		Program: s.opt.Name, PID: os.Getpid(), Sources: []string{}, Events: s.opt.Program.Names(),
		Experiments: []Experiment{},
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

// maxSensors bounds the answer to "sensors".
const maxSensors = 20_000

func (c *conn) sensors(ctx context.Context, r *Request) (any, error) {
	origins, err := c.server.sources.get(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, workTime)
	defer cancel()
	all := Sensors{Sensors: []Sensor{}}
	pattern := winperf.CompilePattern(r.Pattern)
	for _, o := range origins {
		opt := measure.CatalogueOptions{Source: o.Name, Definitions: true}
		catalogue, err := measure.ReadCatalogue(ctx, o.Source, opt)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Name, err)
		}
		for _, g := range catalogue.Groups {
			all.add(&g, r.Pattern == "", pattern)
		}
	}
	return all, nil
}

// add adds the sensors of a group.
func (all *Sensors) add(g *measure.SensorGroup, every bool, pattern winperf.Pattern) {
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
			all.Sensors = append(all.Sensors, Sensor{s.Name.String(), p.String(), s.Unit.String(), s.Multi})
		}
	}
}

// workTime is how long a source may take to show what it has, or to be measured for the first time.
const workTime = time.Minute

func (c *conn) attach(ctx context.Context, r *Request) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, workTime)
	defer cancel()
	if r.Spec == nil {
		return nil, failure("bad_request", `attach needs a "spec"`)
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
	return Attached{a.name(), a.exp.Session(), absent(ctx, a.sources, a.bindings)}, nil
}

var errForeignSinks = failure("forbidden", "only the user whose program this is may name sinks;"+
	" the records come over this socket")

func (c *conn) receiveRecords(_ context.Context, r *Request) (any, error) {
	t, err := c.server.target(r.Experiment)
	if err != nil {
		return nil, err
	}
	if t.attached == nil {
		return nil, failure("state", "%q was attached by the program itself, which takes its records", t.exp.Name())
	}
	return Attached{Experiment: t.exp.Name(), Session: t.exp.Session()}, c.receive(t.attached)
}

// ack answers one that wants that. It was carried out as it was read.
func (c *conn) ack(context.Context, *Request) (any, error) { return nil, nil }

func (c *conn) detach(ctx context.Context, r *Request) (any, error) {
	t, err := c.server.target(r.Experiment)
	if err != nil {
		return nil, err
	}
	t.exp.Tell("detached from outside", c.by()...)
	if t.attached != nil {
		c.server.endLater(t.attached) // its last records may be for this client
		return struct{}{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.server.opt.Grace)
	defer cancel()
	return struct{}{}, t.exp.Detach(ctx)
}

func (c *conn) pause(_ context.Context, r *Request) (any, error) {
	t, err := c.server.target(r.Experiment)
	if err != nil {
		return nil, err
	}
	return struct{}{}, t.exp.Pause(c.by()...)
}

func (c *conn) resume(_ context.Context, r *Request) (any, error) {
	t, err := c.server.target(r.Experiment)
	if err != nil {
		return nil, err
	}
	return struct{}{}, t.exp.Resume(c.by()...)
}

// by says in a Change record who made the change.
func (c *conn) by() []experiment.Attr { return []experiment.Attr{{Key: "by", Value: c.who}} }

// change makes the changes in the order of their fields, until one fails.
func (c *conn) change(ctx context.Context, r *Request) (any, error) {
	t, err := c.server.target(r.Experiment)
	if err != nil {
		return nil, err
	}
	ch := r.Change
	if ch == nil || ch.Every == 0 && len(ch.Sensors)+len(ch.AddSinks)+len(ch.RemoveSinks) == 0 {
		return nil, failure("bad_request",
			`change needs a "change" with "every", "sensors", "add_sinks" or "remove_sinks"`)
	}

	if ch.Every > 0 {
		if err := c.changeInterval(t, ch); err != nil {
			return nil, err
		}
	}
	var done Changed
	if len(ch.Sensors) > 0 {
		if done.Absent, err = c.changeSensors(ctx, t, ch); err != nil {
			return nil, err
		}
	}
	return done, c.changeSinks(ctx, t, ch)
}

func (c *conn) changeInterval(t target, ch *Change) error {
	if err := checkInterval(time.Duration(ch.Every)); err != nil {
		return failure("bad_request", "%v", err)
	}
	name := ch.Source
	if name == "" {
		var paced []string
		for _, s := range t.exp.Status().Events {
			if s.Interval > 0 {
				paced = append(paced, s.Name)
			}
		}
		if len(paced) == 0 {
			return failure("bad_request", "%q has no source of events with an interval", t.exp.Name())
		}
		if len(paced) != 1 {
			return failure("bad_request", "which source of events? these have an interval: %q", paced)
		}
		name = paced[0]
	}
	return t.exp.SetInterval(name, time.Duration(ch.Every), c.by()...)
}

// changeSensors returns which of the new sensors are not there.
func (c *conn) changeSensors(ctx context.Context, t target, ch *Change) ([]Absent, error) {
	ctx, cancel := context.WithTimeout(ctx, workTime)
	defer cancel()

	name := ch.Binding
	if name == "" {
		var names []string
		for _, b := range t.exp.Status().Bindings {
			names = append(names, b.Name)
		}
		if len(names) != 1 {
			return nil, failure("bad_request", "which binding? there are %q", names)
		}
		name = names[0]
	}

	if err := checkCount("sensors", len(ch.Sensors), maxPaths); err != nil {
		return nil, failure("bad_request", "%v", err)
	}
	sources, err := c.server.sources.get(ctx)
	if err != nil {
		return nil, err
	}
	paths, sensors, err := parseSensors(ch.Sensors, sources)
	if err != nil {
		return nil, err
	}
	if err := t.exp.SetSensors(ctx, name, paths, sensors, c.by()...); err != nil {
		return nil, err
	}
	return absent(ctx, sources, []experiment.Binding{{Paths: paths, Sensors: sensors}}), nil
}

func (c *conn) changeSinks(ctx context.Context, t target, ch *Change) error {
	switch {
	case len(ch.AddSinks)+len(ch.RemoveSinks) == 0:
		return nil
	case t.attached == nil:
		return failure("state", "%q was attached by the program itself, which has its sinks", t.exp.Name())
	case !c.own:
		return errForeignSinks
	}

	ctx, cancel := context.WithTimeout(ctx, c.server.opt.Grace)
	defer cancel()
	for i := range ch.AddSinks {
		if err := t.attached.addSink(&ch.AddSinks[i]); err != nil {
			return err
		}
		t.exp.Tell("sink added", append(c.by(), experiment.Attr{Key: "sink", Value: ch.AddSinks[i].name()})...)
	}
	for _, name := range ch.RemoveSinks {
		found, err := t.attached.removeSink(ctx, name)
		if err != nil {
			return err
		}
		if !found {
			meant := suggest.Closest(name, slices.Values(t.attached.sinkNames()))
			return failure("unknown", "there is no sink %q%s", name, didYouMean(meant))
		}
		t.exp.Tell("sink removed", append(c.by(), experiment.Attr{Key: "sink", Value: name})...)
	}
	return nil
}

// target is an experiment that a request is about. attached is nil where the program has
// attached it itself.
type target struct {
	exp      *experiment.Experiment
	attached *attached
}

// targets are all experiments of the program, but for those that are being attached: who ended one before
// its client is known to own it would end a part of it.
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

// target finds the experiment of a name, "" being the only one.
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
		return target{}, failure("unknown", "no experiment is attached")
	case name == "":
		return target{}, failure("bad_request", "which experiment? there are %q", names)
	}
	return target{}, failure("unknown", "there is no experiment %q%s", name,
		didYouMean(suggest.Closest(name, slices.Values(names))))
}

package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	protocol "github.com/winperf/winperf/internal/control"

	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/delivery"
	"github.com/winperf/winperf/experiment/sensor"
)

type attached struct {
	exp      *experiment.Experiment
	spec     protocol.Spec
	sources  []sensor.Origin
	bindings []experiment.Binding
	owner    *conn
	delivery *delivery.Delivery
	spill    *delivery.Spill
	sinks    []string // names of routes other than clients; guarded by server.mu
	server   *Server
	changing sync.Mutex    // held during a change
	over     chan struct{} // closed when all records were taken from the experiment
	ending   chan struct{} // holds one value: the goroutine that takes it ends the experiment
}

func (a *attached) name() string { return a.exp.Name() }

func (s *Server) attach(ctx context.Context, owner *conn, spec protocol.Spec) (*attached, error) {
	if err := checkSpec(&spec); err != nil {
		return nil, protocol.Errorf("bad_request", "%v", err)
	}
	if err := s.reserve(&spec); err != nil {
		return nil, err
	}
	a, err := s.newAttached(ctx, owner, spec)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attaching = slices.DeleteFunc(s.attaching, func(name string) bool { return name == spec.Name })
	if err != nil {
		return nil, err
	}
	s.experiments = append(s.experiments, a)
	return a, nil
}

func (s *Server) reserve(spec *protocol.Spec) error {
	if spec.Name == "" {
		spec.Name = "experiment"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := slices.Clone(s.attaching)
	for _, e := range s.opt.Program.Experiments() {
		taken = append(taken, e.Name())
	}
	switch {
	case slices.ContainsFunc(taken, func(name string) bool { return strings.EqualFold(name, spec.Name) }):
		return protocol.Errorf("exists", "an experiment %q is already attached; use another name", spec.Name)
	case len(taken) >= maxExperiments:
		return protocol.Errorf("busy", "%d experiments are attached already", len(taken))
	}
	s.attaching = append(s.attaching, spec.Name)
	return nil
}

func (s *Server) newAttached(ctx context.Context, owner *conn, spec protocol.Spec) (*attached, error) {
	sources, err := s.sources.get(ctx)
	if err != nil {
		return nil, err
	}
	opt, err := specOptions(&spec, sources)
	if err != nil {
		return nil, protocol.Errorf("bad_request", "%v", err)
	}
	opt.Program = s.opt.Program
	spill, err := s.spillOf(&opt)
	if err != nil {
		return nil, err
	}
	to, err := delivery.New(delivery.Options{})
	if err != nil {
		return nil, errors.Join(err, closeSpill(spill))
	}
	opt.OnLimit = to.SendNow

	exp, err := experiment.New(opt)
	if err != nil {
		return nil, errors.Join(protocol.Errorf("bad_request", "%v", err), to.Close(ctx), closeSpill(spill))
	}

	a := &attached{
		exp: exp, spec: spec, sources: sources, bindings: opt.Bindings, owner: owner,
		delivery: to, spill: spill, server: s,
		over: make(chan struct{}), ending: make(chan struct{}, 1),
	}
	a.ending <- struct{}{}
	routes, err := a.openSinks(spec.Sinks)
	if err != nil {
		return nil, errors.Join(err, a.delivery.Close(ctx), closeSpill(spill))
	}
	if err := exp.Attach(ctx); err != nil {
		return nil, errors.Join(err, discard(ctx, routes), a.delivery.Close(ctx), closeSpill(spill))
	}
	if err := a.addSinks(ctx, routes); err != nil {
		return nil, errors.Join(err, exp.Detach(ctx), a.delivery.Close(ctx), closeSpill(spill))
	}
	exp.RecordChange("attached from outside", owner.by()...)
	return a, nil
}

func (s *Server) spillOf(opt *experiment.Options) (*delivery.Spill, error) {
	spills := func(b experiment.Binding) bool { return b.Policy == experiment.Spill }
	if !slices.ContainsFunc(opt.Bindings, spills) {
		return nil, nil
	}
	if s.opt.Spill == nil {
		return nil, protocol.Errorf("bad_request", `this program has no directory for the policy "spill"`)
	}
	spill, err := delivery.NewSpill(*s.opt.Spill)
	if err != nil {
		return nil, err
	}
	opt.Spool = spill
	return spill, nil
}

func closeSpill(s *delivery.Spill) error {
	if s == nil {
		return nil
	}
	return s.Close()
}

func (a *attached) begin() {
	go func() {
		defer close(a.over)
		err := a.delivery.Run(context.Background(), a.exp)
		if err != nil {
			a.exp.RecordChange("delivery ended", experiment.Attr{Key: "error", Value: err.Error()})
		}
	}()
}

func (a *attached) openSinks(sinks []protocol.Sink) (routes []delivery.Route, err error) {
	if err := checkCount("sinks", len(a.sinkNames())+len(sinks), maxSinks); err != nil {
		return nil, protocol.Errorf("busy", "%v", err)
	}
	var taken []string
	for _, r := range a.delivery.State().Routes {
		taken = append(taken, r.Name)
	}

	for i := range sinks {
		route, err := openSink(&sinks[i], taken)
		if err != nil {
			_ = discard(context.Background(), routes)
			return nil, protocol.Errorf("bad_request", "%v", err)
		}
		routes, taken = append(routes, route), append(taken, route.Name)
	}
	return routes, nil
}

func openSink(s *protocol.Sink, taken []string) (delivery.Route, error) {
	if err := checkName("a sink", s.Name); err != nil {
		return delivery.Route{}, err
	}
	if name := sinkName(s); slices.Contains(taken, name) {
		return delivery.Route{}, fmt.Errorf("a sink %q exists already", name)
	}
	return openRoute(s)
}

func discard(ctx context.Context, routes []delivery.Route) error {
	var errs []error
	for _, r := range routes {
		errs = append(errs, delivery.Discard(ctx, r.Sink))
	}
	return errors.Join(errs...)
}

// addSinks starts the delivery to sinks, to all or none. It fails if the experiment ends, or if a sink of
// the same name is still being removed.
func (a *attached) addSinks(ctx context.Context, routes []delivery.Route) error {
	for i, r := range routes {
		if err := a.delivery.Add(r); err != nil {
			for _, added := range routes[:i] {
				_, _ = a.removeSink(ctx, added.Name)
			}
			_ = discard(ctx, routes[i:])
			const form = "the experiment %q is ending, or a sink of this name is still being removed: %v"
			return protocol.Errorf("state", form, a.name(), err)
		}
		a.server.mu.Lock()
		a.sinks = append(a.sinks, r.Name)
		a.server.mu.Unlock()
	}
	return nil
}

// removeSink removes a sink other than a client. It reports whether the sink existed.
func (a *attached) removeSink(ctx context.Context, name string) (bool, error) {
	a.server.mu.Lock()
	i := slices.Index(a.sinks, name)
	if i >= 0 {
		a.sinks = slices.Delete(a.sinks, i, i+1)
	}
	a.server.mu.Unlock()
	if i < 0 {
		return false, nil
	}
	return a.delivery.Remove(ctx, name)
}

func (a *attached) sinkNames() []string {
	a.server.mu.Lock()
	defer a.server.mu.Unlock()
	return slices.Clone(a.sinks)
}

func (s *Server) list() []*attached {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.experiments)
}

// end ends an experiment, delivers its last records until ctx ends, and notifies the receiving clients.
// Only the first call has an effect.
func (s *Server) end(ctx context.Context, a *attached) {
	select {
	case <-a.ending:
	default:
		return
	}

	_ = a.exp.Detach(ctx)
	select {
	case <-a.over:
	case <-ctx.Done():
	}
	err := a.delivery.Close(ctx)
	<-a.over
	err = errors.Join(err, closeSpill(a.spill))

	s.mu.Lock()
	s.experiments = slices.DeleteFunc(s.experiments, func(other *attached) bool { return other == a })
	s.mu.Unlock()
	a.reportEnd(s, err)
}

func (s *Server) endLater(a *attached) {
	s.clients.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), s.opt.Grace)
		defer cancel()
		s.end(ctx, a)
	})
}

func (a *attached) reportEnd(s *Server, err error) {
	last := protocol.Answer{Experiment: a.name(), Ended: true}
	if err != nil {
		last.Error = protocol.Errorf("failed", "%v", err)
	}
	for _, c := range s.receivers(a) {
		_ = c.answer(last)
		c.forget(a)
	}
}

func (s *Server) endAll() {
	ctx, cancel := context.WithTimeout(context.Background(), s.opt.Grace)
	defer cancel()
	var all []chan struct{}
	for _, a := range s.list() {
		done := make(chan struct{})
		all = append(all, done)
		go func() {
			defer close(done)
			s.end(ctx, a)
		}()
	}
	for _, done := range all {
		<-done
	}
}

func (t target) describe() protocol.Experiment {
	st := t.exp.Status()
	e := protocol.Experiment{
		Name: st.Name, Session: st.Session, State: st.State.String(), Attached: st.Attached,
		Stored: st.Stored, Dropped: st.Dropped, Waiting: st.Waiting, OpenRegions: st.OpenRegions,
		Bindings: []protocol.BindingState{}, Sources: []protocol.SourceState{}, Sinks: []protocol.SinkState{},
		Error: errorText(st.SpoolError),
	}
	for _, b := range st.Bindings {
		e.Bindings = append(e.Bindings, protocol.BindingState{
			Name: b.Name, Events: b.Events, Sensors: b.Sensors, Policy: b.Policy.String(),
			Emitted: b.Emitted, Failed: b.Failed, Dropped: b.Dropped,
		})
	}
	for _, s := range st.Events {
		e.Sources = append(e.Sources, protocol.SourceState{
			Name: s.Name, Kind: s.Kind, Detail: s.Detail, Every: protocol.Duration(s.Interval),
			Emitted: s.Emitted, Running: s.Running, Error: errorText(s.Err),
		})
	}

	if t.attached == nil {
		return e
	}
	e.By, e.Keep = t.attached.owner.who, t.attached.spec.Keep
	state := t.attached.delivery.State()
	e.Waiting += int(state.Waiting)
	e.Error = errorText(errors.Join(st.SpoolError, state.Err))
	for _, r := range state.Routes {
		e.Sinks = append(e.Sinks, protocol.SinkState{
			Name: r.Name, Number: r.Number, Delivered: r.Delivered, Lost: r.Lost, Refused: r.Refused,
			Failures: r.Failures, Error: errorText(r.Err),
		})
	}
	return e
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

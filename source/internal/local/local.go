// Package local is the source of this machine's own counters.
//
// On Linux it is the Windows design in one process: a dispatcher asks
// providers, the host's own first, and assembles performance data blocks. What
// programs publish (package publish) comes behind, from the next sample on.
//
// On Windows each object comes from the interface that serves it best: the
// registry, else the counter sets, else PDH (see composed.Compile). A query that
// needs several of them gives samples of several parts.
package local

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/provider"
)

// Choices worth knowing here:
//
// source/internal/local on Windows takes an object from the first interface whose sample holds
// it: the registry, then the counter sets, then PDH, and PDH is asked only for what a path
// names in full and no other interface has. Objects are the same where they have a name in
// common. The registry is one query (a lock of the system's may let only one through at a
// time); every counter set has one of its own, with a deadline and the pauses of
// internal/call. A query that needs one interface only is that interface's own; several give a
// sample of several parts.

// Options for Open. The zero Options read the machine that the program runs on.
type Options struct {
	// Providers deliver further objects. One that is given to several sources
	// must allow for that; see [provider.Provider].
	Providers []provider.Provider
	// OnProblem, if not nil, is told of every failure of a provider; it helps those
	// that write one. Other programs find failures among the anomalies of the source.
	OnProblem func(provider.Problem)
	// FoldKernelThreads has, on Linux, one instance of Process, System, stand
	// for all threads of the kernel's own.
	FoldKernelThreads bool
	// Groups tells, on Linux, whether a control group such as "/user.slice" is
	// shown, with those below it; nil shows all.
	Groups func(path string) bool
	// Published are, on Linux, the directories to look for published counters
	// in; see package publish, whose default this one's is.
	Published []string
}

// host is what the machine's operating system contributes.
type host struct {
	machine  string
	dispatch provider.Options
	provider provider.Provider // of two dispatchers: its sessions share nothing that changes
	publish  bool              // programs may publish counters, which this source shows
	source   winperf.Source    // instead of all that, where the system has a dispatcher
}

// Open opens this machine as a source. On systems without one yet the error
// wraps winperf.ErrNotSupported. Failures of providers, on Windows of interfaces
// and counter sets, are the source's anomalies; Options.OnProblem is told of them with
// the stack of a panic.
func Open(opt Options) (winperf.Source, error) {
	h, err := openHost(opt)
	if err != nil {
		return nil, err
	}
	if h.source != nil {
		return h.source, nil
	}
	return newSource(h, opt)
}

func newSource(h host, opt Options) (*source, error) {
	s := &source{machine: h.machine}
	h.dispatch.Machine = h.machine
	var telling sync.Mutex // there are several dispatchers
	h.dispatch.OnProblem = func(p provider.Problem) {
		s.troubles.add(p)
		if opt.OnProblem != nil {
			telling.Lock()
			defer telling.Unlock()
			opt.OnProblem(p)
		}
	}

	d, err := newDispatcher(h, opt.Providers...)
	if err != nil {
		return nil, err
	}

	s.dispatcher, s.dispatch = d, h.dispatch
	if s.apart, err = newDispatcher(h); err != nil {
		return nil, err
	}

	s.schema = &winperf.Schema{Names: d.Names(), Interface: "local"}
	hosts := s.apart.Objects() // d has them first
	for i, o := range d.Objects() {
		if o.Costly {
			s.schema.Costly = append(s.schema.Costly, o.Index)
		}
		if !o.Costly || i >= len(hosts) {
			s.others = append(s.others, o)
		}
	}

	if h.publish {
		s.publishers = newPublishers(s, opt.Published)
	}
	return s, nil
}

// dispatcher asks the host's own provider, and maybe others.
type dispatcher struct {
	*provider.Dispatcher
	losses troubles // of the host's provider: what was asked for is not in the sample
}

func newDispatcher(h host, others ...provider.Provider) (*dispatcher, error) {
	d := &dispatcher{}
	opt := h.dispatch
	opt.OnProblem = func(p provider.Problem) {
		h.dispatch.OnProblem(p)
		// A failure that goes on is told once, and values that the account may not
		// read have a status that says so.
		if p.Provider == h.provider.Name() && p.Failures <= 1 && !errors.Is(p.Err, fs.ErrPermission) {
			d.losses.add(p)
		}
	}

	var err error
	d.Dispatcher, err = provider.NewDispatcher(opt, append([]provider.Provider{h.provider}, others...)...)
	return d, err
}

// source may be used by any number of goroutines, as the dispatcher may.
type source struct {
	machine    string
	dispatcher *dispatcher
	// apart asks the host's own provider, in a session of its own, for costly
	// objects and nothing else: a dispatcher's queries take turns, and these
	// must not delay the others.
	apart      *dispatcher
	others     []*provider.Object // that only dispatcher is asked for
	dispatch   provider.Options   // that it was made with, clocks included
	schema     *winperf.Schema    // of the dispatcher's objects
	troubles   troubles
	publishers *publishers // nil: nobody can publish
}

// Describe implements winperf.Source. Every failure of a provider is an anomaly, with
// the provider, the stage, the time and the cause.
func (s *source) Describe() winperf.Description {
	return winperf.Description{Machine: s.machine, Anomalies: s.troubles.since}
}

// Schema implements winperf.Source.
func (s *source) Schema(ctx context.Context) (*winperf.Schema, error) {
	if s.publishers != nil {
		return s.publishers.all.schemaNow(ctx)
	}
	return s.schema, nil
}

// Close implements winperf.Source: it closes the providers.
func (s *source) Close() error {
	err := errors.Join(s.dispatcher.Close(), s.apart.Close())
	if s.publishers != nil {
		err = errors.Join(err, s.publishers.close())
	}
	return err
}

// Compile implements winperf.Source.
func (s *source) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	if err := selection.CheckMachine(sel.Paths, s.machine); err != nil {
		return nil, err
	}
	q := &query{source: s, dispatcher: s.dispatcher, query: compile(s.dispatcher.Objects(), sel)}
	if s.publishers != nil {
		q.published = s.publishers.query(sel)
	}
	if slices.ContainsFunc(s.apart.Objects(), q.query.Wants) && !slices.ContainsFunc(s.others, q.query.Wants) {
		q.dispatcher = s.apart
	}
	q.told = q.dispatcher.losses.count()
	return q, nil
}

// query asks the dispatcher.
type query struct {
	source     *source
	dispatcher *dispatcher
	told       uint64 // of the dispatcher's losses
	query      *provider.Query
	published  *publishedQuery // nil: nobody can publish
}

// Next implements winperf.Query. Damage is what of the host's objects and of the
// published ones could not be read.
func (q *query) Next(ctx context.Context, s *winperf.Sample) (err error) {
	b := s.Begin()
	b.Format, b.Quirks, b.Schema = winperf.FormatV1, winperf.ClocksTogether, q.source.schema
	part := &s.Parts[0]
	b.Bytes, part.Err, err = q.dispatcher.CollectPart(ctx, q.query, b.Bytes[:0])
	if err == nil && q.published != nil {
		var lack error
		lack, err = q.published.sample(ctx, &b.Raw)
		part.Err = errors.Join(part.Err, lack)
	}
	if s.Schema = b.Schema; err != nil {
		s.Clear()
	}

	s.Damage, q.told = q.dispatcher.losses.errorsSince(s.Damage, q.told)
	if q.published != nil {
		s.Damage = append(s.Damage, q.published.damage()...)
	}
	return err
}

// Close implements winperf.Query.
func (q *query) Close() error {
	if q.published != nil {
		q.published.close()
	}
	return nil
}

// Package local is the source of this machine's counters.
//
// On Linux it is the design of Windows in one process. A dispatcher queries providers, the host's
// provider first, and assembles performance data blocks. Counters that programs publish (package
// publish) appear in the next sample.
//
// On Windows each object is read from the interface that serves it best: the registry, the counter
// sets, or PDH (see composed.Compile). Samples of queries that use several interfaces have several
// parts.
package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sync"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/provider"
)

// Design:
//
// On Windows each object is assigned to the first interface whose sample has it: registry, counter
// sets, PDH. PDH is queried only for objects that a path names in full and no other interface has.
// Objects are the same if they share a name. The registry gets one query, because a lock of the
// system may serialize its queries. Every counter set gets a separate query with a deadline and the
// pauses of internal/call. A query that needs one interface is that interface's query; otherwise
// samples have several parts.

// Options configure Open. The zero Options read the machine that the program runs on.
type Options struct {
	// Providers supply further objects. A provider that is passed to several sources must support
	// that; see [provider.Provider].
	Providers []provider.Provider
	// OnProblem, if not nil, is called for every failure of a provider, for authors of providers.
	// Other programs find failures among the anomalies of the source.
	OnProblem func(provider.Problem)
	// FoldKernelThreads shows, on Linux, all kernel threads as a single instance of Process, System.
	FoldKernelThreads bool
	// Groups reports, on Linux, whether a control group such as "/user.slice" is shown, together
	// with all groups below it. If nil, all groups are shown.
	Groups func(path string) bool
	// Files are, on Linux, the directories of the machine to read, as from a container. Published
	// counters are then not read.
	Files winperf.HostFiles
	// Published are, on Linux, the directories of published counters. For the default see package
	// publish.
	Published []string
}

// host is the part of a source that depends on the operating system.
type host struct {
	machine  string
	dispatch provider.Options
	provider provider.Provider // used by two dispatchers: its sessions share no mutable state
	publish  bool              // programs may publish counters, and this source shows them
	source   winperf.Source    // replaces all that if the system has a dispatcher
}

// Open opens this machine as a source. On unsupported systems the error wraps
// winperf.ErrNotSupported. Failures of providers, on Windows of interfaces and counter sets, are
// the source's anomalies. Options.OnProblem gets them with the stack of a panic.
func Open(opt Options) (winperf.Source, error) {
	if opt.Files != (winperf.HostFiles{}) && runtime.GOOS != "linux" {
		return nil, fmt.Errorf("the files of a Linux machine on %s: %w", runtime.GOOS, winperf.ErrNotSupported)
	}
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
	s := &source{machine: h.machine, files: opt.Files}
	h.dispatch.Machine = h.machine
	var reporting sync.Mutex // several dispatchers report
	h.dispatch.OnProblem = func(p provider.Problem) {
		s.troubles.add(p)
		if opt.OnProblem != nil {
			reporting.Lock()
			defer reporting.Unlock()
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

// dispatcher queries the host's provider, and optionally others.
type dispatcher struct {
	*provider.Dispatcher
	losses troubles // of the host's provider: requested objects that are missing in a sample
}

func newDispatcher(h host, others ...provider.Provider) (*dispatcher, error) {
	d := &dispatcher{}
	opt := h.dispatch
	opt.OnProblem = func(p provider.Problem) {
		h.dispatch.OnProblem(p)
		// A continuing failure is reported once. Values that the account may not read have a status
		// for that.
		if p.Provider == h.provider.Name() && p.Failures <= 1 && !errors.Is(p.Err, fs.ErrPermission) {
			d.losses.add(p)
		}
	}

	var err error
	d.Dispatcher, err = provider.NewDispatcher(opt, append([]provider.Provider{h.provider}, others...)...)
	return d, err
}

// source may be used by any number of goroutines, like the dispatcher.
type source struct {
	machine    string
	files      winperf.HostFiles
	dispatcher *dispatcher
	// apart queries the host's provider for costly objects only, in a separate session. The queries
	// of a dispatcher run one after another, and costly ones must not delay the others.
	apart      *dispatcher
	others     []*provider.Object // objects that only dispatcher has or queries
	dispatch   provider.Options   // options of the dispatcher, with its clocks
	schema     *winperf.Schema    // of the dispatcher's objects
	troubles   troubles
	publishers *publishers // nil if programs cannot publish
}

// Describe implements winperf.Source. Every failure of a provider is an anomaly with the provider,
// the stage, the time and the cause.
func (s *source) Describe() winperf.Description {
	return winperf.Description{Machine: s.machine, Anomalies: s.troubles.since, Files: s.files}
}

// Schema implements winperf.Source.
func (s *source) Schema(ctx context.Context) (*winperf.Schema, error) {
	if s.publishers != nil {
		return s.publishers.all.schemaNow(ctx)
	}
	return s.schema, nil
}

// Close implements winperf.Source. It closes the providers.
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
	if slices.ContainsFunc(s.apart.Objects(), q.query.Includes) &&
		!slices.ContainsFunc(s.others, q.query.Includes) {
		q.dispatcher = s.apart
	}
	q.reported = q.dispatcher.losses.count()
	return q, nil
}

// query queries the dispatcher.
type query struct {
	source     *source
	dispatcher *dispatcher
	reported   uint64 // number of the dispatcher's losses already reported
	query      *provider.Query
	published  *publishedQuery // nil if programs cannot publish
}

// Next implements winperf.Query. Damage lists the errors of the host's objects and of published
// ones.
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

	s.Damage, q.reported = q.dispatcher.losses.errorsSince(s.Damage, q.reported)
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

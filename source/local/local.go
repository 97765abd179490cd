// Package local is the source of this machine's own counters.
//
// On Linux it is the Windows design in one process: a dispatcher asks
// providers, the host's own first, and assembles performance data blocks.
package local

import (
	"context"
	"fmt"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider"
)

// Options for Open. The zero Options read the machine that the program runs on.
type Options struct {
	// Providers deliver further objects.
	Providers []provider.Provider
	// OnProblem, if not nil, is told of every failure of a provider.
	OnProblem func(provider.Problem)
}

// host is what the machine's operating system contributes.
type host struct {
	machine  string
	dispatch provider.Options
	provider provider.Provider
}

// Open opens this machine as a source. On systems without one yet the error
// wraps winperf.ErrNotSupported.
func Open(opt Options) (winperf.Source, error) {
	h, err := openHost()
	if err != nil {
		return nil, err
	}
	return newSource(h, opt)
}

func newSource(h host, opt Options) (*source, error) {
	h.dispatch.Machine, h.dispatch.OnProblem = h.machine, opt.OnProblem
	d, err := provider.NewDispatcher(h.dispatch, append([]provider.Provider{h.provider}, opt.Providers...)...)
	if err != nil {
		return nil, err
	}
	s := &source{machine: h.machine, dispatcher: d}
	s.schema = &winperf.Schema{Names: []winperf.NameTable{d.Names()}, Interface: "local"}
	for _, o := range d.Objects() {
		if o.Costly {
			s.schema.Costly = append(s.schema.Costly, o.Index)
		}
	}
	return s, nil
}

// source may be used by any number of goroutines, as the dispatcher may.
type source struct {
	machine    string
	dispatcher *provider.Dispatcher
	schema     *winperf.Schema
}

// Machine implements winperf.Source.
func (s *source) Machine() string { return s.machine }

// Schema implements winperf.Source.
func (s *source) Schema(context.Context) (*winperf.Schema, error) { return s.schema, nil }

// Close implements winperf.Source: it closes the providers.
func (s *source) Close() error { return s.dispatcher.Close() }

// Compile implements winperf.Source.
func (s *source) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	for _, p := range sel.Paths {
		if p.Machine != "" && !strings.EqualFold(p.Machine, s.machine) {
			return nil, fmt.Errorf("%s: %w: this one is %s", p, winperf.ErrNoMachine, s.machine)
		}
	}
	return &query{source: s, query: compile(s.dispatcher.Objects(), sel)}, nil
}

// query asks the dispatcher.
type query struct {
	source *source
	query  *provider.Query
}

// Sample implements winperf.Query.
func (q *query) Sample(ctx context.Context, raw *winperf.Raw) (err error) {
	raw.Format, raw.Schema = winperf.FormatV1, q.source.schema
	raw.Bytes, err = q.source.dispatcher.Collect(ctx, q.query, raw.Bytes[:0])
	return err
}

// Close implements winperf.Query.
func (q *query) Close() error { return nil }

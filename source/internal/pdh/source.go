package pdh

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
)

// Options configure Open. The zero Options read this machine.
type Options struct {
	// Machine is another machine, without backslashes.
	Machine string
	// Formatted returns the values that PDH computes instead of raw values. PDH identifies instances
	// by name and number only, so a new process may be confused with an earlier one of the same
	// name.
	Formatted bool
	// Library is a library in place of pdh.dll, for tests.
	Library string
}

// closeGrace is how long Close waits for calls that do not return.
const closeGrace = time.Second

// Open opens PDH's counters of a machine as a source. On systems other than Windows the error wraps
// winperf.ErrNotSupported.
func Open(opt Options) (winperf.Source, error) {
	c, err := systemCalls(opt.Library)
	if err != nil {
		return nil, err
	}
	return open(c, opt)
}

// open opens a source over the given functions.
func open(c *calls, opt Options) (*source, error) {
	s := &source{
		calls: c, client: &client{c}, opt: opt, machine: opt.Machine,
		line: call.NewLine(), queries: map[*query]struct{}{},
	}
	if s.machine == "" {
		name, err := c.computerName()
		if err != nil {
			_ = s.Close()
			return nil, fmt.Errorf("computer name: %w", err)
		}
		s.machine = name
	}
	s.catalog.init()
	return s, nil
}

// source may be used by any number of goroutines. It makes all calls on one line, because PDH
// serializes them anyway.
type source struct {
	calls   *calls
	client  *client
	opt     Options
	machine string
	line    *call.Line
	catalog catalog // catalog and queries are used by the call on the line
	queries map[*query]struct{}
	schema  atomic.Pointer[winperf.Schema]
}

// Describe implements winperf.Source. PDH does not report costly objects.
func (s *source) Describe() winperf.Description {
	return winperf.Description{Machine: s.machine, Cooked: s.opt.Formatted, Costly: noneCostly}
}

func noneCostly(context.Context) (*winperf.Schema, error) { return nil, nil }

// Close implements winperf.Source. It closes all open queries.
func (s *source) Close() error {
	return s.line.Close(closeGrace, func() error {
		var errs []error
		for q := range s.queries {
			errs = append(errs, q.close())
		}
		return errors.Join(errs...)
	})
}

// Schema implements winperf.Source. It returns the names of all objects, and of the counters in
// queries.
func (s *source) Schema(ctx context.Context) (*winperf.Schema, error) {
	var err error
	if left := s.line.Do(ctx, 0, func(context.Context) { err = s.refresh() }); left != nil {
		return nil, fmt.Errorf("pdh: %w", left)
	}
	if err != nil {
		return nil, err
	}
	return s.schema.Load(), nil
}

// refresh lists the objects. It runs on the line.
func (s *source) refresh() error {
	names, err := s.objectNames(true)
	if err != nil {
		return err
	}
	for _, name := range names {
		s.catalog.object(name)
	}
	return s.publish()
}

// remote returns the machine's name in the form that PDH needs, "" for this machine.
func (s *source) remote() string {
	if s.opt.Machine == "" {
		return ""
	}
	return `\\` + s.opt.Machine
}

// objectNames returns the objects, with costly ones on request.
func (s *source) objectNames(costly bool) ([]string, error) {
	return s.client.Objects(s.remote(), costly, true)
}

// publish updates the schema if the catalog has changed.
func (s *source) publish() error {
	if s.schema.Load() != nil && !s.catalog.changed {
		return nil
	}
	schema, err := s.catalog.schema()
	if err != nil {
		return err
	}
	s.schema.Store(schema)
	return nil
}

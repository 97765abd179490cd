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

// Options for Open. The zero Options read this machine.
type Options struct {
	// Machine is another machine to read, without backslashes.
	Machine string
	// Formatted wants the values that PDH computes, in place of raw values that
	// readings are computed from. PDH knows instances by name and number only,
	// so a new process may be taken for the one that had its name before.
	Formatted bool
	// Library names another library than pdh.dll; it is "" but for tests.
	Library string
}

// closeGrace is how long Close waits for calls that do not return.
const closeGrace = time.Second

// Open opens PDH's counters of a machine as a source. On other systems than
// Windows the error wraps winperf.ErrNotSupported.
func Open(opt Options) (winperf.Source, error) {
	c, err := systemCalls(opt.Library)
	if err != nil {
		return nil, err
	}
	return open(c, opt)
}

// open opens a source over any functions.
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

// source may be used by any number of goroutines. All calls are made on one
// line, as PDH itself lets only one at a time through.
type source struct {
	calls   *calls
	client  *client
	opt     Options
	machine string
	line    *call.Line
	catalog catalog // this and queries are of the call on the line
	queries map[*query]struct{}
	schema  atomic.Pointer[winperf.Schema]
}

// Describe implements winperf.Source. PDH does not tell which objects are costly.
func (s *source) Describe() winperf.Description {
	return winperf.Description{Machine: s.machine, Cooked: s.opt.Formatted, Costly: noneCostly}
}

func noneCostly(context.Context) (*winperf.Schema, error) { return nil, nil }

// Close implements winperf.Source. It closes queries that are still open.
func (s *source) Close() error {
	return s.line.Close(closeGrace, func() error {
		var errs []error
		for q := range s.queries {
			errs = append(errs, q.close())
		}
		return errors.Join(errs...)
	})
}

// Schema implements winperf.Source: the names of all objects, and of those
// counters that queries have asked for.
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

// remote is the machine as PDH wants it, "" for this one.
func (s *source) remote() string {
	if s.opt.Machine == "" {
		return ""
	}
	return `\\` + s.opt.Machine
}

// objectNames lists objects, the costly ones too if they are wanted.
func (s *source) objectNames(costly bool) ([]string, error) {
	return s.client.Objects(s.remote(), costly, true)
}

// publish makes what the catalog holds the schema, if anything is new.
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

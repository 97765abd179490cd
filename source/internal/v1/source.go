package v1

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/nametable"
)

// Options configure [Open].
type Options struct {
	Machine   string // name of the machine, without backslashes
	Interface string // for Schema.Interface
	// Language is the user's language, in the form of nametable.ParseLanguage. The default is
	// English.
	Language string
	// Foreign is the name of a foreign machine whose objects are queried through this machine.
	Foreign string
	// MaxBytes is the largest size of an answer; the default is 64 MiB.
	MaxBytes int
	// Timeout limits one answer; the default is one minute, and ten minutes for costly objects.
	Timeout time.Duration
	// Again opens a second set of keys for costly objects, so that other queries need not wait for
	// them. If nil, costly objects use the same session.
	Again func() (Keys, error)
}

const (
	defaultMaxBytes      = 64 << 20
	defaultTimeout       = time.Minute
	defaultCostlyTimeout = 10 * time.Minute
)

// closeGrace is how long Close waits for a running call.
const closeGrace = time.Second

var errClosed = fmt.Errorf("the source is closed: %w", winperf.ErrState)

// Source reads one machine's performance keys. It implements winperf.Source.
type Source struct {
	opt    Options
	reader reader
	line   *call.Line
	known  atomic.Pointer[known]

	mu     sync.Mutex // guards the following fields
	costly *Source    // reads costly objects; nil before the first use
	closed bool
}

// Open opens the keys of a machine as a source. After an error nothing needs to be closed.
func Open(ctx context.Context, keys Keys, opt Options) (*Source, error) {
	opt.Language = userLanguage(opt.Language)
	s := &Source{opt: opt, reader: reader{keys: keys, max: limit(opt.MaxBytes, defaultMaxBytes)},
		line: call.NewLine()}
	if err := s.do(ctx, opt.Timeout, keys.Open); err != nil {
		_ = s.closeKeys() // nothing was opened
		return nil, err
	}
	return s, nil
}

// do runs a function on the line with a timeout. After an error the function may still be running.
func (s *Source) do(ctx context.Context, timeout time.Duration, run func(ctx context.Context) error) error {
	if timeout == 0 {
		timeout = defaultTimeout
	}
	var err error
	if left := s.line.Do(ctx, timeout, func(ctx context.Context) { err = run(ctx) }); left != nil {
		return left
	}
	return err
}

// Describe implements winperf.Source.
func (s *Source) Describe() winperf.Description { return winperf.Description{Machine: s.opt.Machine} }

// Schema implements winperf.Source. It reads names again after counters were installed or removed.
// It knows the costly objects if the machine answers queries for definitions, or if all costly
// objects were queried.
func (s *Source) Schema(ctx context.Context) (*winperf.Schema, error) {
	var k *known
	err := s.do(ctx, s.opt.Timeout, func(ctx context.Context) (err error) {
		if k, err = s.refresh(ctx); err == nil && k.metadata && k.schema.Costly == nil {
			if with, err := s.readCostly(ctx, k); err == nil { // on errors they stay unknown
				k = with
			}
		}
		return err
	})

	if err != nil {
		return nil, err
	}
	return k.schema, nil
}

// Compile implements winperf.Source. A name without wildcards selects every title index with that
// name; a pattern selects existing objects that are not costly.
func (s *Source) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	if err := selection.CheckMachine(sel.Paths, s.opt.Machine); err != nil {
		return nil, err
	}
	timeout := s.opt.Timeout
	costly := s.isCostly(sel)
	if timeout == 0 && (sel.Costly || costly) {
		timeout = defaultCostlyTimeout
	}

	if !costly {
		return s.compile(ctx, sel, timeout)
	}
	separate, err := s.openCostly(ctx)
	if err != nil {
		return nil, err
	}
	return separate.compile(ctx, sel, timeout)
}

func (s *Source) compile(ctx context.Context, sel winperf.Selection,
	timeout time.Duration) (winperf.Query, error) {
	q := newQuery(s, timeout)
	err := s.do(ctx, timeout, func(ctx context.Context) error {
		k, err := s.refresh(ctx)
		if err != nil {
			return err
		}
		c := choice{source: s, ctx: ctx, known: k}
		name, err := c.valueName(sel)
		if err != nil {
			return err
		}
		q.setRequest(name, c.titles)
		return nil
	})

	if err != nil {
		return nil, err
	}
	return q, nil
}

// isCostly reports whether a selection has only objects that are known to be costly.
func (s *Source) isCostly(sel winperf.Selection) bool {
	var costly []uint32
	names := &nametable.Names{}
	if k := s.known.Load(); k != nil {
		costly = k.schema.Costly
		names = k.names
	}
	rest, wanted, _ := selection.Split(sel, names, costly)
	return selection.IsEmpty(rest) && !selection.IsEmpty(wanted)
}

// openCostly returns the session for costly objects.
func (s *Source) openCostly(ctx context.Context) (*Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, errClosed
	case s.costly != nil:
		return s.costly, nil
	case s.opt.Again == nil:
		return s, nil
	}

	keys, err := s.opt.Again()
	if err != nil {
		return nil, err
	}

	opt := s.opt
	opt.Again = nil
	if s.costly, err = Open(ctx, keys, opt); err != nil {
		return nil, err
	}
	s.costly.known.Store(s.known.Load())
	return s.costly, nil
}

// Close implements winperf.Source. If a call does not return, the error wraps provider.ErrBusy.
func (s *Source) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.costly == nil {
		return s.closeKeys()
	}
	return errors.Join(s.costly.Close(), s.closeKeys())
}

// closeKeys closes the line; closing the keys is its last task.
func (s *Source) closeKeys() error { return s.line.Close(closeGrace, s.reader.keys.Close) }

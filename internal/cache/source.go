package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/schedule"
)

// defaultFreshness is the default of Options.Freshness.
const defaultFreshness = 500 * time.Millisecond

// Options configure New. The zero Options have the defaults of the original.
type Options struct {
	// Freshness limits the age of a shared object since the end of its query. 0 means 500
	// ms; with a negative value only concurrent requests share.
	Freshness time.Duration
	// Clock measures ages; nil means the system's. Ages include the time of a suspended
	// machine if the clock's Elapsed does. Setting the time of day has no effect.
	Clock schedule.Clock
}

// Source is a winperf.Source over another one, whose queries share samples. It may be used
// by any number of goroutines; each query by one at a time.
type Source struct {
	src   winperf.Source
	clock schedule.Clock

	mu      sync.Mutex // guards the fields below; held briefly
	table   table
	idle    []*compiled // unused queries of the source
	fresh   []*sample   // in the table, with unknown objects
	open    map[*query]struct{}
	needs   *needs // of the open queries,
	left    bool   // and of queries that have left
	changes int    // of the needs
	queries uint64 // of the source
	closed  bool
}

// New returns a cache over a live source. Closing it closes the source.
func New(src winperf.Source, opt Options) *Source {
	if opt.Freshness == 0 {
		opt.Freshness = defaultFreshness
	}
	if opt.Clock == nil {
		opt.Clock = schedule.SystemClock()
	}
	return &Source{
		src: src, clock: opt.Clock, table: newTable(opt), open: map[*query]struct{}{}, needs: &needs{},
	}
}

// Describe implements winperf.Source.
func (s *Source) Describe() winperf.Description { return s.src.Describe() }

// Schema implements winperf.Source.
func (s *Source) Schema(ctx context.Context) (*winperf.Schema, error) { return s.src.Schema(ctx) }

// Close implements winperf.Source: it closes the source. Frames stay readable.
func (s *Source) Close() error {
	s.mu.Lock()
	idle := s.idle
	s.idle, s.closed = nil, true
	s.mu.Unlock()

	var errs []error
	for _, c := range idle {
		errs = append(errs, c.Close())
	}
	return errors.Join(append(errs, s.src.Close())...)
}

// Compile implements winperf.Source. It takes one sample, of definitions only if possible,
// to find the selected objects and counters. Each sample of an object then has the counters
// that any open query needs. A later Compile is needed for new objects, unless the
// selection has a whole class or none of its objects existed.
//
// A query for definitions is passed to the source. The error wraps winperf.ErrNotSupported
// for a source of recorded samples.
func (s *Source) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	if s.src.Describe().Recorded {
		return nil, fmt.Errorf("cache over recorded samples: %w", winperf.ErrNotSupported)
	}
	if sel.Metadata {
		return s.src.Compile(ctx, sel)
	}

	sel.Paths, sel.Objects = slices.Clone(sel.Paths), slices.Clone(sel.Objects)
	selected, needs, err := s.resolve(ctx, sel)
	if err != nil {
		return nil, err
	}

	q := &query{source: s, sel: sel, needs: needs}
	q.setSelected(selected, nil)
	return q, nil
}

// resolve returns the currently selected objects, and the need of each.
func (s *Source) resolve(
	ctx context.Context, sel winperf.Selection,
) ([]winperf.ObjectID, needs, error) {
	sel.Metadata = true
	q, err := s.src.Compile(ctx, sel)
	if errors.Is(err, winperf.ErrNotSupported) {
		sel.Metadata = false
		q, err = s.src.Compile(ctx, sel)
	}

	if err != nil {
		return nil, nil, err
	}
	defer q.Close()

	var sample winperf.Sample
	if err := q.Next(ctx, &sample); err != nil {
		return nil, nil, err
	}

	var pool frame.Pool
	f, err := pool.Decode(&sample, frame.Frame{})
	if err != nil {
		return nil, nil, fmt.Errorf("objects of the selection: %w", err)
	}

	var ids []winperf.ObjectID
	for o := range f.Objects() {
		ids = append(ids, o.ID())
	}
	return ids, needsOf(sel, f), nil
}

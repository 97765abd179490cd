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

// defaultFreshness is the default for Options.Freshness.
const defaultFreshness = 500 * time.Millisecond

// Options for New. The zero Options have good defaults.
type Options struct {
	// Freshness is the greatest age of an object from the cache, counted from the end of the query
	// that sampled it. 0 means 500 ms; below 0, only concurrent requests share.
	Freshness time.Duration
	// Clock measures ages; nil means the system's. Setting the time of day does not affect ages.
	// They include suspensions of the machine if the clock's Elapsed does.
	Clock schedule.Clock
}

// Source is a winperf.Source whose queries share samples of another one. It may be used by any
// number of goroutines; each query by one at a time.
type Source struct {
	src   winperf.Source
	clock schedule.Clock

	mu      sync.Mutex // guards the fields below; held only to move references
	table   table
	idle    []*compiled // idle queries of the underlying source
	fresh   []*sample   // samples whose objects are not known yet
	open    map[*query]struct{}
	needs   *needs // needs of the open queries
	left    bool   // needs may include closed queries
	changes int    // number of changes of needs
	queries uint64 // queries of the underlying source
	closed  bool
}

// New returns a cache for a live source. Closing it closes the source.
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

// Describe implements winperf.Source: it returns the description of the underlying source.
func (s *Source) Describe() winperf.Description { return s.src.Describe() }

// Schema implements winperf.Source.
func (s *Source) Schema(ctx context.Context) (*winperf.Schema, error) { return s.src.Schema(ctx) }

// Close implements winperf.Source. It closes the underlying source. Frames of earlier samples
// remain readable.
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

// Compile implements winperf.Source. It takes one sample, of definitions only if the source
// supports that, to determine the objects and counters of the selection. Later samples have these
// objects, with the counters that any open query needs. New objects are found by a later Compile,
// unless the selection requests a whole class or matched nothing.
//
// A query for definitions is passed to the source unchanged. The error wraps
// winperf.ErrNotSupported for a log.
func (s *Source) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	if s.src.Describe().Recorded {
		return nil, fmt.Errorf("cache over recorded samples: %w", winperf.ErrNotSupported)
	}
	if sel.Metadata {
		return s.src.Compile(ctx, sel)
	}

	sel.Paths, sel.Objects = slices.Clone(sel.Paths), slices.Clone(sel.Objects)
	wanted, needs, err := s.resolve(ctx, sel)
	if err != nil {
		return nil, err
	}

	q := &query{source: s, sel: sel, needs: needs}
	q.want(wanted, nil)
	return q, nil
}

// resolve returns the objects that the selection matches now, and its need for each.
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

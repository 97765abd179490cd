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

// defaultFreshness is how old an object may be to be handed out, where no
// Options say another time.
const defaultFreshness = 500 * time.Millisecond

// Options for New. The zero Options are those of the original.
type Options struct {
	// Freshness is how old an object may be to be handed out, counted from the
	// end of the query that brought it. 0 means 500 ms, less than 0
	// that only concurrent requests share.
	Freshness time.Duration
	// Clock is the clock that ages are measured by; nil means the system's. They
	// count the time for which the machine was suspended as far as its Elapsed does,
	// and setting the time of day makes nothing old or fresh.
	Clock schedule.Clock
}

// Source is a winperf.Source over another one, whose queries share samples. It
// may be used by any number of goroutines; each query by one at a time.
type Source struct {
	src   winperf.Source
	clock schedule.Clock

	mu      sync.Mutex // guards what follows; held for no more than moving references
	table   table
	idle    []*compiled // queries of the source beneath that are not in use
	fresh   []*sample   // of the table, whose objects are not known yet
	open    map[*query]struct{}
	needs   *needs // of the open queries,
	left    bool   // and of such that have left since
	changes int    // of the needs
	queries uint64 // that reached the source
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

// Describe implements winperf.Source: it is what the source beneath is.
func (s *Source) Describe() winperf.Description { return s.src.Describe() }

// Schema implements winperf.Source.
func (s *Source) Schema(ctx context.Context) (*winperf.Schema, error) { return s.src.Schema(ctx) }

// Close implements winperf.Source: it closes the source beneath. Frames that
// were handed out can still be read.
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

// Compile implements winperf.Source. It takes one sample, of definitions only
// where the source can do that, to learn which objects and counters the selection wants:
// from then on these objects are sampled, with the counters that any open query wants of
// them. An object that is not there yet is found by a later Compile, unless the selection
// wants a whole class of objects or none of what it wants was there.
//
// A query for definitions goes to the source as it is. The error wraps
// winperf.ErrNotSupported for a source of recorded samples.
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

// resolve returns the objects that the selection wants now, and what it wants of each.
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

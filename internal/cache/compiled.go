package cache

import (
	"context"
	"slices"

	"github.com/winperf/winperf"
)

// requested lists the objects and counters that a query of the underlying source requests.
type requested struct {
	ids []winperf.ObjectID
	// global and costly request all objects that are not costly, or all that are, including new
	// ones.
	global, costly bool
	needs          *needs // the needed counters per object
}

func (a requested) equal(b requested) bool { return a.needs == b.needs && a.sameObjects(b) }

func (a requested) sameObjects(b requested) bool {
	return a.global == b.global && a.costly == b.costly && slices.Equal(a.ids, b.ids)
}

// selection returns the request as a Selection. It omits objects that belong to a requested class;
// costlyIDs are the title indices of costly objects.
func (a requested) selection(costlyIDs []uint32) winperf.Selection {
	sel := winperf.Selection{Global: a.global, Costly: a.costly}
	for _, id := range a.ids {
		ofClass := a.global
		if slices.Contains(costlyIDs, id.Index) {
			ofClass = a.costly
		}
		if !ofClass {
			a.needs.of(id).addTo(&sel, id)
		}
	}
	return sel
}

// compiled is a query of the underlying source.
type compiled struct {
	winperf.Query
	sample    winperf.Sample // the latest sample, for the sizes of the next blocks
	requested requested
}

// maxIdle limits the number of idle compiled queries.
const maxIdle = 32

// acquire returns an idle compiled query, or compiles one.
func (s *Source) acquire(ctx context.Context, a requested) (*compiled, error) {
	s.mu.Lock()
	for i := len(s.idle) - 1; i >= 0; i-- { // most recently used first
		if c := s.idle[i]; c.requested.equal(a) {
			s.idle = slices.Delete(s.idle, i, i+1)
			s.mu.Unlock()
			return c, nil
		}
	}
	s.mu.Unlock()

	schema, err := s.src.Schema(ctx)
	if err != nil {
		return nil, err
	}

	q, err := s.src.Compile(ctx, a.selection(schema.Costly))
	if err != nil {
		return nil, err
	}

	a.ids = slices.Clone(a.ids) // the caller reuses its list
	return &compiled{Query: q, requested: a}, nil
}

// release keeps a compiled query for reuse. It returns a query that the caller must close, or nil.
func (s *Source) release(c *compiled) (old *compiled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return c
	}
	if len(s.idle) == maxIdle {
		old = s.idle[0]
		s.idle = slices.Delete(s.idle, 0, 1)
	}
	s.idle = append(s.idle, c)
	return old
}

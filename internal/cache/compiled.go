package cache

import (
	"context"
	"slices"

	"github.com/winperf/winperf"
)

// request is the content of a query of the source.
type request struct {
	ids []winperf.ObjectID
	// global and costly request all objects of these classes, including new ones.
	global, costly bool
	unneeded       []winperf.ObjectID // not in global; see winperf.Selection
	needs          *needs             // the requested parts of each object
}

func (a request) equal(b request) bool { return a.needs == b.needs && a.sameObjects(b) }

func (a request) sameObjects(b request) bool {
	return a.global == b.global && a.costly == b.costly && slices.Equal(a.ids, b.ids) &&
		slices.Equal(a.unneeded, b.unneeded)
}

// selection returns the query as a selection. Objects of a requested class are not named;
// costlyIDs are the title indices of costly objects.
func (a request) selection(costlyIDs []uint32) winperf.Selection {
	sel := winperf.Selection{Global: a.global, Costly: a.costly, Unneeded: a.unneeded}
	for _, id := range a.ids {
		ofClass := a.global && !slices.ContainsFunc(a.unneeded, id.Is)
		if slices.Contains(costlyIDs, id.Index) {
			ofClass = a.costly
		}
		if !ofClass {
			a.needs.of(id).addTo(&sel, id)
		}
	}
	return sel
}

// compiled is a query of the source.
type compiled struct {
	winperf.Query
	sample  winperf.Sample // the last one; its block sizes are used for the next
	request request
}

// maxIdle limits the unused compiled queries.
const maxIdle = 32

// acquire returns an unused compiled query, or compiles one.
func (s *Source) acquire(ctx context.Context, a request) (*compiled, error) {
	s.mu.Lock()
	for i := len(s.idle) - 1; i >= 0; i-- { // the latest first
		if c := s.idle[i]; c.request.equal(a) {
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
	return &compiled{Query: q, request: a}, nil
}

// release keeps a compiled query for reuse. It returns the query to close, nil if all are
// kept.
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

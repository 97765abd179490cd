package cache

import (
	"context"
	"slices"

	"github.com/winperf/winperf"
)

// asked is what a query of the source beneath asks for.
type asked struct {
	ids []winperf.ObjectID
	// global and costly say that all objects that are not costly, or all that are, are
	// asked for as a class; new ones then come along.
	global, costly bool
	needs          *needs // what is wanted of each object
}

func (a asked) equal(b asked) bool { return a.needs == b.needs && a.sameObjects(b) }

func (a asked) sameObjects(b asked) bool {
	return a.global == b.global && a.costly == b.costly && slices.Equal(a.ids, b.ids)
}

// selection is what is asked for in a source's words. It does not name objects that come with
// a class anyway; costlyIDs are the title indices of costly objects.
func (a asked) selection(costlyIDs []uint32) winperf.Selection {
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

// compiled is a query of the source beneath.
type compiled struct {
	winperf.Query
	sample winperf.Sample // the last one; the next ones get blocks of its sizes
	asked  asked
}

// maxIdle bounds the compiled queries that are kept for the next time.
const maxIdle = 32

// acquire takes a compiled query that is not in use, or compiles one.
func (s *Source) acquire(ctx context.Context, a asked) (*compiled, error) {
	s.mu.Lock()
	for i := len(s.idle) - 1; i >= 0; i-- { // those used last first
		if c := s.idle[i]; c.asked.equal(a) {
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

	a.ids = slices.Clone(a.ids) // the caller uses the memory of its list again
	return &compiled{Query: q, asked: a}, nil
}

// giveBack keeps a compiled query for the next time. It returns the query that is to be
// closed now, nil if all are kept.
func (s *Source) giveBack(c *compiled) (old *compiled) {
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

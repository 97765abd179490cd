package experiment

import (
	"reflect"
	"sync"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/cache"
)

// sharing are the sources that the experiments of a program measure. Those that more than one reads
// stand behind an object cache, one for all. The zero sharing is ready.
type sharing struct {
	mu  sync.Mutex
	all map[winperf.Source]*sharedSource
}

// sharedSource is one of them.
type sharedSource struct {
	users int           // experiments
	cache *cache.Source // nil as long as only one binding reads it
}

// join adds an experiment to those that read a source, and returns what it is to read: the source itself
// where it is the only one, and has only one binding. It goes on reading that when others join.
func (s *sharing) join(src winperf.Source, several bool) winperf.Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.all[src]
	if of == nil {
		of = &sharedSource{}
		if s.all == nil {
			s.all = map[winperf.Source]*sharedSource{}
		}
		s.all[src] = of
	}

	of.users++
	if of.users == 1 && !several {
		return src
	}
	if of.cache == nil {
		of.cache = cache.New(open{src}, cache.Options{})
	}
	return of.cache
}

// leave takes an experiment out of those that read a source. With the last one the cache gives back what
// it holds.
func (s *sharing) leave(src winperf.Source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.all[src]
	if of.users--; of.users > 0 {
		return
	}
	delete(s.all, src)
	if of.cache != nil {
		_ = of.cache.Close() // every sample was taken
	}
}

// open is a source that stays open.
type open struct{ winperf.Source }

func (open) Close() error { return nil }

// share puts an object cache in front of live sources that several bindings measure, of this experiment
// or of others of its program.
func (e *Experiment) share() {
	e.origins = append(e.origins[:0:0], e.opt.Sources...)
	if e.opt.Apart {
		return
	}

	readers := len(e.bindings)
	for _, s := range e.sources {
		if _, reads := s.EventSource.(interface{ reads() }); reads {
			readers++
		}
	}
	for i := range e.origins {
		o := &e.origins[i]
		if o.Source.Describe().Recorded || !reflect.ValueOf(o.Source).Comparable() {
			continue
		}
		e.shared = append(e.shared, o.Source)
		o.Source = e.program.sources.join(o.Source, readers > 1)
	}
}

// unshare gives back what share took.
func (e *Experiment) unshare() {
	for _, src := range e.shared {
		e.program.sources.leave(src)
	}
	e.shared = nil
}

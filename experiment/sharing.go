package experiment

import (
	"reflect"
	"sync"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/cache"
)

// sharing manages the sources of a program's experiments. A source with several readers is put behind one
// object cache. The zero value is ready to use.
type sharing struct {
	mu  sync.Mutex
	all map[winperf.Source]*sharedSource
}

type sharedSource struct {
	users int           // experiments
	cache *cache.Source // nil while only one binding reads the source
}

// join adds an experiment to the readers of a source and returns the source to read: the cache, or the
// source itself for the first experiment if it has only one binding.
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

// release removes an experiment from the readers of a source. The last one closes the cache.
func (s *sharing) release(src winperf.Source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.all[src]
	if of.users--; of.users > 0 {
		return
	}
	delete(s.all, src)
	if of.cache != nil {
		_ = of.cache.Close() // no sample is in progress
	}
}

type open struct{ winperf.Source }

func (open) Close() error { return nil }

// share puts an object cache in front of live sources with several readers, in this experiment or others
// of the program.
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

// unshare undoes share.
func (e *Experiment) unshare() {
	for _, src := range e.shared {
		e.program.sources.release(src)
	}
	e.shared = nil
}

package serve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
)

// forgetAfter is the time after which a missing object is removed from the list.
const forgetAfter = time.Hour

// maxObjects limits the listed objects.
const maxObjects = 10_000

// objectState is the state of an object that was sampled or that a path names.
type objectState struct {
	Name  string
	named bool          // a path has its name
	up    bool          // it was in the latest sample that it could be in
	seen  time.Time     // the time of its last sample; zero: never
	took  time.Duration // duration of that sample
}

type objects struct {
	mu      sync.Mutex
	known   map[string]*objectState
	awaited []string // names in paths of objects that no sample had yet
	without []string // objects that are not served
	english englishNames
}

func newObjects() *objects { return &objects{known: map[string]*objectState{}} }

// expect adds the objects that paths name without wildcards, also to the possible objects of a
// sampler.
func (o *objects) expect(paths []winperf.Path, among map[string]bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range paths {
		if name := p.Object; o.known[name] == nil && !winperf.CompilePattern(name).HasWildcard() {
			o.known[name] = &objectState{Name: name, named: true}
			o.awaited = append(o.awaited, name)
			among[name] = true
		}
	}
}

// update updates the objects after a sample; c is nil if it failed. among are the objects that could
// be in it.
func (o *objects) update(c *measure.Cycle, among map[string]bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for name := range among {
		if s := o.known[name]; s != nil {
			s.up = false
		} else { // forgotten
			delete(among, name)
		}
	}
	if c == nil {
		return
	}

	for name := range o.names(c.Frame) {
		s := o.known[name]
		if s == nil || s.seen.IsZero() {
			if s = o.discover(name, c.Frame); s == nil {
				continue
			}
		}
		among[name] = true
		s.up, s.seen, s.took = true, time.Now().Add(-c.Cost.Decode-c.Cost.Cook), c.Cost.Sample
	}
}

// discover adds an object that no sample had before, or returns nil at the limit. The name in the
// sample replaces a name in a path, which may be in another language or case.
func (o *objects) discover(name string, f frame.Frame) *objectState {
	named := false
	o.awaited = slices.DeleteFunc(o.awaited, func(requested string) bool {
		is := o.means(requested, name, f)
		if named = named || is; is && requested != name {
			delete(o.known, requested)
		}
		return is
	})

	s := o.known[name]
	if s == nil && len(o.known) < maxObjects {
		s = &objectState{Name: name, named: named}
		o.known[name] = s
	}
	return s
}

// means reports whether a path's object name denotes the object with an English name.
func (o *objects) means(requested, name string, f frame.Frame) bool {
	if strings.EqualFold(requested, name) {
		return true
	}
	names := o.english.of(f.Schema())
	return slices.ContainsFunc(names.Lookup(requested), func(index uint32) bool {
		return names.Title(index) == name
	})
}

func (o *objects) in(s *snapshot) map[string]bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := map[string]bool{}
	for name := range o.names(s.frame) {
		all[name] = true
	}
	return all
}

// names yields the names of the objects in a frame, in English if it has English names.
func (o *objects) names(f frame.Frame) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		names := o.english.of(f.Schema())
		for object := range f.Objects() {
			name, ok := names.Name(object.ID().Index)
			if ok && !slices.Contains(o.without, name) && !object.Metadata() && !yield(name) {
				return
			}
		}

		before := ""
		for v := range f.Values() {
			for _, series := range v.AllSeries() {
				name := series.Path.Object
				if name != before && !yield(name) {
					return
				}
				before = name
			}
		}
	}
}

// list returns the objects, sorted by name. An object in some is up if it is in got, for an answer
// from an older sample. Objects that were missing for long are removed.
func (o *objects) list(now time.Time, some, got map[string]bool) []objectState {
	o.mu.Lock()
	defer o.mu.Unlock()
	maps.DeleteFunc(o.known, func(_ string, s *objectState) bool {
		return !s.up && !s.named && now.Sub(s.seen) > forgetAfter
	})
	list := make([]objectState, 0, len(o.known))
	for _, s := range o.known {
		state := *s
		if some[s.Name] {
			state.up = got[s.Name]
		}
		list = append(list, state)
	}
	sorted.Func(list, func(a, b objectState) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// of names some of the objects that could be in a sample, as " of Memory, Processor"; "" without
// objects.
func (o *objects) of(among map[string]bool) string {
	const most = 5
	o.mu.Lock()
	names := slices.Sorted(maps.Keys(among))
	o.mu.Unlock()
	switch more := len(names) - most; {
	case len(names) == 0:
		return ""
	case more > 0:
		return fmt.Sprintf(" of %s and %d more objects", strings.Join(names[:most], ", "), more)
	}
	return " of " + strings.Join(names, ", ")
}

// englishNames caches the English names of a schema.
type englishNames struct {
	schema *winperf.Schema
	names  *nametable.Names
}

func (e *englishNames) of(s *winperf.Schema) *nametable.Names {
	if e.names == nil || e.schema != s {
		all, _ := nametable.FromSchema(s)
		e.schema, e.names = s, all.In("009")
	}
	return e.names
}

func (o *objects) any() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.known) > 0
}

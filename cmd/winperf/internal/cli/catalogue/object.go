package catalogue

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/nametable"
)

// KnownObject is an object of a source. Objects of displayable values have only names.
type KnownObject struct {
	ID         winperf.ObjectID
	Name, Help string
	Machine    string
	Multi      bool // it has instances
	Counters   []KnownCounter
	Of         *frame.Object // nil if only names are known

	names []KnownInstance // used without Of
}

// KnownCounter is a counter of a KnownObject.
type KnownCounter struct {
	Name, Help string
	Of         *frame.Counter // nil if only the name is known
}

// KnownInstance is an instance of a KnownObject.
type KnownInstance struct {
	Name       string // full name
	Occurrence int
	Of         *frame.Instance // nil if only the name is known
}

// String returns the instance as written in paths, with #n.
func (in KnownInstance) String() string {
	p := winperf.Path{HasInstance: true, Instance: in.Name, Index: in.Occurrence}
	return p.InstanceText()
}

// Len returns the number of instances.
func (o *KnownObject) Len() int {
	if o.Of == nil || !o.Multi {
		return len(o.names)
	}
	return o.Of.Len()
}

// Instances returns the instances, if the object has any.
func (o *KnownObject) Instances() iter.Seq[KnownInstance] {
	if o.Of == nil || !o.Multi {
		return slices.Values(o.names)
	}
	return func(yield func(KnownInstance) bool) {
		for in := range o.Of.Instances() {
			if !yield(KnownInstance{Name: in.Full(), Occurrence: in.Occurrence(), Of: &in}) {
				return
			}
		}
	}
}

// NewObject returns an object of a frame, without its base counters.
func NewObject(o frame.Object, names *nametable.Names) KnownObject {
	known := KnownObject{
		ID: o.ID(), Name: names.Title(o.ID().Index), Help: names.Help(o.Help()),
		Machine: o.Machine(), Multi: !o.Single(), Of: &o,
	}
	for _, k := range ShownCounters(o) {
		d := o.Counter(k)
		known.Counters = append(known.Counters, KnownCounter{
			Name: names.Title(d.ID.Index), Help: names.Help(d.Help), Of: &d,
		})
	}
	return known
}

// SeriesObjects returns the objects in the names of series, sorted by name. Objects of the same name on
// several machines are combined.
func SeriesObjects(series []*winperf.Series) (all []KnownObject) {
	objects := map[string]*KnownObject{}
	seen := map[[2]string]bool{} // names of counters, and in parentheses of instances, by object
	for _, s := range series {
		key := strings.ToLower(s.Path.Object)
		o := objects[key]
		if o == nil {
			o = &KnownObject{Name: s.Path.Object}
			objects[key] = o
		}

		if name := s.Path.Counter; !seen[[2]string{key, name}] {
			seen[[2]string{key, name}] = true
			o.Counters = append(o.Counters, KnownCounter{Name: name})
		}

		if !s.Path.HasInstance {
			continue
		}
		o.Multi = true
		in := KnownInstance{Name: s.Path.Instance, Occurrence: s.Path.Index}
		if name := "(" + in.String() + ")"; !seen[[2]string{key, name}] {
			seen[[2]string{key, name}] = true
			o.names = append(o.names, in)
		}
	}

	for _, o := range objects {
		all = append(all, *o)
	}
	sorted.Func(all, func(a, b KnownObject) int {
		return cmp.Or(
			strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)),
			strings.Compare(a.Name, b.Name),
		)
	})
	return all
}

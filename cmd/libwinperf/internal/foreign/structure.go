package foreign

import (
	"fmt"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/frame"
)

// structure is what the last sample holds. Objects without a title index cannot be named
// here and are left out.
type structure struct {
	objects []uint32       // title indices, in the order of the sample
	at      map[uint32]int // positions in the frame and in groups
	groups  []sensor.Group
}

func newStructure(groups []sensor.Group) *structure {
	st := &structure{groups: groups, at: make(map[uint32]int, len(groups))}
	for i := range groups {
		index := groups[i].ObjectID.Index
		if _, twice := st.at[index]; twice || index == 0 {
			continue
		}
		st.at[index] = i
		st.objects = append(st.objects, index)
	}
	return st
}

// browse does something with the structure of the last sample, which is made once for all
// who ask.
func (l *Library) browse(h Handle, a Access, do func(*snapshot, *structure) error) Code {
	return on(l, h, func(s *snapshot) error {
		return s.run(opBrowse, a, func() error {
			st, err := s.described()
			if err != nil {
				return err
			}
			return do(s, st)
		})
	})
}

func (s *snapshot) described() (*structure, error) {
	s.describing.Lock()
	defer s.describing.Unlock()
	if s.structure != nil {
		return s.structure, nil
	}
	if s.frame.IsZero() {
		return nil, fmt.Errorf("browse of a measurement that has no sample: %w", winperf.ErrState)
	}
	s.structure = newStructure(sensor.Describe(s.frame, s.names, "").Groups)
	return s.structure, nil
}

// onObject is what is done with an object of a snapshot, which it describes as a group of sensors.
type onObject func(s *snapshot, g *sensor.Group, o frame.Object) error

// object does something with one object of the last sample.
func (l *Library) object(h Handle, a Access, index uint32, do onObject) Code {
	return l.browse(h, a, func(s *snapshot, st *structure) error {
		i, there := st.at[index]
		if !there {
			return fmt.Errorf("object %d is not in the sample: %w", index, winperf.ErrNoObject)
		}
		return do(s, &st.groups[i], s.frame.Object(i))
	})
}

// ObjectsCount is how many objects the last sample holds.
func (l *Library) ObjectsCount(h Handle, a Access) (n int, code Code) {
	code = l.browse(h, a, func(_ *snapshot, st *structure) error {
		n = len(st.objects)
		return nil
	})
	return n, code
}

// Objects writes the title indices of the objects, in the order of the sample.
func (l *Library) Objects(h Handle, a Access, out []uint32) (n int, code Code) {
	code = l.browse(h, a, func(_ *snapshot, st *structure) (err error) {
		n, err = copyAll(out, st.objects)
		return err
	})
	return n, code
}

// CountersCount is how many counters an object has, those left out that others are divided by.
func (l *Library) CountersCount(h Handle, a Access, object uint32) (n int, code Code) {
	code = l.object(h, a, object, func(_ *snapshot, g *sensor.Group, _ frame.Object) error {
		n = len(g.Sensors)
		return nil
	})
	return n, code
}

// Counters writes the counters of an object, in the order of the sample.
func (l *Library) Counters(h Handle, a Access, object uint32, out []Counter) (n int, code Code) {
	code = l.object(h, a, object, func(_ *snapshot, g *sensor.Group, o frame.Object) (err error) {
		n, err = copyAll(out, countersOf(g, o))
		return err
	})
	return n, code
}

// countersOf describes the counters of an object. Its sensors are its counters without bases.
func countersOf(g *sensor.Group, o frame.Object) []Counter {
	all := make([]Counter, 0, len(g.Sensors))
	for k := range o.NumCounters() {
		c := o.Counter(k)
		if c.Type.IsBase() {
			continue
		}
		s := &g.Sensors[len(all)]
		all = append(all, Counter{
			Name: c.ID.Index, Help: c.Help, Type: uint32(c.Type),
			Kind: int32(s.Kind), Value: int32(s.ValueType), Scale: c.Scale,
		})
	}
	return all
}

// InstancesCount is how many instances an object has; 0 for one that has no instances but is a
// thing itself.
func (l *Library) InstancesCount(h Handle, a Access, object uint32) (n int, code Code) {
	code = l.object(h, a, object, func(_ *snapshot, g *sensor.Group, _ frame.Object) error {
		n = len(g.Instances)
		return nil
	})
	return n, code
}

// InstancesSize is how many bytes the names of an object's instances take.
func (l *Library) InstancesSize(h Handle, a Access, object uint32) (n int, code Code) {
	code = l.object(h, a, object, func(s *snapshot, g *sensor.Group, o frame.Object) (err error) {
		n, err = listSize(s.instanceNames(g, o))
		return err
	})
	return n, code
}

// Instances writes the names of an object's instances and, in the same order, that of the sample,
// what their names do not say. A name is what stands in a path: parent/name.
func (l *Library) Instances(h Handle, a Access, object uint32, out []byte, rest []Instance) (
	bytes, n int, code Code,
) {
	code = l.object(h, a, object, func(s *snapshot, g *sensor.Group, o frame.Object) (err error) {
		bytes, n, err = copyBoth(out, s.instanceNames(g, o), rest, s.instancesOf(g, o))
		return err
	})
	return bytes, n, code
}

// instanceNames are the names of the instances by the rule that the snapshot was made with.
func (s *snapshot) instanceNames(g *sensor.Group, o frame.Object) []string {
	names := make([]string, len(g.Instances))
	for i := range names {
		names[i] = g.Instances[i].Name
		if s.rule.Name == nil {
			continue
		}
		if name, ok := s.rule.Name(o, i); ok {
			names[i] = name
		}
	}
	return names
}

// instancesOf says what the names of the instances do not. Those that the rule calls the same are numbered
// as the measurement numbers them; names that differ in case only are equal.
func (s *snapshot) instancesOf(g *sensor.Group, o frame.Object) []Instance {
	all := make([]Instance, len(g.Instances))
	for i := range all {
		all[i] = Instance{ParentPosition: -1, Occurrence: int32(g.Instances[i].Index)}
		if object, at, has := o.Instance(i).ParentPlace(); has {
			all[i].ParentObject, all[i].ParentPosition = object, int32(at)
		}
	}
	if s.rule.Name == nil {
		return all
	}

	count := make(map[string]int32, len(all))
	for i, name := range s.instanceNames(g, o) {
		name = strings.ToLower(name)
		all[i].Occurrence = count[name]
		count[name]++
	}
	return all
}

package foreign

import (
	"fmt"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/frame"
)

type structure struct {
	objects []uint32
	at      map[uint32]int
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
		return nil, fmt.Errorf("browse of a measurement without a sample: %w", winperf.ErrState)
	}
	s.structure = newStructure(sensor.Describe(s.frame, s.names, "").Groups)
	return s.structure, nil
}

type onObject func(s *snapshot, g *sensor.Group, o frame.Object) error

func (l *Library) object(h Handle, a Access, index uint32, do onObject) Code {
	return l.browse(h, a, func(s *snapshot, st *structure) error {
		i, there := st.at[index]
		if !there {
			return fmt.Errorf("object %d is not in the sample: %w", index, winperf.ErrNoObject)
		}
		return do(s, &st.groups[i], s.frame.Object(i))
	})
}

// ObjectsCount returns the number of objects in the last sample.
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

// CountersCount returns the number of counters of an object, without bases.
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

// InstancesCount returns the number of instances of an object; 0 for an object without instances.
func (l *Library) InstancesCount(h Handle, a Access, object uint32) (n int, code Code) {
	code = l.object(h, a, object, func(_ *snapshot, g *sensor.Group, _ frame.Object) error {
		n = len(g.Instances)
		return nil
	})
	return n, code
}

// InstancesSize returns the size of the names of an object's instances in bytes.
func (l *Library) InstancesSize(h Handle, a Access, object uint32) (n int, code Code) {
	code = l.object(h, a, object, func(s *snapshot, g *sensor.Group, o frame.Object) (err error) {
		n, err = listSize(s.instanceNames(g, o))
		return err
	})
	return n, code
}

// Instances writes the names of an object's instances and, in the same order, their other properties. A
// name is the instance in a path: parent/name.
func (l *Library) Instances(h Handle, a Access, object uint32, out []byte, rest []Instance) (
	bytes, n int, code Code,
) {
	code = l.object(h, a, object, func(s *snapshot, g *sensor.Group, o frame.Object) (err error) {
		bytes, n, err = copyBoth(out, s.instanceNames(g, o), rest, s.instancesOf(g, o))
		return err
	})
	return bytes, n, code
}

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

// instancesOf describes the instances. Instances with equal names, ignoring case, are numbered like in
// the measurement.
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

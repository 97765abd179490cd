package foreign

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/suggest"
	"github.com/winperf/winperf/internal/thismachine"
	"github.com/winperf/winperf/nametable"
)

// baseIndex is an entry of each table that is not a name: it holds the highest index of the system's
// counters.
const baseIndex = 1

// pairs returns the names of objects and counters in the source's preferred language, by ascending index.
func pairs(names *nametable.Names) (texts []string, indices []uint32) {
	languages := names.Languages()
	if len(languages) == 0 {
		return nil, nil
	}
	table, _ := names.Tables(languages[0])
	for index, text := range table.All() {
		if index != baseIndex {
			texts, indices = append(texts, text), append(indices, index)
		}
	}
	return texts, indices
}

// NamesCount returns the number of names of objects and counters in the source.
func (l *Library) NamesCount(h Handle) (n int, code Code) {
	code = on(l, h, func(s *shared) error {
		names, err := s.known()
		if err != nil {
			return err
		}
		_, indices := pairs(names)
		n, err = within(len(indices))
		return err
	})
	return n, code
}

// NamesSize returns the size of the names in bytes.
func (l *Library) NamesSize(h Handle) (n int, code Code) {
	code = on(l, h, func(s *shared) error {
		names, err := s.known()
		if err != nil {
			return err
		}
		texts, _ := pairs(names)
		n, err = listSize(texts)
		return err
	})
	return n, code
}

// Names writes all names and, in the same order, their title indices. It returns the number of bytes and
// indices.
func (l *Library) Names(h Handle, out []byte, indices []uint32) (bytes, n int, code Code) {
	code = on(l, h, func(s *shared) error {
		names, err := s.known()
		if err != nil {
			return err
		}
		texts, all := pairs(names)
		bytes, n, err = copyBoth(out, texts, indices, all)
		return err
	})
	return bytes, n, code
}

func copyBoth[T any](out []byte, texts []string, rest, all []T) (bytes, n int, err error) {
	if bytes, err = listSize(texts); err != nil {
		return 0, 0, err
	}
	switch n = len(all); {
	case len(out) < bytes:
		return bytes, n, tooSmall(len(out), bytes, "bytes")
	case len(rest) < n:
		return bytes, n, tooSmall(len(rest), n, "elements")
	}
	copy(rest, all)
	_, err = copyList(out, texts)
	return bytes, n, err
}

func (s *shared) nameOf(index uint32) (string, error) {
	names, err := s.known()
	if err != nil {
		return "", err
	}
	if name, ok := names.Name(index); ok {
		return name, nil
	}
	if text := names.Help(index); text != "" {
		return text, nil
	}
	return "", fmt.Errorf("index %d has no name and no help text: %w", index, NotFound)
}

// NameSize returns the number of bytes that Name writes.
func (l *Library) NameSize(h Handle, index uint32) (n int, code Code) {
	code = on(l, h, func(s *shared) error {
		name, err := s.nameOf(index)
		if err != nil {
			return err
		}
		n, err = textSize(name)
		return err
	})
	return n, code
}

// Name writes the name or the help text of a title index.
func (l *Library) Name(h Handle, index uint32, out []byte) (n int, code Code) {
	code = on(l, h, func(s *shared) error {
		name, err := s.nameOf(index)
		if err != nil {
			return err
		}
		n, err = copyText(out, name)
		return err
	})
	return n, code
}

// FindObject returns the title index of the object with a name, ignoring case, in any language of the
// source.
func (l *Library) FindObject(h Handle, name string) (index uint32, code Code) {
	code = on(l, h, func(s *shared) error {
		c, names, err := s.defined()
		if err != nil {
			return err
		}
		titles := names.Lookup(name)
		for i := range c.Groups {
			if at := c.Groups[i].ObjectID.Index; at != 0 && slices.Contains(titles, at) {
				index = at
				return nil
			}
		}
		return guess(fmt.Errorf("object %q: %w", name, winperf.ErrNoObject), name, groupNames(c))
	})
	return index, code
}

func groupNames(c *sensor.Catalogue) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range c.Groups {
			if !yield(c.Groups[i].Name) {
				return
			}
		}
	}
}

func guess(err error, name string, there iter.Seq[string]) error {
	if close := suggest.Closest(name, there); close != "" {
		return fmt.Errorf("%w (did you mean %q?)", err, close)
	}
	return err
}

// FindCounter returns the title index of an object's counter with a name. It needs the object because
// counters of several objects have the same name under different indices.
func (l *Library) FindCounter(h Handle, object uint32, name string) (index uint32, code Code) {
	code = on(l, h, func(s *shared) error {
		c, names, err := s.defined()
		if err != nil {
			return err
		}
		g, err := group(c, object)
		if err != nil {
			return err
		}

		titles := make([]uint32, 0, len(g.Sensors))
		for i := range g.Sensors {
			titles = append(titles, g.Sensors[i].CounterID.Index)
		}
		if index, err = names.LookupCounter(titles, name); err != nil {
			return guess(err, name, counterNames(g))
		}
		return nil
	})
	return index, code
}

func counterNames(g *sensor.Group) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range g.Sensors {
			if !yield(g.Sensors[i].Name.Sensor) {
				return
			}
		}
	}
}

func group(c *sensor.Catalogue, object uint32) (*sensor.Group, error) {
	i := slices.IndexFunc(c.Groups, func(g sensor.Group) bool { return g.ObjectID.Index == object })
	if i < 0 || object == 0 {
		return nil, fmt.Errorf("object %d: %w", object, winperf.ErrNoObject)
	}
	return &c.Groups[i], nil
}

func (s *shared) sensors() (names []string, all []Sensor, err error) {
	c, _, err := s.defined()
	if err != nil {
		return nil, nil, err
	}
	for i := range c.Groups {
		for k := range c.Groups[i].Sensors {
			sensor := &c.Groups[i].Sensors[k]
			if sensor.ObjectID.Index != 0 && sensor.CounterID.Index != 0 {
				names, all = append(names, sensor.Name.String()), append(all, newSensor(sensor))
			}
		}
	}
	return names, all, nil
}

// SensorsCount returns the number of sensors of the source.
func (l *Library) SensorsCount(h Handle) (n int, code Code) {
	code = on(l, h, func(s *shared) error {
		_, all, err := s.sensors()
		n = len(all)
		return err
	})
	return n, code
}

// SensorsSize returns the size of the sensors' names in bytes.
func (l *Library) SensorsSize(h Handle) (n int, code Code) {
	code = on(l, h, func(s *shared) error {
		names, _, err := s.sensors()
		if err != nil {
			return err
		}
		n, err = listSize(names)
		return err
	})
	return n, code
}

// Sensors writes the names of all sensors, without instances, and the sensors in the same order.
func (l *Library) Sensors(h Handle, out []byte, sensors []Sensor) (bytes, n int, code Code) {
	code = on(l, h, func(s *shared) error {
		names, all, err := s.sensors()
		if err != nil {
			return err
		}
		bytes, n, err = copyBoth(out, names, sensors, all)
		return err
	})
	return bytes, n, code
}

// FindSensor returns the sensor with a name such as linux.winperf/Processor/% Processor Time#_Total, or
// with a path. It does not check that the instance exists.
func (l *Library) FindSensor(h Handle, name string) (found Sensor, code Code) {
	code = on(l, h, func(s *shared) error {
		sensor, _, err := s.sensor(name)
		if err == nil {
			found = newSensor(sensor)
		}
		return err
	})
	return found, code
}

func (s *shared) sensor(name string) (*sensor.Sensor, sensor.Name, error) {
	n, err := s.parseSensor(name)
	if err != nil {
		return nil, n, err
	}
	c, _, err := s.defined()
	if err != nil {
		return nil, n, err
	}
	if n.Source == "" {
		n.Source = c.Source
	}

	// The instance need not exist now.
	any := n
	any.Instance, any.Index, any.HasInstance = "", 0, false
	sensor, err := c.Find(any)
	switch {
	case errors.Is(err, winperf.ErrNoObject):
		err = guess(err, n.Group, groupNames(c))
	case errors.Is(err, winperf.ErrNoCounter):
		if g, missing := c.Group(n.Group); missing == nil {
			err = guess(err, n.Sensor, counterNames(g))
		}
	case err == nil && n.HasInstance && !sensor.Multi:
		err = fmt.Errorf("sensor %s: %w: %s has no instances", n, winperf.ErrNoInstance, n.Group)
	}
	return sensor, n, err
}

// parseSensor parses the name of a sensor or, with a leading backslash, the path of a counter, which
// returns a name without source.
func (s *shared) parseSensor(text string) (sensor.Name, error) {
	if !strings.HasPrefix(text, `\`) {
		return sensor.ParseName(text)
	}
	p, err := winperf.ParsePath(text)
	if err != nil {
		return sensor.Name{}, err
	}

	is := s.src.Describe()
	p = thismachine.Paths([]winperf.Path{p}, is)[0]
	if p.Machine != "" && !strings.EqualFold(p.Machine, is.Machine) {
		return sensor.Name{}, fmt.Errorf("path %s: %w: the source is %s", text, winperf.ErrNoMachine, is.Machine)
	}
	return sensor.NewName("", p), nil
}

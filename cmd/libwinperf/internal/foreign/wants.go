package foreign

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
)

// wants is what a snapshot is to measure.
type wants struct {
	selection winperf.Selection
	// requests are those of the caller; order has, for each part of the selection, which of
	// them it stands for. Both are empty for whole classes of objects.
	requests []Request
	order    []int
}

// MaxRequests bounds what one snapshot can be asked for.
const MaxRequests = 1 << 20

// want makes out what requests mean.
func (s *shared) want(k Kind, requests []Request) (wants, error) {
	switch k {
	case Global:
		return wants{selection: winperf.Selection{Global: true}}, nil
	case Costly:
		return wants{selection: winperf.Selection{Costly: true}}, nil
	case Custom:
	default:
		return wants{}, fmt.Errorf("there is no kind of snapshots %d: %w", k, BadArgument)
	}
	if err := checkRequests(requests); err != nil {
		return wants{}, err
	}

	w := wants{requests: requests}
	var whole []int
	for i, r := range requests {
		path, err := s.pathOf(r)
		switch {
		case err != nil:
			return wants{}, fmt.Errorf("request %d: %w", i, err)
		case r.Counter == 0:
			whole = append(whole, i)
			w.selection.Objects = append(w.selection.Objects, winperf.ObjectID{Index: r.Object})
		default:
			w.selection.Paths, w.order = append(w.selection.Paths, path), append(w.order, i)
		}
	}
	w.order = append(w.order, whole...) // as the parts of a selection: its paths come first
	return w, nil
}

func checkRequests(requests []Request) error {
	switch n := len(requests); {
	case n == 0:
		return fmt.Errorf("a custom snapshot without requests: %w", BadArgument)
	case n > MaxRequests:
		return tooMany(n, MaxRequests, "requests")
	}

	first := make(map[Request]int, len(requests))
	for i, r := range requests {
		if j, twice := first[r]; twice {
			return fmt.Errorf("request %d is the same as request %d: %w", i, j, BadArgument)
		}
		first[r] = i
	}
	return nil
}

func tooMany(n, most int, what string) error {
	return fmt.Errorf("%d %s, of at most %d: %w", n, what, most, TooMany)
}

// pathOf checks that the source defines what a request wants, and returns the path of its counter.
// It names both by index, as names may stand for several.
func (s *shared) pathOf(r Request) (winperf.Path, error) {
	c, _, err := s.defined()
	if err != nil {
		return winperf.Path{}, err
	}
	g, err := group(c, r.Object)
	if err != nil || r.Counter == 0 {
		return winperf.Path{}, err
	}

	defines := func(s sensor.Sensor) bool { return s.CounterID.Index == r.Counter }
	if !slices.ContainsFunc(g.Sensors, defines) {
		return winperf.Path{}, fmt.Errorf("counter %d of object %d: %w", r.Counter, r.Object, winperf.ErrNoCounter)
	}
	p := winperf.Path{Object: title(r.Object), Counter: title(r.Counter)}
	if g.Multi {
		p.Instance, p.HasInstance = "*", true
	}
	return p, nil
}

// title names an object or counter by its index, as package nametable reads it.
func title(index uint32) string { return "#" + strconv.FormatUint(uint64(index), 10) }

// wantSensors makes out what the names of sensors mean. One of an object with instances that
// names none means all of them.
func (s *shared) wantSensors(names []string) (wants, error) {
	switch n := len(names); {
	case n == 0:
		return wants{}, fmt.Errorf("a snapshot without sensors: %w", BadArgument)
	case n > MaxRequests:
		return wants{}, tooMany(n, MaxRequests, "sensors")
	}

	var w wants
	first := make(map[winperf.Path]int, len(names))
	for i, name := range names {
		p, r, err := s.pathOfSensor(name)
		if err != nil {
			return wants{}, err
		}
		same := p
		same.Instance = strings.ToLower(p.Instance) // names are those of an instance in either case
		if j, twice := first[same]; twice {
			return wants{}, fmt.Errorf("sensor %q is the same as %q: %w", name, names[j], BadArgument)
		}
		first[same] = i
		w.selection.Paths = append(w.selection.Paths, p)
		w.requests, w.order = append(w.requests, r), append(w.order, i)
	}
	return w, nil
}

// pathOfSensor finds a sensor and returns the path of its instance. Whether the instance is there
// is for the measurement to find out: it may come later.
func (s *shared) pathOfSensor(name string) (winperf.Path, Request, error) {
	sensor, n, err := s.sensor(name)
	if err != nil {
		return winperf.Path{}, Request{}, err
	}
	r := Request{sensor.ObjectID.Index, sensor.CounterID.Index}
	p := n.Path()
	if r.Object != 0 && r.Counter != 0 {
		p.Object, p.Counter = title(r.Object), title(r.Counter)
	}
	if sensor.Multi && !n.HasInstance {
		p.Instance, p.HasInstance = "*", true
	}
	return p, r, nil
}

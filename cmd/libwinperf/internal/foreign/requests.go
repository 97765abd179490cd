package foreign

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
)

type requested struct {
	selection winperf.Selection
	// requests are the caller's requests; order has the index in requests for each part of the selection.
	// Both are empty for whole classes of objects.
	requests []Request
	order    []int
}

// MaxRequests is the largest number of requests of a snapshot.
const MaxRequests = 1 << 20

func (s *shared) resolve(k Kind, requests []Request) (requested, error) {
	switch k {
	case Global:
		return requested{selection: winperf.Selection{Global: true}}, nil
	case Costly:
		return requested{selection: winperf.Selection{Costly: true}}, nil
	case Custom:
	default:
		return requested{}, fmt.Errorf("unknown kind of snapshot %d: %w", k, BadArgument)
	}
	if err := checkRequests(requests); err != nil {
		return requested{}, err
	}

	w := requested{requests: requests}
	var whole []int
	for i, r := range requests {
		path, err := s.pathOf(r)
		switch {
		case err != nil:
			return requested{}, fmt.Errorf("request %d: %w", i, err)
		case r.Counter == 0:
			whole = append(whole, i)
			w.selection.Objects = append(w.selection.Objects, winperf.ObjectID{Index: r.Object})
		default:
			w.selection.Paths, w.order = append(w.selection.Paths, path), append(w.order, i)
		}
	}
	w.order = append(w.order, whole...) // the parts of a selection begin with its paths
	return w, nil
}

func checkRequests(requests []Request) error {
	switch n := len(requests); {
	case n == 0:
		return fmt.Errorf("custom snapshot without requests: %w", BadArgument)
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

// pathOf checks that the source defines a request, and returns the path of its counter by index, as names
// may be ambiguous.
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

func title(index uint32) string { return "#" + strconv.FormatUint(uint64(index), 10) }

// resolveSensors returns the selection of sensors, given by name. A name without an instance selects all
// instances of its object.
func (s *shared) resolveSensors(names []string) (requested, error) {
	switch n := len(names); {
	case n == 0:
		return requested{}, fmt.Errorf("snapshot without sensors: %w", BadArgument)
	case n > MaxRequests:
		return requested{}, tooMany(n, MaxRequests, "sensors")
	}

	var w requested
	first := make(map[winperf.Path]int, len(names))
	for i, name := range names {
		p, r, err := s.pathOfSensor(name)
		if err != nil {
			return requested{}, err
		}
		same := p
		same.Instance = strings.ToLower(p.Instance) // instance names ignore case
		if j, twice := first[same]; twice {
			return requested{}, fmt.Errorf("sensor %q is the same as %q: %w", name, names[j], BadArgument)
		}
		first[same] = i
		w.selection.Paths = append(w.selection.Paths, p)
		w.requests, w.order = append(w.requests, r), append(w.order, i)
	}
	return w, nil
}

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

package control

import (
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	protocol "github.com/winperf/winperf/internal/control"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/delivery"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/measure"
)

func specOptions(s *protocol.Spec, sources []sensor.Origin) (experiment.Options, error) {
	o := experiment.Options{Name: s.Name, Sources: sources}
	var err error
	if o.Names, err = measure.ParseNaming(s.Names); err != nil {
		return o, err
	}

	for i := range s.Bindings {
		b, err := bindingOf(&s.Bindings[i], sources, s.Names)
		if err != nil {
			return o, fmt.Errorf("bindings[%d]: %w", i, err)
		}
		o.Bindings = append(o.Bindings, b)
	}
	for i := range s.Events {
		source, err := eventSource(&s.Events[i], s.Names)
		if err != nil {
			return o, fmt.Errorf("events[%d]: %w", i, err)
		}
		o.Events = append(o.Events, source)
	}
	return o, nil
}

func bindingOf(b *protocol.Binding, sources []sensor.Origin, naming string) (experiment.Binding, error) {
	policy := experiment.DropOldest
	if b.Policy != "" {
		var err error
		if policy, err = experiment.ParsePolicy(b.Policy); err != nil {
			return experiment.Binding{}, err
		}
	}
	paths, sensors, err := parseSensors(b.Sensors, sources, naming)
	return experiment.Binding{
		Name: b.Name, Events: b.Events, Paths: paths, Sensors: sensors, Raw: b.Raw,
		Policy: policy, Capacity: b.Capacity, Timeout: time.Duration(b.Timeout),
	}, err
}

// parseSensors parses paths, which begin with a backslash, and sensor names. If no source has the source
// name of a sensor and the name is usual (see sensor.UsualSource), the sensor is measured like a path.
// The instance self is replaced, see measure.OwnInstance.
func parseSensors(
	texts []string, sources []sensor.Origin, naming string,
) (paths []winperf.Path, sensors []sensor.Name, err error) {
	for _, text := range texts {
		if strings.HasPrefix(text, `\`) {
			p, err := parsePath(text, naming)
			if err != nil {
				return nil, nil, err
			}
			paths = append(paths, p)
			continue
		}
		n, err := sensor.ParseName(text)
		if err == nil {
			n.Instance, err = measure.OwnInstance(n.Group, n.Instance, naming)
		}
		if err != nil {
			return nil, nil, err
		}
		called := func(o sensor.Origin) bool { return strings.EqualFold(o.Name, n.Source) }
		if slices.ContainsFunc(sources, called) || !sensor.UsualSource(n.Source) {
			sensors = append(sensors, n)
			continue
		}

		p := n.Path()
		if err := p.Validate(); err != nil {
			return nil, nil, err
		}
		paths = append(paths, p)
	}
	return paths, sensors, nil
}

func parsePath(text, naming string) (winperf.Path, error) {
	p, err := winperf.ParsePath(text)
	if err == nil {
		p.Instance, err = measure.OwnInstance(p.Object, p.Instance, naming)
	}
	return p, err
}

func eventSource(s *protocol.EventSource, naming string) (experiment.EventSource, error) {
	every := time.Duration(s.Every)
	if every != 0 {
		if err := protocol.CheckInterval(every); err != nil {
			return nil, fmt.Errorf("%q: %w", s.Name, err)
		}
	}
	var path winperf.Path
	if s.Path != "" {
		var err error
		if path, err = parsePath(s.Path, naming); err != nil {
			return nil, err
		}
	}

	bounded := s.Above != nil || s.Below != nil
	switch {
	case s.Name == "":
		return nil, errors.New("expected a name of the source of events")
	case every == 0 && s.Process == "" && s.Path == "", s.Process != "" && s.Path != "",
		bounded && s.Path == "", s.Above != nil && s.Below != nil:
		const form = "%q: expected one of every, process, path, and path with either above or below"
		return nil, fmt.Errorf(form, s.Name)
	case s.Process != "":
		return experiment.Processes{Name: s.Name, Match: s.Process, Every: every}, nil
	case s.Path == "":
		return experiment.Interval{Name: s.Name, Every: every, Aligned: s.Aligned}, nil
	case !bounded:
		return experiment.Instances{Name: s.Name, Path: path, Every: every}, nil
	}

	t := experiment.Threshold{
		Name: s.Name, Path: path, Hysteresis: s.Hysteresis, For: time.Duration(s.For), Every: every,
	}
	if s.Above != nil {
		t.Bound = *s.Above
	} else {
		t.Bound, t.Below = *s.Below, true
	}
	return t, nil
}

func sinkName(s *protocol.Sink) string {
	switch {
	case s.Name != "":
		return s.Name
	case s.File != "":
		return s.File
	case s.URL != "":
		return s.URL
	case len(s.Program) > 0:
		return strings.Join(s.Program, " ")
	}
	return ""
}

func openRoute(s *protocol.Sink) (delivery.Route, error) {
	r := delivery.Route{Name: sinkName(s)}
	var err error

	switch {
	case s.File != "" && s.URL == "" && len(s.Program) == 0:
		if !filepath.IsAbs(s.File) {
			const form = "sink %q: expected an absolute path, since the program has another working directory"
			return r, fmt.Errorf(form, s.File)
		}
		r.Sink, err = delivery.NewFile(s.File, delivery.FileOptions{Format: s.Format, Overwrite: s.Overwrite})
	case s.URL != "" && s.File == "" && len(s.Program) == 0:
		header := http.Header{}
		for name, value := range s.Header {
			header.Set(name, value)
		}
		r.Sink, err = delivery.NewHTTP(s.URL, delivery.HTTPOptions{Header: header})
	case len(s.Program) > 0 && s.File == "" && s.URL == "":
		r.Sink, err = delivery.NewProgram(&exec.Cmd{Args: s.Program})
	default:
		return r, fmt.Errorf("sink %q: expected one of file, url and program", r.Name)
	}
	return r, err
}

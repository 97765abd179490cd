package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/strictyaml"
	"github.com/winperf/winperf/measure"
)

// Absence is an object or instance that a file names, and that is missing now but may appear.
type Absence struct {
	Err    error // with its place in the file
	Status counter.Status
}

const examineTime = 30 * time.Second

const maxFindings = 50

// Check examines the sources of a file, as far as the errors of its text, faults, allow. It joins all
// errors.
func Check(ctx context.Context, f *File, faults error, open *Opener) (absent []Absence, err error) {
	s := &Session{file: f, open: open}
	defer func() { err = errors.Join(err, s.Close()) }()
	s.origins, err = f.origins(ctx, open)
	err = errors.Join(faults, err, s.share())

	absent, failed := s.Examine(ctx)
	if err = errors.Join(err, failed); err != nil || len(f.Bindings) == 0 {
		return absent, err
	}
	return absent, s.bind(ctx)
}

// Examine samples the counters that the file names. A counter that can never have a value is an error: a
// counter missing in its object, an instance of an object without instances, a machine that no source
// reads, or an object missing in a log. Objects of a live machine and instances may appear later: these
// are absences.
func (s *Session) Examine(ctx context.Context) (absent []Absence, err error) {
	ctx, cancel := context.WithTimeout(ctx, examineTime)
	defer cancel()

	var errs []error
	names, _ := measure.ParseNaming(s.file.Names.V) // an error was reported
	for _, w := range s.lookup() {
		w.names = names
		status, err := s.examine(ctx, w)
		switch {
		case ctx.Err() != nil:
			return absent, ctx.Err()
		case err != nil && len(errs) < maxFindings:
			errs = append(errs, w.at.Errorf("%w", err))
		case err != nil || status == counter.OK:
		case len(absent) < maxFindings:
			err := w.at.Errorf("%s: %s; it may appear later", w.text, s.reason(ctx, w, status))
			absent = append(absent, Absence{err, status})
		}
	}

	return absent, errors.Join(errs...)
}

// ExaminePaths samples paths measured with a command. A missing object or counter is an error; an instance
// may begin with the command.
func ExaminePaths(
	ctx context.Context, src winperf.Source, paths []winperf.Path, open *Opener,
) (absent []Absence, err error) {
	ctx, cancel := context.WithTimeout(ctx, examineTime)
	defer cancel()
	s := &Session{open: open, origins: []sensor.Origin{{Source: src}}}

	var errs []error
	for _, p := range paths {
		w := lookup{text: p.String(), path: p, origins: s.origins}
		status, err := s.examine(ctx, w)
		switch {
		case err != nil:
			errs = append(errs, err)
		case status == counter.NoInstance:
			err := fmt.Errorf("%s: %s; it may appear later", w.text, s.reason(ctx, w, status))
			absent = append(absent, Absence{err, status})
		case status != counter.OK:
			errs = append(errs, fmt.Errorf("%s: %s", w.text, s.reason(ctx, w, status)))
		}
	}
	return absent, errors.Join(errs...)
}

type lookup struct {
	at      strictyaml.Pos
	text    string
	path    winperf.Path
	origins []sensor.Origin // sources to search
	names   []measure.NameRule
}

// lookup returns the counters in bindings and events, without duplicates. It omits invalid names and
// unopened sources.
func (s *Session) lookup() []lookup {
	missing := func(w lookup) bool { return w.path.Counter == "" || len(w.origins) == 0 }
	return slices.DeleteFunc(s.counters(), missing)
}

func (s *Session) counters() (all []lookup) {
	seen := map[strictyaml.Pos]bool{}
	for i := range s.file.Bindings {
		for _, v := range s.file.Bindings[i].Sensors {
			for _, entry := range s.file.entries(v) {
				if !seen[entry.Pos] {
					seen[entry.Pos] = true
					all = append(all, s.sensor(entry))
				}
			}
		}
	}

	for i := range s.file.Events {
		e := &s.file.Events[i]
		w := lookup{at: e.Pos, text: e.Instances, origins: s.named(e.Source.V)}
		switch {
		case e.Instances != "":
			w.path, _ = winperf.ParsePath(e.Instances) // an error was reported
		case e.Path.V.Counter != "":
			w.at, w.path, w.text = e.Path.Pos, e.Path.V, e.Path.V.String()
		default:
			continue
		}
		all = append(all, w)
	}
	return all
}

// sensor returns the counter of a path, in all sources, or of a sensor name, in one of them.
func (s *Session) sensor(v strictyaml.Value[string]) lookup {
	w := lookup{at: v.Pos, text: v.V, origins: s.all()}
	path, name, err := s.file.sensor(v)
	switch {
	case err != nil: // an error was reported
	case path != nil:
		w.path = *path
	default:
		w.path, w.origins = name.Path(), s.named(name.Source)
	}
	return w
}

// all returns the sources of the file, or none if one is not open, because it might have the counter.
func (s *Session) all() []sensor.Origin {
	if len(s.origins) < len(s.file.sourceNames()) {
		return nil
	}
	return s.origins
}

// named returns the source with a name; "" is the first one.
func (s *Session) named(name string) []sensor.Origin {
	if all := s.all(); name == "" && len(all) > 0 {
		return all[:1]
	}
	for _, o := range s.origins {
		if strings.EqualFold(o.Name, name) {
			return []sensor.Origin{o}
		}
	}
	return nil
}

// examine samples a counter and returns the status of the missing part, or counter.OK. The error explains
// why it can never have a value.
func (s *Session) examine(ctx context.Context, w lookup) (counter.Status, error) {
	status, recorded, err := look(ctx, w)
	if err != nil {
		return 0, err
	}

	never := status == counter.NoCounter || status == counter.NoObject && recorded
	if status == counter.NoInstance {
		other := w
		p := &other.path
		p.Instance, p.Index, p.HasInstance = "*", 0, !p.HasInstance
		if !p.HasInstance {
			p.Instance = ""
		}
		form, _, err := look(ctx, other)
		never = err == nil && form == counter.OK
	}
	if never {
		return 0, fmt.Errorf("%s: %s", w.text, s.reason(ctx, w, status))
	}
	return status, nil
}

// look samples a path in each of its sources. It returns the missing part in the source with the best
// match, and whether all sources with a sample are logs. If all fail, it returns the last error.
func look(ctx context.Context, w lookup) (part counter.Status, recorded bool, err error) {
	parts, answered, err := sensor.Missing(ctx, w.origins, []winperf.Path{w.path}, nil, w.names)
	live := func(o sensor.Origin) bool { return !o.Source.Describe().Recorded }
	return parts[0], !slices.ContainsFunc(answered, live), err
}

func (s *Session) reason(ctx context.Context, w lookup, status counter.Status) string {
	if s.open.Reason == nil || len(w.origins) == 0 {
		return status.String()
	}
	return s.open.Reason(ctx, w.origins[0].Source, w.path, status)
}

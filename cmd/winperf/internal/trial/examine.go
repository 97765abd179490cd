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

// Absence is something that a file names and that is not there now, though it may come.
type Absence struct {
	Err    error // with its place in the file
	Status counter.Status
}

// examineTime bounds how long is looked for what a file names.
const examineTime = 30 * time.Second

// maxFindings is how many absences and errors are told.
const maxFindings = 50

// Check looks for all that a file names and that only its sources can tell, as far as what ReadFile found
// wrong with it, faults, lets that be. The error joins all that is wrong.
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

// Examine looks for the counters that the file names. What can never have a value is an error: a
// counter that its object lacks, an instance of an object without instances, a machine that no source
// reads, and an object that a recorded source lacks. An object of a living machine may come with
// the program that publishes it, and an instance at any time: these are absences.
func (s *Session) Examine(ctx context.Context) (absent []Absence, err error) {
	ctx, cancel := context.WithTimeout(ctx, examineTime)
	defer cancel()

	var errs []error
	names, _ := measure.ParseNaming(s.file.Names.V) // an error was told
	for _, w := range s.wanted() {
		w.names = names
		status, err := s.examine(ctx, w)
		switch {
		case ctx.Err() != nil:
			return absent, ctx.Err()
		case err != nil && len(errs) < maxFindings:
			errs = append(errs, w.at.Errorf("%w", err))
		case err != nil || status == counter.OK:
		case len(absent) < maxFindings:
			err := w.at.Errorf("%s: %s; it may come later", w.text, s.reason(ctx, w, status))
			absent = append(absent, Absence{err, status})
		}
	}

	return absent, errors.Join(errs...)
}

// ExaminePaths looks for paths that are measured beside a command. One that names no object or counter is
// an error; an instance may begin with the command.
func ExaminePaths(
	ctx context.Context, src winperf.Source, paths []winperf.Path, open *Opener,
) (absent []Absence, err error) {
	ctx, cancel := context.WithTimeout(ctx, examineTime)
	defer cancel()
	s := &Session{open: open, origins: []sensor.Origin{{Source: src}}}

	var errs []error
	for _, p := range paths {
		w := wanted{text: p.String(), path: p, origins: s.origins}
		status, err := s.examine(ctx, w)
		switch {
		case err != nil:
			errs = append(errs, err)
		case status == counter.NoInstance:
			err := fmt.Errorf("%s: %s; it may come later", w.text, s.reason(ctx, w, status))
			absent = append(absent, Absence{err, status})
		case status != counter.OK:
			errs = append(errs, fmt.Errorf("%s: %s", w.text, s.reason(ctx, w, status)))
		}
	}
	return absent, errors.Join(errs...)
}

// wanted is a counter that a file names.
type wanted struct {
	at      strictyaml.Pos
	text    string
	path    winperf.Path
	origins []sensor.Origin // where it is looked for
	names   []measure.NameRule
}

// wanted are the counters that the bindings and the events of the file name, each place once: those that
// are names, and whose sources are open.
func (s *Session) wanted() []wanted {
	missing := func(w wanted) bool { return w.path.Counter == "" || len(w.origins) == 0 }
	return slices.DeleteFunc(s.counters(), missing)
}

func (s *Session) counters() (all []wanted) {
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
		w := wanted{at: e.Pos, text: e.Instances, origins: s.named(e.Source.V)}
		switch {
		case e.Instances != "":
			w.path, _ = winperf.ParsePath(e.Instances) // an error was told
		case e.Path.V.Counter != "":
			w.at, w.path, w.text = e.Path.Pos, e.Path.V, e.Path.V.String()
		default:
			continue
		}
		all = append(all, w)
	}
	return all
}

// sensor is a path, which is looked for in all sources, or the name of a sensor in one of them.
func (s *Session) sensor(v strictyaml.Value[string]) wanted {
	w := wanted{at: v.Pos, text: v.V, origins: s.all()}
	path, name, err := s.file.sensor(v)
	switch {
	case err != nil: // which was told
	case path != nil:
		w.path = *path
	default:
		w.path, w.origins = name.Path(), s.named(name.Source)
	}
	return w
}

// all are the sources of the file; none where one is not open, which might have what the others lack.
func (s *Session) all() []sensor.Origin {
	if len(s.origins) < len(s.file.sourceNames()) {
		return nil
	}
	return s.origins
}

// named is the source of a name, the first one for "", as experiments take them.
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

// examine takes a sample of a counter and returns what is missing, counter.OK for nothing. The error
// says why it can never have a value.
func (s *Session) examine(ctx context.Context, w wanted) (counter.Status, error) {
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

// look takes a sample of a path from each source that it may be about. It returns the part that is
// missing in the source with the best match, and whether all sources with a sample are recorded. If
// all fail, it returns the last error.
func look(ctx context.Context, w wanted) (part counter.Status, recorded bool, err error) {
	parts, answered, err := sensor.Missing(ctx, w.origins, []winperf.Path{w.path}, nil, w.names)
	live := func(o sensor.Origin) bool { return !o.Source.Describe().Recorded }
	return parts[0], !slices.ContainsFunc(answered, live), err
}

// reason says why a counter has no value, and what may have been meant.
func (s *Session) reason(ctx context.Context, w wanted, status counter.Status) string {
	if s.open.Reason == nil || len(w.origins) == 0 {
		return status.String()
	}
	return s.open.Reason(ctx, w.origins[0].Source, w.path, status)
}

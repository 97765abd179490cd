package trial

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
)

// check checks an event source; names are the names of previous sources.
func (e *EventEntry) check(f *File, names map[string]bool) error {
	if e.Partial {
		return e.checkNumbers()
	}
	var errs []error
	wrong := func(format string, args ...any) {
		errs = append(errs, e.Errorf("event %q: "+format, append([]any{e.Name}, args...)...))
	}

	switch kinds := e.kinds(); {
	case len(kinds) == 0:
		wrong("expected one of interval, lines, processes, instances, above, below and signals")
	case len(kinds) > 1:
		wrong("it has %s, expected only one of them", strings.Join(kinds, " and "))
	default:
		if (e.Above != nil || e.Below != nil) && e.Path.V.Counter == "" {
			wrong("expected the path of a counter")
		}
		if foreignKeys := e.foreignKeys(kinds[0]); len(foreignKeys) > 0 {
			wrong("a source with %s has no %s", kinds[0], strings.Join(foreignKeys, ", "))
		}
	}
	if key := strings.ToLower(e.Name); names[key] {
		wrong("another event has this name")
	} else {
		names[key] = e.Name != ""
	}

	p := &e.Path.V
	var err error
	if p.Instance, err = measure.OwnInstance(p.Object, p.Instance, f.Names.V); err != nil {
		wrong("%w", err)
	}
	if e.Source.V != "" {
		errs = append(errs, f.known(e.Source, "source", slices.Values(f.sourceNames())))
	}
	if err = e.checkLines(); err != nil {
		wrong("%w", err)
	}
	if e.Instances != "" {
		p, err := winperf.ParsePath(e.Instances)
		if err == nil && !p.HasInstance {
			err = fmt.Errorf(`%s: expected a path with instances, such as \Process(*)\ID Process`, e.Instances)
		}
		if err != nil {
			wrong("%w", err)
		}
	}
	for _, name := range e.Signals {
		if _, err := signalNamed(name); err != nil {
			wrong("%w", err)
		}
	}
	return errors.Join(append(errs, e.checkNumbers())...)
}

func (e *EventEntry) kinds() []string {
	return present([]key{
		{"interval", e.Interval != 0}, {"lines", e.Lines != ""}, {"processes", e.Processes != ""},
		{"instances", e.Instances != ""}, {"above", e.Above != nil}, {"below", e.Below != nil},
		{"signals", len(e.Signals) > 0},
	})
}

type key struct {
	name string
	has  bool
}

func present(keys []key) (names []string) {
	for _, k := range keys {
		if k.has {
			names = append(names, k.name)
		}
	}
	return names
}

var ofKind = map[string][]string{
	"interval":  {"aligned"},
	"processes": {"every", "source"},
	"instances": {"every", "source"},
	"above":     {"path", "hysteresis", "for", "every", "source"},
	"below":     {"path", "hysteresis", "for", "every", "source"},
}

// foreignKeys returns the keys of the entry that its kind does not have.
func (e *EventEntry) foreignKeys(kind string) []string {
	all := present([]key{
		{"aligned", e.Aligned}, {"path", e.Path.V.Counter != ""}, {"hysteresis", e.Hysteresis != 0},
		{"for", e.For != 0}, {"every", e.Every != 0}, {"source", e.Source.V != ""},
	})
	return slices.DeleteFunc(all, func(name string) bool { return slices.Contains(ofKind[kind], name) })
}

// checkReaders returns an error if a previous source reads the same lines: each line would reach only one
// of them, or the second could not listen.
func (f *File) checkReaders(at int) error {
	e := &f.Events[at]
	for i := range f.Events[:at] {
		if other := &f.Events[i]; e.Lines != "" && linesPlace(other.Lines) == linesPlace(e.Lines) {
			return e.Errorf("event %q: event %q already reads %s", e.Name, other.Name, e.Lines)
		}
	}
	return nil
}

// linesPlace returns the same text for all names of a socket, pipe or file.
func linesPlace(lines string) string {
	if socket, ok := strings.CutPrefix(lines, "unix:"); ok {
		return "unix:" + filepath.Clean(socket)
	}
	if lines == "" {
		return ""
	}
	return filepath.Clean(lines)
}

package selection

import (
	"fmt"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// Path is a path prepared for comparison with names.
type Path struct {
	Original winperf.Path // the original path
	Object   Name
	Counter  Name
	matcher  winperf.Matcher // of the machine and the instance
}

// NewPath prepares p for matching.
func NewPath(p winperf.Path) Path {
	rest := winperf.Path{Machine: p.Machine, HasInstance: p.HasInstance, Instance: p.Instance, Index: p.Index}
	return Path{Original: p, Object: NewName(p.Object), Counter: NewName(p.Counter), matcher: rest.Matcher()}
}

// Resolve sets the tables; see [Name.Resolve].
func (p *Path) Resolve(t *Tables) {
	p.Object.Resolve(t)
	p.Counter.Resolve(t)
}

// Machine reports whether the path selects a machine.
func (p *Path) Machine(name string) bool { return p.matcher.Machine(name) }

// Instance reports whether the path selects an instance of an object with instances, by its
// full name and its number among instances of the same name.
func (p *Path) Instance(full string, occurrence int) bool {
	return p.matcher.HasInstance() && p.matcher.Instance(full, occurrence)
}

// Fits reports whether the path has the form for objects with instances or, with single,
// without.
func (p *Path) Fits(single bool) bool {
	if single {
		return !p.matcher.HasInstance() || p.matcher.Instance("", 0)
	}
	return p.matcher.HasInstance()
}

// EveryInstance reports whether the path selects all instances.
func (p *Path) EveryInstance() bool {
	of := &p.Original
	return of.HasInstance && of.Instance != "" && strings.Trim(of.Instance, "*") == "" &&
		(of.Index == 0 || of.Index == winperf.AnyIndex)
}

// OneInstance reports whether the path selects at most one instance.
func (p *Path) OneInstance() bool {
	return p.Original.Index != winperf.AnyIndex && !strings.ContainsAny(p.Original.Instance, "*?")
}

// Series compares the path with a series by the series' names and the names in the tables. It
// returns OK, NoObject, NoCounter or NoInstance.
func (p *Path) Series(s *winperf.Series) counter.Status {
	is := func(n *Name, title uint32, name string) bool {
		return n.Is(title, name) || title != 0 && n.Is(title, "")
	}
	of := &s.Path
	switch {
	case !p.Machine(of.Machine) || !is(&p.Object, s.ObjectID.Index, of.Object):
		return counter.NoObject
	case !is(&p.Counter, s.CounterID.Index, of.Counter):
		return counter.NoCounter
	case of.HasInstance && !p.Instance(of.Instance, of.Index) || !of.HasInstance && !p.Fits(true):
		return counter.NoInstance
	}
	return counter.OK
}

// CheckMachine returns an error that wraps winperf.ErrNoMachine if a path is of another
// machine than the source.
func CheckMachine(paths []winperf.Path, machine string) error {
	for _, p := range paths {
		if p.Machine != "" && !strings.EqualFold(p.Machine, machine) {
			return fmt.Errorf("%s: %w: this one is %s", p, winperf.ErrNoMachine, machine)
		}
	}
	return nil
}

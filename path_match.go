package winperf

import "strings"

// Matcher tells which machines, objects, counters and instances a Path names.
// [Path.Matcher] makes it once; matching then allocates nothing. It may be used
// by several goroutines.
type Matcher struct {
	machine     string
	object      Pattern
	instance    Pattern
	counter     Pattern
	index       int
	everyIndex  bool
	hasInstance bool
}

// Matcher returns the Matcher of the path.
//
// An instance without wildcards is one instance: (svchost) the first of that
// name, (svchost#2) the third. With wildcards, or with #*, it is every one:
// (svchost*) all whose names begin so, repeated ones included, (svchost#*) all
// of that very name. An index other than 0 restricts a name with wildcards
// too: (svc*#1) is the second of each name.
func (p Path) Matcher() Matcher {
	m := Matcher{
		machine:     p.Machine,
		object:      CompilePattern(p.Object),
		counter:     CompilePattern(p.Counter),
		index:       p.Index,
		hasInstance: p.HasInstance,
	}

	if p.HasInstance {
		m.instance = CompilePattern(p.Instance)
	}
	m.everyIndex = p.Index == AnyIndex || p.Index == 0 && m.instance.HasWildcard()
	return m
}

// Machine reports whether the path is about the machine of this name, without
// backslashes. A path without machine is about any.
func (m *Matcher) Machine(name string) bool {
	return m.machine == "" || strings.EqualFold(m.machine, name)
}

// Object reports whether the path is about the object of this name.
func (m *Matcher) Object(name string) bool { return m.object.Match(name) }

// Counter reports whether the path is about the counter of this name.
func (m *Matcher) Counter(name string) bool { return m.counter.Match(name) }

// WantsInstance reports whether the path has parentheses. Objects with instances
// are asked for with them, single-instance objects without; the caller decides
// what becomes of a path that does it the other way round. (PDH refuses it,
// yet logs hold \TCPv4(*)\* for a single-instance object.)
func (m *Matcher) WantsInstance() bool { return m.hasInstance }

// Instance reports whether the path is about an instance. full is its name as
// the sample gives it, parent/name where it has a parent; occurrence is its
// number among the instances of the same full name in the sample, from 0.
//
// The whole of full is compared: (kworker/0:1) matches the instance
// `kworker/0:1` without parent as well as `0:1` of the parent `kworker`, (*)
// matches names with slashes too, and (*/*) only these. The one nameless
// instance of a single-instance object is Instance("", 0): a path without
// parentheses matches it, and so does (*).
func (m *Matcher) Instance(full string, occurrence int) bool {
	return (m.everyIndex || m.index == occurrence) && m.instance.Match(full)
}

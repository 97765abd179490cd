package winperf

import "strings"

// Matcher compares a Path with the names of machines, objects, counters and instances.
// [Path.Matcher] compiles it; matching then allocates nothing. It may be used by several
// goroutines.
type Matcher struct {
	machine     string
	object      Pattern
	instance    Pattern
	counter     Pattern
	index       int
	everyIndex  bool
	hasInstance bool
}

// Matcher compiles the path.
//
// Without wildcards the path matches one instance: (svchost) matches the first instance of that
// name, and (svchost#2) the third one. With wildcards or #* it can match several instances:
// (svchost*) matches all instances whose names begin with svchost, and (svchost#*) all instances
// named svchost. With wildcards and an index other than 0 it matches one instance of each name:
// (svc*#1) matches the second one.
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

// Machine reports whether the path matches the machine of this name (without backslashes). A path
// without a machine matches every machine.
func (m *Matcher) Machine(name string) bool {
	return m.machine == "" || strings.EqualFold(m.machine, name)
}

// Object reports whether the path matches the object of this name.
func (m *Matcher) Object(name string) bool { return m.object.Match(name) }

// Counter reports whether the path matches the counter of this name.
func (m *Matcher) Counter(name string) bool { return m.counter.Match(name) }

// HasInstance reports whether the path has parentheses, which belong to paths of objects with
// instances. The caller decides whether a path must have the form of its object: PDH requires it,
// but logs contain the path \TCPv4(*)\*, although the object TCPv4 has no instances.
func (m *Matcher) HasInstance() bool { return m.hasInstance }

// Instance reports whether the path matches an instance. full is its name in the sample, with the
// parent as parent/name; occurrence is its number among the instances with the same full name in
// the sample, from 0.
//
// The comparison covers the whole name: (kworker/0:1) matches the instance `kworker/0:1` without
// parent and the instance `0:1` of the parent `kworker`. (*) also matches names with slashes, and
// (*/*) matches only names with slashes. The nameless instance of a single-instance object is
// Instance("", 0): a path without parentheses matches it, and so does (*).
func (m *Matcher) Instance(full string, occurrence int) bool {
	return (m.everyIndex || m.index == occurrence) && m.instance.Match(full)
}

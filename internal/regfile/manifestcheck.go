package regfile

import (
	"slices"
	"strings"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/regfile/rules"
)

type need struct {
	attr string
	of   func(*ManifestCounter) uint32
	when func(counter.Type) bool
	want string // the types it may have
	is   func(t, other counter.Type) bool
}

// needs are the ids of perflib.h's PERF_COUNTER_REG_INFO and the types that need them.
var needs = []need{
	{"baseID", func(c *ManifestCounter) uint32 { return c.Base }, needsBaseID, "a base that fits",
		func(t, other counter.Type) bool {
			ok, _ := t.AcceptsBase(other)
			return ok
		}},
	{"perfTimeID", func(c *ManifestCounter) uint32 { return c.PerfTime }, needsObjectClock,
		"perf_counter_large_rawcount", isLargeRaw},
	{"perfFreqID", func(c *ManifestCounter) uint32 { return c.PerfFreq }, needsObjectClock,
		"perf_counter_large_rawcount", isLargeRaw},
	{"multiCounterID", func(c *ManifestCounter) uint32 { return c.Multi }, counter.Type.IsMulti,
		"perf_counter_rawcount",
		func(_, other counter.Type) bool { return other == counter.RawCount }},
}

func needsBaseID(t counter.Type) bool { return t.NeedsBase() && !t.IsMulti() }

// needsObjectClock reports whether the value depends on the object's own clock, which is in
// other counters.
func needsObjectClock(t counter.Type) bool { return t.Clock() == counter.ObjectClock }

func isLargeRaw(_, other counter.Type) bool { return other == counter.LargeRawCount }

// checkReferences reports ids that are duplicate, missing or of the wrong type.
func checkReferences(r *rules.Report, e *element, s *ManifestSet) {
	byID := map[uint32]*ManifestCounter{}
	places := counterElements(e)
	names := map[string]int{}
	for i := range s.Counters {
		c := &s.Counters[i]
		if c.ID == NoID {
			continue
		}

		if other, twice := byID[c.ID]; twice {
			r.Fault(places[i].at("id"), "id=%d: the counter in line %d has it already", c.ID, other.Line)
			continue
		}

		byID[c.ID] = c
		name := strings.ToLower(c.Name)
		if line, twice := names[name]; twice && name != "" {
			r.Fault(places[i].at("name"), "name=%q: the counter in line %d has it already", c.Name, line)
		}
		names[name] = c.Line
	}

	for i := range s.Counters {
		c := &s.Counters[i]
		if _, known := c.Type.Info(); c.Type == 0 && places[i].attr("type") == "" || !known {
			continue
		}
		for _, n := range needs {
			checkNeed(r, places[i], c, n, byID)
		}
	}
}

func checkNeed(r *rules.Report, e *element, c *ManifestCounter, n need, byID map[uint32]*ManifestCounter) {
	_, given := e.find(n.attr)
	id := n.of(c)
	switch other := byID[id]; {
	case !given && n.when(c.Type):
		r.Fault(e.Position, "a counter of type %s needs %s", strings.ToLower(c.Type.String()), n.attr)
	case !given || id == NoID:
	case other == nil:
		r.Fault(e.at(n.attr), "%s=%d: the set has no counter of this id", n.attr, id)
	case !n.when(c.Type):
		r.Warn(e.at(n.attr), "%s=%d: a counter of type %s needs none", n.attr, id,
			strings.ToLower(c.Type.String()))
	case !n.is(c.Type, other.Type):
		r.Fault(e.at(n.attr), "%s=%d is of type %s: expected %s", n.attr, id,
			strings.ToLower(other.Type.String()), n.want)
	}
}

func counterElements(e *element) []*element {
	var list []*element
	for _, c := range e.children {
		if c.name.Local == "counter" {
			list = append(list, c)
		}
	}
	return list
}

// checkDisplay reports missing names and contradictory attributes.
func checkDisplay(r *rules.Report, e *element, c *ManifestCounter) {
	if !c.hidden() {
		if _, ok := e.find("name"); !ok {
			r.Fault(e.Position, "<counter> has no name and is not noDisplay")
		}
		if _, ok := e.find("description"); !ok {
			r.Fault(e.Position, "<counter> has no description and is not noDisplay")
		}
	}

	has := func(name string) bool { return slices.Contains(c.Attributes, name) }
	for _, pair := range [][2]string{
		{"noDisplay", "noDigitGrouping"}, {"noDisplay", "displayAsHex"}, {"noDisplay", "displayAsReal"},
		{"noDigitGrouping", "displayAsHex"}, {"displayAsReal", "displayAsHex"},
	} {
		if has(pair[0]) && has(pair[1]) {
			r.Warn(e.Position, "counter attributes %s and %s exclude one another", pair[0], pair[1])
		}
	}
}

// checkUnique reports duplicate GUIDs, URIs and symbols in an element and below it. taken
// has the first line of each value. Case is ignored.
func checkUnique(r *rules.Report, e *element, taken map[string]int) {
	for _, a := range []struct{ name, what string }{
		{"providerGuid", "GUID"}, {"guid", "GUID"}, {"uri", "URI"}, {"symbol", "symbol"},
	} {
		value := e.attr(a.name)
		if a.what == "GUID" {
			value = guidOf(e, a.name).String()
		}
		if e.attr(a.name) == "" || a.what == "GUID" && guidOf(e, a.name).IsZero() {
			continue
		}

		key := a.what + "\x00" + strings.ToLower(value)
		if line, twice := taken[key]; twice {
			r.Fault(e.Position, "%s %s: line %d has it already", a.what, value, line)
		} else {
			taken[key] = e.Line
		}
	}
	for _, c := range e.children {
		checkUnique(r, c, taken)
	}
}

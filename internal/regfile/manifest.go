package regfile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/regfile/rules"
	"github.com/winperf/winperf/provider"
)

const countersNamespace = "http://schemas.microsoft.com/win/2005/12/counters"

// Manifest is the counters part of an instrumentation manifest (.man).
type Manifest struct {
	File      string
	Providers []ManifestProvider
}

// ManifestProvider is a version 2 provider.
type ManifestProvider struct {
	GUID   winperf.GUID
	Name   string
	Binary string // applicationIdentity: the file with the texts
	Symbol string
	Sets   []ManifestSet
	Position
}

// ManifestSet is a counter set.
type ManifestSet struct {
	GUID          winperf.GUID
	provider.Text // name and description
	URI           string
	Symbol        string
	Instances     string // single, multiple, globalAggregate, ...
	Counters      []ManifestCounter
	Position
}

// ManifestCounter is a counter of a set. Base, PerfTime, PerfFreq and Multi are [NoID] if
// not needed.
type ManifestCounter struct {
	ID uint32
	provider.Text
	URI       string
	Symbol    string
	Type      counter.Type
	Detail    string // standard or advanced
	Scale     int32
	Aggregate string
	Base      uint32 // the ids of the counters that the value needs
	PerfTime  uint32
	PerfFreq  uint32
	Multi     uint32
	// Attributes are the names of counterAttribute, such as reference or noDisplay.
	Attributes []string
	// Value is the source of the counter's value, set by ManifestOf.
	Value ManifestValue
	Position
}

// ManifestValue is the source of a counter's value: the raw value of a counter of the
// object, its base, or the object's clock.
type ManifestValue struct {
	Counter         string // name of the object's counter; "" for the clock
	Base            bool   // the base of that counter
	Time, Frequency bool   // the clock's time, or its ticks per second
}

// NoID means no counter (perflib.h: PERF_WILDCARD_COUNTER).
const NoID = 0xFFFFFFFF

func (c *ManifestCounter) hidden() bool { return slices.Contains(c.Attributes, "noDisplay") }

// ParseManifest reads a manifest and reports all faults of its counters; file is its name
// in the findings. Other parts, such as events, are ignored. The Manifest is never nil: it
// has the readable elements.
func ParseManifest(file string, data []byte) (*Manifest, Findings) {
	r := rules.NewReport(file)
	m := &Manifest{File: file}
	root := parseXML(r, data)
	if root == nil {
		return m, r.Sorted()
	}

	if root.name.Local != "instrumentationManifest" {
		r.Fault(root.Position, "the document is <%s>: expected <instrumentationManifest>", root.name.Local)
		return m, r.Sorted()
	}

	found, taken := false, map[string]int{}
	root.all("counters", func(e *element) {
		found = true
		m.counters(r, e)
		checkUnique(r, e, taken)
	})
	if !found {
		r.Fault(root.Position, "no <counters> in <instrumentation>")
	}
	return m, r.Sorted()
}

func (m *Manifest) counters(r *rules.Report, e *element) {
	if e.name.Space != countersNamespace {
		r.Fault(e.Position, "<counters> is of the namespace %q: expected xmlns=%q", e.name.Space,
			countersNamespace)
	}
	checkElement(r, e)
	for _, c := range e.children {
		if c.name.Local == "provider" {
			m.Providers = append(m.Providers, readProvider(r, c))
		}
	}

	if len(m.Providers) == 0 {
		r.Fault(e.Position, "<counters> has no <provider>")
	}
}

func readProvider(r *rules.Report, e *element) ManifestProvider {
	checkElement(r, e)
	p := ManifestProvider{
		GUID: guidOf(e, "providerGuid"), Name: e.attr("providerName"), Binary: e.attr("applicationIdentity"),
		Symbol: e.attr("symbol"), Position: e.Position,
	}
	for _, c := range e.children {
		if c.name.Local == "counterSet" {
			p.Sets = append(p.Sets, readSet(r, c))
		}
	}

	if len(p.Sets) == 0 {
		r.Fault(e.Position, "<provider> has no <counterSet>")
	}
	return p
}

func readSet(r *rules.Report, e *element) ManifestSet {
	checkElement(r, e)
	s := ManifestSet{
		GUID: guidOf(e, "guid"), Text: textOf(e), URI: e.attr("uri"),
		Symbol: e.attr("symbol"), Instances: e.attr("instances"), Position: e.Position,
	}
	if s.Instances == "" {
		s.Instances = "single"
	}

	for _, c := range e.children {
		switch c.name.Local {
		case "counter":
			s.Counters = append(s.Counters, readCounter(r, c))
		case "structs":
			checkElement(r, c)
			for _, child := range c.children {
				checkElement(r, child)
			}
		}
	}

	if len(s.Counters) == 0 {
		r.Fault(e.Position, "<counterSet> %q has no <counter>", s.Name)
	}
	checkReferences(r, e, &s)
	return s
}

func readCounter(r *rules.Report, e *element) ManifestCounter {
	checkElement(r, e)
	c := ManifestCounter{
		ID: idOf(e, "id"), Text: textOf(e), URI: e.attr("uri"),
		Symbol: e.attr("symbol"),
		Detail: e.attr("detailLevel"), Aggregate: e.attr("aggregate"), Position: e.Position,
		Base: idOf(e, "baseID"), PerfTime: idOf(e, "perfTimeID"), PerfFreq: idOf(e, "perfFreqID"),
		Multi: idOf(e, "multiCounterID"),
	}

	c.Type, _ = counter.ParseType(e.attr("type"))
	scale, _ := strconv.ParseInt(e.attr("defaultScale"), 10, 32)
	c.Scale = int32(scale)
	for _, list := range e.children {
		if list.name.Local != "counterAttributes" {
			continue
		}
		checkElement(r, list)
		for _, a := range list.children {
			if a.name.Local == "counterAttribute" {
				checkElement(r, a)
				c.Attributes = append(c.Attributes, a.attr("name"))
			}
		}
	}
	checkDisplay(r, e, &c)
	return c
}

func textOf(e *element) provider.Text {
	return provider.Text{Name: e.attr("name"), Help: e.attr("description")}
}

// guidOf reads an attribute checked by checkElement.
func guidOf(e *element, name string) winperf.GUID {
	g, _ := winperf.ParseGUID(e.attr(name))
	return g
}

func idOf(e *element, name string) uint32 {
	n, err := strconv.ParseUint(strings.TrimSpace(e.attr(name)), 0, 32)
	if err != nil {
		return NoID
	}
	return uint32(n)
}

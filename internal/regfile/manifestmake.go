package regfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/regfile/rules"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/provider/registration"
)

// ManifestOf returns the manifest of a schema: its counters, each followed by the hidden
// ones that its value needs (a base, the object's clock, a number of components). Counters
// are numbered from 1 in this order. If the schema lacks GUIDs or the binary, the error
// wraps rules.ErrInvalid and names all that are missing.
func ManifestOf(s *registration.Declaration) (*Manifest, error) {
	var errs []error
	missing := func(what string) {
		errs = append(errs, fmt.Errorf("%w: a manifest needs %s", rules.ErrInvalid, what))
	}
	if s.GUID.IsZero() {
		missing("the GUID of the provider")
	}
	if s.Binary == "" {
		missing("the binary that holds the provider's texts")
	}

	p := ManifestProvider{GUID: s.GUID, Name: s.Driver, Binary: s.Binary,
		Symbol: rules.SymbolOf(s.Driver) + "_PROVIDER"}
	for i := range s.Objects {
		o := &s.Objects[i]
		if o.GUID.IsZero() {
			missing("the GUID of " + o.Symbol)
		}
		p.Sets = append(p.Sets, setOf(s, o))
	}
	return &Manifest{Providers: []ManifestProvider{p}}, errors.Join(errs...)
}

func setOf(s *registration.Declaration, o *registration.Object) ManifestSet {
	set := ManifestSet{
		GUID: o.GUID, Text: o.Text, Symbol: o.Symbol, Instances: "single",
		URI: strings.Join([]string{s.Driver, o.Symbol}, "."),
	}
	if set.Help == "" {
		set.Help = set.Name // a description is required
	}
	if o.Multi {
		set.Instances = "multiple"
	}

	b := &setBuilder{set: &set, bases: map[string]uint32{}, clock: [2]uint32{NoID, NoID}}
	for i := range o.Counters {
		b.add(&o.Counters[i])
	}
	return set
}

// setBuilder numbers the counters of a set.
type setBuilder struct {
	set   *ManifestSet
	bases map[string]uint32 // by base slot
	clock [2]uint32         // ids of the object's time and frequency
}

func (b *setBuilder) add(from *registration.Counter) {
	t := from.CounterType()
	c := ManifestCounter{
		Text: from.Text, Symbol: from.Symbol, Type: t, Detail: detailWord(from.Detail), Scale: from.Scale,
		Base: NoID, PerfTime: NoID, PerfFreq: NoID, Multi: NoID, Value: ManifestValue{Counter: from.Name},
	}
	if c.Help == "" {
		c.Help = c.Name
	}

	at := b.append(c)
	info, _ := t.Info()
	switch {
	case t.IsMulti():
		b.set.Counters[at].Multi = b.hidden(from.Symbol+"_MULTI", counter.RawCount,
			ManifestValue{Counter: from.Name, Base: true})
	case needsBaseID(t):
		b.set.Counters[at].Base = b.base(from, info.Base)
	}

	if needsObjectClock(t) {
		if b.clock[0] == NoID {
			b.clock[0] = b.hidden(b.set.Symbol+"_TIME", counter.LargeRawCount, ManifestValue{Time: true})
			b.clock[1] = b.hidden(b.set.Symbol+"_FREQ", counter.LargeRawCount, ManifestValue{Frequency: true})
		}
		b.set.Counters[at].PerfTime = b.clock[0]
		b.set.Counters[at].PerfFreq = b.clock[1]
	}
}

// append numbers a counter and returns its position.
func (b *setBuilder) append(c ManifestCounter) int {
	c.ID = uint32(len(b.set.Counters) + 1)
	c.URI = b.set.URI + "." + c.Symbol
	b.set.Counters = append(b.set.Counters, c)
	return len(b.set.Counters) - 1
}

// base returns the id of a counter's base, which counters may share.
func (b *setBuilder) base(c *registration.Counter, t counter.Type) uint32 {
	if id, ok := b.bases[c.BaseSlot]; ok && c.BaseSlot != "" {
		return id
	}
	id := b.hidden(c.Symbol+"_BASE", t, ManifestValue{Counter: c.Name, Base: true})
	b.bases[c.BaseSlot] = id
	return id
}

func (b *setBuilder) hidden(symbol string, t counter.Type, value ManifestValue) uint32 {
	at := b.append(ManifestCounter{
		Symbol: symbol, Type: t, Detail: "standard", Attributes: []string{"noDisplay"},
		Base: NoID, PerfTime: NoID, PerfFreq: NoID, Multi: NoID, Value: value,
	})
	return b.set.Counters[at].ID
}

func detailWord(d provider.Detail) string {
	if d > provider.Novice {
		return "advanced"
	}
	return "standard"
}

// FromManifest returns the schema of a manifest's provider. Hidden counters that only serve
// others, such as bases, are omitted: the types imply them.
func FromManifest(p *ManifestProvider) *registration.Declaration {
	s := &registration.Declaration{Driver: p.Name, GUID: p.GUID, Binary: p.Binary}
	for i := range p.Sets {
		set := &p.Sets[i]
		o := registration.Object{
			Symbol: set.Symbol, Text: set.Text, GUID: set.GUID, Multi: set.Instances != "single",
		}

		// A base has a name if several counters share it.
		users := map[uint32]int{}
		for k := range set.Counters {
			users[set.Counters[k].Base]++
		}

		for k := range set.Counters {
			if c := &set.Counters[k]; !c.hidden() {
				o.Counters = append(o.Counters, schemaCounter(c, users[c.Base]))
			}
		}
		s.Objects = append(s.Objects, o)
	}
	return s
}

func schemaCounter(from *ManifestCounter, users int) registration.Counter {
	c := registration.Counter{Symbol: from.Symbol, Text: from.Text, Type: from.Type.String(), Scale: from.Scale}
	if from.Detail == "advanced" {
		c.Detail = provider.Advanced
	}
	if from.Base != NoID && users > 1 {
		c.BaseSlot = fmt.Sprintf("base %d", from.Base)
	}
	return c
}

package experiment

import "github.com/winperf/winperf"

// markID tells series from each other. Where an instance has a key, that is the identity,
// whatever it is called; else that of its series.
type markID struct {
	counter  *winperf.Series
	instance uint32
	key      string
}

func idOf(s *winperf.Series) markID {
	if s.Key != "" {
		return markID{counter: s.ID.Counter, key: s.Key}
	}
	return markID{counter: s.ID.Counter, instance: s.ID.Instance}
}

// lastingID tells series from each other also when their object was away from a sample, as one that
// cannot be read is: then they have other identities of series.
type lastingID struct {
	machine string
	object  winperf.ObjectID
	counter winperf.CounterID
	key     string
	other   markID // of an instance that nothing but its series tells
}

func (id markID) lasting() lastingID {
	c := id.counter
	if c == nil || id.key == "" && c.Path.HasInstance {
		return lastingID{other: id}
	}
	return lastingID{machine: c.Path.Machine, object: c.ObjectID, counter: c.CounterID, key: id.key}
}

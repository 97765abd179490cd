package experiment

import "github.com/winperf/winperf"

// markID identifies a series: by the key of its instance if it has one, whatever its name, else by the
// series' id.
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

// lastingID identifies a series even if its object was missing in a sample in between, which changes the
// ids of series.
type lastingID struct {
	machine string
	object  winperf.ObjectID
	counter winperf.CounterID
	key     string
	other   markID
}

func (id markID) lasting() lastingID {
	c := id.counter
	if c == nil || id.key == "" && c.Path.HasInstance {
		return lastingID{other: id}
	}
	return lastingID{machine: c.Path.Machine, object: c.ObjectID, counter: c.CounterID, key: id.key}
}

package metrics

import (
	"slices"
	"strings"

	"github.com/winperf/winperf/counter"
)

// unit is how raw values of one unit become those of its base unit.
type unit struct {
	name   string  // "bytes"; "" where no unit is known
	times  uint64  // raw values are whole multiples; 0 is 1
	ticks  uint64  // they are so many units of 100 ns
	part   float64 // or they are to be multiplied by this, and
	offset float64 // this added
	grows  bool    // a raw count that only grows, though its type does not say so
}

// suffix is the unit as the end of a name.
func (u unit) suffix() string {
	if u.name == "" {
		return ""
	}
	return "_" + u.name
}

// factor is what one of the raw unit is in the base unit.
func (u unit) factor() float64 {
	switch {
	case u.part != 0:
		return u.part
	case u.ticks != 0:
		return float64(u.ticks) / ticksPerSecond
	case u.times != 0:
		return float64(u.times)
	}
	return 1
}

// converted is 0 where the raw unit is the base unit, else 1.
func (u unit) converted() int {
	if u.factor() == 1 && u.offset == 0 {
		return 0
	}
	return 1
}

// value converts the counter at position k.
func (u unit) value(k int) value {
	switch {
	case u.part != 0:
		return decimal(k, u.part, u.offset)
	case u.ticks != 0:
		return ticks(k, u.ticks)
	case u.times > 1:
		return times(k, u.times)
	}
	return whole(k)
}

// unitWords are the words of names that tell a unit.
var unitWords = map[string]unit{
	"bytes": {name: "bytes"}, "byte": {name: "bytes"},
	"kb": {name: "bytes", times: 1 << 10}, "kbytes": {name: "bytes", times: 1 << 10},
	"kilobytes": {name: "bytes", times: 1 << 10},
	"mb":        {name: "bytes", times: 1 << 20}, "mbytes": {name: "bytes", times: 1 << 20},
	"megabytes": {name: "bytes", times: 1 << 20},
	"gb":        {name: "bytes", times: 1 << 30}, "gbytes": {name: "bytes", times: 1 << 30},
	"gigabytes": {name: "bytes", times: 1 << 30},

	"sec": {name: "seconds"}, "secs": {name: "seconds"}, "seconds": {name: "seconds"},
	"ms": {name: "seconds", ticks: 10_000}, "msec": {name: "seconds", ticks: 10_000},
	"msecs": {name: "seconds", ticks: 10_000}, "milliseconds": {name: "seconds", ticks: 10_000},
	"us": {name: "seconds", ticks: 10}, "usec": {name: "seconds", ticks: 10},
	"microseconds": {name: "seconds", ticks: 10},
	"ns":           {name: "seconds", part: 1e-9}, "nsec": {name: "seconds", part: 1e-9},
	"nanoseconds": {name: "seconds", part: 1e-9},

	"mhz": {name: "hertz", times: 1_000_000},
}

var ratio = unit{name: "ratio", part: 0.01}

// known are units that no word of the name tells, by object and counter in lower case; and
// which raw counts only grow. An object that ends in * is all that begin so.
var known = []struct {
	object   string
	counters []string // one that ends in * is all that begin so
	unit     unit
}{
	{"processor information", []string{"processor frequency"}, unit{name: "hertz", times: 1_000_000}},
	{"thermal zone information", []string{"temperature"}, unit{name: "celsius", part: 1, offset: -273.15}},
	{"thermal zone information", []string{"high precision temperature"},
		unit{name: "celsius", part: 0.1, offset: -273.15}},
	{"network *", []string{"current bandwidth"}, unit{name: "bytes_per_second", part: 1. / 8}},
	{"memory", []string{"commit limit"}, unit{name: "bytes"}},
	{"process*", []string{"working set*"}, unit{name: "bytes"}},

	{"network *", []string{
		"packets received errors", "packets received discarded", "packets received unknown",
		"packets outbound errors", "packets outbound discarded",
	}, unit{grows: true}},
	{"tcpv*", []string{
		"connections active", "connections passive", "connections reset", "connection failures",
	}, unit{grows: true}},
	{"udpv*", []string{"datagrams received errors"}, unit{grows: true}},
	{"ipv*", []string{
		"datagrams received header errors", "datagrams received address errors",
		"datagrams received unknown protocol", "datagrams received discarded",
		"datagrams outbound discarded", "datagrams outbound no route",
		"fragment re-assembly failures", "fragmentation failures",
	}, unit{grows: true}},
	{"icmp*", []string{"received *", "sent *", "messages received errors", "messages outbound errors"},
		unit{grows: true}},
	{"memory", []string{"pool paged allocs", "pool nonpaged allocs", "oom kills"}, unit{grows: true}},
	{"control group", []string{"oom kills"}, unit{grows: true}},
	{"web service", []string{"total *"}, unit{grows: true}},
}

// knownUnit is the row of known that a counter has.
func knownUnit(object, name string) (unit, bool) {
	like := func(pattern, s string) bool {
		begin, open := strings.CutSuffix(pattern, "*")
		return s == pattern || open && strings.HasPrefix(s, begin)
	}
	object, name = strings.ToLower(object), strings.ToLower(name)
	is := func(pattern string) bool { return like(pattern, name) }
	for _, row := range known {
		if like(row.object, object) && slices.ContainsFunc(row.counters, is) {
			return row.unit, true
		}
	}
	return unit{}, false
}

// takesUnit reports whether metrics of a type have the unit that the counter's name tells:
// the others have one of their own, or are numbers of samples.
func takesUnit(t counter.Type) bool {
	switch t {
	case counter.RawFraction, counter.LargeRawFraction, counter.SampleFraction, counter.CounterText:
		return false
	}
	unit := t.Unit()
	return unit == counter.Count || unit == counter.PerSecond
}

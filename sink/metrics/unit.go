package metrics

import (
	"slices"
	"strings"

	"github.com/winperf/winperf/counter"
)

// unit converts raw values to a base unit.
type unit struct {
	name   string  // "bytes"; "" if unknown
	times  uint64  // factor; 0 is 1
	ticks  uint64  // or: raw unit in 100 ns
	part   float64 // or: factor that is not an integer
	offset float64 // added after part
	grows  bool    // a cumulative raw count whose type does not imply it
}

func (u unit) suffix() string {
	if u.name == "" {
		return ""
	}
	return "_" + u.name
}

// factor returns the raw unit in base units.
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

// converted returns 0 if the raw unit is the base unit, else 1.
func (u unit) converted() int {
	if u.factor() == 1 && u.offset == 0 {
		return 0
	}
	return 1
}

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

// rule has facts that a counter's name does not contain: its unit, or that a raw count is
// cumulative. Names are in lower case; a * at the end matches any rest.
type rule struct {
	object   string
	counters []string
	unit     unit
}

var (
	inBytes   = unit{name: "bytes"}
	megabytes = unit{name: "bytes", times: 1 << 20}
	inSeconds = unit{name: "seconds"}
	inMilli   = unit{name: "seconds", ticks: 10_000}
	inMicro   = unit{name: "seconds", ticks: 10}
)

var knownUnits = []rule{
	{"processor information", []string{"processor frequency"}, unit{name: "hertz", times: 1_000_000}},
	{"thermal zone information", []string{"temperature"}, unit{name: "celsius", part: 1, offset: -273.15}},
	{"thermal zone information", []string{"high precision temperature"},
		unit{name: "celsius", part: 0.1, offset: -273.15}},
	{"network *", []string{"current bandwidth"}, unit{name: "bytes_per_second", part: 1. / 8}},
	{"memory", []string{"commit limit"}, inBytes},
	{"*", []string{"working set", "working set peak", "working set - private"}, inBytes},
	{"windows time service", []string{"computed time offset", "ntp roundtrip delay"}, inMicro},

	{"web service", []string{"service uptime"}, inSeconds},
	{"w3svc_w3wp", cacheMemory, inBytes},
	{"web service cache", cacheMemory, inBytes},
	{"dns", []string{
		"caching memory", "database node memory", "nbstat memory", "record flow memory", "tcp message memory",
		"udp message memory",
	}, inBytes},
	{"directoryservices", []string{"atq estimated queue delay", "ldap bind time"}, inMilli},
	{"ntds", []string{"atq estimated queue delay", "ldap bind time"}, inMilli},
	{".net clr memory", []string{
		"gen 0 heap size", "gen 1 heap size", "gen 2 heap size", "large object heap size",
	}, inBytes},

	{"sqlserver:buffer manager", []string{
		"page life expectancy", "extension page unreferenced time",
	}, inSeconds},
	{"sqlserver:transactions", []string{"longest transaction running time"}, inSeconds},
	{"sqlserver:databases", []string{"log flush wait time"}, inMilli},
	{"sqlserver:databases", []string{"group commit time/sec"}, inMicro},
	{"sqlserver:databases", []string{"bulk copy throughput/sec"}, unit{name: "bytes", times: 1 << 10}},
	{"sqlserver:database replica", []string{"transaction delay"}, inMilli},
	{"hyper-v dynamic memory *", []string{
		"available memory", "available memory for balancing", "guest available memory",
		"guest visible physical memory", "physical memory",
	}, megabytes},
	{"hyper-v dynamic memory *", []string{"added memory", "removed memory"},
		unit{name: "bytes", times: 1 << 20, grows: true}},

	{"dfs replicat*", []string{
		"bandwidth savings using dfs replication", "compressed size *", "conflict space *", "deleted space *",
		"rdc compressed size *", "rdc size *", "size *", "staging space *",
	}, inBytes},
	{"gpu *", []string{
		"dedicated usage", "local usage", "non local usage", "shared usage", "total committed",
	}, inBytes},
	{"gpu engine", []string{"running time"}, unit{name: "seconds", ticks: 1}},
	{"msexchange availability service", []string{"availability requests (sec)"}, unit{}}, // per second
	{"remotefx network", []string{"base tcp rtt", "base udp rtt", "current tcp rtt", "current udp rtt"}, inMilli},
	{"remotefx graphics", []string{"average encoding time"}, inMilli},
	{"vm memory", []string{"memory target size"}, megabytes},
	{"vm processor", []string{"cpu stolen time"}, inMilli},
}

var cacheMemory = []string{
	"current file cache memory usage", "maximum file cache memory usage", "output cache current memory usage",
}

var growing = []rule{
	{"network *", []string{
		"packets received errors", "packets received discarded", "packets received unknown",
		"packets outbound errors", "packets outbound discarded",
	}, onlyGrows},
	{"tcpv*", []string{
		"connections active", "connections passive", "connections reset", "connection failures",
	}, onlyGrows},
	{"udpv*", []string{"datagrams received errors"}, onlyGrows},
	{"ipv*", []string{
		"datagrams received header errors", "datagrams received address errors",
		"datagrams received unknown protocol", "datagrams received discarded",
		"datagrams outbound discarded", "datagrams outbound no route",
		"fragment re-assembly failures", "fragmentation failures",
	}, onlyGrows},
	{"icmp*", []string{
		"received *", "sent *", "messages received errors", "messages outbound errors",
	}, onlyGrows},
	{"memory", []string{"oom kills"}, onlyGrows},
	{"control group", []string{"oom kills"}, onlyGrows},
	{"windows time service", []string{
		"ntp server incoming requests", "ntp server outgoing responses",
	}, onlyGrows},

	{"web service", []string{"total *"}, onlyGrows},
	{"app_pool_was", []string{"total application pool recycles", "total worker process*"}, onlyGrows},
	{"w3svc_w3wp", cacheCounts, onlyGrows},
	{"web service cache", cacheCounts, onlyGrows},
	{"dns", []string{
		"axfr *", "ixfr *", "zone transfer *", "notify *", "recursive *", "secure update *", "tcp *", "udp *",
		"total *", "unmatched *", "wins *", "dynamic update n*", "dynamic update r*", "dynamic update t*",
		"dynamic update w*",
	}, onlyGrows},
	{"directoryservices", []string{"dra sync requests *", "dra sync failures *"}, onlyGrows},
	{"ntds", []string{"dra sync requests *", "dra sync failures *"}, onlyGrows},
	{"remote desktop connection broker counterset", []string{
		"successful connections", "failed connections",
	}, onlyGrows},
	{".net clr exceptions", []string{"# of exceps thrown"}, onlyGrows},
	{".net clr interop", []string{"# of marshalling"}, onlyGrows},
	{".net clr jit", []string{"# of methods jitted", "# of il bytes jitted", "total *"}, onlyGrows},
	{".net clr loading", []string{"total *"}, onlyGrows},
	{".net clr locksandthreads", []string{"total *", "# of total recognized threads"}, onlyGrows},
	{".net clr memory", []string{"# gen *", "# induced gc"}, onlyGrows},
	{".net clr remoting", []string{"total *"}, onlyGrows},
	{".net clr security", []string{"total *", "# link time checks"}, onlyGrows},

	{"sqlserver:access methods", []string{
		"by-reference lob *", "count *", "failed leaf page cookie", "failed tree page cookie",
		"used leaf page cookie", "used tree page cookie", "lobhandle *", "lobss provider *",
	}, onlyGrows},
	{"hyper-v virtual network adapter drop reasons", []string{"incoming *", "outgoing *"}, onlyGrows},
	{"hyper-v virtual storage device", []string{"error count", "read count", "write count"}, onlyGrows},
	{"hyper-v legacy network adapter", []string{"frames dropped"}, onlyGrows},
	{"hyper-v dynamic memory vm", []string{"memory add operations", "memory remove operations"}, onlyGrows},
}

var cacheCounts = []string{
	"total *", "kernel: total *", "file cache *", "uri cache *", "kernel: uri cache *", "metadata cache *",
	"kernel: metadata cache *", "output cache total *",
}

var onlyGrows = unit{grows: true}

// knownUnit returns the unit of the first matching rule.
func knownUnit(object, name string) (unit, bool) {
	like := func(pattern, s string) bool {
		begin, open := strings.CutSuffix(pattern, "*")
		return s == pattern || open && strings.HasPrefix(s, begin)
	}
	object, _ = withoutInstance(object)
	object, name = strings.ToLower(object), strings.ToLower(name)
	is := func(pattern string) bool { return like(pattern, name) }
	for _, rules := range [][]rule{knownUnits, growing} {
		for _, r := range rules {
			if like(r.object, object) && slices.ContainsFunc(r.counters, is) {
				return r.unit, true
			}
		}
	}
	return unit{}, false
}

// takesUnit reports whether metrics of a type use the unit in the counter's name.
func takesUnit(t counter.Type) bool {
	switch t {
	case counter.RawFraction, counter.LargeRawFraction, counter.SampleFraction, counter.CounterText:
		return false
	}
	unit := t.Unit()
	return unit == counter.Count || unit == counter.PerSecond
}

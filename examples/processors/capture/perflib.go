package main

import (
	"encoding/binary"
	"time"

	"github.com/winperf/winperf"
)

// processorInformation is {b4fc721a-0378-476f-89ba-a5a79f810b36} as bytes.
var processorInformation = winperf.GUID{
	0x1a, 0x72, 0xfc, 0xb4, 0x78, 0x03, 0x6f, 0x47, 0x89, 0xba, 0xa5, 0xa7, 0x9f, 0x81, 0x0b, 0x36,
}

const (
	none      = 0xFFFFFFFF // no counter, and in an identifier PERF_WILDCARD_COUNTER
	valueSize = 16         // a PERF_COUNTER_DATA with its value
	frequency = 10_000_000 // ticks a second
)

// The structures of perflib.h. All begin at a multiple of 8 bytes.
type (
	dataHeader struct { // PERF_DATA_HEADER
		Total, Answers             uint32
		PerfTime, Time100ns, Ticks int64
		SystemTime                 [8]uint16
	}
	counterHeader struct{ Status, Type, Size, Reserved uint32 }      // PERF_COUNTER_HEADER
	multi         struct{ Size, Count uint32 }                       // PERF_MULTI_COUNTERS, PERF_MULTI_INSTANCES
	instance      struct{ Size, ID uint32 }                          // PERF_INSTANCE_HEADER, before its name
	counterData   struct{ DataSize, Size uint32 }                    // PERF_COUNTER_DATA, before its value
	setInfo       struct{ Type, Detail, Counters, Instances uint32 } // PERF_COUNTERSET_REG_INFO, after its GUID
	counterInfo   struct {                                           // PERF_COUNTER_REG_INFO
		ID, Type                                                    uint32
		Attributes                                                  uint64
		Detail, Scale, Base, Time, Freq, Multi, Aggregate, Reserved uint32
	}
	identifier struct { // PERF_COUNTER_IDENTIFIER, before its filter
		Set                                              winperf.GUID
		Status, Size, Counter, Instance, Index, Reserved uint32
	}
)

// appended returns b with a structure appended.
func appended(b []byte, structure any) []byte {
	b, err := binary.Append(b, binary.LittleEndian, structure)
	if err != nil {
		panic(err) // a field has no fixed size
	}
	return b
}

// text returns an ASCII name in UTF-16 with NUL, padded to a multiple of 8 bytes.
func text(s string) []byte {
	var b []byte
	for _, c := range []byte(s + "\x00") {
		b = append(b, c, 0)
	}
	return append(b, make([]byte, -len(b)&7)...)
}

// registration returns the result of PerfQueryCounterSetRegistrationInfo for the set.
func registration() []byte {
	const multiple, standard = 2, 100 // instances, detail
	b := appended(nil, processorInformation)
	b = appended(b, setInfo{Detail: standard, Counters: uint32(len(counters)), Instances: multiple})
	for _, c := range counters {
		b = appended(b, counterInfo{
			ID: c.id, Type: uint32(c.typ), Detail: standard, Base: c.base, Time: none, Freq: none, Multi: none,
		})
	}
	return b
}

// sample returns the result of PerfQueryCounterData n seconds after the first sample, followed by the
// identifiers of the query, as in winperf.FormatV2.
func sample(n int) []byte {
	const all = 6
	seconds := uptime + n
	taken := begin.Add(time.Duration(n) * time.Second)

	ids, instances := counterIDs(), instanceData(seconds)
	answer := appended(nil, counterHeader{Type: all, Size: uint32(16 + len(ids) + len(instances))})
	answer = append(append(answer, ids...), instances...)

	b := appended(nil, dataHeader{
		Total: uint32(48 + len(answer)), Answers: 1,
		PerfTime: int64(seconds) * frequency, Time100ns: winperf.ToFiletime(taken), Ticks: frequency,
		SystemTime: [8]uint16{
			uint16(taken.Year()), uint16(taken.Month()), uint16(taken.Weekday()), uint16(taken.Day()),
			uint16(taken.Hour()), uint16(taken.Minute()), uint16(taken.Second()),
		},
	})
	b = append(b, answer...)
	b = append(b, identified(winperf.GUID{}, "MADEUP")...)
	return append(b, identified(processorInformation, "*")...)
}

// counterIDs returns a PERF_MULTI_COUNTERS: the ids of all counters.
func counterIDs() []byte {
	size := 8 + 4*len(counters)
	size += -size & 7
	b := appended(nil, multi{Size: uint32(size), Count: uint32(len(counters))})
	for _, c := range counters {
		b = appended(b, c.id)
	}
	return append(b, make([]byte, size-len(b))...)
}

// instanceData returns a PERF_MULTI_INSTANCES: all processors with their values.
func instanceData(seconds int) []byte {
	b := appended(nil, multi{Count: uint32(len(processors))})
	for i, p := range processors {
		name := text(p.name)
		b = append(appended(b, instance{Size: uint32(8 + len(name)), ID: uint32(i)}), name...)
		for _, c := range counters {
			b = appended(b, counterData{DataSize: uint32(c.typ.Width()), Size: valueSize})
			b = appended(b, c.at(p, seconds))
		}
	}
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	return b
}

// identified returns the identifier of all counters of the instances that match a filter.
func identified(set winperf.GUID, filter string) []byte {
	name := text(filter)
	b := appended(nil, identifier{Set: set, Size: uint32(40 + len(name)), Counter: none, Instance: none})
	return append(b, name...)
}
